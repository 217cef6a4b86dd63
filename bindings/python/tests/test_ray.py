"""A bench, a replay and a triage on a cluster of two nodes, one of which is lost in the middle."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")

import balk.ray
from balk._binary import binary
from ray.cluster_utils import Cluster


@pytest.fixture(scope="module")
def cluster():
    # Ray's workers give way to all other work of a machine: on a busy one they would hardly run.
    os.environ["RAY_worker_niceness"] = "0"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def a_node_that_is_lost(cluster, monkeypatch):
    """A second node, which is lost when the first part is there and others are on their way."""
    node = cluster.add_node(num_cpus=1)
    get, left = ray.get, [node]

    def get_and_lose(*arguments, **named):
        part = get(*arguments, **named)
        if left:
            cluster.remove_node(left.pop(), allow_graceful=False)
        return part

    monkeypatch.setattr(ray, "get", get_and_lose)
    yield
    assert not left, "expected that the node is lost, found it there at the end"


@pytest.mark.usefixtures("a_node_that_is_lost")
def test_a_bench_has_the_same_bytes_though_a_node_is_lost(tmp_path):
    arguments = ["--suite", "abandonment,repeating", "--guard", "default", "--trials", "400"]
    subprocess.run([binary(), "bench", *arguments, "--out", tmp_path / "whole"], check=True, capture_output=True)
    balk.ray.bench(tmp_path / "parts", arguments, shards=8)
    assert record(tmp_path / "parts") == record(tmp_path / "whole") != {}


def record(folder: Path) -> dict[str, bytes]:
    files = [it for it in folder.rglob("*") if it.is_file() and it.name != "meta.json"]
    return {str(it.relative_to(folder)): it.read_bytes() for it in files}


def test_a_bench_is_stored_at_a_url(cluster, tmp_path):
    arguments = ["--suite", "repeating", "--guard", "default", "--trials", "8", "--keep-transcripts", "all"]
    subprocess.run([binary(), "bench", *arguments, "--out", tmp_path / "whole"], check=True, capture_output=True)
    balk.ray.bench((tmp_path / "stored").as_uri(), arguments, shards=2)
    assert len(record(tmp_path / "stored")) == 2
    assert record(tmp_path / "stored") == record(tmp_path / "whole")


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> list[Path]:
    """Files with runs of a stuck model, one of an own record, and one with a bad line only."""
    folder = tmp_path_factory.mktemp("logs")
    call = {"id": "c", "function": {"name": "run", "arguments": "{}"}}
    turn = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "failed\u2028again", "is_error": True},
    ]
    for nth in range(10):
        outcome = ["resolved", "failed"][nth % 2]
        run = {"id": f"run {nth}", "model": f"model {nth % 3}", "outcome": outcome, "messages": turn * nth}
        (folder / f"{nth}.jsonl").write_text(json.dumps(run, ensure_ascii=False), encoding="utf-8")
    command = [binary(), "scenario", "repeating", "--seed", "1", "--guard", "none", "--format", "json"]
    (folder / "own.jsonl").write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    (folder / "x.jsonl").write_text("no JSON")
    return sorted(folder.iterdir())


def whole(command: str, files: list[Path]) -> bytes:
    return subprocess.run([binary(), *command.split(), *files], check=True, capture_output=True).stdout


def printed(lines) -> bytes:
    text = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines]
    return "".join(text).encode()


def test_a_replay_has_the_same_bytes_of_files_and_of_urls(cluster, logs):
    one = whole("replay --guard default --format json", logs)
    assert b"firing" in one and b"decision" in one and b"bad-line" in one
    for batch in (1, 5):
        assert printed(balk.ray.replay(logs, ["--guard", "default"], batch=batch)) == one
    urls = [file.as_uri() for file in logs]
    assert printed(balk.ray.replay(urls, ["--guard", "default"])).replace(b"file://", b"") == one


@pytest.mark.usefixtures("a_node_that_is_lost")
def test_a_replay_has_the_same_bytes_though_a_node_is_lost(logs):
    many = logs * 20
    lines = balk.ray.replay(many, ["--guard", "default"], batch=4)
    assert printed(lines) == whole("replay --guard default --format json", many)


@pytest.mark.usefixtures("a_node_that_is_lost")
def test_a_triage_has_the_same_bytes_though_a_node_is_lost(logs):
    many = logs * 20
    said = balk.ray.triage(many, batch=2)
    assert said.encode() == whole("triage --format json", many)


def test_a_triage_has_the_same_text_of_urls(cluster, logs):
    said = balk.ray.triage([file.as_uri() for file in logs], ["--redact"], format="text", batch=5)
    assert said.replace("file://", "").encode() == whole("triage --redact", logs)


def test_a_file_that_is_not_there_is_an_error_after_all_others(cluster, logs, tmp_path):
    files = [tmp_path / "none.jsonl", *logs]
    lines = []
    with pytest.raises(RuntimeError, match="none.jsonl"):
        lines.extend(balk.ray.replay(files, ["--guard", "default"], batch=5))
    assert lines[-1]["type"] == "summary" and lines[-1]["broken_files"] == 1
    with pytest.warns(UserWarning, match="none.jsonl"):
        said = json.loads(balk.ray.triage(files, batch=5))
    assert (said["counts"]["broken_files"], said["counts"]["runs"]) == (1, 11)


def test_a_part_that_fails_says_why(cluster, tmp_path):
    with pytest.raises(Exception, match="no-such-guard"):
        balk.ray.bench(tmp_path / "out", ["--guard", "no-such-guard"], shards=2)
