"""The guarded model in a real agent of the OpenAI Agents SDK, with a scripted model."""

import asyncio
import json

import pytest

pytest.importorskip("agents")

from agents import Agent, Model, ModelResponse, Runner, ShellTool, Usage, function_tool, set_tracing_disabled
from answers import decided_by, noticed, refused_once
from balk.middleware.openai_agents import GuardedModel
from dialogue import ANNOUNCED, ANSWER, CALLS, EFFECTS, NOTES, TASK, TOLD, told_by
from openai.types.responses import (
    ResponseFunctionShellToolCall,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_output_item import ImageGenerationCall
from pydantic import BaseModel

set_tracing_disabled(True)


def text(said: str) -> ResponseOutputMessage:
    content = [ResponseOutputText(type="output_text", text=said, annotations=[])]
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=content)


def call(id: str, path: str = "notes.txt") -> ResponseFunctionToolCall:
    arguments = json.dumps({"path": path})
    return ResponseFunctionToolCall(call_id=id, name="read_file", arguments=arguments, type="function_call")


def shell_call(id: str) -> ResponseFunctionShellToolCall:
    action = {"commands": ["ls"], "timeout_ms": 1000, "max_output_length": 100}
    body = {"id": f"sh_{id}", "call_id": id, "type": "shell_call", "status": "completed", "action": action}
    return ResponseFunctionShellToolCall.model_validate(body)


class Scripted(Model):
    def __init__(self, *answers: list) -> None:
        self.left, self.sent = list(answers), []

    async def get_response(self, system_instructions, input, *_, **__):
        self.sent.append(input)
        usage = Usage(requests=1, input_tokens=10, output_tokens=2, total_tokens=12)
        return ModelResponse(output=self.left.pop(0), usage=usage, response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


@function_tool
def read_file(path: str) -> str:
    return NOTES


def agent(*answers):
    told: list[dict] = []
    model = Scripted(*answers)
    guarded = GuardedModel(model, effects=EFFECTS, on_told=told.append)
    return Agent("helper", model=guarded, tools=[read_file]), model, told


def kinds(items) -> list[str]:
    return [it.get("type") or it["role"] for it in items]


def test_the_agent_sees_what_the_guards_let_pass():
    guarded, model, told = agent([text(ANNOUNCED)], *[[call(id)] for id in CALLS], [text(ANSWER)])
    result = Runner.run_sync(guarded, TASK)
    assert result.final_output.startswith(ANSWER)
    assert told_by(told)[:2] == TOLD
    rounds = ["function_call", "function_call_output"]
    assert kinds(result.to_input_list()) == ["user", *rounds, *rounds, "message"]
    # The model knows the whole of it.
    assert kinds(model.sent[-1]) == ["user", "message", "user", *rounds, *rounds, *rounds]


def test_of_several_calls_the_others_run():
    guarded, model, _ = agent([call("a")], [call("b")], [call("c"), call("d", "more.txt")], [text(ANSWER)])
    Runner.run_sync(guarded, TASK)
    ids = [it["call_id"] for it in model.sent[-1] if "call_id" in it]
    assert ids == ["a", "a", "b", "b", "d", "c", "d", "c"]


def test_a_history_that_the_provider_keeps_is_refused():
    guarded, *_ = agent([text(ANSWER)])
    with pytest.raises(ValueError, match="whole history"):
        Runner.run_sync(guarded, TASK, previous_response_id="resp_1")


class Found(BaseModel):
    found: bool


def test_an_answer_that_is_data_stays_as_it_is(monkeypatch):
    decided = decided_by(monkeypatch, noticed)
    guarded, *_ = agent([text('{"found": false}')])
    guarded.output_type = Found
    assert Runner.run_sync(guarded, TASK).final_output == Found(found=False)
    assert decided.heard[0]["text"] == "data:application/json,1"


def test_a_stream_has_its_text_and_the_tokens_of_all_attempts():
    guarded, *_ = agent([text(ANNOUNCED)], [call("a")], [text(ANSWER)])

    async def stream():
        run = Runner.run_streamed(guarded, TASK)
        raw = [it.data async for it in run.stream_events() if it.type == "raw_response_event"]
        return run, raw

    run, raw = asyncio.run(stream())
    assert [it.type for it in raw] == ["response.completed", "response.output_text.delta", "response.completed"]
    assert raw[1].delta == run.final_output
    usage = run.context_wrapper.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (30, 6, 36)


def test_a_shell_is_called_and_not_announced(monkeypatch):
    decided = decided_by(monkeypatch, refused_once)
    model = Scripted([text("I will look."), shell_call("a")], [shell_call("b")], [text(ANSWER)])
    tool = ShellTool(executor=lambda _: "notes.txt")
    Runner.run_sync(Agent("helper", model=GuardedModel(model), tools=[tool]), TASK)
    assert [(it["id"], it["tool"]) for said in decided.heard for it in said["calls"]] == [
        ("a", "shell"),
        ("b", "shell"),
    ]
    assert decided.asked[-1]["messages"][-1] == {"role": "tool", "id": "b", "text": "notes.txt"}
    # A call and its result are of one kind.
    assert kinds(model.sent[1]) == ["user", "message", "function_call", "function_call_output"]
    assert kinds(model.sent[2]) == ["user", "shell_call", "shell_call_output"]


def test_a_hidden_answer_keeps_its_reasoning(monkeypatch):
    decided = decided_by(monkeypatch, refused_once)
    summary = [{"type": "summary_text", "text": "Hm."}]
    thought = ResponseReasoningItem.model_validate({"id": "rs", "type": "reasoning", "summary": summary})
    guarded, model, _ = agent([thought, call("a")], [text(ANSWER)])
    Runner.run_sync(guarded, TASK)
    assert kinds(model.sent[-1]) == ["user", "reasoning", "function_call", "function_call_output"]
    assert decided.heard[0]["thinking"] == "Hm."


def test_a_refusal_and_parts_of_the_provider_are_no_empty_answers(monkeypatch):
    decided = decided_by(monkeypatch, lambda *_: None)
    content = [{"type": "refusal", "refusal": "I cannot."}]
    refusal = text("").model_validate(text("").model_dump() | {"content": content})
    drawn = ImageGenerationCall(id="i", type="image_generation_call", status="completed", result="")
    for output in ([refusal], [drawn]):
        asyncio.run(GuardedModel(Scripted(output)).get_response(None, TASK, None, [], None, [], None))
    assert [(it["text"], it["finish"]) for it in decided.heard] == [
        ("I cannot.", "content_filter"),
        ("data:application/json,1", "not_given"),
    ]


def test_an_answer_that_was_cut_off_is_known_as_such(monkeypatch):
    decided = decided_by(monkeypatch, lambda *_: None)
    cut = text("It says").model_copy(update={"status": "incomplete"})
    for output in ([cut], [call("a").model_copy(update={"status": "incomplete"})], [text("Milk.")]):
        asyncio.run(GuardedModel(Scripted(output)).get_response(None, TASK, None, [], None, [], None))
    assert [it["finish"] for it in decided.heard] == ["length", "length", "not_given"]
