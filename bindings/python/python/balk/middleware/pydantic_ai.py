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
from itertools import groupby
from typing import Any

from pydantic_ai import messages as sdk
from pydantic_ai.models import CompletedStreamedResponse, KnownModelName, Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from .._answers import Unit
from .._exchange import Form, Shown, aplay
from ..guards import Effect, Stack
from . import Guarding, OnTold, finish_of, tool_of


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
        messages: list[sdk.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> sdk.ModelResponse:
        units = [unit for message in messages for unit in _units(message)]
        tools = _tools(model_request_parameters)
        mode = model_request_parameters.output_mode
        if mode == "auto":
            # The model has its own.
            mode = self.wrapped.prepare_request(model_settings, model_request_parameters)[1].output_mode
        form = Form(_new, _with_calls, lambda response: [response])
        is_json = mode in ("native", "prompted")
        asking = self._guarding.asking(units, form, tools, self.model_name, is_json)

        async def ask(sent: list[Any]) -> sdk.ModelResponse:
            return await self.wrapped.request(_messages(sent, messages), model_settings, model_request_parameters)

        shown: Shown[sdk.ModelResponse] = await aplay(asking, ask, _answer_of)
        return self._guarding.returned(shown, _changed)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[sdk.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncGenerator[CompletedStreamedResponse]:
        response = await self.request(messages, model_settings, model_request_parameters)
        yield CompletedStreamedResponse(response, model_request_parameters=model_request_parameters, replay_events=True)


def _tools(parameters: ModelRequestParameters) -> list[dict[str, Any]]:
    # Where text may end the run as well, no tool has to.
    ends = "other" if parameters.allow_text_output else "finish"
    offered = [(it, "other") for it in parameters.function_tools] + [(it, ends) for it in parameters.output_tools]
    return [tool_of(it.name, it.description, it.parameters_json_schema, purpose) for it, purpose in offered]


def _text(content: Any) -> str:
    pieces = [content] if isinstance(content, str) else content or []
    texts = [it if isinstance(it, str) else getattr(it, "content", None) for it in pieces]
    return "\n".join(it for it in texts if isinstance(it, str))


def _units(message: sdk.ModelMessage) -> list[Unit[Any]]:
    if isinstance(message, sdk.ModelResponse):
        return [Unit({"role": "assistant"} | _answer(message), [message])]
    # A request may have instructions and no parts.
    parts: list[Any] = list(message.parts) or [message]
    return [Unit(_said(part), [part]) for part in parts]


def _said(part: Any) -> dict[str, Any]:
    match part:
        case sdk.UserPromptPart():
            return {"role": "user", "text": _text(part.content)}
        case sdk.ToolReturnPart():
            status = "unknown" if part.outcome == "success" else "error"
            return {"role": "tool", "id": part.tool_call_id, "text": part.model_response_str(), "status": status}
        case sdk.RetryPromptPart() if part.tool_name is not None:
            return {"role": "tool", "id": part.tool_call_id, "text": part.model_response(), "status": "error"}
        case _:
            return {"role": "system", "text": ""}


def _answer_of(response: sdk.ModelResponse) -> dict[str, Any]:
    answer, words = _answer(response), (sdk.TextPart, sdk.ToolCallPart, sdk.ThinkingPart)
    is_paused = getattr(response, "state", None) == "suspended"
    is_other = not answer["text"] and any(not isinstance(it, words) for it in response.parts)
    return answer | {"is_data": is_paused or is_other}


def _answer(response: sdk.ModelResponse) -> dict[str, Any]:
    calls, usage = response.tool_calls, response.usage
    return {
        "text": "\n".join(it.content for it in response.parts if isinstance(it, sdk.TextPart)),
        "thinking": "\n".join(it.content for it in response.parts if isinstance(it, sdk.ThinkingPart)),
        "calls": [_call(it) for it in calls],
        "finish": finish_of(response.finish_reason),
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


def _call(part: sdk.ToolCallPart) -> dict[str, Any]:
    return {"id": part.tool_call_id, "tool": part.tool_name, "arguments": part.args_as_json_str()}


def _changed(response: sdk.ModelResponse | None, answer: dict[str, Any]) -> sdk.ModelResponse:
    came = response or sdk.ModelResponse([])
    kept = [it for it in came.parts if not isinstance(it, sdk.TextPart | sdk.ToolCallPart)]
    same = {it.tool_call_id: it for it in came.tool_calls if _call(it) in answer["calls"]}
    parts = [same.get(it.tool_call_id, it) if isinstance(it, sdk.ToolCallPart) else it for it in _parts(answer)]
    return replace(came, parts=[*kept, *parts])


def _parts(answer: dict[str, Any]) -> list[sdk.TextPart | sdk.ToolCallPart]:
    text = [sdk.TextPart(answer["text"])] if answer["text"] else []
    return text + [sdk.ToolCallPart(it["tool"], it["arguments"], it["id"]) for it in answer["calls"]]


def _new(said: dict[str, Any]) -> list[Any]:
    match said["role"]:
        case "assistant":
            return [sdk.ModelResponse(_parts(said))]
        case "tool":
            return [sdk.ToolReturnPart(said["tool"], said["text"], said["id"], outcome="denied")]
        case _:
            return [sdk.UserPromptPart(said["text"])]


def _with_calls(own: list[Any], calls: list[dict[str, Any]]) -> list[Any]:
    return [replace(own[0], parts=[*own[0].parts, *_parts({"text": "", "calls": calls})])]


def _messages(pieces: list[Any], asked: list[sdk.ModelMessage]) -> list[sdk.ModelMessage]:
    """Parts that follow each other are one request. The last one has what the framework says beside its parts."""
    messages: list[sdk.ModelMessage] = []
    for is_answer, together in groupby(pieces, lambda it: isinstance(it, sdk.ModelResponse)):
        said = [it for it in together if not isinstance(it, sdk.ModelRequest)]
        messages += said if is_answer else [sdk.ModelRequest(said)]
    if isinstance(last := asked[-1], sdk.ModelRequest) and isinstance(sent := messages[-1], sdk.ModelRequest):
        messages[-1] = replace(last, parts=sent.parts)
    return messages
