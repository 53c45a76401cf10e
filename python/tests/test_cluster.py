# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs made by Dask: the same bytes however a sweep was made, and what becomes of who is killed, missing or another."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import airtab
import distributed as untyped
import pytest
from airtab import _cluster

distributed: Any = untyped
AIRTAB = Path(sys.executable).with_name("airtab")
QUEUES = ["fifo", "chap:limit=70"]
# A fifo's limit changes nothing under chap: some runs are the same, and are made once.
AXES: dict[str, list[Any]] = {
    "station.laptop.distance": [1, 5, 9],
    "queue.fifo.limit": [35, 70],
    "app.game.start": ["0s", "500ms"],
}
SEEDS = 2
# 1,200 runs: some two minutes.
if os.environ.get("AIRTAB_LONG"):
    AXES["station.laptop.distance"] = [1, 3, 5, 7, 9]
    AXES["queue.fifo.limit"] = [20, 35, 50, 70]
    AXES["app.game.start"] = ["0s", "250ms", "500ms"]
    SEEDS = 10
POINTS = len(AXES["station.laptop.distance"]) * len(AXES["queue.fifo.limit"]) * len(AXES["app.game.start"])
RUNS = POINTS * len(QUEUES) * SEEDS
# Of chap those with the same distance and start are one.
DIFFERENT = RUNS - RUNS // 2 + RUNS // 2 // len(AXES["queue.fifo.limit"])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process of its own, with nothing of the folders that tests use."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path, small: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small.toml").write_text(small)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep(**how: Any) -> airtab.Sweep:
    made: airtab.Sweep = airtab.sweep("small.toml", AXES, QUEUES, SEEDS, **how)
    return made


def sums(result: airtab.Sweep, into: Path) -> dict[str, str]:
    """Name and SHA-256 of each file."""
    result.save(into)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in into.iterdir()}


def stored(folder: Path) -> int:
    words = [str(AIRTAB), "cache", "size", str(folder), "--json"]
    size = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return int(size["cache"]["runs"])


class Enough(Exception):
    pass


def until(n: int) -> Any:
    def stop(done: int, total: int) -> None:
        if done >= n:
            raise Enough

    return stop


def test_one_table(folder: Path, cluster: Any) -> None:
    """Serial, two jobs, seven shards, two workers, and workers interrupted twice: one SHA-256 each of table and manifest."""
    made = {
        "serial": sweep(jobs=1, cache="one"),
        "two jobs": sweep(jobs=2, cache="two"),
    }
    packs = [f"shard{i}" for i in range(1, 8)]
    for i, where in enumerate(packs, 1):
        airtab.sweep("small.toml", AXES, QUEUES, SEEDS, shard=(i, 7), packs=where)
    made["shards"] = sweep(merge=packs)
    made["workers"] = sweep(cluster=cluster, cache="workers")
    made["nothing kept"] = sweep(cluster=cluster.scheduler_address, cache=False)
    # The first tasks are of one run each; later ones of so many that a fast machine may have all of them at once.
    for _ in range(2):
        with pytest.raises(Enough):
            sweep(cluster=cluster, cache="interrupted", progress=until(1))
    before = stored(folder / "interrupted")
    assert 0 < before < DIFFERENT
    counted: list[tuple[int, int]] = []
    made["interrupted"] = sweep(cluster=cluster, cache="interrupted", progress=lambda *at: counted.append(at))
    found = {how: sums(result, folder / f"out {how}") for how, result in made.items()}
    assert all(files == found["serial"] for files in found.values()), found
    assert {"results.parquet", "manifest.json", "index.html"} <= set(found["serial"])
    # Nothing twice: neither what was kept, nor what is the same at several points.
    assert stored(folder / "workers") == stored(folder / "interrupted") == DIFFERENT
    assert counted[-1][0] < RUNS - before + 1
    print({how: files["results.parquet"] for how, files in found.items()})


def test_rounds(folder: Path, cluster: Any) -> None:
    asked: dict[str, Any] = {"until": {"game.game_mos": 0.02}, "first": 2, "most": 8}
    mine = airtab.sweep("small.toml", {"station.laptop.distance": [1, 9]}, QUEUES, **asked, cluster=cluster)
    assert mine.json() == airtab.sweep("small.toml", {"station.laptop.distance": [1, 9]}, QUEUES, **asked, cache=False).json()
    assert len({point["seeds"] for point in mine.to_dict()["until"]["points"]} | {2}) > 1, "a further round"


