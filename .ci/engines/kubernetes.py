#!/usr/bin/env python3
"""docs/scale/bench.yaml and docs/scale/merge.yaml against the schema of the API, and their commands without a cluster.

    .ci/engines/kubernetes.py FOLDER ARGUMENT...     the folder is new, the arguments are those of `balk bench`

Needs kubernetes-validate from PyPI. Each command runs as its container would run it, in two parts, one after another.
"""

import os
import pathlib
import subprocess
import sys

import kubernetes_validate
import yaml

RECIPES = pathlib.Path(__file__).resolve().parents[2] / "docs/scale"
PARTS = 2


def job(name: str) -> dict:
    manifest = yaml.safe_load((RECIPES / name).read_text())
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    return manifest["spec"]


def command(spec: dict) -> list[str]:
    [container] = spec["template"]["spec"]["containers"]
    return [*container["command"], *container["args"]]


def main() -> None:
    folder, *arguments = sys.argv[1:]
    bench, merge = job("bench.yaml"), job("merge.yaml")
    [container] = bench["template"]["spec"]["containers"]
    [parts] = [it["value"] for it in container["env"] if it["name"] == "PARTS"]
    assert bench["completions"] == int(parts), f"expected PARTS of {bench['completions']} completions, found {parts}"
    # The container's arguments end with those of the bench, after the name that the shell gives itself.
    shell = command(bench)
    shell = shell[: shell.index("bench") + 1]
    given = os.environ | {"FOLDER": folder, "PARTS": str(PARTS), "CPUS": "1"}
    for index in range(PARTS):
        run([*shell, *arguments], given | {"JOB_COMPLETION_INDEX": str(index)})
    run(command(merge), given)


def run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")


main()
