"""Texts that a terminal or a log would obey."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from balk._native import visible
from balk._steps import shown
from balk.guards import Call, Stack, Tool
from balk.pytest_plugin import Balk
from balk.served import Server, Verdict

HOSTILE = (
    "\x1b]52;c;eA==\x07",
    "\x9b2J",
    "\u202eright",
    "##[error]x",
    "::error::x",
    "a\n::error::x",
    "a\r::error::x",
    "a\u2028 ::error::x",
)


def raw(text: str) -> list[str]:
    """What a terminal or a log obeys in a text."""
    obeyed = r"[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|##\[|(?:^|[\n\r\u2028\u2029])\s*::"
    return re.findall(obeyed, text)


def verdict(told: str | None = None) -> Verdict:
    return {
        "scenario": "repeating", "seed": "7", "goal": False, "stuck": True, "recovered": False, "told": told,
        "requests": 1, "interventions": 0, "identical_calls": 1,
    }  # fmt: skip


def test_signs_are_those_of_the_program() -> None:
    assert visible("\x1b]52;c;eA==\x07\x7f\tover\rwritten\r\n") == "␛]52;c;eA==␇␡\tover␍written\n"
    assert visible("a\u202eb\x9bc\ufffe \ud83d") == "a⟨U+202E⟩b\ufffdc\ufffd \ufffd\ufffd\ufffd"
    assert visible(" ::warning::x\n##[group]\na::b") == " :\\:warning::x\n##\\[group]\na::b"


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(
    "step",
    [
        lambda it: {"step": "opened", "texts": [it]},
        lambda it: {"step": "act", "truth": "stuck", "texts": [it]},
        lambda it: {"step": "act", "truth": it},
        lambda it: {"step": "act", "truth": "stuck", "calls": [{"tool": it, "arguments": "{}"}]},
        lambda it: {"step": "act", "truth": "stuck", "calls": [{"tool": "run", "arguments": it}]},
        lambda it: {"step": "act", "truth": "stuck", "broke": it},
        lambda it: {"step": "result", "text": it},
        lambda it: {"step": "user", "text": it},
        lambda it: {"step": "intervention", "text": it},
        lambda it: {"step": "unheard-of", "text": it},
        lambda it: {"step": it},
    ],
)
def test_nothing_of_a_step_is_obeyed(step: Callable[[str], dict[str, Any]], text: str) -> None:
    said = shown(verdict(), [step(text)])
    framed = "\n".join(line.partition("│ ")[2] or line for line in said.splitlines())
    assert raw(said) == raw(framed) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_the_user_was_told_is_obeyed(text: str) -> None:
    assert raw(shown(verdict(told=text), [])) == []


def test_ends_of_lines_are_no_signs() -> None:
    said = shown(verdict(), [{"step": "result", "text": "one\r\ntwo\n"}])
    assert said.splitlines()[1:] == [" result │ one", "        │ two"]


def test_a_report_of_pytest_has_nothing_to_obey(pytester: pytest.Pytester) -> None:
    # pytest shows the lines of the test, so the text is not among them.
    Path("text.txt").write_text("".join(HOSTILE), encoding="utf-8")
    pytester.makepyfile(
        """
        from pathlib import Path

        def test_it(balk):
            play, text = balk.play("repeating", seed=7), Path("text.txt").read_text(encoding="utf-8")
            balk.said(f"The task is not done: {text}")
            play.scenario = text
            assert balk.recovered
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    assert "the user was told: The task is not done" in result.stdout.str()
    assert raw(result.stdout.str()) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_an_error_has_nothing_to_obey(balk: Balk, balk_server: Server, text: str) -> None:
    run = Stack().run("Read notes.txt.")
    request = {"messages": [{"role": text, "text": ""}]}
    for door in (
        Call("a", text, json.dumps([text], ensure_ascii=False)).read,
        lambda: Tool(text, effect=text),  # type: ignore[arg-type]
        lambda: Stack(text),
        lambda: Stack().resume([{"entry": text}]),
        lambda: Stack().conversations().asks(request),
        lambda: run.completed(finish=text),
        lambda: run.request(text),  # type: ignore[arg-type]
        lambda: balk_server.play(text),
    ):
        with pytest.raises(ValueError) as found:
            door()
        assert raw(str(found.value)) == []
    balk.play("repeating").scenario = text
    assert raw(repr(balk)) == []
