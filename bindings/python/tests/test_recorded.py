"""Recorded runs with the firings of guards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import balk
import pytest

CALL = {"id": "c", "function": {"name": "run", "arguments": '{"command": "make"}'}}


def recorded(name: str, calls: int) -> dict[str, Any]:
    """A run in which the same call fails so many times."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Build it."}]
    for _ in range(calls):
        messages.append({"role": "assistant", "content": "", "tool_calls": [CALL]})
        messages.append({"role": "tool", "tool_call_id": "c", "content": "make: no rule", "is_error": True})
    messages.append({"role": "assistant", "content": "It cannot be built."})
    return {"id": name, "model": "m", "outcome": "failed", "messages": messages}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs in one file and one in another."""
    files = {"a.jsonl": [recorded("quiet", 1), recorded("stuck", 6)], "b.jsonl": [recorded("other", 5)]}
    for name, runs in files.items():
        (tmp_path / name).write_text("".join(json.dumps(it) + "\n" for it in runs))
    return tmp_path


def test_runs_come_in_order_with_their_firings(folder: Path) -> None:
    runs = list(balk.transcripts(folder))
    assert [(Path(it.file).name, it.line, it.id, it.turns, it.calls) for it in runs] == [
        ("a.jsonl", 1, "quiet", 2, 1),
        # The guards end this one before its last turn.
        ("a.jsonl", 2, "stuck", 6, 6),
        ("b.jsonl", 1, "other", 6, 5),
    ]
    assert runs[0].firings == ()
    assert [it.ended for it in runs] == [None, 6, None]
    first = runs[1].firings[0]
    assert (first.guard, first.kind, first.tool, first.opens_stretch) == ("duplicate", "block", "run", True)
    assert "make" in first.why
    assert runs[0].outcome == "failed"


def test_the_guards_are_those_that_are_named(folder: Path) -> None:
    assert all(it.firings == () for it in balk.transcripts(folder, guard="none"))
    with pytest.raises(RuntimeError, match="exit code 2(.|\n)*duplicat"):
        list(balk.transcripts(folder, guard="duplicat"))


def test_texts_can_be_kept_out(folder: Path) -> None:
    firings = [firing for run in balk.transcripts(folder, redact=True) for firing in run.firings]
    assert firings and not any("make" in it.why for it in firings)


def test_a_loop_may_end_early(folder: Path) -> None:
    runs = balk.transcripts(folder)
    assert next(runs).id == "quiet"
    runs.close()
    assert list(runs) == []


def test_what_cannot_be_read_is_said(folder: Path) -> None:
    (folder / "b.jsonl").write_text(json.dumps(recorded("whole", 1)) + "\nno JSON\n")
    with pytest.warns(UserWarning, match="1 lines cannot be read"):
        assert len(list(balk.transcripts(folder))) == 3
    with pytest.raises(RuntimeError, match="exit code 3(.|\n)*nowhere"):
        list(balk.transcripts(folder / "nowhere"))


def test_firings_are_rows_of_a_table(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    table = balk.firings_table(folder)
    runs = list(balk.transcripts(folder))
    assert table.num_rows == sum(len(it.firings) for it in runs) > 4
    assert set(table.column("id").to_pylist()) == {"stuck", "other"}
    assert table.column("why").to_pylist()[0] == runs[1].firings[0].why
    nothing = balk.firings_table(folder, guard="none")
    assert (nothing.num_rows, nothing.schema) == (0, table.schema)
