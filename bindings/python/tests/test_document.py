"""The examples of docs/python.md do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/python.md"


def example(name: str) -> str:
    """The block below the mark with this name."""
    found = re.search(rf"<!-- {name} -->\n```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found, f"{DOCUMENT} has no example {name}"
    return found[1]


def test_the_three_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_my_agent=example("test_my_agent.py"))
    result = pytester.runpytest("-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_an_announced_call FAILED*"])
    text = DOCUMENT.read_text(encoding="utf-8")
    shown = re.search(r"balk played probe-listing, seed 8 -+\n(.*?)```", text, re.DOTALL)
    assert shown
    assert shown[1] in result.stdout.str()


def test_the_agent_of_langchain(pytester: pytest.Pytester) -> None:
    pytest.importorskip("langchain_openai")
    pytester.makepyfile(test_langchain=example("test_langchain.py"))
    # Libraries that LangChain imports do not always import twice in a process.
    pytester.runpytest_subprocess().assert_outcomes(passed=3)


def test_without_the_guards_the_announced_call_fails(pytester: pytest.Pytester) -> None:
    pytest.importorskip("langchain_openai")
    pytester.makepyfile(test_langchain=example("test_langchain.py").replace(", middleware=[Guards()]", ""))
    result = pytester.runpytest_subprocess("-v", "-k", "announced")
    result.assert_outcomes(failed=1, deselected=2)


def test_the_agent_with_a_loop_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own_loop=example("test_own_loop.py"))
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_loop_over_logs(pytester: pytest.Pytester) -> None:
    call = {"id": "c", "function": {"name": "run", "arguments": "{}"}}
    turn = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "failed", "is_error": True},
    ]
    (pytester.mkdir("logs") / "a.jsonl").write_text(json.dumps({"id": "one", "messages": turn * 5}))
    result = pytester.runpython(pytester.makepyfile(logs=example("logs.py")))
    result.stdout.re_match_lines([r"\S+a.jsonl one 3 duplicate \S+ run"])
