"""The middleware in a real deep agent, with a scripted model."""

import pytest

pytest.importorskip("deepagents")

from balk.middleware.langchain import Guards
from deepagents import create_deep_agent
from dialogue import ANNOUNCED, ANSWER, NOTES, TASK, TOLD, told_by
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from test_langchain import Model, invoke


@tool
def read_notes(path: str) -> str:
    """Reads the notes."""
    return NOTES


def test_a_deep_agent_is_corrected_and_goes_on():
    told: list[dict] = []
    reading = AIMessage("", tool_calls=[{"id": "a", "name": "read_notes", "args": {"path": "notes.txt"}}])
    model = Model(messages=iter([AIMessage(ANNOUNCED), reading, AIMessage(ANSWER)]), sent=[])
    guards = Guards(effects={"read_notes": "read-only"}, on_told=told.append)
    agent = create_deep_agent(model=model, tools=[read_notes], middleware=[guards])
    messages = invoke(agent, [("user", TASK)])
    assert [it.type for it in messages] == ["human", "ai", "tool", "ai"]
    assert messages[-1].text == ANSWER
    # The model was told, and only the model.
    assert told_by(told) == TOLD[:1]
    assert model.sent[1][-1].text == told[0]["text"]
