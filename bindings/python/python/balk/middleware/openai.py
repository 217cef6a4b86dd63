"""Guards for the chat completions of OpenAI's SDK, where the agent keeps its messages itself.

```python
from balk.middleware.openai import guarded
from openai import OpenAI

create = guarded(OpenAI(max_retries=0).chat.completions.create)
response = create(model="gpt-5", messages=messages, tools=tools)
```
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from openai.types.chat import ChatCompletion

from .._exchange import Form, Unit
from ..guards import Effect, Stack
from . import Guarded, Guarding, OnTold, finish_of, plain, text_of


def guarded(
    create: Callable[..., Any],
    guards: str | Stack = "default",
    *,
    effects: Mapping[str, Effect] | None = None,
    on_told: OnTold | None = None,
) -> Callable[..., Any]:
    """`create` with guards before it, sync or async as it is itself. A stream is not guarded, and refused.

    `effects` says what tools can change. `on_told` is told of everything that a guard does.
    """
    guarding = Guarding(guards, effects, on_told)
    return Guarded(create, guarding, Form(_new, _with_calls), _units, _tools, _answer_of, _changed).call


def _tools(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    functions = [tool["function"] for tool in request.get("tools") or [] if tool.get("type") == "function"]
    return [{name: it[name] for name in ("name", "description", "parameters") if name in it} for it in functions]


def _units(request: Mapping[str, Any]) -> list[Unit[Any]]:
    return [Unit(_said(plain(message)), [message]) for message in request["messages"]]


def _said(message: Mapping[str, Any]) -> dict[str, Any]:
    text = text_of(message.get("content"))
    match message["role"]:
        case "assistant":
            return {"role": "assistant"} | _answer(message)
        case "tool":
            return {"role": "tool", "id": message["tool_call_id"], "text": text}
        case "user":
            return {"role": "user", "text": text}
        case _:
            return {"role": "system", "text": text}


def _answer(message: Mapping[str, Any]) -> dict[str, Any]:
    made = [it for it in message.get("tool_calls") or [] if "function" in it]
    calls = [{"id": it["id"], "tool": it["function"]["name"], "arguments": it["function"]["arguments"]} for it in made]
    return {"text": text_of(message.get("content")), "calls": calls}


def _answer_of(response: ChatCompletion) -> dict[str, Any]:
    choice = response.choices[0]
    answer = _answer(plain(choice.message)) | {"finish": finish_of(choice.finish_reason)}
    if usage := response.usage:
        answer["usage"] = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
    return answer


def _message(answer: Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer["text"] or None}
    if calls := answer["calls"]:
        message["tool_calls"] = [
            {"id": it["id"], "type": "function", "function": {"name": it["tool"], "arguments": it["arguments"]}}
            for it in calls
        ]
    return message


def _new(said: dict[str, Any]) -> list[Any]:
    match said["role"]:
        case "assistant":
            return [_message(said)]
        case "tool":
            return [{"role": "tool", "tool_call_id": said["id"], "content": said["text"]}]
        case _:
            return [{"role": "user", "content": said["text"]}]


def _with_calls(own: list[Any], calls: list[dict[str, Any]]) -> list[Any]:
    message = plain(own[0])
    return [
        message
        | {"tool_calls": [*message.get("tool_calls", []), *_message({"text": "", "calls": calls})["tool_calls"]]}
    ]


def _changed(response: ChatCompletion | None, answer: dict[str, Any]) -> ChatCompletion:
    came = json.loads(response.model_dump_json()) if response else {"id": "balk", "created": 0, "model": ""}
    finish = "tool_calls" if answer["calls"] else "stop"
    choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": _message(answer)}
    return ChatCompletion.model_validate(came | {"object": "chat.completion", "choices": [choice]})
