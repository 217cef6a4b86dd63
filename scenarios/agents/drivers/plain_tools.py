"""The tools that the drivers give to their frameworks. They work in the current folder."""

import subprocess
from pathlib import Path


def run_shell(command: str) -> str:
    """Run a command in the shell. Return what it printed."""
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode == 0 else f"{done.stdout}\nexit code {done.returncode}"


def write_file(path: str, content: str) -> str:
    """Write a file."""
    try:
        return f"wrote {Path(path).write_text(content)} characters"
    except OSError as error:
        return f"error: {error}"


def read_file(path: str) -> str:
    """Read a file."""
    try:
        return Path(path).read_text()
    except OSError as error:
        return f"error: {error}"


TOOLS = [run_shell, write_file, read_file]
