"""The guards for an agent that has a loop of its own."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, get_args

from . import _native
from ._failures import failure_of

Dialect = Literal["openai", "responses", "anthropic", "gemini"]
Effect = Literal["read-only", "idempotent-write", "write", "external", "unknown"]
Status = Literal["ok", "error", "unknown"]
Purpose = Literal["shell", "finish", "wait", "other"]


def checked(what: str, value: str, form: Any) -> None:
    """Raises `ValueError` if the value is none of a type of literals."""
    if value not in get_args(form):
        raise ValueError(_native.visible(f"{what}: expected {', '.join(get_args(form))}, found {value!r}"))


@dataclass(frozen=True)
class Tool:
    """A tool on offer. Without a declared `effect`, each call counts as a possible change."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | None = None
    effect: Effect = "unknown"
    purpose: Purpose = "other"

    def __post_init__(self) -> None:
        checked(f"{self.name}: effect", self.effect, Effect)
        checked(f"{self.name}: purpose", self.purpose, Purpose)

    @staticmethod
    def of(tool: Tool | Mapping[str, Any]) -> Tool:
        """A tool, also from the form that it has in a request of OpenAI chat."""
        if isinstance(tool, Tool):
            return tool
        function = tool.get("function", tool)
        return Tool(function["name"], function.get("description") or "", function.get("parameters"))


@dataclass(frozen=True)
class Call:
    """A call of a tool; `arguments` is JSON text."""

    id: str
    tool: str
    arguments: str

    def read(self) -> dict[str, Any]:
        """The arguments. Raises `ValueError` if the text is no JSON object."""
        try:
            value = json.loads(self.arguments)
        except RecursionError:
            found = f"{self.tool}: expected arguments that can be read, found ones that are nested too deep"
            raise ValueError(_native.visible(found)) from None
        if not isinstance(value, dict):
            found = f"{self.tool}: expected an object as arguments, found {self.arguments[:60]}"
            raise ValueError(_native.visible(found))
        return value


def _integer(digits: str) -> int | str:
    """A number of a model may have more digits than Python reads; it goes back to the model as a text then."""
    try:
        return int(digits)
    except ValueError:
        return digits


def _decimal(digits: str) -> float | str:
    """Or be larger than a float, which no client writes."""
    number = float(digits)
    return number if isfinite(number) else digits


@dataclass(frozen=True)
class Told:
    """Something that a guard did; `for_user` says whose eyes the text is for."""

    kind: str
    guard: str
    rule: str
    level: int
    text: str
    for_user: bool


@dataclass(frozen=True)
class AskModel:
    """Send `Run.request` to the model. `asked` is how often exactly this will have been sent, from 1."""

    asked: int


@dataclass(frozen=True)
class RunTools:
    """Run these calls, in order. `attempt` is which try it is, from 1."""

    calls: list[Call]
    attempt: int


@dataclass(frozen=True)
class AskUser:
    """Ask the user; `options` are the texts to choose from."""

    question: str
    options: list[str]


@dataclass(frozen=True)
class Wait:
    """Wait for a time from this range, in milliseconds."""

    at_least: int
    at_most: int

    def drawn(self) -> int:
        """A random time from the range, in milliseconds."""
        return random.randint(self.at_least, self.at_most)


@dataclass(frozen=True)
class Reply:
    """The model sent no call, and no guard objects: the user speaks, or the run ends."""


@dataclass(frozen=True)
class Ended:
    """The run has ended; `end` says how, as in records: `finished`, `no-progress`, `stopped-by-guard`,
    `stopped-by-user`, or an object with `limit`, `fatal-execution` or `guard-fault`."""

    end: Any


Step = AskModel | RunTools | AskUser | Wait | Reply | Ended


@dataclass(frozen=True)
class Ran:
    """What came of a call."""

    text: str
    status: Status = "unknown"

    def __post_init__(self) -> None:
        checked("status", self.status, Status)


