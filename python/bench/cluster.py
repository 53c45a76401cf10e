# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What a cluster costs: `make bench-users` (docs/cluster.md).

- workers against threads: the same comparison by one worker, by two, and by two
  threads, in turns; the least of some rounds, without the cluster's start
- many workers: a scheduler and one worker of so many threads, each a process of
  its own, whose tasks sleep as long as their runs would take. Orders, sizes of
  tasks, the scheduler and the way back are the real ones.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import airtab
from airtab import _cluster

distributed: Any = importlib.import_module("distributed")

ROUNDS = 3
RUN = 0.1
"""What a run that sleeps takes, s."""

Row = Callable[[str, float, str, float, bool], None]


def workers(row: Row, homes: int) -> None:
    """Short homes by workers and by threads."""

    def by(**how: Any) -> float:
        begun = time.monotonic()
        airtab.compare(None, "chap", homes, short=True, cache=False, progress=False, **how)
        return time.monotonic() - begun

    def local(n: int) -> Any:
        return distributed.LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address="127.0.0.1:0")

    with local(1) as one, local(2) as two:
        times = [(by(cluster=one), by(cluster=two), by(jobs=1), by(jobs=2)) for _ in range(ROUNDS)]
    worker, both, thread, threads = (min(column) for column in zip(*times, strict=True))
    row(f"{homes:,} short homes: 2 workers over 1", worker / both, "", 1.8, False)
    row("  the same: 2 threads over 1 (what the machine has)", thread / threads, "", 0, False)
    row("  the same: 2 workers over 2 threads", threads / both, "", 0.9, False)


def sleeps(theirs: _cluster.Build, orders: bytes) -> tuple[bytes, float]:
    """A task whose runs take their time and nothing else; what comes back is as large as theirs."""
    n = len(importlib.import_module("pickle").loads(orders))
    time.sleep(n * 0.1)
    return bytes(n * 2500), n * 0.1


def processor(pid: int) -> float:
    """Processor time of a process so far, s."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def many(row: Row, slots: int) -> None:
    """How busy a scheduler and the caller are with so many workers, and how busy these."""
    here = ["--no-dashboard"]
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *here]
    scheduler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert scheduler.stderr is not None
    address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", str(slots), "--no-nanny"]
    worker = subprocess.Popen([*command, *here], stderr=subprocess.DEVNULL)
    try:
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            crew = _cluster.Crew(client)
            vars(_cluster)["make"] = sleeps
            # Three tasks for each slot, and what it takes to know how long runs are.
            left = 3 * slots * round(_cluster.work(slots) / RUN)
            ideal = left * RUN / slots
            tasks, room, wanted = 0, 0, left
            pids = (os.getpid(), scheduler.pid, worker.pid)
            begun, before = time.monotonic(), [processor(pid) for pid in pids]
            back = 0
            while back < wanted:
                n = min(room, left)
                left -= n
                packs, room = crew.exchange([(b"", "")] * n)
                tasks += len(packs)
                back += sum(map(len, packs)) // 2500
            took = time.monotonic() - begun
            mine, busy, workers = (processor(pid) - then for pid, then in zip(pids, before, strict=True))
            row(f"{slots:,} slots: at work (all on this machine)", 100 * ideal / took, "%", 0, False)
            row("  the scheduler for a task", 1000 * busy / tasks, "ms", 1000 * _cluster.COST, True)
            row("  the caller for a task", 1000 * mine / tasks, "ms", 0, False)
            row("  the workers for a task", 1000 * workers / tasks, "ms", 0, False)
            # Where workers have processors of their own, so many tasks end each second.
            rate = slots / _cluster.work(slots)
            row("  projected: the scheduler is busy", 100 * rate * busy / tasks, "%", 20, True)
            row("  projected: the caller is busy", 100 * rate * mine / tasks, "%", 100, True)
    finally:
        worker.kill()
        scheduler.kill()
        worker.wait()
        scheduler.wait()


def main(homes: int, slots: int) -> int:
    """Prints a row for each figure; 1 if a bar is missed."""
    missed = 0

    def row(name: str, value: float, unit: str, bar: float, most: bool) -> None:
        nonlocal missed
        bad = value > bar if most else value < bar
        missed += bad
        end = "" if not most and bar == 0 else f" bar {bar:g}"
        print(f"{name:52} {value:9.3f} {unit:3}{end}{'  MISSED' if bad else ''}", flush=True)

    many(row, slots)
    if homes:
        workers(row, homes)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
