"""Answers of the model that the guards do not see as they are, or that the framework does not keep."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, Generic, TypeVar

Native = TypeVar("Native")

KEPT = 256
"""How many are kept: four for each of the 64 conversations that are kept."""


@dataclass(frozen=True)
class Unit(Generic[Native]):
    """A message of the history: in the form of the guards, and what it is made of in the framework."""

    said: dict[str, Any]
    own: list[Native]


def beginnings(units: Sequence[Unit[Any]]) -> list[bytes]:
    """A digest of each beginning of a history: of nothing, of its first message, and so on to the whole of it. Guards
    do not read instructions, which often have the time in them, so their text is left out.
    """
    digest = blake2b(digest_size=16)
    digests = [digest.digest()]
    for unit in units:
        said = unit.said | {"text": ""} if unit.said["role"] == "system" else unit.said
        digest.update(json.dumps(said, sort_keys=True).encode())
        digests.append(digest.digest())
    return digests


@dataclass(frozen=True)
class _Kept(Generic[Native]):
    length: int
    before: bytes
    said: tuple[Any, ...]
    own: list[Native]


class Answers(Generic[Native]):
    """What the model said, in the form of the framework, for later requests into which the guards put it.

    An answer has more than the guards know of it: its thinking is signed, and data stands for itself.
    """

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = Lock()
        self._kept: deque[_Kept[Native]] = deque(maxlen=KEPT)

    def withheld(self) -> str:
        """A text for the guards in the place of one that is data: no two of them are equal."""
        return f"data:application/json,{next(self._count)}"

    def keep(self, history: Sequence[bytes], answer: dict[str, Any], own: list[Native]) -> None:
        """Keeps an answer to a request whose history has these beginnings; `answer` is what the guards were shown."""
        kept = _Kept(len(history), history[-1], _words(answer), own)
        with self._lock:
            self._kept.append(kept)

    def own(self, history: Sequence[bytes], said: dict[str, Any]) -> list[Native] | None:
        """The answer that the guards have in these words, if it was one in this conversation."""
        with self._lock:
            kept = [it for it in self._kept if it.said == _words(said)]
        # Two conversations may have the same words, but one is not to see the thinking of another.
        here = [it for it in kept if history[it.length - 1 : it.length] == [it.before]]
        return here[-1].own if here else None


def _words(answer: dict[str, Any]) -> tuple[Any, ...]:
    return answer["text"], [(it["id"], it["tool"], it["arguments"]) for it in answer["calls"]]
