# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""How runs behave in a process of Python: threads, signals, forks, panics, and what cannot be asked for."""

import io
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import airtab
import pytest
from airtab import _airtab, _progress

AIRTAB = Path(sys.executable).with_name("airtab")


def test_another_thread_goes_on(long: str) -> None:
    counted = 0

    def count(done: int, total: int) -> None:
        raise AssertionError("no run ends")

    started = time.monotonic()
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()

    def busy() -> None:
        nonlocal counted
        while time.monotonic() - started < 0.9:
            counted += 1

    thread = threading.Thread(target=busy)
    thread.start()
    with pytest.raises(airtab.Stopped):
        airtab.compare(long, "fifo", seeds=2, jobs=1, progress=count)
    thread.join()
    # A thread that had to wait for the runs would not have counted at all.
    assert counted > 10_000


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_seen_at_once(long: str, jobs: int) -> None:
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    took = []
    for _ in range(3):
        timer = threading.Timer(0.5, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            airtab.compare(long, ["fifo", "chap"], seeds=3, jobs=jobs)
        took.append(time.monotonic() - sent.pop())
        assert isinstance(caught.value, airtab.Stopped)
        assert (caught.value.done, caught.value.total) == (0, 6)
        assert str(caught.value) == "stopped after 0 of 6 runs"
    # Others may have the processor for a while, and not three times.
    assert min(took) < 0.1, took


def test_what_was_done_is_kept(small: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        airtab.compare(small, "fifo", seeds=200, jobs=1, progress=stop)
    [(done, total)] = seen
    assert 0 < done < total == 200
    (tmp_path / "small.toml").write_text(small)
    words = [str(AIRTAB), "compare", str(tmp_path / "small.toml"), "--queues", "fifo", "--seeds", str(done)]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stderr
    assert f"{done} of them" in told and "known from before" in told


def test_runs_after_a_fork(small: str) -> None:
    before = airtab.compare(small, "fifo", seeds=2, jobs=2, cache=False).json()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = airtab.compare(small, "fifo", seeds=2, jobs=2, cache=False).json() == before
            os.write(write, b"same" if same else b"other")
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b"same"
    assert os.waitpid(child, 0)[1] == 0


def test_a_panic_is_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="a defect of airtab, please report it: as asked for"):
        _airtab.panics()
    # And the next call is none the worse.
    assert airtab.Scenario().name == "home"


def test_bars(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    airtab.compare(small, "fifo", seeds=2, cache=False)
    assert "2 of 2 runs" in shown.getvalue() and shown.getvalue().endswith("\r\x1b[K")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert _progress.bar("auto") is None and _progress.bar(False) is None
    with pytest.raises(ValueError, match="'fast' is neither"):
        airtab.compare(small, progress="fast")  # type: ignore[arg-type]


AXIS = "station.laptop.distance"


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"seeds": 0}, ValueError, "seeds: 0 seeds: give 1 to 100000"),
        ({"seeds": []}, ValueError, "seeds: none is named"),
        ({"seeds": [1, 1]}, ValueError, "seeds: names seed 1 twice"),
        ({"seeds": [-1]}, ValueError, "seeds: -1: a seed is 0 or more"),
        ({"seeds": range(10**9)}, ValueError, "1000000000 seeds: at most 100000"),
        ({"seeds": 2.5}, TypeError, "not 2.5"),
        ({"seeds": "5"}, TypeError, "not '5'"),
        ({"queues": []}, ValueError, "queues: none is named"),
        ({"queues": ["fifo", "fifo"]}, ValueError, "names fifo twice"),
        ({"queues": [airtab.chap]}, TypeError, r'write "chap" or chap\(\)'),
        ({"jobs": 0}, ValueError, "jobs: 0: 1 to 1024"),
        ({"sedes": 3}, TypeError, r"compare\(\) has no argument 'sedes'; did you mean 'seeds'\?"),
    ],
)
def test_what_cannot_be_compared(small: str, asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        airtab.compare(small, **asked)


@pytest.mark.parametrize(
    ("axes", "asked", "error", "said"),
    [
        ({AXIS: []}, {}, ValueError, f"axis {AXIS}: an axis needs at least one value"),
        ({AXIS: 3}, {}, TypeError, "give its values as a list"),
        ({AXIS: [math.nan]}, {}, ValueError, "nan is no number"),
        ({AXIS: [object()]}, {}, TypeError, "is no value of an axis"),
        ({AXIS: ["1,2"]}, {}, ValueError, "have no comma"),
        ({AXIS: [1, 1]}, {}, ValueError, "1.* twice"),
        ({"station.lapptop.distance": [1]}, {}, ValueError, "lapptop"),
        ({AXIS: range(10_000), "wifi.attempts": range(10_000)}, {}, ValueError, "100000000 points"),
        ({AXIS: ["far"]}, {}, airtab.ScenarioError, "far"),
        ({}, {"until": {"game.game_mos": math.nan}}, ValueError, "nan is no width"),
        ({}, {"until": {"game.gamemos": 0.1}}, ValueError, "gamemos"),
        ({}, {"shard": (1, 2)}, ValueError, "go together"),
        ({}, {"first": 3}, ValueError, "until"),
    ],
)
def test_what_cannot_be_swept(
    small: str, axes: dict[str, Any], asked: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        airtab.sweep(small, axes, **asked)


def test_experiments_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="did you mean `chap/qsize-game`"):
        airtab.experiment("chap/qsize-gam")
    with pytest.raises(ValueError, match="real time"):
        airtab.experiment("live/lnx-clean").run()


def test_the_command() -> None:
    def told(*words: str) -> tuple[int, str, str]:
        done = subprocess.run([AIRTAB, *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    code, said, _ = told("--version")
    assert (code, said.split()) == (0, ["airtab", airtab.__version__, "commit", airtab.__commit__])
    assert told("compare", "--seeds", "0")[0] == 2
    assert told("scenario", "check", "/nowhere.toml")[0] == 1
    code, _, said = told("live", "run", "family")
    assert code != 0 and "Linux" in said or "built without" in said
