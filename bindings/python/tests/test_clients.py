"""The SDKs of OpenAI and Anthropic, whose messages the agent keeps itself, with a scripted server in their place."""

import asyncio
import inspect
import json
import pickle

import pytest

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

import balk.middleware.anthropic as for_anthropic
import balk.middleware.openai as for_openai
import httpx
from answers import decided_by, noticed, refused_once
from anthropic.types import Message
from balk._answers import KEPT, Answers, Unit, beginnings
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


FOUND = '{"found": false}'


@pytest.mark.parametrize(
    ("sdk", "form"),
    [
        (OpenAI, {"response_format": {"type": "json_object"}}),
        (OpenAI, {"response_format": dict}),
        (Anthropic, {"output_config": {"format": {"type": "json_schema", "schema": {}}}}),
    ],
)
def test_an_answer_that_is_data_stays_as_it_is(monkeypatch, sdk, form):
    decided = decided_by(monkeypatch, noticed)
    ask = sdk.guarded(lambda **_: sdk.response(FOUND))
    messages = [{"role": "user", "content": TASK}]
    assert sdk.said(ask(model="m", messages=messages, **form)) == (FOUND, [])
    assert sdk.said(ask(model="m", messages=messages))[0] == f"{FOUND}\n\nNothing worked."
    assert [it["text"] for it in decided.heard] == ["data:application/json,1", FOUND]


@pytest.mark.parametrize("sdk", [OpenAI, Anthropic])
def test_hidden_data_is_sent_as_it_was(monkeypatch, sdk):
    decided_by(monkeypatch, refused_once)
    left, sent = [FOUND, '{"found": true}'], []

    def create(**request):
        sent.append(request["messages"])
        return sdk.response(left.pop(0))

    form = {"response_format": {"type": "json_object"}, "output_config": {"format": {"type": "json_schema"}}}
    sdk.guarded(create)(model="m", messages=[{"role": "user", "content": TASK}], **form)
    assert json.dumps(FOUND) in json.dumps(sent[-1][1])


def test_what_guards_did_is_told_before_an_error_is_raised(monkeypatch):
    decided_by(monkeypatch, refused_once)
    told = []

    def create(**_):
        raise openai.APIConnectionError(request=httpx.Request("POST", "http://none"))

    with pytest.raises(openai.APIConnectionError):
        for_openai.guarded(create, on_told=told.append)(model="m", messages=[])
    assert [it["kind"] for it in told] == ["stop"]


def test_a_hidden_answer_of_anthropic_keeps_its_signed_thinking(monkeypatch):
    decided = decided_by(monkeypatch, refused_once)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "SIG"}
    first = Anthropic.response([("a", PATH)])
    first = first.model_validate(first.model_dump() | {"content": [thought, *first.model_dump()["content"]]})
    left, sent = [first, Anthropic.response(ANSWER)], []

    def create(**request):
        sent.append(request["messages"])
        return left.pop(0)

    for_anthropic.guarded(create)(model="m", messages=[{"role": "user", "content": TASK}])
    assert sent[-1][1]["content"][0] == thought
    assert decided.heard[0]["thinking"] == "Hm."


def openai_answer(**message):
    return ChatCompletion.model_validate(OpenAI.response("").model_dump() | {"choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None} | message}
    ]})  # fmt: skip


SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}


def paused(*blocks):
    body = Anthropic.response("").model_dump() | {"content": blocks, "stop_reason": "pause_turn"}
    return Message.model_validate(body)


@pytest.mark.parametrize(
    ("sdk", "response", "heard"),
    [
        (OpenAI, openai_answer(refusal="I cannot."), ("I cannot.", [], "content_filter")),
        (
            OpenAI,
            openai_answer(audio={"id": "a", "data": "", "expires_at": 1, "transcript": "Hi."}),
            ("Hi.", [], "stop"),
        ),
        (
            OpenAI,
            openai_answer(tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "run", "input": "ls"}}]),
            ("", [{"id": "c", "tool": "run", "arguments": '{"input": "ls"}'}], "stop"),
        ),
        (Anthropic, paused(SEARCH), ("data:application/json,1", [], "not_given")),
        (Anthropic, paused({"type": "text", "text": ANNOUNCED}, SEARCH), ("data:application/json,1", [], "not_given")),
        (Anthropic, paused({"type": "text", "text": ANNOUNCED}), ("data:application/json,1", [], "not_given")),
    ],
)
def test_an_answer_of_another_kind_is_not_empty(monkeypatch, sdk, response, heard):
    decided = decided_by(monkeypatch, lambda *_: None)
    ask = sdk.guarded(lambda **_: response)
    assert ask(model="m", messages=[{"role": "user", "content": TASK}]) is response
    assert tuple(decided.heard[0][name] for name in ("text", "calls", "finish")) == heard