def test_compare(folder: Path, cluster: Any) -> None:
    with distributed.Client(cluster, set_as_default=False) as client:
        for short in (False, True):
            asked: dict[str, Any] = {"seeds": [3, 5], "short": short, "cache": False}
            mine = airtab.compare("small.toml", QUEUES, **asked, cluster=client)
            assert mine.json() == airtab.compare("small.toml", QUEUES, **asked).json()
    model = airtab.sweep("chap/worked-example", cache=False, cluster=cluster)
    assert model.json() == airtab.sweep("chap/worked-example", cache=False).json()


def test_files_go_along(folder: Path, small: str, cluster: Any) -> None:
    """What a scenario names is not on the workers' disks."""
    (folder / "below").mkdir()
    (folder / "below/frames.txt").write_text("".join(f"{i} {'IPP'[i % 3]} {3000 - 1000 * (i % 3)}\n" for i in range(90)))
    video = '[[app]]\nname = "film"\nkind = "video"\nstation = "console"\ntrace = "frames.txt"\n'
    (folder / "below/home.toml").write_text(small + video)
    mine = airtab.sweep("below/home.toml", {"station.laptop.distance": [1, 9]}, "fifo", 2, cache=False, cluster=cluster)
    assert mine.json() == airtab.sweep("below/home.toml", {"station.laptop.distance": [1, 9]}, "fifo", 2, cache=False).json()
    (folder / "below/frames.txt").write_text("".join(f"{i} I 3000{' ' * 90}\n" for i in range(90_000)))
    with pytest.raises(airtab.ClusterError, match=r"frames.txt: more than 8 MiB, .*make shards"):
        airtab.compare("below/home.toml", "fifo", 2, cluster=cluster)


