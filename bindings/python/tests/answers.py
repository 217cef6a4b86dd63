"""Guards that answer a middleware as a test says, in the place of the native ones."""

from collections.abc import Callable
from typing import Any

import pytest
from balk import guards

Decide = Callable[[dict[str, Any], int], str | dict[str, Any] | None]
"""From an answer of the model and its number: words with which the model is asked again, the answer to show in its
place, or `None` if it passes."""


class Decided:
    """Conversations whose guards decide each answer anew; `heard` are the answers as they were shown to them."""

    def __init__(self, decide: Decide) -> None:
        self.decide, self.heard, self.asked = decide, [], []

    def asks(self, request: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        self.asked.append(request)
        self.placed = [{"kind": "own", "from": at} for at, _ in enumerate(request["messages"])]
        return self, self._sent()

    def answered(self, answer: dict[str, Any]) -> dict[str, Any]:
        self.heard.append(dict(answer))
        decided = self.decide(answer, len(self.heard))
        if not isinstance(decided, str):
            return {"kind": "show", "answer": decided, "told": []}
        said = {"role": "assistant", "text": answer["text"], "calls": answer["calls"]}
        refused = [{"role": "tool", "id": it["id"], "tool": it["tool"], "text": decided} for it in answer["calls"]]
        told = refused or [{"role": "user", "text": decided}]
        self.placed += [{"kind": "new", "said": it} for it in [said, *told]]
        return self._sent()

    def failed(self, failure: dict[str, Any]) -> dict[str, Any]:
        return {"kind": "failed", "told": [{"kind": "stop", "text": failure["message"]}]}

    def _sent(self) -> dict[str, Any]:
        return {"kind": "send", "messages": self.placed, "changed": True}


def noticed(answer: dict[str, Any], _: int) -> dict[str, Any] | None:
    """A notice below each text without a call."""
    return None if answer["calls"] else answer | {"text": f"{answer['text']}\n\nNothing worked."}


def refused_once(_: dict[str, Any], nth: int) -> str | None:
    """The first answer is refused."""
    return "Do something else." if nth == 1 else None


def decided_by(monkeypatch: pytest.MonkeyPatch, decide: Decide) -> Decided:
    """Every middleware that is made after it has these guards."""
    decided = Decided(decide)
    monkeypatch.setattr(guards.Stack, "conversations", lambda _: decided)
    return decided