class Thinking(Anthropic):
    """Each answer begins with thinking that the provider has signed."""

    @staticmethod
    def response(answer):
        body = Anthropic.response(answer).model_dump()
        thought = {"type": "thinking", "thinking": "Hm.", "signature": str(answer)}
        return Message.model_validate(body | {"content": [thought, *body["content"]]})


def test_later_requests_have_the_thinking_of_hidden_answers_too():
    answers = [ANNOUNCED, *[[(id, PATH)] for id in CALLS], ANSWER]
    _, told, sent = agent(Thinking, *answers)
    assert told_by(told)[:2] == TOLD
    said = [it["content"][0] for it in sent if it["role"] == "assistant"]
    thoughts = [it if isinstance(it, dict) else it.model_dump() for it in said]
    assert [it.get("signature") for it in thoughts] == [str(it) for it in answers[:-1]]


def test_no_conversation_has_the_thinking_of_another():
    answers, said = Answers(), {"text": ANNOUNCED, "calls": []}
    [mine, other] = ([Unit({"role": "user", "text": text}, [])] for text in (TASK, "Read more.txt."))
    answers.keep(beginnings(mine), said, ["mine"])
    assert (answers.own(beginnings(mine), said), answers.own(beginnings(other), said)) == (["mine"], None)
    # What comes later changes nothing; nor does the time in the instructions.
    at = [[Unit({"role": "system", "text": f"It is {hour}."}, []), *mine] for hour in (10, 11)]
    answers.keep(beginnings(at[0]), said, ["at ten"])
    assert answers.own(beginnings([*at[1], *other]), said) == ["at ten"]
    assert answers.own(beginnings([*mine, *other]), said) == ["mine"]


def test_of_a_long_history_a_digest_is_kept():
    answers, said = Answers(), {"text": ANNOUNCED, "calls": []}
    for nth in range(KEPT):
        # As long as it is, it is made anew for each request.
        answers.keep(beginnings([Unit({"role": "user", "text": f"{nth} " + "x" * 100_000}, [])]), said, [])
    assert len(pickle.dumps(answers._kept)) < 100_000


def test_what_a_paused_turn_said_is_no_announcement():
    """Its next request goes on from it, with what the provider asked for still open."""
    sent, told = [], []
    left = [paused({"type": "text", "text": ANNOUNCED}, SEARCH), Anthropic.response(ANSWER)]

    def create(**request):
        sent.append(request["messages"])
        return left.pop(0)

    ask = for_anthropic.guarded(create, effects=EFFECTS, on_told=told.append)
    messages = [{"role": "user", "content": TASK}]
    response = ask(model="m", messages=messages, tools=Anthropic.tools)
    messages.append({"role": "assistant", "content": response.content})
    assert Anthropic.said(ask(model="m", messages=messages, tools=Anthropic.tools)) == (ANSWER, [])
    assert (told, [len(it) for it in sent]) == ([], [1, 2])


@pytest.mark.parametrize("sdk", [OpenAI, Anthropic])
def test_half_a_surrogate_pair_is_no_error(sdk):
    left, sent, told = [ANNOUNCED, ANSWER], [], []

    def create(**request):
        sent.append(request["messages"])
        return sdk.response(left.pop(0))

    ask = sdk.guarded(create, effects=EFFECTS, on_told=told.append)
    messages = [{"role": "user", "content": f"{TASK} Not \udcff.txt."}]
    assert sdk.said(ask(model="m", messages=messages, tools=sdk.tools))[0].startswith(ANSWER)
    # The framework's own message is sent as it is.
    [said, *_] = [it["content"] for it in sent[-1]]
    assert told_by(told)[:1] == TOLD[:1]
    assert (said if isinstance(said, str) else said[0]["text"]) == messages[0]["content"]


def test_results_come_first_however_many_messages_there_are():
    def of(role, kind, at):
        return {"role": role, "content": [{"type": kind, "text": str(at)}]}

    many = [of("user", kind, at) for at in range(1_000) for kind in ("text", "tool_result")]
    answers = [of("assistant", "text", at) for at in range(2)]
    [told, *said] = for_anthropic._merged([*many, *answers])
    assert said == answers
    kinds = ["tool_result"] * 1_000 + ["text"] * 1_000
    assert [it["type"] for it in told["content"]] == kinds
    assert [it["text"] for it in told["content"]] == [str(it) for it in range(1_000)] * 2
