"""A bench or a replay that is too large for one machine, as tasks on a cluster of Ray.

```python
import balk.ray

balk.ray.bench("run", ["--guard", "default", "--trials", "10000"], shards=64)
```

Each node has this package installed. A task whose worker is lost is run again by Ray; since a part of a bench is a
function of its arguments, and a replay of its files, what is merged has the same bytes as one run on one machine.
"""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ray

from ._binary import binary

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
    """What `balk replay --format json` says of these files, in their order, without its summaries.

    A task reads `batch` files. A file is a path that each node has, or the URL of an object store, which the task reads
    with `pyarrow.fs`. At most as many tasks are on their way as the cluster has cores, twice, so memory is bounded.
    """
    _start()
    task = ray.remote(_lines).options(num_cpus=cpus, max_retries=_RETRIES)
    names = [str(file) for file in files]
    batches = [names[at : at + batch] for at in range(0, len(names), batch)]
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    most = max(2, int(2 * resources.get("CPU", 1) // cpus))
    waiting: list[Any] = []
    for one in [*batches, *[None] * most]:
        if one is not None:
            waiting.append(task.remote(one, [*arguments, "--jobs", str(cpus)]))
        if waiting and (one is None or len(waiting) == most):
            yield from ray.get(waiting.pop(0))


def _start() -> None:
    if not ray.is_initialized():
        ray.init()


def _run(arguments: Sequence[str], allowed: Iterable[int] = (0,)) -> str:
    done = subprocess.run([str(binary()), *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        said = done.stderr.strip().splitlines()[-10:]
        raise RuntimeError("\n".join([f"balk {' '.join(arguments)} ended with exit code {done.returncode}", *said]))
    return done.stdout


def _part(arguments: list[str], shard: str) -> bytes:
    """One part of a bench, as a tar file of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        _run(["bench", *arguments, "--shard", shard, "--out", folder])
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as files:
            for path in sorted(Path(folder).rglob("*")):
                files.add(path, path.relative_to(folder), recursive=False)
        return packed.getvalue()


def _lines(files: list[str], arguments: list[str]) -> list[dict[str, Any]]:
    """What a replay says of these files. One that is read from an object store keeps its URL as its name."""
    with tempfile.TemporaryDirectory() as folder:
        local = {_fetched(url, Path(folder) / str(nth)): url for nth, url in enumerate(files)}
        said = _run(["replay", *local, "--format", "json", *arguments], allowed=(0, 1))
    lines = [json.loads(line) for line in said.splitlines()]
    for line in lines:
        if "file" in line:
            line["file"] = local[line["file"]]
    return [line for line in lines if line["type"] != "summary"]


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
