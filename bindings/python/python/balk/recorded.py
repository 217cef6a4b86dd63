"""What guards would have done in recorded runs, as plain rows.

Files are read as `balk replay` reads them: logs of many agents and providers, plain or packed, and folders of them.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from ._binary import binary
from ._native import visible

if TYPE_CHECKING:
    import pyarrow

ROWS = 16_384
"""How many rows of a table are made at a time."""


@dataclass(frozen=True, slots=True)
class Firing:
    """Something that a guard would have done."""

    turn: int
    """The turn, from 1."""
    message: int
    """The place of the answer that it is about among the messages of the run, from 0."""
    question: str
    """What the guard was asked: `review`, `settle`, `recover`, `conclude`."""
    guard: str
    rule: str
    level: int
    kind: str
    """What it would have done: `block`, `retry`, `ask`, `stop`, …"""
    tool: str | None
    interventions: int
    """How many texts model or user would have seen."""
    opens_stretch: bool
    """Whether no firing of any guard is at most two turns before it."""
    opens_guard_stretch: bool
    """The same, of this guard."""
    why: str
    """What it would have said."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded run, and what guards would have done in it."""

    file: str
    line: int
    id: str
    model: str
    outcome: Literal["resolved", "failed", "unknown"]
    turns: int
    """The turns that the guards saw: up to the one in which they would have ended the run."""
    calls: int
    """The calls in these turns."""
    firings: tuple[Firing, ...]
    ended: int | None
    """The turn in which a guard would have ended the run, if there are turns after it."""
    fault: str | None
    """Why a guard broke, if one did; nothing is known of the turns after that."""


def transcripts(
    *paths: str | os.PathLike[str],
    guard: str = "default",
    protocol: Literal["text", "tool"] = "text",
    tools: str | os.PathLike[str] | None = None,
    redact: bool = False,
) -> Iterator[Transcript]:
    """The recorded runs in files and folders, as they are read, each with the firings of these guards.

    `guard`, `protocol`, `tools` (a file) and `redact` are those of `balk replay`. Lines that cannot be read are left
    out with a warning. Raises RuntimeError, at the end, if a file cannot be read or a guard broke.
    """
    command = [binary(), "replay", "--format", "json", "--runs", "--guard", guard, "--protocol", protocol]
    if tools is not None:
        command += ["--tools", os.fspath(tools)]
    if redact:
        command.append("--redact")
    command += ["--", *(os.fspath(it) for it in paths)]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8") as process,
    ):
        assert process.stdout
        try:
            yield from _transcripts(map(json.loads, process.stdout))
        except GeneratorExit:
            process.terminate()
            raise
        if process.wait():
            errors.seek(0)
            why = errors.read().decode(errors="replace").strip()
            said = f"`{' '.join(command)}` ended with exit code {process.returncode}:\n{why}"
            raise RuntimeError(visible(said))


def _transcripts(lines: Iterator[dict[str, Any]]) -> Iterator[Transcript]:
    """Each `run` line with the lines up to the next one."""
    run: dict[str, Any] | None = None
    firings: list[Firing] = []
    ended: int | None = None
    fault: str | None = None
    members = [it.name for it in fields(Firing)]
    for line in itertools.chain(lines, [{"type": "end of all"}]):
        match line["type"]:
            case "firing":
                firings.append(Firing(**{name: line[name] for name in members}))
            case "end":
                ended = line["turn"]
            case "guard-fault":
                fault = line["why"]
            case "run" | "end of all":
                if run is not None:
                    yield Transcript(**run, firings=tuple(firings), ended=ended, fault=fault)
                firings, ended, fault = [], None, None
                run = {name: value for name, value in line.items() if name != "type"}
            case "summary":
                _warn(line)


def _warn(summary: dict[str, Any]) -> None:
    """Says what is in the files and in no run."""
    if summary["bad_lines"]:
        warnings.warn(
            f"{summary['bad_lines']} lines cannot be read: {summary['bad_lines_by_reason']}; `balk replay` shows them",
            stacklevel=2,
        )
    if "own_records" in summary:
        records = summary["own_records"]["records"]
        warnings.warn(
            f"{records} records of Balk's own trials are left out: `balk replay` compares their decisions",
            stacklevel=2,
        )


def firings_table(
    *paths: str | os.PathLike[str],
    guard: str = "default",
    protocol: Literal["text", "tool"] = "text",
    tools: str | os.PathLike[str] | None = None,
    redact: bool = False,
) -> pyarrow.Table:
    """The firings in recorded runs as an Arrow table: a row for each, with the file, line, id, model and outcome of
    its run.

    Takes what `transcripts` takes. Needs pyarrow (`pip install 'balk[arrow]'`).
    """
    import pyarrow as pa

    text, whole, flag = pa.string(), pa.int64(), pa.bool_()
    of_run = {"file": text, "line": whole, "id": text, "model": text, "outcome": text}
    types = {"int": whole, "bool": flag, "str": text, "str | None": text}
    schema = pa.schema([*of_run.items(), *((it.name, types[str(it.type)]) for it in fields(Firing))])
    rows = (
        {name: getattr(run if name in of_run else firing, name) for name in schema.names}
        for run in transcripts(*paths, guard=guard, protocol=protocol, tools=tools, redact=redact)
        for firing in run.firings
    )
    batches = iter(lambda: list(itertools.islice(rows, ROWS)), [])
    return pa.Table.from_batches((pa.RecordBatch.from_pylist(it, schema) for it in batches), schema)
