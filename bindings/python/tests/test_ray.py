"""A bench and a replay on a cluster of two nodes, one of which is lost in the middle."""

import json
import os
import subprocess
import threading
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


def test_a_bench_has_the_same_bytes_though_a_node_is_lost(cluster, tmp_path):
    arguments = ["--suite", "abandonment,repeating", "--guard", "default", "--trials", "400"]
    subprocess.run([binary(), "bench", *arguments, "--out", tmp_path / "whole"], check=True, capture_output=True)
    node = cluster.add_node(num_cpus=1)
    lost = threading.Timer(1.5, lambda: cluster.remove_node(node, allow_graceful=False))
    lost.start()
    balk.ray.bench(tmp_path / "parts", arguments, shards=8)
    assert not lost.is_alive(), "the bench was over before the node was lost"
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


def transcripts(folder: Path, count: int) -> list[Path]:
    """Recorded runs, each in a file of its own."""
    for seed in range(count):
        command = [binary(), "scenario", "repeating", "--seed", str(seed), "--guard", "none", "--format", "json"]
        (folder / f"{seed:03}.jsonl").write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    return sorted(folder.iterdir())


def test_a_replay_says_the_same_of_files_and_of_urls(cluster, tmp_path):
    files = transcripts(tmp_path, 12)
    command = [binary(), "replay", *files, "--guard", "default", "--format", "json"]
    whole = [json.loads(it) for it in subprocess.run(command, check=True, capture_output=True).stdout.splitlines()]
    whole = [it for it in whole if it["type"] != "summary"]
    assert any(it["type"] == "decision" for it in whole)
    assert list(balk.ray.replay(files, ["--guard", "default"], batch=5)) == whole
    urls = [file.as_uri() for file in files]
    by_url = [it | {"file": it["file"].removeprefix("file://")} for it in balk.ray.replay(urls, ["--guard", "default"])]
    assert by_url == whole


def test_a_part_that_fails_says_why(cluster, tmp_path):
    with pytest.raises(Exception, match="no-such-guard"):
        balk.ray.bench(tmp_path / "out", ["--guard", "no-such-guard"], shards=2)
