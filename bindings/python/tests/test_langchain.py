"""The middleware in a real agent of LangChain, with a scripted model."""

import asyncio

import pytest

pytest.importorskip("langchain")

from answers import decided_by, noticed, refused_once
from balk.middleware.langchain import Guards
from dialogue import ANNOUNCED, ANSWER, CALLS, EFFECTS, NOTES, TASK, TOLD, told_by
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel


class Model(GenericFakeChatModel):
    """Says what is scripted, raises what is an error, and keeps what it was sent."""

    sent: list = []

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, *args, **kwargs):
        self.sent.append(list(messages))
        return super()._generate(messages, *args, **kwargs)


@tool
def read_file(path: str) -> str:
    """Reads a file."""
    return NOTES


def call(id: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": id, "name": "read_file", "args": {"path": "notes.txt"}}])


def agent(*answers: AIMessage):
    told: list[dict] = []
    model = Model(messages=iter(answers), sent=[])
    guards = Guards(effects=EFFECTS, on_told=told.append)
    return create_agent(model, tools=[read_file], middleware=[guards]), model, told


def invoke(agent, messages):
    return agent.invoke({"messages": messages})["messages"]


def ainvoke(agent, messages):
    return asyncio.run(agent.ainvoke({"messages": messages}))["messages"]


@pytest.mark.parametrize("run", [invoke, ainvoke])
def test_the_agent_sees_what_the_guards_let_pass(run):
    guarded, model, told = agent(AIMessage(ANNOUNCED), *map(call, CALLS), AIMessage(ANSWER))
    messages = run(guarded, [("user", TASK)])
    assert [it.type for it in messages] == ["human", "ai", "tool", "ai", "tool", "ai"]
    assert messages[-1].text.startswith(ANSWER)
    assert told_by(told)[:2] == TOLD
    # The model knows the whole of it.
    assert [it.type for it in model.sent[-1]] == [
        "human", "ai", "human", "ai", "tool", "ai", "tool", "ai", "tool",
    ]  # fmt: skip
    assert model.sent[-1][-1].tool_call_id == "c"


def test_of_several_calls_the_others_run():
    other = {"id": "d", "name": "read_file", "args": {"path": "more.txt"}}
    both = AIMessage("", tool_calls=[*call("c").tool_calls, other])
    guarded, model, _ = agent(call("a"), call("b"), both, AIMessage(ANSWER))
    messages = invoke(guarded, [("user", TASK)])
    assert [it["id"] for it in messages[5].tool_calls] == ["d"]
    # The model is shown both of its calls, each with a result.
    assert [it["id"] for it in model.sent[-1][5].tool_calls] == ["d", "c"]
    assert [it.tool_call_id for it in model.sent[-1][6:8]] == ["d", "c"]


def test_a_question_is_the_answer_and_the_next_message_answers_it():
    announced = [AIMessage(f"I will read the file now, as step {nth} of my plan.") for nth in (1, 2)]
    model = Model(messages=iter([*announced, call("a"), AIMessage(ANSWER)]), sent=[])
    guarded = create_agent(model, tools=[read_file], middleware=[Guards("no-tools")])
    messages = invoke(guarded, [("user", TASK)])
    assert "1. " in messages[-1].text
    messages = invoke(guarded, [*messages, ("user", "Read it with read_file.")])
    assert messages[-1].text == ANSWER
    # The model never said the question.
    assert not any("1. " in it.text for it in model.sent[-1])


def test_errors_of_the_program_are_raised():
    guarded, *_ = agent()
    with pytest.raises(RuntimeError):
        invoke(guarded, [("user", TASK)])


class Found(BaseModel):
    found: bool


FOUND = '{"found": false}'


@pytest.mark.parametrize("form", [ProviderStrategy(Found), ToolStrategy(Found)])
def test_an_answer_that_is_data_stays_as_it_is(monkeypatch, form):
    decided = decided_by(monkeypatch, noticed)
    call = {"id": "a", "name": "Found", "args": {"found": False}}
    answer = AIMessage(FOUND) if isinstance(form, ProviderStrategy) else AIMessage("I found none.", tool_calls=[call])
    model = Model(messages=iter([answer]), sent=[])
    guarded = create_agent(model, tools=[], response_format=form, middleware=[Guards()])
    assert guarded.invoke({"messages": [("user", TASK)]})["structured_response"] == Found(found=False)
    assert [it["text"] for it in decided.heard] == ["data:application/json,1"]


@pytest.mark.parametrize(
    "own",
    [
        {"type": "web_search"},
        {"type": "code_interpreter", "container": {"type": "auto"}},
        {"type": "mcp", "server_label": "x", "server_url": "u"},
        {"google_search": {}},
        {"type": "custom", "custom": {"name": "run"}},
    ],
)
def test_a_tool_of_the_provider_is_no_error(monkeypatch, own):
    decided = decided_by(monkeypatch, lambda *_: None)
    guarded = create_agent(Model(messages=iter([AIMessage(ANSWER)])), tools=[own, read_file], middleware=[Guards()])
    assert invoke(guarded, [("user", TASK)])[-1].text == ANSWER
    names = [it["name"] for it in decided.asked[0]["tools"]]
    assert names == (["read_file", "run"] if "custom" in own else ["read_file"])


@pytest.mark.parametrize(
    "block",
    [
        lambda id: {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": "read_file", "arguments": "{}"},
        lambda id: {"type": "tool_call", "id": id, "name": "read_file", "args": {}},
        lambda id: {"type": "tool_use", "id": id, "name": "read_file", "input": {}},
    ],
)
def test_a_refused_call_is_no_part_of_the_content(monkeypatch, block):
    decided_by(monkeypatch, lambda answer, nth: answer | {"calls": answer["calls"][1:]} if nth == 1 else None)
    calls = [{"id": id, "name": "read_file", "args": {"path": "notes.txt"}} for id in ("a", "b")]
    both = AIMessage([{"type": "reasoning"}, block("a"), block("b")], tool_calls=calls)
    guarded, *_ = agent(both, AIMessage(ANSWER))
    messages = invoke(guarded, [("user", TASK)])
    assert messages[1].content == [{"type": "reasoning"}, block("b")]
    assert [it["id"] for it in messages[1].tool_calls] == ["b"]


def test_a_hidden_answer_keeps_its_signed_thinking(monkeypatch):
    decided_by(monkeypatch, refused_once)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "SIG"}
    used = {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "notes.txt"}}
    guarded, model, _ = agent(AIMessage([thought, used], tool_calls=call("a").tool_calls), AIMessage(ANSWER))
    invoke(guarded, [("user", TASK)])
    assert model.sent[-1][1].content == [thought, used]


