"""A model that balks on purpose, for tests: `balk serve` as a child process, and one conversation with it.

```python
from balk.served import Server

with Server() as server:
    play = server.play("abandonment", seed=7)
    # Point the agent at play.openai_url, give it play.task and play.tools, and then:
    assert play.verdict()["identical_calls"] <= 3
```
"""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, TypedDict
from urllib.parse import quote

from ._binary import binary
from ._native import visible

SEED = 1024
"""The seed of a conversation that names none, as for the commands of `balk`."""

MAX_REQUESTS = 100
"""How many requests a conversation may have. The next one is refused with status 403, which no SDK sends again."""

# The server is on this machine, and a proxy does not know it.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Verdict(TypedDict):
    """What came of a conversation, as far as the server knows it."""

    scenario: str
    seed: str
    goal: bool
    """Whether the task is done, in the scenario's own world."""
    stuck: bool
    """Whether the model was stuck in at least one turn."""
    recovered: bool
    """Whether the model was stuck, and the task is done all the same."""
    told: str | None
    """The line with which the user was told that the task is not done."""
    requests: int
    interventions: int
    """What the agent said to the model of its own accord."""
    identical_calls: int
    """The largest number of turns in a row with the same calls."""


class Play:
    """A scenario that is played to an agent: one conversation with the server."""

    def __init__(self, url: str, folder: Path | None) -> None:
        self.url = url
        """The base URL for the SDKs of Anthropic and Gemini."""
        self.openai_url = f"{url}/v1"
        """The base URL for the SDKs of OpenAI."""
        body = {"workspace": str(folder)} if folder else {}
        task = self._ask("begin", json.dumps(body).encode())
        self.scenario: str = task["scenario"]
        self.title: str = task["title"]
        self.seed = int(task["seed"])
        self.task: str = task["task"]
        """What the user says first."""
        self.files: dict[str, str] = task["files"]
        """The files of the task, by their paths."""
        self.folder = folder
        """The folder that has these files, if one was given."""
        self.tools: list[dict[str, Any]] = [{"type": "function", "function": it} for it in task["tools"]]
        """Tools for the task, as OpenAI chat wants them. `call` answers for them."""
        if folder:
            self._write_files(folder)

    def call(self, tool: str, arguments: str | dict[str, Any]) -> str:
        """What a call of the model answers in the scenario's world, as the text of its result.

        `arguments` is an object, or its JSON text as the model sent it.
        """
        answered = self._ask("call", json.dumps({"tool": tool, "arguments": arguments}).encode())
        return str(answered["text"])

    def reply(self) -> str | None:
        """What the user says if the agent ends its work now. None if they have nothing more to say."""
        reply = self._ask("reply")["reply"]
        return None if reply is None else str(reply)

    def said(self, text: str | None) -> None:
        """Says what the agent told its user last; `None` if it told them nothing."""
        self._ask("said", (text or "").encode())

    def verdict(self) -> Verdict:
        """What came of it so far."""
        verdict: Verdict = self._ask("verdict")
        return verdict

    def transcript(self) -> list[dict[str, Any]]:
        """What happened so far, step by step, with the hidden truth of each act of the model."""
        with _OPENER.open(f"{self.url}/_balk/transcript") as answer:
            return [json.loads(line) for line in answer.read().splitlines()]

    def _ask(self, what: str, body: bytes | None = None) -> Any:
        try:
            with _OPENER.open(f"{self.url}/_balk/{what}", body) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                why = json.load(error)["error"]
                raise ValueError(visible(why if isinstance(why, str) else why["message"])) from None

    def _write_files(self, folder: Path) -> None:
        for name, text in self.files.items():
            file = folder / name
            # A scenario may have files outside of the folder, such as /etc/hosts.
            if file.resolve().is_relative_to(folder.resolve()):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")


class Server:
    """`balk serve` with many scenarios, as long as the `with` block runs."""

    def __init__(self, suite: Iterable[str] = ("all",)) -> None:
        """`suite` has names of scenarios, files of scenarios, and words such as `all`, `stubborn` and `drawn`."""
        self._suite = ",".join(suite)
        self._numbers = itertools.count(1)

    def __enter__(self) -> Server:
        # The server ends with this process, even if it is killed: then its input ends.
        bounds = ["--max-requests", str(MAX_REQUESTS), "--until-input-ends"]
        command = [binary(), "serve", "--suite", self._suite, *bounds]
        with tempfile.TemporaryFile() as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
            assert self._process.stdout
            self.url = self._process.stdout.readline().strip()
            if not self.url:
                self._process.wait()
                errors.seek(0)
                why = errors.read().decode(errors="replace").strip()
                raise RuntimeError(visible(f"`{' '.join(command)}` did not start:\n{why}"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def play(self, scenario: str, seed: int = SEED, folder: Path | None = None) -> Play:
        """Begins a conversation in which this scenario is played, with a world that the seed draws.

        `folder` gets the files of the task; tools that want absolute paths get paths in it.
        """
        if type(seed) is not int or not 0 <= seed < 2**64:
            raise ValueError(f"seed: expected a whole number from 0 to 2^64 - 1, found {seed!r}")
        name = f"{scenario}:{seed}:{next(self._numbers)}"
        return Play(f"{self.url}/c/{quote(name, safe=':')}", folder)


def environment(play: Play) -> dict[str, str]:
    """The variables by which the SDKs of OpenAI, Anthropic and Google, and what is built on them, find the model."""
    return {
        "OPENAI_BASE_URL": play.openai_url,
        "OPENAI_API_BASE": play.openai_url,
        "OPENAI_API_KEY": "balk",
        "ANTHROPIC_BASE_URL": play.url,
        "ANTHROPIC_API_KEY": "balk",
        "GOOGLE_GEMINI_BASE_URL": play.url,
        "GEMINI_API_KEY": "balk",
        "GOOGLE_API_KEY": "balk",
        # A proxy of this machine does not know the server.
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