class Stack:
    """Guards by name: `default`, `none`, or names with commas between them.

    `settings` has those of each guard that is to have others than its defaults: `{"no-tools": {"limit": 6}}`.

    Raises `ValueError` for a guard or a setting that there is not.
    """

    def __init__(self, guards: str = "default", settings: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._native = _native.Guards({"guards": guards, "settings": settings or {}})

    def run(
        self,
        task: str,
        *,
        tools: Sequence[Tool | Mapping[str, Any]] = (),
        model: str = "",
        protocol: Literal["text", "tool"] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> Run:
        """A new run. `limits` bounds `turns`, `attempts`, `calls`, `interventions` and `questions`. Tools may also have
        the form of OpenAI chat; their effects are not known then."""
        begin = {
            "task": task,
            "tools": [asdict(Tool.of(tool)) for tool in tools],
            "model": model,
            "protocol": protocol,
            "limits": limits or {},
        }
        return Run(_native.Run(self._native, begin), model)

    def resume(self, transcript: list[dict[str, Any]], *, limits: Mapping[str, int] | None = None) -> Run:
        """A run that goes on where `Run.transcript` was taken."""
        model = transcript[0].get("model", "") if transcript else ""
        return Run(_native.Run.resume(self._native, transcript, dict(limits or {})), model)

    def conversations(self) -> _native.Conversations:
        """What a middleware asks: see `balk.middleware`."""
        return _native.Conversations(self._native)


class Run:
    """A run of an agent, step by step, without any input or output of its own.

    `step` says what to do; each answer to it is one call: `completed` or `responded` or `failed`, `executed`,
    `answered` or `unanswered`, `waited`, `said` or `end`. A `Stack` makes runs.
    """

    def __init__(self, native: _native.Run, model: str) -> None:
        self._run = native
        self._model = model

    def step(self) -> Step:
        """What to do next. It does not change until something is given back."""
        if due := self._run.calls():
            calls, attempt = due
            return RunTools([Call(*call) for call in calls], attempt)
        step = self._run.step()
        match step["kind"]:
            case "model":
                return AskModel(step["asked"])
            case "user":
                return AskUser(step["question"], [option["label"] for option in step["options"]])
            case "wait":
                return Wait(step["at_least"], step["at_most"])
            case "reply":
                return Reply()
            case _:
                return Ended(step["end"])

    def request(self, dialect: Dialect = "openai", *, system: str | None = None) -> dict[str, Any]:
        """The body of the next request to the model."""
        text = self._run.request(dialect, self._model, system)
        body: dict[str, Any] = json.loads(text, parse_int=_integer, parse_float=_decimal)
        return body

    def completed(self, text: str = "", calls: Sequence[Call] = (), finish: str = "not_given") -> None:
        """The model answered."""
        self._run.completed(text, [(it.id, it.tool, it.arguments) for it in calls], finish)

    def responded(self, response: Any, dialect: Dialect = "openai") -> None:
        """The model answered with this body: an object of an SDK, or plain values."""
        dump = getattr(response, "model_dump_json", None)
        self._run.responded(dialect, dump() if dump else json.dumps(response, ensure_ascii=False))

    def failed(self, error: BaseException) -> None:
        """The attempt failed. An error that is no failure of a provider or a network is raised again."""
        failure = failure_of(error)
        if failure is None:
            raise error
        self._run.failed(failure)

    def executed(self, results: Sequence[Ran | str], *, finished: bool = False) -> None:
        """The calls ran: one result each, in order. `finished` says that one of them ended the task."""
        ran = [(it.text, it.status) if isinstance(it, Ran) else (it, "unknown") for it in results]
        self._run.executed(ran, finished)

    def answered(self, text: str) -> None:
        """The user answered a question: an option by its number or its text, or any words."""
        self._run.answered(text)

    def unanswered(self) -> None:
        """Nobody can answer the question: the run ends."""
        self._run.unanswered()

    def waited(self, ms: int) -> None:
        """The agent has waited."""
        self._run.waited(ms)

    def said(self, text: str, *, by_user: bool = True) -> None:
        """The user spoke, or the agent's own loop in the user's role."""
        self._run.said(text, by_user)

    def end(self) -> None:
        """The agent ends the run."""
        self._run.end()

    def news(self) -> list[Told]:
        """What guards did since the last call."""
        return [Told(**it) for it in self._run.news()]

    def text(self) -> str:
        """What the model said last, without its thinking."""
        said = [entry for entry in self._run.transcript() if entry["entry"] == "completion"]
        parts = said[-1]["parts"] if said else []
        return "\n".join(part["text"] for part in parts if "text" in part)

    def transcript(self) -> list[dict[str, Any]]:
        """Everything that was committed, as plain values: for `Stack.resume`, and for the records of `balk replay`."""
        return self._run.transcript()

    def play(
        self,
        ask: Callable[[dict[str, Any]], Any],
        run: Callable[[Call], Ran | str],
        *,
        user: Callable[[AskUser], str | None] = lambda _: None,
        dialect: Dialect = "openai",
        system: str | None = None,
    ) -> Ended:
        """Plays the run to its end. `ask` sends a request and returns the response, `run` runs a call, and `user`
        answers a question, or returns `None` if nobody can, as it does by default.

        Errors of `run` and `user` are raised, and so are those of `ask` that are no failure of a provider or a network;
        called once more, it goes on. A refusal of the provider ends the run: `news` says why."""
        while True:
            match self.step():
                case AskModel():
                    try:
                        response = ask(self.request(dialect, system=system))
                    except Exception as error:
                        self.failed(error)
                    else:
                        self.responded(response, dialect)
                case Wait() as wait:
                    ms = wait.drawn()
                    time.sleep(ms / 1000)
                    self.waited(ms)
                case RunTools(calls):
                    self.executed([run(call) for call in calls])
                case AskUser() as question:
                    self._heard(user(question))
                case Reply():
                    self.end()
                case Ended() as end:
                    return end

    async def aplay(
        self,
        ask: Callable[[dict[str, Any]], Awaitable[Any]],
        run: Callable[[Call], Awaitable[Ran | str]],
        *,
        user: Callable[[AskUser], Awaitable[str | None]] | None = None,
        dialect: Dialect = "openai",
        system: str | None = None,
    ) -> Ended:
        """The same as `play`, with coroutines. The calls of a step run one after another."""
        while True:
            match self.step():
                case AskModel():
                    try:
                        response = await ask(self.request(dialect, system=system))
                    except Exception as error:
                        self.failed(error)
                    else:
                        self.responded(response, dialect)
                case Wait() as wait:
                    ms = wait.drawn()
                    await asyncio.sleep(ms / 1000)
                    self.waited(ms)
                case RunTools(calls):
                    self.executed([await run(call) for call in calls])
                case AskUser() as question:
                    self._heard(await user(question) if user else None)
                case Reply():
                    self.end()
                case Ended() as end:
                    return end

    def _heard(self, said: str | None) -> None:
        if said is None:
            self.unanswered()
        else:
            self.answered(said)
