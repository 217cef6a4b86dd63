"""What a turn with guards costs from Python, beside the same turn in Rust: `turns.py PROGRAM`.

PROGRAM is the example `guard_turns` of the crate `balk-host`, which plays the same turns. Both are run in turn. It fails
where a turn costs more of a turn in Rust than `SIZES` allows.
"""

import json
import subprocess
import sys
import time

from balk.guards import Call, Ran, Run, Stack, Tool

# Bytes of a turn: how many turns, and how many times the turn in Rust it may cost at most.
SIZES = {2048: (2000, 3), 50 * 1024: (200, 1.5)}


def arguments(turn: int, size: int) -> str:
    content = "\\n".join([f"line {turn} of a program that grows"] * (size // 33 + 1))
    return json.dumps({"path": f"src/part{turn}.py"})[:-1] + ',"content":"' + content[:size].rstrip("\\") + '"}'


def played(run: Run, written: list[str]) -> float:
    began = time.perf_counter_ns()
    for turn, text in enumerate(written):
        run.completed(calls=[Call(str(turn), "write_file", text)], finish="tool_call")
        run.step()
        run.executed([Ran("written", "ok")])
    run.news()
    return (time.perf_counter_ns() - began) / len(written)


def main() -> None:
    print("| bytes of a turn | Python, ns | Rust, ns | of it |")
    print("|--:|--:|--:|--:|")
    stack = Stack()
    dear = []
    for size, (turns, most) in SIZES.items():
        written = [arguments(turn, size) for turn in range(turns)]
        tool = Tool("write_file", effect="write")
        # Each run begins before the last one is freed, so that all but the first have memory that was used before.
        runs = [stack.run("Write the files.", tools=[tool], model="m")]
        times = []
        for _ in range(7):
            times.append(played(runs[-1], written))
            runs = [runs[-1], stack.run("Write the files.", tools=[tool], model="m")]
        python = min(times)
        command = [sys.argv[1], str(size), str(turns)]
        rust = min(int(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(3))
        print(f"| {size} | {python:.0f} | {rust} | {python / rust:.2f} |")
        if python > most * rust:
            dear.append(f"expected at most {most} times the turn in Rust at {size} bytes, found {python / rust:.2f}")
    if dear:
        sys.exit("\n".join(dear))


if __name__ == "__main__":
    main()
