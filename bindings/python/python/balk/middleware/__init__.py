"""Guards inside agents of other frameworks. Each module needs its framework, and nothing else of this package."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from .._answers import Answers, Unit
from .._exchange import Asking, Form, Response, Shown, aplay, play
from ..guards import Effect, Stack, checked

OnTold = Callable[[dict[str, Any]], None]
"""Is told of everything that a guard does: kind, guard, rule, level, text, for_user."""

_FINISHES = {
    "stop": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_call",
    "tool_call": "tool_call",
    "tool_use": "tool_call",
    "content_filter": "content_filter",
    "refusal": "content_filter",
}


def finish_of(reason: Any) -> str:
    """Why the model stopped, from the words of a provider, some of which are in capitals."""
    return _FINISHES.get(str(reason).lower(), "not_given")


def tool_of(name: str, description: str | None, parameters: Any, purpose: str = "other") -> dict[str, Any]:
    """A tool on offer, in the form of the guards."""
    return {"name": name, "description": description or "", "parameters": parameters, "purpose": purpose}


def plain(item: Any) -> dict[str, Any]:
    """A message, or a part of one, as a dictionary; the SDKs have both forms."""
    return dict(item) if isinstance(item, Mapping) else item.model_dump(exclude_none=True)


def text_of(content: Any) -> str:
    """The text of a content: itself, or the text parts of it."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or [] if isinstance(part.get("text"), str))


def object_of(arguments: str) -> dict[str, Any]:
    """The arguments of a call, for a framework that takes nothing but objects."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class Guarding:
    """What every middleware has: guards, what tools can change, and who is told of what guards do."""

    def __init__(
        self,
        guards: str | Stack = "default",
        effects: Mapping[str, Effect] | None = None,
        on_told: OnTold | None = None,
    ) -> None:
        stack = guards if isinstance(guards, Stack) else Stack(guards)
        self._conversations, self._effects = stack.conversations(), dict(effects or {})
        self._answers: Answers[Any] = Answers()
        for tool, effect in self._effects.items():
            checked(f"effects: {tool}", effect, Effect)
        self._on_told = on_told or (lambda _: None)

    def asking(
        self, units: list[Unit[Any]], form: Form[Any], tools: list[dict[str, Any]], model: Any, is_json: bool = False
    ) -> Asking[Any, Any]:
        """A request with this history. Each tool has a name, and may have a description and parameters. `is_json` says
        that the answer is to be JSON.
        """
        declared = [{"effect": self._effects.get(tool["name"], "unknown")} | tool for tool in tools]
        return Asking(self._conversations, self._answers, units, form, declared, str(model or ""), is_json)

    def returned(
        self, shown: Shown[Response], changed: Callable[[Response | None, dict[str, Any]], Response]
    ) -> Response:
        """What the framework gets: the response as it came, or `changed` with an answer in its place, or the error of
        the last attempt. Says before what guards did.
        """
        for told in shown.told:
            self._on_told(told)
        if shown.error is not None:
            raise shown.error
        if shown.answer is None and shown.response is not None:
            return shown.response
        return changed(shown.response, shown.answer or {"text": "", "calls": []})


class Guarded:
    """A function that sends a request of an SDK, with guards before it."""

    def __init__(
        self,
        create: Callable[..., Any],
        guarding: Guarding,
        form: Form[Any],
        units: Callable[[Mapping[str, Any]], list[Unit[Any]]],
        tools: Callable[[Mapping[str, Any]], list[dict[str, Any]]],
        is_json: Callable[[Mapping[str, Any]], bool],
        answer_of: Callable[[Any], dict[str, Any]],
        changed: Callable[[Any, dict[str, Any]], Any],
    ) -> None:
        self._create, self._guarding, self._form, self._is_json = create, guarding, form, is_json
        self._units, self._tools, self._answer_of, self._changed = units, tools, answer_of, changed

    @property
    def call(self) -> Callable[..., Any]:
        """The guarded function, sync or async as the plain one is."""
        # The SDKs wrap their coroutines into functions that are none.
        return self._acall if inspect.iscoroutinefunction(inspect.unwrap(self._create)) else self._call

    def _asking(self, request: dict[str, Any]) -> Asking[Any, Any]:
        if request.get("stream"):
            raise ValueError("expected a request without `stream`, found one with it: an answer is judged whole")
        units, tools, is_json = self._units(request), self._tools(request), self._is_json(request)
        return self._guarding.asking(units, self._form, tools, request.get("model"), is_json)

    def _call(self, **request: Any) -> Any:
        shown = play(self._asking(request), lambda sent: self._create(**request | {"messages": sent}), self._answer_of)
        return self._guarding.returned(shown, self._changed)

    async def _acall(self, **request: Any) -> Any:
        async def ask(sent: list[Any]) -> Any:
            return await self._create(**request | {"messages": sent})

        shown = await aplay(self._asking(request), ask, self._answer_of)
        return self._guarding.returned(shown, self._changed)
