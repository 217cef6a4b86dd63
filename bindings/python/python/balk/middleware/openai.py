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

from .._answers import Unit
from .._exchange import Form
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
    form = Form(_new, _with_calls, _own)
    return Guarded(create, guarding, form, _units, _tools, _is_json, _answer_of, _changed).call


def _tools(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools = [tool[tool["type"]] for tool in request.get("tools") or [] if tool.get("type") in ("function", "custom")]
    return [{name: it[name] for name in ("name", "description", "parameters") if name in it} for it in tools]


def _is_json(request: Mapping[str, Any]) -> bool:
    form = request.get("response_format")
    # `parse` takes a class.
    return bool(form) and not (isinstance(form, Mapping) and form.get("type") == "text")


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
    spoken = (message.get("audio") or {}).get("transcript")
    return {
        "text": text_of(message.get("content")) or message.get("refusal") or spoken or "",
        "thinking": text_of(message.get("reasoning_content")),
        "calls": [_call(it) for it in message.get("tool_calls") or []],
    }


def _call(made: Mapping[str, Any]) -> dict[str, Any]:
    if custom := made.get("custom"):
        return {"id": made["id"], "tool": custom["name"], "arguments": json.dumps({"input": custom["input"]})}
    return {"id": made["id"], "tool": made["function"]["name"], "arguments": made["function"]["arguments"]}


def _answer_of(response: ChatCompletion) -> dict[str, Any]:
    choice = response.choices[0]
    finish = "content_filter" if choice.message.refusal else choice.finish_reason
    answer = _answer(plain(choice.message)) | {"finish": finish_of(finish)}
    answer["is_data"] = not answer["text"] and choice.message.function_call is not None
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


def _own(response: ChatCompletion) -> list[Any]:
    read: Any = {"tool_calls": {"__all__": {"function": {"parsed_arguments"}}}}
    read |= {"parsed": True, "audio": True, "annotations": True}
    return [response.choices[0].message.model_dump(exclude_none=True, exclude=read)]


def _with_calls(own: list[Any], calls: list[dict[str, Any]]) -> list[Any]:
    message = plain(own[0])
    return [
        message
        | {"tool_calls": [*message.get("tool_calls", []), *_message({"text": "", "calls": calls})["tool_calls"]]}
    ]


def _changed(response: ChatCompletion | None, answer: dict[str, Any]) -> ChatCompletion:
    came = json.loads(response.model_dump_json()) if response else {"id": "balk", "created": 0, "model": ""}
    finish = "tool_calls" if answer["calls"] else "stop"
    message = _message(answer)
    made = _own(response)[0].get("tool_calls", []) if response else []
    same = {it["id"]: it for it in made if _call(it) in answer["calls"]}
    if answer["calls"]:
        message["tool_calls"] = [same.get(it["id"], it) for it in message["tool_calls"]]
    choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": message}
    return ChatCompletion.model_validate(came | {"object": "chat.completion", "choices": [choice]})
