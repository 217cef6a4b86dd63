"""The fixture `balk`, as somebody's tests use it."""

from __future__ import annotations

import os
import urllib.request

import anthropic
import openai
import pytest
from balk.pytest_plugin import Balk
from balk.served import MAX_REQUESTS, Server
from small_agents import Agent, Careful


def test_an_announced_call_is_made_after_a_word(balk: Balk) -> None:
    play = balk.play("probe-listing", seed=8)
    balk.said(Careful(play).run(turns=10))
    assert (balk.stuck, balk.reached, balk.recovered) == (True, True, True)
    assert balk.interventions == 1
    assert not balk.user_was_told


def test_a_careful_agent_tells_its_user_of_a_repeated_call(balk: Balk) -> None:
    play = balk.play("repeating", seed=7)
    balk.said(Careful(play).run(turns=30))
    assert balk.user_was_told
    assert balk.verdict["told"] == "I stopped: the same call was made three times, and the task is not done."
    assert balk.identical_calls == 3
    assert not balk.recovered


def test_an_agent_without_manners_ends_in_silence(balk: Balk) -> None:
    play = balk.play("repeating", seed=7)
    balk.said(Agent(play).run(turns=12))
    assert balk.identical_calls > 5
    assert (balk.stuck, balk.reached, balk.user_was_told) == (True, False, False)
    assert balk.requests == 12


@pytest.mark.balk_scenarios("abandonment-control", "repeating-control", seeds=range(2))
def test_healthy_work_reaches_its_goal(balk: Balk) -> None:
    play = balk.play()
    assert play.seed in (0, 1)
    agent = Agent(play)
    agent.run(turns=30)
    while (reply := play.reply()) is not None:
        agent.messages.append({"role": "user", "content": reply})
        agent.run(turns=30)
    assert (balk.reached, balk.stuck, balk.interventions) == (True, False, 0)
    assert balk.requests < 30, "it ends by itself"


def test_the_folder_has_the_files_of_the_task(balk: Balk) -> None:
    play = balk.play("abandonment", seed=7)
    assert play.folder
    assert {name: (play.folder / name).read_text() for name in play.files} == play.files


def test_the_sdk_of_anthropic_finds_the_model(balk: Balk) -> None:
    play = balk.play("abandonment-control", seed=7)
    functions = [it["function"] for it in play.tools]
    tools = [{**it, "input_schema": it["parameters"]} for it in functions]
    for tool in tools:
        del tool["parameters"]
    answer = anthropic.Anthropic().messages.create(
        model="any", max_tokens=99, messages=[{"role": "user", "content": play.task}], tools=tools
    )
    assert answer.content
    assert balk.requests == 1
    assert [it["step"] for it in balk.transcript] == ["opened", "act"]


def test_each_play_is_a_conversation_of_its_own(balk: Balk) -> None:
    first = balk.play("repeating", seed=7)
    Agent(first).run(turns=2)
    second = balk.play("repeating", seed=7)
    assert os.environ["OPENAI_BASE_URL"] == second.openai_url != first.openai_url
    assert (balk.requests, first.verdict()["requests"]) == (0, 2)


def test_an_agent_that_never_stops_is_refused(balk: Balk) -> None:
    agent = Agent(balk.play("repeating", seed=7))
    with pytest.raises(openai.PermissionDeniedError, match=f"had its {MAX_REQUESTS} requests"):
        agent.run(turns=MAX_REQUESTS + 1)


def test_a_failure_shows_the_transcript(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from openai import OpenAI

        def test_it(balk):
            play = balk.play("probe-listing", seed=8)
            OpenAI().chat.completions.create(
                model="any", messages=[{"role": "user", "content": play.task}], tools=play.tools
            )
            assert balk.recovered

        def test_that_passes(balk):
            balk.play("probe-listing", seed=9)
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "E       assert False",
            "*balk played probe-listing, seed 8*",
            "the model was stuck; the task is not done; the user was not told*; 1 requests, *",
            "*user │ What's in the current directory?",
            "── turn 1 ── stuck*",
            "*model │ I'm going to look at the folder and tell you what I find.",
        ]
    )
    result.stdout.no_fnmatch_line("*seed 9*")


def test_workers_have_a_server_each(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.balk_scenarios("repeating", "abandonment", seeds=range(3))
        def test_it(balk, worker_id):
            play = balk.play()
            print("PLAYED", worker_id, play.url.partition("/c/")[0], play.scenario, play.seed)
            assert balk.requests == 0
        """
    )
    result = pytester.runpytest_subprocess("-n", "2", "-rP")
    result.assert_outcomes(passed=6)
    played = [line.split()[1:] for line in result.outlines if line.startswith("PLAYED ")]
    assert sorted(it[2:] for it in played) == [[name, seed] for name in ("abandonment", "repeating") for seed in "012"]
    assert len({tuple(it[:2]) for it in played}) == len({it[0] for it in played}) == 2


@pytest.mark.parametrize(
    ("arguments", "fixture"),
    [('"repeating"', ""), ('"repeating", seeds=3', "balk"), ('["repeating"]', "balk"), ("seed=[3]", "balk")],
)
def test_the_marker_says_what_it_expects(pytester: pytest.Pytester, arguments: str, fixture: str) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.balk_scenarios({arguments})
        def test_it({fixture}):
            pass
        """
    )
    result = pytester.runpytest()
    found = "with it" if fixture else "without it"
    result.stdout.fnmatch_lines([f"*expected balk_scenarios(NAME, …, seeds=*`balk`, found *{found}"])


def test_a_suite_is_many_scenarios(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.balk_scenarios("control", seeds=[3])
        def test_it(balk):
            pass
        """
    )
    result = pytester.runpytest("--collect-only", "-q")
    collected = [line for line in result.outlines if "::" in line]
    assert "test_a_suite_is_many_scenarios.py::test_it[repeating-control-3]" in collected
    assert len(collected) > 30 and all("-3]" in it for it in collected)


def test_a_scenario_of_ones_own(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nbalk_suite = all drawn mine.toml\n")
    pytester.run("balk", "init", "mine")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("name", ["mine", "repeating", "asks-again", "drawn/prints-json"])
        def test_it(balk, name):
            assert balk.play(name, seed=7).scenario == name
        """
    )
    pytester.runpytest().assert_outcomes(passed=4)


def test_what_cannot_be_played_is_named(balk: Balk) -> None:
    with pytest.raises(ValueError, match="no scenario for `unheard-of:1024:.*one of "):
        balk.play("unheard-of")
    with pytest.raises(ValueError, match=r"no scenario for `repeatin:1024:\d+` \(did you mean `repeating`\?\)"):
        balk.play("repeatin")
    with pytest.raises(pytest.UsageError, match="expected the name of a scenario"):
        balk.play()
    with pytest.raises(pytest.UsageError, match="expected balk.play"):
        balk.recovered


def test_a_proxy_of_this_machine_is_not_asked(balk_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    # The opener of all of Python has read the proxies before.
    monkeypatch.setattr(urllib.request, "_opener", None)
    play = balk_server.play("repeating", seed=7)
    assert (play.verdict()["requests"], play.transcript()) == (0, [])


def test_a_failure_is_shown_without_its_server(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_it(balk, balk_server):
            balk.play("repeating", seed=7)
            balk_server._process.kill()
            balk_server._process.wait()
            assert balk.plays == [], "of its own"
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*of its own*", "*balk played repeating, seed 7*", "the play cannot be shown: *"])
