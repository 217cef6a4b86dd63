"""The guarded model in a real agent of Pydantic AI, with a scripted model."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from balk.middleware.pydantic_ai import GuardedModel
from dialogue import ANNOUNCED, ANSWER, CALLS, EFFECTS, NOTES, TASK, TOLD, told_by
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


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


def test_instructions_need_no_prompt():
    guarded, sent, _ = agent(ANSWER, ANSWER)
    first = guarded.run_sync()
    assert (first.output, [it.instructions for it in sent[-1]]) == (ANSWER, ["Be short."])
    guarded.run_sync(message_history=first.all_messages())
    assert [it.kind for it in sent[-1]] == ["request", "response", "request"]
    assert sent[-1][-1].instructions == "Be short."
