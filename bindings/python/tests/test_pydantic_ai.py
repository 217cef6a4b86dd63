"""The guarded model in a real agent of Pydantic AI, with a scripted model."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from answers import decided_by, noticed, refused_once
from balk.middleware.pydantic_ai import GuardedModel
from dialogue import ANNOUNCED, ANSWER, CALLS, EFFECTS, NOTES, TASK, TOLD, told_by
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryImage, NativeOutput, PromptedOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    FilePart,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.profiles import ModelProfile


def call(id: str, path: str = "notes.txt") -> ToolCallPart:
    return ToolCallPart("read_file", {"path": path}, id)


def agent(*answers):
    left, sent, told = list(answers), [], []

    def answer(messages, _):
        sent.append(messages)
        match left.pop(0):
            case Exception() as error:
                raise error
            case str() as text:
                return ModelResponse([TextPart(text)])
            case parts:
                return ModelResponse(parts)

    model = GuardedModel(FunctionModel(answer), effects=EFFECTS, on_told=told.append)
    made = Agent(model, instructions="Be short.")

    @made.tool_plain
    def read_file(path: str) -> str:
        return NOTES

    return made, sent, told


def kinds(messages) -> list[str]:
    return [part.part_kind for message in messages for part in message.parts]


def test_the_agent_sees_what_the_guards_let_pass():
    guarded, sent, told = agent(ANNOUNCED, *[[call(id)] for id in CALLS], ANSWER)
    result = guarded.run_sync(TASK)
    assert result.output.startswith(ANSWER)
    assert told_by(told)[:2] == TOLD
    seen = ["user-prompt", "tool-call", "tool-return", "tool-call", "tool-return", "text"]
    assert kinds(result.all_messages()) == seen
    # The model knows the whole of it, and the framework's instructions are still there.
    assert kinds(sent[-1]) == ["user-prompt", "text", "user-prompt", *seen[1:5], "tool-call", "tool-return"]
    assert sent[-1][-1].parts[-1].tool_name == "read_file"
    assert sent[-1][-1].instructions == "Be short."


def test_of_several_calls_the_others_run():
    guarded, sent, _ = agent([call("a")], [call("b")], [call("c"), call("d", "more.txt")], ANSWER)
    guarded.run_sync(TASK)
    calls = [it.tool_call_id for message in sent[-1] for it in message.parts if it.part_kind == "tool-call"]
    returns = [it.tool_call_id for message in sent[-1] for it in message.parts if it.part_kind == "tool-return"]
    assert calls == ["a", "b", "d", "c"]
    assert returns == ["a", "b", "d", "c"]


def test_a_stream_is_held_until_its_answer_is_whole():
    guarded, *_ = agent(ANNOUNCED, [call("a")], ANSWER)

    async def stream() -> str:
        async with guarded.run_stream(TASK) as result:
            return await result.get_output()

    assert asyncio.run(stream()).startswith(ANSWER)


def test_a_busy_provider_is_asked_again_and_a_refusal_is_raised():
    guarded, sent, _ = agent(ModelHTTPError(503, "some-model"), ANSWER)
    assert guarded.run_sync(TASK).output.startswith(ANSWER)
    assert len(sent) == 2
    guarded, sent, _ = agent(ModelHTTPError(401, "some-model"))
    with pytest.raises(ModelHTTPError):
        guarded.run_sync(TASK)


class Found(BaseModel):
    found: bool


FOUND = '{"found": false}'


def test_an_answer_that_is_data_stays_as_it_is(monkeypatch):
    decided = decided_by(monkeypatch, noticed)
    model = FunctionModel(lambda *_: ModelResponse([TextPart(FOUND)]))
    for form in (NativeOutput(Found), PromptedOutput(Found)):
        assert Agent(GuardedModel(model), output_type=form).run_sync(TASK).output == Found(found=False)
    assert [it["text"] for it in decided.heard] == ["data:application/json,1"] * 2


def test_a_model_that_prefers_data_has_it(monkeypatch):
    decided_by(monkeypatch, noticed)
    profile = ModelProfile(default_structured_output_mode="prompted")
    model = FunctionModel(lambda *_: ModelResponse([TextPart(FOUND)]), profile=profile)
    assert Agent(GuardedModel(model), output_type=Found).run_sync(TASK).output == Found(found=False)


def test_instructions_need_no_prompt():
    guarded, sent, _ = agent(ANSWER, ANSWER)
    first = guarded.run_sync()
    assert (first.output, [it.instructions for it in sent[-1]]) == (ANSWER, ["Be short."])
    guarded.run_sync(message_history=first.all_messages())
    assert [it.kind for it in sent[-1]] == ["request", "response", "request"]
    assert sent[-1][-1].instructions == "Be short."


def test_a_hidden_answer_keeps_its_signed_thinking(monkeypatch):
    decided = decided_by(monkeypatch, refused_once)
    thought = ThinkingPart("Hm.", signature="SIG")
    guarded, sent, _ = agent([thought, call("a")], ANSWER)
    guarded.run_sync(TASK)
    assert sent[-1][1].parts == [thought, call("a")]
    assert decided.heard[0]["thinking"] == "Hm."


def test_parts_of_the_provider_are_no_empty_answer(monkeypatch):
    decided = decided_by(monkeypatch, noticed)
    drawn = ModelResponse([FilePart(BinaryImage(b"", media_type="image/png"))])
    model = FunctionModel(lambda *_: drawn, profile=ModelProfile(supports_image_output=True))
    assert Agent(GuardedModel(model), output_type=BinaryImage).run_sync(TASK).output.media_type == "image/png"
    assert decided.heard[0]["text"] == "data:application/json,1"


def test_what_a_paused_turn_said_is_no_announcement(monkeypatch):
    decided = decided_by(monkeypatch, lambda *_: None)
    paused = ModelResponse([TextPart(ANNOUNCED)], state="suspended")
    model = GuardedModel(FunctionModel(lambda *_: paused))
    request = model.request([ModelRequest([UserPromptPart(TASK)])], None, ModelRequestParameters())
    assert asyncio.run(request) is paused
    assert decided.heard[0]["text"] == "data:application/json,1"
