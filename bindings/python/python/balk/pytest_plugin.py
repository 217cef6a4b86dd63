"""Tests of agents with a model that balks: the fixture `balk`.

```python
def test_gives_up_on_a_tool(balk):
    balk.said(my_agent(balk.play("abandonment", seed=7)))
    assert balk.recovered or balk.user_was_told
    assert balk.identical_calls <= 3
```

`@pytest.mark.balk_scenarios("abandonment", "repeating", seeds=range(3))` runs a test once for each scenario and seed;
`balk.play()` then plays it. Words such as `stubborn`, `control` and `all` name many scenarios at once.
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Generator, Iterable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from ._binary import binary
from ._native import visible
from ._steps import shown
from .served import SEED, Play, Server, Verdict, environment

SUITE = "balk_suite"
ALWAYS = ("all", "stubborn", "control", "field")
"""Words for what can be played without a setting."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The setting for scenarios of one's own."""
    about = "what the fixture `balk` plays beside the catalogue and the field suite: files of scenarios, drawn worlds"
    parser.addini(SUITE, about, type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """The marker."""
    about = f"balk_scenarios(*names, seeds=[{SEED}]): runs the test for each scenario and seed; balk.play() plays it"
    config.addinivalue_line("markers", about)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each scenario and seed of the marker."""
    mark = metafunc.definition.get_closest_marker("balk_scenarios")
    if mark is None:
        return
    where = metafunc.definition.nodeid
    seeds = mark.kwargs.get("seeds", [SEED])
    is_known = mark.kwargs.keys() <= {"seeds"} and isinstance(seeds, Iterable)
    are_names = bool(mark.args) and all(isinstance(it, str) for it in mark.args)
    has_fixture = "balk" in metafunc.fixturenames
    if not (is_known and are_names and has_fixture):
        raise pytest.UsageError(
            f"{where}: expected balk_scenarios(NAME, …, seeds=[…]) on a test with the argument `balk`, "
            f"found balk_scenarios{mark.args}, {mark.kwargs} on one {'with' if has_fixture else 'without'} it"
        )
    seeds = list(seeds)
    drawn = [(scenario, seed) for name in mark.args for scenario in _named(name) for seed in seeds]
    metafunc.parametrize("balk", drawn, indirect=True, ids=[f"{scenario}-{seed}" for scenario, seed in drawn])


@functools.cache
def _catalogue() -> dict[str, str]:
    """The kind of each scenario of the catalogue."""
    listed = subprocess.run([binary(), "list"], check=True, capture_output=True, encoding="utf-8").stdout
    lines = (line.split() for line in listed.splitlines())
    return {words[0]: words[1] for words in lines if len(words) > 2 and words[1] in ("stubborn", "control")}


def _named(name: str) -> list[str]:
    if name not in ("all", "stubborn", "control"):
        return [name]
    return [scenario for scenario, kind in _catalogue().items() if name in ("all", kind)]


class Balk:
    """What a test asks about the scenario that is played to its agent.

    Everything but `play` is about the last one that was played.
    """

    def __init__(
        self, server: Server, drawn: tuple[str, int] | None, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self._server = server
        self._drawn = drawn
        self._folder = folder
        self._monkeypatch = monkeypatch
        self.plays: list[Play] = []

    def __repr__(self) -> str:
        """What an assertion that fails shows."""
        return " and ".join(_played(it) for it in self.plays) or "balk played nothing"

    def play(self, scenario: str | None = None, seed: int = SEED) -> Play:
        """Plays a scenario, or that of the marker, in a conversation of its own, and points the SDKs at it.

        Clients that were made before still talk to where they were pointed: make them after it.
        """
        if scenario is None:
            if self._drawn is None:
                raise pytest.UsageError(
                    "expected the name of a scenario, as in balk.play('abandonment'), or the marker balk_scenarios"
                )
            scenario, seed = self._drawn
        folder = self._folder / f"project-{len(self.plays) + 1}"
        # It is there already if what was to be played could not be.
        folder.mkdir(exist_ok=True)
        play = self._server.play(scenario, seed, folder)
        self.plays.append(play)
        for name, value in environment(play).items():
            self._monkeypatch.setenv(name, value)
        return play

    def said(self, text: str | None) -> None:
        """Says what the agent told its user at the end; `None` if nothing. Without it, the model's last words count as
        shown."""
        self._last.said(text)

    @property
    def verdict(self) -> Verdict:
        """Everything that the server knows of the conversation."""
        return self._last.verdict()

    @property
    def transcript(self) -> list[dict[str, Any]]:
        """What happened, step by step, with the hidden truth of each act of the model."""
        return self._last.transcript()

    @property
    def reached(self) -> bool:
        """Whether the task is done, in the scenario's own world."""
        return self.verdict["goal"]

    @property
    def stuck(self) -> bool:
        """Whether the model was stuck in at least one turn."""
        return self.verdict["stuck"]

    @property
    def recovered(self) -> bool:
        """Whether the model was stuck, and the task is done all the same."""
        return self.verdict["recovered"]

    @property
    def user_was_told(self) -> bool:
        """Whether the agent told its user that the task is not done, by the words of `said`."""
        return self.verdict["told"] is not None

    @property
    def identical_calls(self) -> int:
        """The largest number of turns in a row with the same calls."""
        return self.verdict["identical_calls"]

    @property
    def interventions(self) -> int:
        """How often the agent said something to the model of its own accord."""
        return self.verdict["interventions"]

    @property
    def requests(self) -> int:
        """How many requests the agent sent."""
        return self.verdict["requests"]

    @property
    def _last(self) -> Play:
        if not self.plays:
            raise pytest.UsageError("expected balk.play(…) before it")
        return self.plays[-1]


def _played(play: Play) -> str:
    return f"balk played {visible(play.scenario)}, seed {play.seed}"


@pytest.fixture(scope="session")
def balk_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The server of this process: one for all tests, and one for each worker of pytest-xdist."""
    more = [it for it in pytestconfig.getini(SUITE) if it not in ALWAYS]
    with Server(["all", "field", *more]) as server:
        yield server


@pytest.fixture
def balk(
    request: pytest.FixtureRequest,
    balk_server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Balk:
    """A model that balks, and what came of it."""
    return Balk(balk_server, getattr(request, "param", None), tmp_path, monkeypatch)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed shows what was played."""
    report = yield
    played = getattr(item, "funcargs", {}).get("balk")
    if report.when == "call" and report.failed and isinstance(played, Balk):
        for play in played.plays:
            report.sections.append((_played(play), _shown(play)))
    return report


def _shown(play: Play) -> str:
    try:
        return shown(play.verdict(), play.transcript())
    except (OSError, HTTPException, ValueError) as error:
        # The failure of the test is worth more than why its play is gone.
        return visible(f"the play cannot be shown: {error}")
