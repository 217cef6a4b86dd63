"""Agents for tests, with the official SDK of OpenAI. Both find the model by the environment."""

from __future__ import annotations

from typing import Any

from balk.served import Play
from openai import OpenAI


class Agent:
    """A loop that calls tools until the model calls none, and shows its user the model's last words."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.client = OpenAI(max_retries=0)
        self.messages: list[Any] = [{"role": "user", "content": play.task}]

    def run(self, turns: int) -> str:
        """Works on the task, and returns what the user is told at the end."""
        for _ in range(turns):
            answer = self.client.chat.completions.create(model="any", messages=self.messages, tools=self.play.tools)
            message = answer.choices[0].message
            self.messages.append(message.model_dump(exclude_none=True))
            calls = message.tool_calls or []
            for call in calls:
                text = self.play.call(call.function.name, call.function.arguments)
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
            said = self.takes([(it.function.name, it.function.arguments) for it in calls], message.content or "")
            if said is not None:
                return said
        return "Done."

    def takes(self, calls: list[tuple[str, str]], text: str) -> str | None:
        """Ends with the last words where there is no call."""
        return None if calls else text


class Careful(Agent):
    """Asks for a first call where there is none, and stops a model that repeats itself."""

    def __init__(self, play: Play) -> None:
        super().__init__(play)
        self.last: list[tuple[str, str]] = []
        self.equal = self.asked = 0

    def takes(self, calls: list[tuple[str, str]], text: str) -> str | None:
        if not calls:
            self.asked += 1
            if self.last or self.asked > 3:
                return text
            asks = 'You called no tool. Make the next call now: {"name": "the tool\'s name", "arguments": {}}'
            self.messages.append({"role": "user", "content": asks})
            return None
        self.equal = self.equal + 1 if calls == self.last else 1
        self.last = calls
        return "I stopped: the same call was made three times, and the task is not done." if self.equal == 3 else None
