"""Guards for agents of the OpenAI Agents SDK.

```python
from agents import Agent, OpenAIResponsesModel
from balk.middleware.openai_agents import GuardedModel

agent = Agent("helper", model=GuardedModel(OpenAIResponsesModel("gpt-5", client)), tools=tools)
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from .._exchange import Form, Shown, Unit, aplay
from ..guards import Effect, Stack
from . import Guarding, OnTold

_Item = Any


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
        input: str | list[_Item],
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
        asking = self._guarding.asking(units, Form(_new, _with_calls), offered, model)

        async def ask(sent: list[_Item]) -> ModelResponse:
            rest = (model_settings, tools, output_schema, handoffs, tracing)
            return await self.wrapped.get_response(system_instructions, sent, *rest, **kept)

        return self._returned(await aplay(asking, ask, lambda it: _answer(it.output, it.usage)))

    async def stream_response(self, *args: Any, **kept: Any) -> AsyncIterator[Any]:
        response = await self.get_response(*args, **kept)
        whole = Response(
            id=response.response_id or "balk", created_at=0, model="", object="response", output=response.output,
            tool_choice="auto", tools=[], parallel_tool_calls=False,
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=0)

    def _returned(self, shown: Shown[ModelResponse]) -> ModelResponse:
        shown = self._guarding.told(shown)
        if shown.answer is None and shown.response is not None:
            return shown.response
        came = shown.response or ModelResponse(output=[], usage=Usage(), response_id=None)
        answer = shown.answer or {"text": "", "calls": []}
        kept = [it for it in came.output if it.type not in ("message", "function_call")]
        return ModelResponse(output=[*kept, *_output(answer)], usage=came.usage, response_id=came.response_id)


def _tool(name: str, tool: Any) -> dict[str, Any]:
    schema = getattr(tool, "params_json_schema", None) or getattr(tool, "input_json_schema", None)
    description = getattr(tool, "description", None) or getattr(tool, "tool_description", None) or ""
    return {"name": name, "description": description, "parameters": schema}


def _of(item: _Item, name: str, default: Any = None) -> Any:
    return item.get(name, default) if isinstance(item, Mapping) else getattr(item, name, default)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(_of(it, "text") or "" for it in content or [])


def _answer(items: list[_Item], usage: Any = None) -> dict[str, Any]:
    texts = [_text(_of(it, "content")) for it in items if _of(it, "type", "message") == "message"]
    calls = [it for it in items if _of(it, "type") == "function_call"]
    answer: dict[str, Any] = {
        "text": "\n".join(it for it in texts if it),
        "calls": [
            {"id": _of(it, "call_id"), "tool": _of(it, "name"), "arguments": _of(it, "arguments")} for it in calls
        ],
    }
    if usage is not None:
        answer["usage"] = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return answer


def _units(items: list[_Item]) -> list[Unit[_Item]]:
    """What the model says at once is one message, however many items it is."""
    units: list[Unit[_Item]] = []
    said: list[_Item] = []

    def ends() -> None:
        if said:
            units.append(Unit({"role": "assistant"} | _answer(said), list(said)))
            said.clear()

    for item in items:
        kind, role = _of(item, "type", "message"), _of(item, "role")
        if kind == "function_call_output":
            ends()
            output = {"role": "tool", "id": _of(item, "call_id"), "text": _text(_of(item, "output"))}
            units.append(Unit(output, [item]))
        elif kind == "message" and role != "assistant":
            ends()
            speaker = "user" if role == "user" else "system"
            units.append(Unit({"role": speaker, "text": _text(_of(item, "content"))}, [item]))
        else:
            said.append(item)
    ends()
    return units


def _output(answer: dict[str, Any]) -> list[Any]:
    output: list[Any] = []
    if answer["text"]:
        text = ResponseOutputText(type="output_text", text=answer["text"], annotations=[])
        output.append(
            ResponseOutputMessage(id="msg_balk", type="message", role="assistant", status="completed", content=[text])
        )
    for it in answer["calls"]:
        call = {"call_id": it["id"], "name": it["tool"], "arguments": it["arguments"], "type": "function_call"}
        output.append(ResponseFunctionToolCall(**call))
    return output


def _new(said: dict[str, Any]) -> list[_Item]:
    match said["role"]:
        case "assistant":
            return [it.model_dump(exclude_none=True) for it in _output(said)]
        case "tool":
            return [{"type": "function_call_output", "call_id": said["id"], "output": said["text"]}]
        case _:
            return [{"role": "user", "content": said["text"]}]


def _with_calls(own: list[_Item], calls: list[dict[str, Any]]) -> list[_Item]:
    return [*own, *_new({"role": "assistant", "text": "", "calls": calls})]
