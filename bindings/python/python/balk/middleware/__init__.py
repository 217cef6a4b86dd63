"""Guards inside agents of other frameworks. Each module needs its framework, and nothing else of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OnTold = Callable[[dict[str, Any]], None]
"""Is told of everything that a guard does: kind, guard, rule, level, text, for_user."""

_FINISHES = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_call",
    "tool_call": "tool_call",
    "tool_use": "tool_call",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}


def finish_of(reason: Any) -> str:
    """Why the model stopped, from the words of a provider."""
    return _FINISHES.get(str(reason), "not_given")
