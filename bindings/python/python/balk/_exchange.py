"""One request of a framework: its model is asked until the guards let an answer pass.

A middleware translates. It cuts the history of its framework into units, each a message in the form of the guards
(`said`) beside what it is in the framework (`own`), and says how a message of the guards looks in the framework.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from . import _native
from ._answers import Answers, Unit, beginnings
from ._failures import failure_of

Native = TypeVar("Native")
Response = TypeVar("Response")


@dataclass
class Form(Generic[Native]):
    """How messages of the guards look in a framework."""

    new: Callable[[dict[str, Any]], list[Native]]
    """A message that the framework does not have."""
    with_calls: Callable[[list[Native], list[dict[str, Any]]], list[Native]]
    """An answer of the model, with more calls after its own."""
    own: Callable[[Any], list[Native]]
    """What the framework puts into its history of a response."""
    merged: Callable[[list[Native]], list[Native]] = lambda messages: messages
    """The messages as the provider takes them."""


@dataclass
class Shown(Generic[Response]):
    """What the framework gets: the last response, with this answer in its place if there is one, or the error."""

    response: Response | None
    answer: dict[str, Any] | None
    error: Exception | None
    told: list[dict[str, Any]] = field(default_factory=list)


class Asking(Generic[Native, Response]):
    """A request on its way. `sent` is what the model is to be asked with; none if it is not to be asked.

    `is_json` says that a text without a call is data. So is an answer with `is_data`, if it has no call: the guards are
    shown another text in its place, and the framework gets it as it came. A turn that its provider pauses is data, too,
    whatever it says: it is no answer yet.
    """

    def __init__(
        self,
        conversations: _native.Conversations,
        answers: Answers[Native],
        units: Sequence[Unit[Native]],
        form: Form[Native],
        tools: Sequence[dict[str, Any]],
        model: str,
        is_json: bool = False,
    ) -> None:
        self._answers, self._units, self._form, self._is_json = answers, units, form, is_json
        self._response: Response | None = None
        self._error: Exception | None = None
        self._is_data = False
        request = {"messages": [unit.said for unit in units], "tools": list(tools), "model": model}
        self._exchange, self._turn = conversations.asks(request)

    @cached_property
    def _history(self) -> list[bytes]:
        return beginnings(self._units)

    @property
    def sent(self) -> list[Native] | None:
        return self._messages() if self._turn["kind"] == "send" else None

    def _messages(self) -> list[Native]:
        sent: list[Native] = []
        for placed in self._turn["messages"]:
            if placed["kind"] == "new":
                sent += self._new(placed["said"])
            elif calls := placed.get("calls"):
                sent += self._form.with_calls(self._units[placed["from"]].own, calls)
            else:
                sent += self._units[placed["from"]].own
        return self._form.merged(sent)

    def _new(self, said: dict[str, Any]) -> list[Native]:
        own = self._answers.own(self._history, said) if said["role"] == "assistant" else None
        return self._form.new(said) if own is None else own

    @property
    def wait(self) -> int | None:
        """How many milliseconds to wait; none if there is nothing to wait for."""
        turn = self._turn
        return random.randint(turn["at_least"], turn["at_most"]) if turn["kind"] == "wait" else None

    def waited(self, ms: int) -> None:
        self._turn = self._exchange.waited(ms)

    def answered(self, response: Response, answer: dict[str, Any]) -> None:
        is_data = answer.pop("is_data", False) or (self._is_json and answer["text"] != "")
        self._response, self._error, self._is_data = response, None, is_data and not answer["calls"]
        if self._is_data:
            answer["text"] = self._answers.withheld()
        self._turn = self._exchange.answered(answer)
        if self._turn.get("answer") or self._turn["kind"] == "send":
            self._answers.keep(self._history, answer, self._form.own(response))

    def failed(self, error: Exception) -> None:
        failure = failure_of(error)
        if failure is None:
            raise error
        self._error = error
        self._turn = self._exchange.failed(failure)

    def shown(self) -> Shown[Response]:
        """What the framework gets, once there is nothing to send or to wait for."""
        error = self._error if self._turn["kind"] == "failed" else None
        answer = None if self._is_data else self._turn.get("answer")
        return Shown(self._response, answer, error, self._turn["told"])


def play(
    asking: Asking[Native, Response],
    ask: Callable[[list[Native]], Response],
    answer_of: Callable[[Response], dict[str, Any]],
) -> Shown[Response]:
    """Asks the model until the guards let an answer pass."""
    while True:
        if (ms := asking.wait) is not None:
            time.sleep(ms / 1000)
            asking.waited(ms)
        elif (sent := asking.sent) is not None:
            try:
                response = ask(sent)
            except Exception as error:
                asking.failed(error)
            else:
                asking.answered(response, answer_of(response))
        else:
            return asking.shown()


async def aplay(
    asking: Asking[Native, Response],
    ask: Callable[[list[Native]], Awaitable[Response]],
    answer_of: Callable[[Response], dict[str, Any]],
) -> Shown[Response]:
    """The same as `play`, with a coroutine."""
    while True:
        if (ms := asking.wait) is not None:
            await asyncio.sleep(ms / 1000)
            asking.waited(ms)
        elif (sent := asking.sent) is not None:
            try:
                response = await ask(sent)
            except Exception as error:
                asking.failed(error)
            else:
                asking.answered(response, answer_of(response))
        else:
            return asking.shown()