def test_a_refusal_and_parts_of_the_provider_are_no_empty_answers(monkeypatch):
    decided = decided_by(monkeypatch, lambda *_: None)
    for content in ([{"type": "refusal", "refusal": "I cannot."}], [{"type": "image", "url": "u"}]):
        invoke(agent(AIMessage(content))[0], [("user", TASK)])
    assert [(it["text"], it["finish"]) for it in decided.heard] == [
        ("I cannot.", "content_filter"),
        ("data:application/json,1", "not_given"),
    ]


@pytest.mark.parametrize(
    ("metadata", "finish"),
    [
        ({"finish_reason": "length"}, "length"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),  # Gemini
        ({"stop_reason": "max_tokens"}, "length"),  # Anthropic
        ({"stop_reason": "model_context_window_exceeded"}, "length"),
        ({"stopReason": "max_tokens"}, "length"),  # Bedrock
        ({"done_reason": "length"}, "length"),  # Ollama
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),  # OpenAI Responses
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "completed", "incomplete_details": None}, "not_given"),
        ({"finish_reason": "STOP"}, "stop"),
        ({}, "not_given"),
    ],
)
def test_why_a_model_stopped_is_known_of_every_provider(monkeypatch, metadata, finish):
    decided = decided_by(monkeypatch, lambda *_: None)
    invoke(agent(AIMessage("It says", response_metadata=metadata))[0], [("user", TASK)])
    assert decided.heard[0]["finish"] == finish


def test_what_a_paused_turn_said_is_no_announcement(monkeypatch):
    decided = decided_by(monkeypatch, lambda *_: None)
    paused = AIMessage(ANNOUNCED, response_metadata={"stop_reason": "pause_turn"})
    assert invoke(agent(paused)[0], [("user", TASK)])[-1].text == ANNOUNCED
    assert decided.heard[0]["text"] == "data:application/json,1"
