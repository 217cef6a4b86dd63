"""The SDKs of OpenAI and Anthropic, whose messages the agent keeps itself, with a scripted server in their place."""

import asyncio
import inspect
import json

import pytest

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

import balk.middleware.anthropic as for_anthropic
import balk.middleware.openai as for_openai
import httpx
from anthropic.types import Message
from answers import decided_by, refused_once
from dialogue import ANNOUNCED, ANSWER, CALLS, EFFECTS, NOTES, TASK, TOLD, told_by
from openai.types.chat import ChatCompletion

PATH = {"path": "notes.txt"}


class OpenAI:
    """Requests and responses of OpenAI chat."""

    guarded = staticmethod(for_openai.guarded)
    tools = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]

    @staticmethod
    def response(answer):
        message = {"role": "assistant", "content": None}
        if isinstance(answer, str):
            message["content"] = answer
        else:
            made = [
                {"id": id, "type": "function", "function": {"name": "read_file", "arguments": json.dumps(path)}}
                for id, path in answer
            ]
            message["tool_calls"] = made
        choice = {"index": 0, "finish_reason": "stop" if isinstance(answer, str) else "tool_calls", "message": message}
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return ChatCompletion.model_validate(body)

    @staticmethod
    def said(response):
        message = response.choices[0].message
        return message.content or "", [it.id for it in message.tool_calls or []]

    @staticmethod
    def next(response, results):
        message = response.choices[0].message
        return [message, *({"role": "tool", "tool_call_id": id, "content": text} for id, text in results)]

    @staticmethod
    def seen(messages):
        plain = [it if isinstance(it, dict) else it.model_dump() for it in messages]
        return [it["role"] for it in plain]


class Anthropic:
    """Requests and responses of Anthropic messages."""

    guarded = staticmethod(for_anthropic.guarded)
    tools = [{"name": "read_file", "input_schema": {"type": "object"}}]

    @staticmethod
    def response(answer):
        if isinstance(answer, str):
            content = [{"type": "text", "text": answer}]
        else:
            content = [{"type": "tool_use", "id": id, "name": "read_file", "input": path} for id, path in answer]
        body = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
        body |= {"content": content, "usage": {"input_tokens": 1, "output_tokens": 1}}
        return Message.model_validate(body | {"stop_reason": "end_turn" if isinstance(answer, str) else "tool_use"})

    @staticmethod
    def said(response):
        texts = [it.text for it in response.content if it.type == "text"]
        return "\n".join(texts), [it.id for it in response.content if it.type == "tool_use"]

    @staticmethod
    def next(response, results):
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in results]
        said = {"role": "assistant", "content": response.content}
        return [said, *([{"role": "user", "content": blocks}] if blocks else [])]

    @staticmethod
    def seen(messages):
        roles = []
        for message in messages:
            for block in [message["content"]] if isinstance(message["content"], str) else message["content"]:
                kind = block if isinstance(block, str) else block["type"] if isinstance(block, dict) else block.type
                roles.append("tool" if kind == "tool_result" else message["role"])
        return roles


def agent(sdk, *answers, is_async=False):
    """Plays an agent to its answer; returns that, what guards did, and what the model was sent last."""
    left, sent, told = list(answers), [], []

    def create(**request):
        sent.append(request["messages"])
        return sdk.response(left.pop(0))

    async def acreate(**request):
        return create(**request)

    ask = sdk.guarded(acreate if is_async else create, effects=EFFECTS, on_told=told.append)
    assert inspect.iscoroutinefunction(ask) == is_async
    messages = [{"role": "user", "content": TASK}]
    while True:
        response = ask(model="m", messages=messages, tools=sdk.tools)
        response = asyncio.run(response) if is_async else response
        text, calls = sdk.said(response)
        messages += sdk.next(response, [(id, NOTES) for id in calls])
        if not calls:
            return text, told, sent[-1]


def test_the_guarded_function_of_a_client_is_async_as_its_own() -> None:
    key = {"api_key": "none"}
    for is_async, created in [
        (False, for_openai.guarded(openai.OpenAI(**key).chat.completions.create)),
        (True, for_openai.guarded(openai.AsyncOpenAI(**key).chat.completions.create)),
        (False, for_anthropic.guarded(anthropic.Anthropic(**key).messages.create)),
        (True, for_anthropic.guarded(anthropic.AsyncAnthropic(**key).messages.create)),
    ]:
        assert inspect.iscoroutinefunction(created) == is_async


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("sdk", [OpenAI, Anthropic])
def test_the_agent_sees_what_the_guards_let_pass(sdk, is_async):
    answers = [ANNOUNCED, *[[(id, PATH)] for id in CALLS], ANSWER]
    text, told, sent = agent(sdk, *answers, is_async=is_async)
    assert text.startswith(ANSWER)
    assert told_by(told)[:2] == TOLD
    rounds = ["assistant", "tool"]
    assert sdk.seen(sent) == ["user", "assistant", "user", *rounds, *rounds, *rounds]


@pytest.mark.parametrize("sdk", [OpenAI, Anthropic])
def test_of_several_calls_the_others_run(sdk):
    both = [("c", PATH), ("d", {"path": "more.txt"})]
    _, _, sent = agent(sdk, [("a", PATH)], [("b", PATH)], both, ANSWER)
    assert "refused" not in str(sent) and '"c"' in json.dumps(sent, default=lambda it: it.model_dump())
    assert sdk.seen(sent)[-2:] == ["tool", "tool"]


@pytest.mark.parametrize("sdk", [OpenAI, Anthropic])
def test_a_stream_is_refused(sdk):
    ask = sdk.guarded(lambda **_: None)
    with pytest.raises(ValueError, match="stream"):
        ask(model="m", messages=[], stream=True)


def test_what_guards_did_is_told_before_an_error_is_raised(monkeypatch):
    decided_by(monkeypatch, refused_once)
    told = []

    def create(**_):
        raise openai.APIConnectionError(request=httpx.Request("POST", "http://none"))

    with pytest.raises(openai.APIConnectionError):
        for_openai.guarded(create, on_told=told.append)(model="m", messages=[])
    assert [it["kind"] for it in told] == ["stop"]
