"""The steps of a conversation as text, for people who look at a test that failed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ._native import visible
from .served import Verdict

LINES_MAX = 6
"""How many lines of a text are shown."""
COLUMNS_MAX = 300
"""How many characters of a line are shown."""
FIRST, LAST = 12, 40
"""How many steps are shown of a long conversation."""


def shown(verdict: Verdict, steps: list[dict[str, Any]]) -> str:
    """The verdict in a line, and the conversation below it."""
    lines = [_summary(verdict)]
    turn = 0
    left_out = len(steps) - FIRST - LAST
    for place, step in enumerate(steps):
        turn += step["step"] == "act"
        if left_out > 0 and place == FIRST:
            lines.append(f"… {left_out} steps, which `balk.transcript` has …")
        if left_out > 0 and FIRST <= place < FIRST + left_out:
            continue
        lines.extend(_step(step, turn))
    return "\n".join(lines)


def _summary(verdict: Verdict) -> str:
    was_stuck = "the model was stuck" if verdict["stuck"] else "the model was never stuck"
    is_done = "the task is done" if verdict["goal"] else "the task is not done"
    told = f"the user was told: {visible(verdict['told'])}" if verdict["told"] else "the user was not told that it is not done"
    counts = f"{verdict['requests']} requests, {verdict['identical_calls']} turns in a row with the same calls"
    return f"{was_stuck}; {is_done}; {told}; {counts}"


def _step(step: dict[str, Any], turn: int) -> Iterable[str]:
    match step["step"]:
        case "opened":
            return _texts("user", step.get("texts", []))
        case "act":
            calls = [f"{it['tool']} {it['arguments']}" for it in step.get("calls", [])]
            broke = [json.dumps(step["broke"])] if "broke" in step else []
            head = f"── turn {turn} ── {visible(step['truth'])}"
            return [
                head,
                *_texts("model", step.get("texts", [])),
                *_texts("calls", calls),
                *_texts("broke", broke),
            ]
        case "result":
            return _texts("result", [step["text"]])
        case "user":
            return _texts("user", [step["text"]])
        case "intervention":
            return _texts("AGENT", [step["text"]])
        case other:
            rest = {name: value for name, value in step.items() if name != "step"}
            return _texts(visible(other), [json.dumps(rest, ensure_ascii=False)])


def _texts(speaker: str, texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        lines = visible(text).splitlines() or [""]
        if len(lines) > LINES_MAX:
            lines[LINES_MAX:] = [f"… {len(lines) - LINES_MAX} more lines"]
        for place, line in enumerate(lines):
            cut = line if len(line) <= COLUMNS_MAX else f"{line[:COLUMNS_MAX]}…"
            yield f"{'' if place else speaker:>7} │ {cut}"
