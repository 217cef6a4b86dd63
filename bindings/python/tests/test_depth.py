"""Values of Python that are nested without an end."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, get_args

import pytest
from balk.guards import AskModel, Call, Dialect, Ran, RunTools, Stack
from balk.middleware import object_of

DEEP = """
from balk import Stack

def deep(levels, within):
    value = "x"
    for _ in range(levels):
        value = within(value)
    return value

circle = []
circle.append(circle)
values = [deep(100_000, wrap) for wrap in (lambda it: [it], lambda it: (it,), lambda it: {"a": it})]
stack, run = Stack("none"), Stack("none").run("Read notes.txt.")
for value in [*values, circle]:
    tools = [{"name": "look", "parameters": {"a": value}}]
    request = {"messages": [{"role": "user", "text": value}]}
    answer = {"text": "", "calls": [{"id": "a", "tool": "look", "arguments": value}]}
    exchange, _ = stack.conversations().asks({"messages": [{"role": "user", "text": ""}]})
    for door in (
        lambda: Stack("no-tools", {"no-tools": {"limit": value}}),
        lambda: stack.run("Read notes.txt.", tools=tools),
        lambda: stack.resume([{"entry": value}]),
        lambda: stack.conversations().asks({"messages": [], "tools": tools}),
        lambda: stack.conversations().asks(request),
        lambda: exchange.answered(answer),
        lambda: exchange.failed({"cause": value}),
        lambda: run.completed(finish={"stop": value}),
        lambda: run.responded({"choices": value}),
    ):
        try:
            door()
        except (ValueError, RecursionError) as why:
            print(type(why).__name__, why)
        else:
            print("taken")
    assert stack.run("Read notes.txt.").step() == run.step()
"""


def test_a_value_without_an_end_is_refused_and_the_process_goes_on() -> None:
    child = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, check=False)
    assert (child.returncode, child.stderr) == (0, "")
    bound = "expected at most 128 lists and mappings within each other, found more"
    refused = [f"ValueError {what}: {bound}" for what in ("guards", "transcript", "request", "answer", "failure")]
    said = child.stdout.splitlines()
    assert [said.count(it) for it in refused] == [4, 4, 8, 4, 4]
    assert len(said) == 36 and "taken" not in said


def test_arguments_of_a_model_that_are_nested_without_an_end_are_no_object() -> None:
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(ValueError, match="look: expected arguments that can be read, found ones that are nested"):
        Call("a", "look", deep).read()
    assert object_of(deep) == {}


def test_a_value_at_the_bound_arrives_as_it_is() -> None:
    value: Any = {"type": "object"}
    # The run, its tools, the tool and `a` are around it.
    for _ in range(123):
        value = [value]
    tools = [{"name": "look", "parameters": {"a": value}}]
    run = Stack("none").run("Read notes.txt.", tools=tools)
    assert run.request()["tools"][0]["function"]["parameters"] == {"a": value}
    tools = [{"name": "look", "parameters": {"a": [value]}}]
    with pytest.raises(ValueError, match="run: expected at most 128 lists"):
        Stack("none").run("Read notes.txt.", tools=tools)


DIALECTS: tuple[Dialect, ...] = get_args(Dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "arguments",
    [
        '{"a":' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"a":' + "9" * 5_000 + "}",
        '{"a":[1e999,-1E999]}',
    ],
)
def test_a_run_goes_on_after_arguments_that_python_cannot_read(dialect: Dialect, arguments: str) -> None:
    run = Stack("none").run("Read notes.txt.", tools=[{"name": "look"}])
    run.completed(calls=[Call("a", "look", arguments)])
    assert run.step() == RunTools([Call("a", "look", arguments)], attempt=1)
    run.executed([Ran("error: no such thing", "error")])
    body = json.dumps(run.request(dialect), allow_nan=False)
    # The model sees what it said.
    assert arguments[5:-1].split(",")[0].strip("[]") in body
    run.completed("Sorry.")
    assert run.transcript()[-1]["parts"] == [{"text": "Sorry."}]


def test_half_a_surrogate_pair_is_replaced() -> None:
    run = Stack("none").run("Read \udcff.", tools=[{"name": "look"}])
    run.completed("Look \ud83d", [Call("a", "look", '{"path":"\udcff"}')])
    run.executed(["\udcff.txt"])
    run.said("Go on, \ud83d.")
    assert run.step() == AskModel(asked=1)
    run.responded({"choices": [{"index": 0, "message": {"role": "assistant", "content": "\ud83d?"}}]})
    body = json.dumps(run.request(system="Half: \ud83d."), ensure_ascii=False)
    assert "\ufffd.txt" in body and "Go on, \ufffd" in body and "Half: \ufffd" in body
    body.encode()
