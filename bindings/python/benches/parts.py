"""What Ray costs: the parts of a bench as its tasks, beside the same parts one after another without it.

    python parts.py TRIALS PARTS     needs ray and this package; both ways have one core
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import balk.ray
import ray
from balk._binary import binary

ROUNDS = 5


def seconds(work: Callable[[Path], object]) -> float:
    """How long it takes to do this in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        work(Path(folder))
        return time.perf_counter() - began


def plain(arguments: list[str], parts: int, folder: Path) -> None:
    names = [str(folder / str(nth)) for nth in range(1, parts + 1)]
    for nth, name in enumerate(names, 1):
        run("bench", *arguments, "--jobs", "1", "--shard", f"{nth}/{parts}", "--out", name)
    run("merge", *names, "--out", str(folder / "whole"))


def run(*arguments: str) -> None:
    subprocess.run([str(binary()), *arguments], check=True, capture_output=True)


def main() -> None:
    trials, parts = sys.argv[1], int(sys.argv[2])
    arguments = ["--guard", "default", "--trials", trials]
    # Ray's workers give way to all other work of a machine (a niceness of 15), which would measure that work.
    os.environ["RAY_worker_niceness"] = "0"
    start = seconds(lambda _: ray.init(num_cpus=1, log_to_driver=False))
    # The first task waits until its worker has started.
    first = seconds(lambda folder: balk.ray.bench(folder / "whole", [*arguments[:-1], "1"], shards=1))
    again = seconds(lambda folder: balk.ray.bench(folder / "whole", [*arguments[:-1], "1"], shards=1))
    print(f"once: {start:.1f} s to start Ray, {first - again:.1f} s for the first worker")
    ratios = []
    for _ in range(ROUNDS):
        alone = seconds(lambda folder: plain(arguments, parts, folder))
        tasks = seconds(lambda folder: balk.ray.bench(folder / "whole", arguments, shards=parts))
        ratios.append(tasks / alone)
        print(f"{parts} parts: {alone:.2f} s plain, {tasks:.2f} s on Ray, ratio {ratios[-1]:.3f}", flush=True)
    print(f"ratio, median of {ROUNDS}: {statistics.median(ratios):.3f}")


main()
