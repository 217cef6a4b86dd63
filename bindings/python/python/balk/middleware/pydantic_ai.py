"""Guards for agents of Pydantic AI.

```python
from balk.middleware.pydantic_ai import GuardedModel
from pydantic_ai import Agent

agent = Agent(GuardedModel("openai:gpt-5"), tools=tools)
```
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import CompletedStreamedResponse, KnownModelName, Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from .._exchange import Form, Shown, Unit, aplay
from ..guards import Effect, Stack
from . import Guarding, OnTold, finish_of

# A part of a request, or a whole response.
_Piece = Any


class GuardedModel(WrapperModel):
    """A model with guards before it. It is asked again where a guard corrects it; a call that is refused is never made;
    a question to the user is the answer, and the next message answers it. A stream is held until its answer is whole.

    `effects` says what tools can change. `on_told` is told of everything that a guard does.
    """

    def __init__(
        self,
        wrapped: Model | KnownModelName | str,
        guards: str | Stack = "default",
        *,
        effects: Mapping[str, Effect] | None = None,
        on_told: OnTold | None = None,
    ) -> None:
        super().__init__(wrapped)
        self._guarding = Guarding(guards, effects, on_told)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        units = [unit for message in messages for unit in _units(message)]
        parameters = model_request_parameters
        # Where text may end the run as well, no tool has to.
        purpose = "other" if parameters.allow_text_output else "finish"
        tools = [_tool(it, "other") for it in parameters.function_tools]
        tools += [_tool(it, purpose) for it in parameters.output_tools]
        asking = self._guarding.asking(units, Form(_new, _with_calls), tools, self.model_name)
        last = next((it for it in reversed(messages) if isinstance(it, ModelRequest)), None)

        async def ask(sent: list[_Piece]) -> ModelResponse:
            rebuilt = _messages(sent, last)
            return await self.wrapped.request(rebuilt, model_settings, parameters)

        return self._returned(await aplay(asking, ask, _answer))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncGenerator[CompletedStreamedResponse]:
        response = await self.request(messages, model_settings, model_request_parameters)
        parameters = model_request_parameters
        yield CompletedStreamedResponse(response, model_request_parameters=parameters, replay_events=True)

    def _returned(self, shown: Shown[ModelResponse]) -> ModelResponse:
        shown = self._guarding.told(shown)
        if shown.answer is None and shown.response is not None:
            return shown.response
        answer = shown.answer or {"text": "", "calls": []}
        came = shown.response or ModelResponse([])
        kept = [it for it in came.parts if isinstance(it, ThinkingPart)]
        return replace(came, parts=[*kept, *_parts(answer)])


def _tool(tool: ToolDefinition, purpose: str) -> dict[str, Any]:
    schema, description = tool.parameters_json_schema, tool.description or ""
    return {"name": tool.name, "description": description, "parameters": schema, "purpose": purpose}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    pieces = [it if isinstance(it, str) else getattr(it, "content", "") for it in content or []]
    return "\n".join(it for it in pieces if isinstance(it, str))


def _units(message: ModelMessage) -> list[Unit[_Piece]]:
    if isinstance(message, ModelResponse):
        return [Unit({"role": "assistant"} | _answer(message), [message])]
    return [Unit(_said(part), [part]) for part in message.parts]


def _said(part: Any) -> dict[str, Any]:
    match part:
        case UserPromptPart():
            return {"role": "user", "text": _text(part.content)}
        case ToolReturnPart():
            status = "unknown" if part.outcome == "success" else "error"
            return {"role": "tool", "id": part.tool_call_id, "text": part.model_response_str(), "status": status}
        case RetryPromptPart() if part.tool_name is not None:
            return {"role": "tool", "id": part.tool_call_id, "text": part.model_response(), "status": "error"}
        case _:
            return {"role": "system", "text": ""}


def _answer(response: ModelResponse) -> dict[str, Any]:
    calls = [it for it in response.parts if isinstance(it, ToolCallPart)]
    texts = [it.content for it in response.parts if isinstance(it, TextPart)]
    return {
        "text": "\n".join(texts),
        "calls": [{"id": it.tool_call_id, "tool": it.tool_name, "arguments": it.args_as_json_str()} for it in calls],
        "finish": finish_of(response.finish_reason),
        "usage": {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens},
    }


def _parts(answer: dict[str, Any]) -> list[TextPart | ToolCallPart]:
    text = [TextPart(answer["text"])] if answer["text"] else []
    return text + [ToolCallPart(it["tool"], it["arguments"], it["id"]) for it in answer["calls"]]


def _new(said: dict[str, Any]) -> list[_Piece]:
    match said["role"]:
        case "assistant":
            return [ModelResponse(_parts(said))]
        case "tool":
            return [ToolReturnPart("", said["text"], said["id"], outcome="denied")]
        case _:
            return [UserPromptPart(said["text"])]


def _with_calls(own: list[_Piece], calls: list[dict[str, Any]]) -> list[_Piece]:
    [response] = own
    return [replace(response, parts=[*response.parts, *_parts({"text": "", "calls": calls})])]


def _messages(pieces: list[_Piece], last: ModelRequest | None) -> list[ModelMessage]:
    """Parts that follow each other are one request. The last one has what the framework says beside its parts."""
    messages: list[ModelMessage] = []
    tools: dict[str, str] = {}
    for piece in pieces:
        if isinstance(piece, ToolReturnPart) and not piece.tool_name:
            piece = replace(piece, tool_name=tools.get(piece.tool_call_id, "unknown"))
        if isinstance(piece, ModelResponse):
            tools |= {it.tool_call_id: it.tool_name for it in piece.parts if isinstance(it, ToolCallPart)}
            messages.append(piece)
        elif messages and isinstance(messages[-1], ModelRequest):
            messages[-1] = replace(messages[-1], parts=[*messages[-1].parts, piece])
        else:
            messages.append(ModelRequest([piece]))
    if last is not None and messages and isinstance(messages[-1], ModelRequest):
        messages[-1] = replace(last, parts=messages[-1].parts)
    return messages
