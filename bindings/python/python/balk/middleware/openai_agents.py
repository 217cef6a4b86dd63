"""Guards for agents of the OpenAI Agents SDK.

```python
from agents import Agent, OpenAIResponsesModel
from balk.middleware.openai_agents import GuardedModel

agent = Agent("helper", model=GuardedModel(OpenAIResponsesModel("gpt-5", client)), tools=tools)
```
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseTextDeltaEvent,
    ResponseUsage,
)

from .._answers import Unit
from .._exchange import Form, Shown, aplay
from ..guards import Effect, Stack
from . import Guarding, OnTold, plain, text_of, tool_of


class GuardedModel(Model):
    """A model with guards before it. It is asked again where a guard corrects it; a call that is refused is never made;
    a question to the user is the answer, and the next message answers it. A stream is held until its answer is whole.

    `effects` says what tools can change. `on_told` is told of everything that a guard does. A conversation that the
    provider keeps (`previous_response_id`, `conversation_id`) cannot be guarded, and is refused.
    """

    def __init__(
        self,
        wrapped: Model,
        guards: str | Stack = "default",
        *,
        effects: Mapping[str, Effect] | None = None,
        on_told: OnTold | None = None,
    ) -> None:
        self.wrapped = wrapped
        self._guarding = Guarding(guards, effects, on_told)

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[Any],
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **kept: Any,
    ) -> ModelResponse:
        if kept.get("previous_response_id") or kept.get("conversation_id"):
            raise ValueError("expected a request with its whole history, found one that the provider is to complete")
        units = _units([{"role": "user", "content": input}] if isinstance(input, str) else input)
        offered = [_tool(it.name, it) for it in tools] + [_tool(it.tool_name, it) for it in handoffs]
        model = getattr(self.wrapped, "model", "")
        is_json = output_schema is not None and not output_schema.is_plain_text()
        asking = self._guarding.asking(units, Form(_new, _with_calls, _own), offered, model, is_json)
        usage = Usage()

        async def ask(sent: list[Any]) -> ModelResponse:
            rest = (model_settings, tools, output_schema, handoffs, tracing)
            response = await self.wrapped.get_response(system_instructions, sent, *rest, **kept)
            usage.add(response.usage)
            return response

        shown: Shown[ModelResponse] = await aplay(asking, ask, _answer_of)
        # The SDK sees one request, so all attempts count as one.
        return replace(self._guarding.returned(shown, _changed), usage=usage)

    async def stream_response(self, *args: Any, **kept: Any) -> AsyncIterator[Any]:
        response = await self.get_response(*args, **kept)
        events = _deltas(response.output)
        for event in events:
            yield event
        whole = Response(
            id=response.response_id or "balk", created_at=0, model="", object="response", output=response.output,
            tool_choice="auto", tools=[], parallel_tool_calls=False, usage=_counted(response.usage),
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=len(events))


def _deltas(output: list[Any]) -> list[ResponseTextDeltaEvent]:
    """The texts of an output, each as one piece."""
    pieces = [
        {"item_id": item.id, "output_index": at, "content_index": nth, "delta": part.text}
        for at, item in enumerate(output)
        if item.type == "message"
        for nth, part in enumerate(item.content)
        if part.type == "output_text"
    ]
    kind: Any = {"type": "response.output_text.delta", "logprobs": []}
    return [ResponseTextDeltaEvent(**kind, **piece, sequence_number=at) for at, piece in enumerate(pieces)]


def _counted(usage: Usage) -> ResponseUsage | None:
    """The usage as the API has it; none if the wrapped model did not count."""
    if usage.requests == 0:
        return None
    return ResponseUsage(
        input_tokens=usage.input_tokens, input_tokens_details=usage.input_tokens_details,
        output_tokens=usage.output_tokens, output_tokens_details=usage.output_tokens_details,
        total_tokens=usage.total_tokens,
    )  # fmt: skip


def _tool(name: str, tool: Any) -> dict[str, Any]:
    schema = getattr(tool, "params_json_schema", None) or getattr(tool, "input_json_schema", None)
    return tool_of(name, getattr(tool, "description", None) or getattr(tool, "tool_description", None), schema)


def _units(items: list[Any]) -> list[Unit[Any]]:
    """What the model says at once is one message, however many items it is."""
    units: list[Unit[Any]] = []
    for is_model, together in groupby(items, lambda it: _said(plain(it)) is None):
        own = list(together)
        if is_model:
            units.append(Unit({"role": "assistant"} | _answer(own), own))
        else:
            units += [Unit(_said(plain(it)) or {}, [it]) for it in own]
    return units


def _said(item: dict[str, Any]) -> dict[str, Any] | None:
    """What the model is told; `None` if the model says it."""
    match item.get("type", "message"), item.get("role"):
        case str(kind), _ if kind.removesuffix("_output") in _CALLS and kind not in _CALLS:
            return {"role": "tool", "id": item.get("call_id") or item["id"], "text": _result(item.get("output"))}
        case "message", ("user" | "system" | "developer") as role:
            return {"role": "user" if role == "user" else "system", "text": text_of(item["content"])}
        case _:
            return None


def _result(output: Any) -> str:
    """The text of a result; a shell has its own parts, and a screen has none."""
    if not isinstance(output, list):
        return output if isinstance(output, str) else ""
    said = [part.get(name) for part in output for name in ("text", "stdout", "stderr")]
    return "\n".join(it for it in said if it)


_TOOLS = {
    "shell_call": "shell",
    "local_shell_call": "local_shell",
    "computer_call": "computer_use_preview",
    "apply_patch_call": "apply_patch",
}
"""The names that the SDK gives the tools whose calls have none."""

_CALLS = {"function_call", "custom_tool_call", *_TOOLS}


def _call(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """A call that the SDK is to run; `None` if an item is none."""
    match item.get("type"):
        case "function_call":
            return {"id": item["call_id"], "tool": item["name"], "arguments": item["arguments"]}
        case "custom_tool_call":
            return {"id": item["call_id"], "tool": item["name"], "arguments": json.dumps({"input": item["input"]})}
        case kind if kind in _TOOLS:
            does = {it: item[it] for it in ("action", "actions", "operation") if it in item}
            return {"id": item["call_id"], "tool": _TOOLS[kind], "arguments": json.dumps(does, default=str)}
        case _:
            return None


def _answer(items: list[Any]) -> dict[str, Any]:
    said = [plain(it) for it in items]
    parts = [part for it in said if it.get("type", "message") == "message" for part in _parts(it["content"])]
    thought = [part for it in said if it.get("type") == "reasoning" for part in it.get("summary") or []]
    return {
        "text": "\n".join(text for it in parts if (text := it.get("text") or it.get("refusal"))),
        "thinking": text_of(thought),
        "calls": [call for it in said if (call := _call(it)) is not None],
    }


def _parts(content: Any) -> list[Any]:
    return [{"text": content}] if isinstance(content, str) else content or []


def _answer_of(response: ModelResponse) -> dict[str, Any]:
    usage, answer = response.usage, _answer(response.output)
    messages = [it for it in response.output if it.type == "message"]
    is_refused = any(part.type == "refusal" for it in messages for part in it.content)
    is_cut = any(getattr(it, "status", None) == "incomplete" for it in response.output)
    return answer | {
        "finish": "content_filter" if is_refused else "length" if is_cut else "not_given",
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
        "is_data": not answer["text"] and any(it.type not in ("message", "reasoning") for it in response.output),
    }


def _changed(response: ModelResponse | None, answer: dict[str, Any]) -> ModelResponse:
    came = response or ModelResponse(output=[], usage=Usage(), response_id=None)
    made = [(it, _call(plain(it))) for it in came.output]
    kept = [it for it, call in made if it.type != "message" and call is None]
    same = {call["id"]: it for it, call in made if call in answer["calls"] and call is not None}
    output = [it if it.type == "message" else same.get(it.call_id, it) for it in _output(answer)]
    return replace(came, output=[*kept, *output])


def _own(response: ModelResponse) -> list[Any]:
    """The items as a history has them. The guards refuse a call of any kind as one of a function, so it is one here."""
    own: list[Any] = []
    for item, sent in zip(response.output, response.to_input_items(), strict=True):
        call = None if item.type == "function_call" else _call(plain(item))
        own += [sent] if call is None else _with_calls([], [call])
    return own


def _output(answer: dict[str, Any]) -> list[Any]:
    content = [{"type": "output_text", "text": answer["text"], "annotations": []}]
    message = {"id": "msg_balk", "type": "message", "role": "assistant", "status": "completed", "content": content}
    text = [ResponseOutputMessage.model_validate(message)] if answer["text"] else []
    calls = [{"call_id": it["id"], "name": it["tool"], "arguments": it["arguments"]} for it in answer["calls"]]
    return text + [ResponseFunctionToolCall(**it, type="function_call") for it in calls]


def _new(said: dict[str, Any]) -> list[Any]:
    match said["role"]:
        case "assistant":
            return [it.model_dump(exclude_none=True) for it in _output(said)]
        case "tool":
            return [{"type": "function_call_output", "call_id": said["id"], "output": said["text"]}]
        case _:
            return [{"role": "user", "content": said["text"]}]


def _with_calls(own: list[Any], calls: list[dict[str, Any]]) -> list[Any]:
    return [*own, *_new({"role": "assistant", "text": "", "calls": calls})]
