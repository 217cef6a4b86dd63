"""The loop that Balk drives."""

import asyncio
import json

import pytest
from balk.guards import AskModel, AskUser, Call, Ended, Ran, Reply, RunTools, Stack, Tool, Wait

READ = Tool("read_file", effect="read-only")
NOTES = "milk, bread and a long list of other things"


def call(id: str) -> Call:
    return Call(id, "read_file", json.dumps({"path": "notes.txt"}))


def chat(text: str | None = None, *calls: Call) -> dict:
    """A response of OpenAI chat."""
    made = [{"id": it.id, "type": "function", "function": {"name": it.tool, "arguments": it.arguments}} for it in calls]
    message = {"role": "assistant", "content": text} | ({"tool_calls": made} if made else {})
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}]}


def test_a_run_goes_step_by_step():
    run = Stack().run("Read notes.txt.", tools=[READ], model="some-model")
    for id in ("a", "b"):
        assert run.step() == AskModel(asked=1)
        run.completed(calls=[call(id)])
        assert run.step() == RunTools([call(id)], attempt=1)
        run.executed([Ran(NOTES, "ok")])
    assert run.news() == []
    run.completed(calls=[call("c")])
    [told] = run.news()
    assert (told.kind, told.guard, told.for_user) == ("block", "duplicate", False)
    assert run.step() == AskModel(asked=1)
    run.completed("Milk and bread.")
    assert run.step() == Reply()
    run.end()
    assert run.step() == Ended("finished")


def test_a_request_has_the_form_of_its_provider():
    run = Stack("none").run("Read notes.txt.", tools=[READ], model="some-model")
    openai = run.request("openai", system="Be short.")
    assert [it["role"] for it in openai["messages"]] == ["system", "user"]
    assert openai["tools"][0]["function"]["name"] == "read_file"
    assert run.request("anthropic")["max_tokens"] == 4096
    with pytest.raises(ValueError, match="found `opneai`"):
        run.request("opneai")


def test_a_run_is_resumed_from_its_transcript():
    run = Stack().run("Read notes.txt.", tools=[READ])
    for id in ("a", "b"):
        run.completed(calls=[call(id)])
        run.executed([Ran(NOTES, "ok")])
    resumed = Stack().resume(json.loads(json.dumps(run.transcript())))
    resumed.completed(calls=[call("c")])
    assert [it.kind for it in resumed.news()] == ["block"]


def script(*responses):
    """A model, and what it was sent."""
    left, sent = list(responses), []

    def ask(request):
        sent.append(request)
        response = left.pop(0)
        if isinstance(response, Exception):
            raise response
        return response

    return ask, sent


def test_play_drives_a_run_to_its_end():
    ask, sent = script(chat("I will read the file now."), chat(None, call("a")), chat("It says milk."))
    run = Stack().run("Read notes.txt and tell me what it says.", tools=[READ], model="some-model")
    assert run.play(ask, lambda _: Ran(NOTES, "ok")) == Ended("finished")
    assert [it["role"] for it in sent[-1]["messages"]] == ["user", "assistant", "user", "assistant", "tool"]


def test_aplay_does_the_same():
    ask, sent = script(chat("I will read the file now."), chat(None, call("a")), chat("It says milk."))
    run = Stack().run("Read notes.txt and tell me what it says.", tools=[READ], model="some-model")

    async def asks(request):
        return ask(request)

    async def runs(_):
        return Ran(NOTES, "ok")

    assert asyncio.run(run.aplay(asks, runs)) == Ended("finished")
    assert len(sent) == 3


def test_a_question_goes_to_the_user():
    ask, _ = script(*[chat(f"I will read the file now, as step {nth} of my plan.") for nth in range(9)])
    asked = []
    run = Stack("no-tools").run("Read notes.txt and tell me what it says.", tools=[READ])
    end = run.play(ask, lambda _: "", user=lambda question: asked.append(question) or "end the run")
    assert end == Ended("stopped-by-user")
    assert isinstance(asked[0], AskUser) and "continue anyway" in asked[0].options


def test_a_lost_connection_is_tried_again():
    run = Stack().run("Read notes.txt.", tools=[READ])
    run.failed(ConnectionResetError("connection reset"))
    wait = run.step()
    assert isinstance(wait, Wait) and wait.at_least <= wait.drawn() <= wait.at_most
    run.waited(wait.at_least)
    assert run.step() == AskModel(asked=2)


def test_an_error_of_the_program_is_no_failed_attempt():
    run = Stack().run("Read notes.txt.", tools=[READ])
    with pytest.raises(KeyError):
        run.failed(KeyError("choices"))


def test_wrong_values_are_refused_with_what_was_expected():
    with pytest.raises(ValueError, match="found `dulicate`"):
        Stack("dulicate")
    with pytest.raises(ValueError, match="limits"):
        Stack("no-tools", {"no-tools": {"limits": 1}})
    run = Stack().run("Read notes.txt.", tools=[READ])
    with pytest.raises(ValueError, match="expected no results, found 1"):
        run.executed(["milk"])
    with pytest.raises(ValueError, match="transcript"):
        Stack().resume([{"entry": "start"}])


def test_tools_may_have_the_form_of_openai_and_the_last_words_are_kept():
    tool = {"type": "function", "function": {"name": "read_file", "description": "Reads.", "parameters": {}}}
    ask, sent = script(chat(None, call("a")), chat("It says milk."))
    run = Stack("none").run("Read notes.txt.", tools=[tool], model="some-model")
    run.play(ask, lambda _: "milk")
    assert sent[0]["tools"][0]["function"]["name"] == "read_file"
    assert run.text() == "It says milk."


def test_a_mistyped_effect_is_found_at_once():
    with pytest.raises(ValueError, match="run: effect: expected read-only, .* found 'readonly'"):
        Tool("run", effect="readonly")
    with pytest.raises(ValueError, match="status: expected ok, error, unknown, found 'okay'"):
        Ran("x", "okay")
