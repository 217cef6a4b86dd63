"""Guards for the messages of Anthropic's SDK, where the agent keeps its messages itself.

```python
from anthropic import Anthropic
from balk.middleware.anthropic import guarded

create = guarded(Anthropic(max_retries=0).messages.create)
response = create(model="claude-opus-5", max_tokens=4096, messages=messages, tools=tools)
```
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from anthropic.types import Message

from .._answers import Unit
from .._exchange import Form
from ..guards import Effect, Stack
from . import Guarded, Guarding, OnTold, finish_of, object_of, plain, text_of


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
    form = Form(_new, _with_calls, _own, _merged)
    guarding = Guarding(guards, effects, on_told)
    return Guarded(create, guarding, form, _units, _tools, _is_json, _answer_of, _changed).call


def _tools(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": tool["name"], "description": tool.get("description", ""), "parameters": tool["input_schema"]}
        for tool in request.get("tools") or []
        if "input_schema" in tool
    ]


def _is_json(request: Mapping[str, Any]) -> bool:
    return bool(request.get("output_format") or (request.get("output_config") or {}).get("format"))


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else [plain(it) for it in content]


def _units(request: Mapping[str, Any]) -> list[Unit[Any]]:
    """What the model says is one message; of what it is told, each block is one."""
    units: list[Unit[Any]] = []
    for message in request["messages"]:
        blocks = _blocks(message["content"])
        if message["role"] == "assistant":
            units.append(Unit({"role": "assistant"} | _answer(blocks), [message]))
        else:
            units += [Unit(_said(block), [{"role": "user", "content": [block]}]) for block in blocks]
    return units


def _said(block: Mapping[str, Any]) -> dict[str, Any]:
    if block["type"] == "tool_result":
        status = "error" if block.get("is_error") else "unknown"
        text = text_of(block.get("content"))
        return {"role": "tool", "id": block["tool_use_id"], "text": text, "status": status}
    return {"role": "user", "text": block.get("text", "")}


def _answer(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "text": "\n".join(it["text"] for it in blocks if it["type"] == "text"),
        "thinking": "\n".join(it["thinking"] for it in blocks if it["type"] == "thinking"),
        "calls": [_call(it) for it in blocks if it["type"] == "tool_use"],
    }


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": block["id"], "tool": block["name"], "arguments": json.dumps(block["input"])}


def _answer_of(response: Message) -> dict[str, Any]:
    answer = _answer(_blocks(response.content))
    usage = {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
    is_paused = response.stop_reason == "pause_turn"
    is_other = not answer["text"] and any(it.type not in ("text", "thinking", "tool_use") for it in response.content)
    return answer | {"finish": finish_of(response.stop_reason), "usage": usage, "is_data": is_paused or is_other}


def _content(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": answer["text"]}] if answer["text"] else []
    return text + [
        {"type": "tool_use", "id": it["id"], "name": it["tool"], "input": object_of(it["arguments"])}
        for it in answer["calls"]
    ]


def _new(said: dict[str, Any]) -> list[Any]:
    match said["role"]:
        case "assistant":
            return [{"role": "assistant", "content": _content(said)}]
        case "tool":
            block = {"type": "tool_result", "tool_use_id": said["id"], "content": said["text"], "is_error": True}
        case _:
            block = {"type": "text", "text": said["text"]}
    return [{"role": "user", "content": [block]}]


def _own(response: Message) -> list[Any]:
    blocks = _blocks(response.content)
    for block in blocks:
        block.pop("parsed_output", None)
    # The API takes no empty text.
    return [{"role": "assistant", "content": [it for it in blocks if it["type"] != "text" or it["text"].strip()]}]


def _with_calls(own: list[Any], calls: list[dict[str, Any]]) -> list[Any]:
    blocks = _blocks(own[0]["content"])
    return [{"role": "assistant", "content": [*blocks, *_content({"text": "", "calls": calls})]}]


def _merged(messages: list[Any]) -> list[Any]:
    """Messages of one role that follow each other are one; in what the model is told, results come first."""
    merged: list[Any] = []
    for role, group in groupby(messages, lambda it: it["role"]):
        together = list(group)
        if role == "user" and len(together) > 1:
            blocks = [block for message in together for block in _blocks(message["content"])]
            blocks.sort(key=lambda it: it["type"] != "tool_result")
            together = [{"role": "user", "content": blocks}]
        merged += together
    return merged


_NOTHING: dict[str, Any] = {
    "id": "balk",
    "type": "message",
    "role": "assistant",
    "model": "",
    "content": [],
    "stop_sequence": None,
    "usage": {"input_tokens": 0, "output_tokens": 0},
}


def _changed(response: Message | None, answer: dict[str, Any]) -> Message:
    came = json.loads(response.model_dump_json()) if response else _NOTHING
    kept = [it for it in came["content"] if it["type"] not in ("text", "tool_use")]
    stop = "tool_use" if answer["calls"] else "end_turn"
    return Message.model_validate(came | {"content": [*kept, *_content(answer)], "stop_reason": stop})
