"""A bench, a replay or a triage that is too large for one machine, as tasks on a cluster of Ray.

```python
import balk.ray

balk.ray.bench("run", ["--guard", "default", "--trials", "10000"], shards=64)
```

Each node has this package installed. A task whose worker is lost is run again by Ray; since a part of a bench is a
function of its arguments, and what guards say is one of the files, what is merged has the same bytes as one run on one
machine.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import ray

from ._binary import binary
from ._native import visible
from ._summary import Summary

_RETRIES = 8
"""How often Ray runs a task again whose worker was lost."""


def bench(out: str | Path, arguments: Sequence[str] = (), *, shards: int, cpus: int = 1) -> None:
    """Plays `balk bench` with these arguments in so many parts, and merges them into the folder `out`, which may be the
    URL of an object store.

    `cpus` is how many cores a part takes. Files that the arguments name must be on each node at the same path.
    Raises `RuntimeError` with what the program said if a part fails.
    """
    _start()
    part = ray.remote(_part).options(num_cpus=cpus, max_retries=_RETRIES)
    packed = [part.remote([*arguments, "--jobs", str(cpus)], f"{m}/{shards}") for m in range(1, shards + 1)]
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / str(m) for m in range(1, shards + 1)]
        for path, reference in zip(parts, packed, strict=True):
            with tarfile.open(fileobj=io.BytesIO(ray.get(reference))) as files:
                files.extractall(path, filter="data")
        merged = Path(folder) / "merged" if _is_url(out) else out
        _run(["merge", *map(str, parts), "--out", str(merged)])
        if _is_url(out):
            _stored(Path(merged), str(out))


def replay(
    files: Iterable[str | Path], arguments: Sequence[str] = (), *, batch: int = 16, cpus: int = 1
) -> Iterator[dict[str, Any]]:
    """The lines that `balk replay --format json` prints of these files, the summary at the end included.

    A task reads `batch` files. A file is a path that each node has, or the URL of an object store, which the task reads
    with `pyarrow.fs`. At most as many tasks are on their way as the cluster has cores, twice, so memory is bounded.
    Raises `RuntimeError`, at the end, if a file could not be read to its end, a guard broke, or nothing was found.
    """
    if any(it.split("=")[0] == "--labels" for it in arguments):
        raise ValueError("expected arguments without --labels, found it: what it counts is not merged")
    summary, complaints = Summary(), list[str]()
    for lines, said in _batches("replay", files, arguments, batch, cpus):
        summary.add(lines.pop())
        complaints += said
        yield from lines
    yield (sums := summary.line())
    if summary.is_empty() or sums["broken_files"] or sums["guard_faults"]:
        raise RuntimeError("\n".join(complaints[-10:]) or "expected transcripts, found none")


def triage(
    files: Iterable[str | Path],
    arguments: Sequence[str] = (),
    *,
    format: Literal["json", "text"] = "json",
    batch: int = 16,
    cpus: int = 1,
) -> str:
    """What `balk triage --format FORMAT` prints of these files, which are those of `replay`.

    Warns of files that cannot be read to their end. Raises `RuntimeError` if the program fails, or prints nothing.
    """
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder, "parts")
        with parts.open("w", encoding="utf-8") as out:
            for lines, said in _batches("triage", files, arguments, batch, cpus):
                out.writelines(json.dumps(line) + "\n" for line in lines)
                complaints += said
        done = _ran(["triage", "--merge", str(parts), "--format", format])
    why = "\n".join([*complaints[-10:], *done.stderr.splitlines()])
    if not done.stdout:
        raise RuntimeError(why or "expected transcripts, found none")
    if done.returncode:
        warnings.warn(why, stacklevel=2)
    return done.stdout


def _batches(
    command: str, files: Iterable[str | Path], arguments: Sequence[str], batch: int, cpus: int
) -> Iterator[tuple[list[dict[str, Any]], list[str]]]:
    """What a command says of each batch of files, in their order."""
    _start()
    task = ray.remote(_lines).options(num_cpus=cpus, max_retries=_RETRIES)
    names = [str(file) for file in files]
    if not names:
        raise ValueError("expected files, found none")
    batches = [names[at : at + batch] for at in range(0, len(names), batch)]
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    most = max(2, int(2 * resources.get("CPU", 1) // cpus))
    waiting: list[Any] = []
    for one in [*batches, *[None] * most]:
        if one is not None:
            waiting.append(task.remote(command, one, list(arguments), cpus))
        if waiting and (one is None or len(waiting) == most):
            yield ray.get(waiting.pop(0))


def _start() -> None:
    if not ray.is_initialized():
        ray.init()


def _run(arguments: Sequence[str]) -> None:
    done = _ran(arguments)
    if done.returncode:
        raise _failed(arguments, done)


def _ran(arguments: Sequence[str], **variables: str) -> subprocess.CompletedProcess[str]:
    command, environment = [binary(), *arguments], os.environ | variables
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)


def _failed(arguments: Sequence[str], done: subprocess.CompletedProcess[str]) -> RuntimeError:
    said = done.stderr.strip().splitlines()[-10:]
    how = f"balk {' '.join(arguments)} ended with exit code {done.returncode}"
    return RuntimeError(visible("\n".join([how, *said])))


def _part(arguments: list[str], shard: str) -> bytes:
    """One part of a bench, as a tar file of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        _run(["bench", *arguments, "--shard", shard, "--out", folder])
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as files:
            for path in sorted(Path(folder).rglob("*")):
                files.add(path, path.relative_to(folder), recursive=False)
        return packed.getvalue()


def _lines(
    command: str, files: list[str], arguments: list[str], cpus: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """The lines that a command prints of these files, and its complaints if it left a file out or a guard broke.

    A file that is read from an object store keeps its URL as its name.
    """
    with tempfile.TemporaryDirectory() as folder:
        local = [_fetched(url, Path(folder) / str(nth)) for nth, url in enumerate(files)]
        asked = [command, *local, "--format", "json", *arguments]
        done = _ran(asked, RAYON_NUM_THREADS=str(cpus))
    # With these, all files were read as far as they can be: 3 a broken file or none with transcripts, 4 a record that
    # is decided otherwise, 6 a guard that broke.
    if done.returncode not in (0, 3, 4, 6) or not done.stdout:
        raise _failed(asked, done)
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.split("\n") if line]
    names = dict(zip(local, files, strict=True))
    for line in lines:
        for member, rows in [("file", [line, *line.get("worst", ())]), ("name", line.get("files", ()))]:
            for row in rows:
                if member in row:
                    row[member] = names.get(row[member], row[member])
    return lines, done.stderr.splitlines() if done.returncode in (3, 6) else []


def _is_url(place: str | Path) -> bool:
    return "://" in str(place)


def _stored(folder: Path, url: str) -> None:
    """Copies a folder to an object store."""
    from pyarrow import fs

    store, path = fs.FileSystem.from_uri(url)
    store.create_dir(path)
    fs.copy_files(str(folder), path, source_filesystem=fs.LocalFileSystem(), destination_filesystem=store)


def _fetched(url: str, folder: Path) -> str:
    """The path of a file here. It keeps the end of its name, which says how it is packed."""
    if not _is_url(url):
        return url
    from pyarrow import fs

    store, path = fs.FileSystem.from_uri(url)
    folder.mkdir()
    copy = folder / Path(path).name
    with store.open_input_stream(path, compression=None) as source, copy.open("wb") as target:
        while piece := source.read(1 << 20):
            target.write(piece)
    return str(copy)