def test_a_worker_is_killed(folder: Path, cluster: Any) -> None:
    whole = sums(sweep(cache=False), folder / "whole")
    with distributed.Client(cluster, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(done)

        mine = sweep(cluster=client, cache="kept", progress=kill)
    assert killed
    assert sums(mine, folder / "mine") == whole
    assert stored(folder / "kept") == DIFFERENT


def test_a_result_outlives_its_worker(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that has arrived counts, also if its worker is killed before it is taken, and its future is lost."""

    def make(build: object, orders: bytes) -> tuple[bytes, float]:
        # The task runs again on another worker: its future is lost for as long.
        time.sleep(1.0)
        return b"a pack", 1.0

    monkeypatch.setattr(_cluster, "make", make)
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        crew = _cluster.Crew(client)
        crew._waiting.append((b"", "a run"))
        crew._begin(1, 1)
        (future,) = crew._under_way
        until_true(crew._ended.has_ready)
        pids = client.run(os.getpid)
        (holder,) = client.who_has([future])[future.key]
        os.kill(pids[holder], signal.SIGKILL)
        until_true(lambda: future.status != "finished")
        assert crew._take() == [b"a pack"]
        crew.close()
        client.wait_for_workers(2, timeout=60)


def until_true(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


CLIENT = """
import sys, airtab
address, queues = sys.argv[1], sys.argv[2].split(",")
def tell(done, total):
    print(done, flush=True)
if __name__ == "__main__":
    airtab.sweep("long.toml", {"station.laptop.distance": [1, 5, 9]}, queues, 20, cache="kept", cluster=address, progress=tell)
"""


def test_the_client_is_killed(folder: Path, small: str, cluster: Any) -> None:
    # A task takes a while, as nobody waits for its last run.
    (folder / "long.toml").write_text(small.replace('"4s"', '"12s"'))
    (folder / "client.py").write_text(CLIENT)
    words = [sys.executable, "client.py", cluster.scheduler_address, ",".join(QUEUES)]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait()
    before = stored(folder / "kept")
    assert 0 < before < 120
    counted: list[tuple[int, int]] = []
    asked: tuple[Any, ...] = ("long.toml", {"station.laptop.distance": [1, 5, 9]}, QUEUES, 20)
    mine = airtab.sweep(*asked, cache="kept", cluster=cluster, progress=lambda *at: counted.append(at))
    assert counted[-1] == (120 - before, 120 - before)
    assert sums(mine, folder / "mine") == sums(airtab.sweep(*asked, cache=False), folder / "whole")


def test_ctrl_c(folder: Path, long: str, cluster: Any) -> None:
    """Workers go on to the end of a run; whoever waits for them does not."""
    took = []
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as own:
        for _ in range(2):
            sent: list[float] = []

            def interrupt(sent: list[float] = sent) -> None:
                sent.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

            threading.Timer(1.0, interrupt).start()
            with pytest.raises(airtab.Stopped) as caught:
                airtab.compare(long.replace("20000s", "1500s"), QUEUES, 2, cluster=own, cache=False)
            took.append(time.monotonic() - sent.pop())
            assert (caught.value.done, caught.value.total) == (0, 4)
    # A client's end is in it.
    assert min(took) < 1, took


def test_ctrl_c_at_a_terminal(folder: Path, small: str) -> None:
    """It goes to every process of the terminal: the command says how far it came, and workers say nothing."""
    (folder / "long.toml").write_text(small.replace('"4s"', '"60s"'))
    words = [str(AIRTAB), "sweep", "long.toml", "--seeds", "1000", "--cluster", "local", "--jobs", "1"]
    child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert child.stderr is not None and "5000 runs ..." in child.stderr.readline()
    time.sleep(1)
    os.killpg(child.pid, signal.SIGINT)
    said = child.stderr.read().splitlines()
    assert child.wait() == 130
    assert len(said) == 1 and said[0].endswith("what is done is kept: the same command goes on from here"), said
    # Python's own helpers follow in a moment.
    for _ in range(100):
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("a worker is left")


def test_no_scheduler(folder: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(airtab.ClusterError, match=r"no scheduler at tcp://127\.0\.0\.1:1 within 10 s .*dask scheduler"):
        sweep(cluster="tcp://127.0.0.1:1")
    assert time.monotonic() - begun < 13


@contextmanager
def worker_that(folder: Path, address: str, says: str) -> Iterator[None]:
    """A further worker; `says` is what it does before it begins."""
    (folder / "begin.py").write_text(says)
    words = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
    with (folder / "worker.log").open("w") as log:
        child = subprocess.Popen([*words, "--preload", str(folder / "begin.py")], stdout=log, stderr=log)
    try:
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
        yield
    finally:
        child.kill()
        child.wait()


OTHER = """
from airtab import _airtab
_airtab.version = lambda: ("0.0.9", "0123456", "0123456789abcdef")
"""
NONE = """
import sys
sys.modules["airtab"] = None
"""


@pytest.mark.parametrize(
    ("says", "said"),
    [
        (OTHER, "has airtab 0.0.9 commit 0123456, sources 0123456789abcdef, and here is airtab "),
        (NONE, "has no such package"),
    ],
)
def test_workers_of_another_build(folder: Path, cluster: Any, says: str, said: str) -> None:
    address = cluster.scheduler_address
    with worker_that(folder, address, says):
        with distributed.Client(address, set_as_default=False) as client:
            [other] = set(client.nthreads()) - {worker.worker_address for worker in cluster.workers.values()}
        with pytest.raises(airtab.ClusterError) as caught:
            sweep(cluster=cluster, cache=False)
        assert str(caught.value).startswith(f"worker {other} {said}"), caught.value
        assert f"commit {airtab.__commit__}, sources " in str(caught.value)


def test_a_worker_of_another_build_that_comes_later(folder: Path, cluster: Any) -> None:
    from airtab import _cluster

    build = ("0.0.9", "0123456", "0123456789abcdef")
    with distributed.Client(cluster, set_as_default=False) as client:
        e = client.submit(_cluster.make, build, b"").exception()
    assert isinstance(e, airtab.ClusterError) and "commit 0123456, sources 0123456789abcdef" in str(e)


@pytest.mark.parametrize(
    ("cluster", "asked", "error", "said"),
    [
        ("moon", {}, ValueError, "cluster: 'moon': write \"local\", or a scheduler's address such as tcp://"),
        (7, {}, TypeError, "not int"),
        ("tcp://h:1", {"jobs": 2}, ValueError, "jobs: how many workers there are is the cluster's to say"),
        ("local", {"shard": (1, 2), "packs": "p"}, ValueError, "leave out shard and merge"),
    ],
)
def test_what_is_no_cluster(folder: Path, cluster: Any, asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        sweep(cluster=cluster, **asked)


def test_the_command(folder: Path, cluster: Any) -> None:
    words = [str(AIRTAB), "sweep", "small.toml", "--queues", "fifo", "--seeds", "2", "--axis", "station.laptop.distance=1,9"]

    def told(*more: str) -> tuple[int, str]:
        done = subprocess.run([*words, *more], capture_output=True, text=True)
        return done.returncode, done.stderr

    assert told("--out", "whole", "--no-cache")[0] == 0
    assert told("--out", "workers", "--no-cache", "--cluster", cluster.scheduler_address)[0] == 0
    code, said = told("--out", "local", "--cluster", "local", "--jobs", "1")
    assert code == 0 and "4 runs" in said, said
    whole, workers, local = ((folder / d / "results.parquet").read_bytes() for d in ("whole", "workers", "local"))
    assert whole == workers == local
    code, said = told("--cluster", "moon")
    assert code == 2 and said.startswith("error: --cluster: ") and "such as tcp://" in said, said
