"""The summary of a replay, of the summaries of its parts."""

from __future__ import annotations

from typing import Any

MODELS_MAX = 1_000
"""The program counts further models under one name, and so does this."""
OTHER_MODELS = "(other models)"
OUTCOMES = ("resolved", "failed", "unknown")
MEMBERS = (
    "type", "total", "files", "models", "outcomes", "guards", "rules", "oddities", "reruns", "resends", "ended",
    "turns_after_end", "blind", "guard_faults", "broken_files", "own_records", "bad_lines", "bad_lines_by_reason",
)  # fmt: skip
"""Members in the order of the program. Some are left out where they are 0."""


class Summary:
    """The sums over all parts, as the program has them over all files."""

    def __init__(self) -> None:
        self._sums: dict[str, Any] = {}
        self._tables: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {
            table: {} for table in ("files", "models", "outcomes", "guards", "rules")
        }

    def add(self, part: dict[str, Any]) -> None:
        """Adds the summary of the next part."""
        for table, rows in self._tables.items():
            for row in part[table]:
                if table == "models" and len(rows) >= MODELS_MAX and (row["name"],) not in rows:
                    row = row | {"name": OTHER_MODELS}
                key = tuple(value for value in row.values() if isinstance(value, str))
                _add(rows.setdefault(key, {}), row)
        _add(self._sums, {name: value for name, value in part.items() if name not in self._tables})

    def is_empty(self) -> bool:
        """Whether there was no transcript and no record."""
        return not self._sums or not self._sums["total"]["transcripts"] and "own_records" not in self._sums

    def line(self) -> dict[str, Any]:
        """The line that the program ends with."""
        tables = {table: [rows[key] for key in sorted(rows)] for table, rows in self._tables.items()}
        tables["outcomes"].sort(key=lambda row: OUTCOMES.index(row["name"]))
        line = self._sums | tables
        for row in [line["total"], *line["files"], *line["models"], *line["outcomes"]]:
            turns = row["turns"]
            row["stretches_per_million_turns"] = (
                (row["stretches"] * 2_000_000 + turns) // (2 * turns) if turns else 0
            )
        line["bad_lines_by_reason"] = dict(sorted(line["bad_lines_by_reason"].items()))
        return {name: line[name] for name in MEMBERS if name in line}


def _add(sums: dict[str, Any], more: dict[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            _add(sums.setdefault(name, {}), value)
        elif isinstance(value, str):
            sums[name] = value
        else:
            sums[name] = sums.get(name, 0) + value
