"""Guards for agents of LangChain, deep agents among them.

```python
from balk.middleware.langchain import Guards
from langchain.agents import create_agent

agent = create_agent("openai:gpt-5", tools=tools, middleware=[Guards()])
```
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from .._answers import Unit
from .._exchange import Asking, Form, aplay, play
from ..guards import Effect, Stack
from . import Guarding, OnTold, finish_of, object_of


class Guards(AgentMiddleware):
    """Puts guards between an agent and its model. The model is asked again where a guard corrects it; a call that is
    refused is never made; a question to the user is the agent's answer, and the next message answers it.

    `effects` says what tools can change. `on_told` is told of everything that a guard does.
    """

    def __init__(
        self,
        guards: str | Stack = "default",
        *,
        effects: Mapping[str, Effect] | None = None,
        on_told: OnTold | None = None,
    ) -> None:
        super().__init__()
        self._guarding = Guarding(guards, effects, on_told)

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
        asking = self._asking(request)
        shown = play(asking, lambda sent: handler(request.override(messages=sent)), _answer_of)
        return self._guarding.returned(shown, _changed)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        asking = self._asking(request)
        shown = await aplay(asking, lambda sent: handler(request.override(messages=sent)), _answer_of)
        return self._guarding.returned(shown, _changed)

    def _asking(self, request: ModelRequest) -> Asking[AnyMessage, ModelResponse]:
        units = [Unit(_said(message), [message]) for message in request.messages]
        functions = [function for tool in request.tools if (function := _function(tool)) is not None]
        tools = [{name: it[name] for name in ("name", "description", "parameters") if name in it} for it in functions]
        model = getattr(request.model, "model_name", None) or getattr(request.model, "model", "")
        form = Form(_new, _with_calls, _own)
        return self._guarding.asking(units, form, tools, model)


def _function(tool: Any) -> Mapping[str, Any] | None:
    """A tool as a function with a name; `None` for one that only its provider knows."""
    try:
        converted = convert_to_openai_tool(tool)
    except ValueError:
        converted = tool
    own = (converted.get("function") or converted.get("custom")) if isinstance(converted, Mapping) else None
    return own if isinstance(own, Mapping) and isinstance(own.get("name"), str) else None


def _message_of(response: ModelResponse) -> AIMessage:
    return next(it for it in response.result if isinstance(it, AIMessage))


def _answer_of(response: ModelResponse) -> dict[str, Any]:
    message = _message_of(response)
    answer = _answer(message)
    if response.structured_response is not None:
        # The framework took this text or call itself, and it is the end of the task.
        return answer | {"calls": [], "is_data": True}
    blocks = message.content if isinstance(message.content, list) else []
    is_paused = message.response_metadata.get("stop_reason") == "pause_turn"
    is_other = not answer["text"] and any(_kind(it) not in _WORDS for it in blocks)
    return answer | {"is_data": is_paused or is_other}


_CALLS = {"tool_use": "id", "tool_call": "id", "function_call": "call_id", "custom_tool_call": "call_id"}
"""The blocks of a content that are calls, and what has their ids."""

_WORDS = {"text", "thinking", "reasoning", *_CALLS}


def _kind(block: Any) -> Any:
    return block.get("type", "text") if isinstance(block, Mapping) else "text"


def _id(block: Any) -> Any:
    return block.get(_CALLS[_kind(block)])


def _blocks(message: AIMessage, kind: str) -> list[str]:
    """The texts of the blocks of a kind."""
    content = message.content if isinstance(message.content, list) else []
    return [str(it.get(kind) or "") for it in content if isinstance(it, Mapping) and _kind(it) == kind]


def _answer(message: AIMessage) -> dict[str, Any]:
    calls = [
        {"id": call["id"] or "", "tool": call["name"], "arguments": json.dumps(call["args"])}
        for call in message.tool_calls
    ]
    calls += [
        {"id": call["id"] or "", "tool": call["name"] or "", "arguments": call["args"] or ""}
        for call in message.invalid_tool_calls
    ]
    metadata, refused = message.response_metadata, message.additional_kwargs.get("refusal")
    refusals = [*_blocks(message, "refusal"), *([str(refused)] if refused else [])]
    finish = "content_filter" if refusals else _finish(metadata)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    return {
        "text": str(message.text) or "\n".join(refusals),
        "thinking": "\n".join(_blocks(message, "thinking") + _blocks(message, "reasoning")),
        "calls": calls,
        "finish": finish_of(finish),
        "usage": {"input_tokens": usage.get("input_tokens", 0), "output_tokens": usage.get("output_tokens", 0)},
    }


def _finish(metadata: Mapping[str, Any]) -> Any:
    """Why the model stopped: each provider has a name of its own for it."""
    # OpenAI and Gemini; Anthropic; Bedrock; Ollama.
    for name in ("finish_reason", "stop_reason", "stopReason", "done_reason"):
        if reason := metadata.get(name):
            return reason
    # OpenAI Responses.
    return (metadata.get("incomplete_details") or {}).get("reason")


def _said(message: AnyMessage) -> dict[str, Any]:
    if isinstance(message, AIMessage):
        return {"role": "assistant"} | _answer(message)
    if isinstance(message, ToolMessage):
        # A tool that returns its error as text has the status of success.
        status = "error" if message.status == "error" else "unknown"
        return {"role": "tool", "id": message.tool_call_id, "text": str(message.text), "status": status}
    role = "system" if isinstance(message, SystemMessage) else "user"
    return {"role": role, "text": str(message.text)}


def _calls(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"id": it["id"], "name": it["tool"], "args": object_of(it["arguments"]), "type": "tool_call"} for it in calls
    ]


def _new(said: dict[str, Any]) -> list[AnyMessage]:
    match said["role"]:
        case "assistant":
            return [AIMessage(said["text"], tool_calls=_calls(said["calls"]))]
        case "tool":
            return [ToolMessage(said["text"], tool_call_id=said["id"], status="error")]
        case _:
            return [HumanMessage(said["text"])]


def _own(response: ModelResponse) -> list[AnyMessage]:
    if response.structured_response is not None:
        # A call that the framework took itself has its result.
        return list[Any](response.result)
    message = _message_of(response)
    if isinstance(message.content, list):
        # The guards refuse a call of any kind as one of a function, so it is one here.
        content = [it for it in message.content if _kind(it) != "custom_tool_call"]
        message = message.model_copy(update={"content": content})
    return [message]


def _with_calls(own: list[AnyMessage], calls: list[dict[str, Any]]) -> list[AnyMessage]:
    [message] = (it for it in own if isinstance(it, AIMessage))
    return [message.model_copy(update={"tool_calls": [*message.tool_calls, *_calls(calls)]})]


def _changed(response: ModelResponse | None, answer: dict[str, Any]) -> ModelResponse:
    """The response with this answer in its place; what only the provider reads stays where the text does."""
    message = _message_of(response) if response else AIMessage("")
    came = _answer(message)
    content = message.content if answer["text"] == came["text"] else answer["text"]
    if isinstance(content, list):
        # A framework reads a call that no block has from the calls of the message.
        same = {call["id"] for call in came["calls"] if call in answer["calls"]}
        content = [it for it in content if _kind(it) not in _CALLS or _id(it) in same]
    beside = {name: it for name, it in message.additional_kwargs.items() if name not in ("tool_calls", "function_call")}
    update: dict[str, Any] = {
        "content": content,
        "tool_calls": _calls(answer["calls"]),
        "invalid_tool_calls": [],
        "additional_kwargs": beside,
    }
    return ModelResponse(result=[message.model_copy(update=update)])
