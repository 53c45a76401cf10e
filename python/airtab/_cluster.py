# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs made by a cluster of Dask: ``pip install 'airtab[dask]'``; docs/cluster.md.

The compiled part gives orders, in each of which is all that decides on a run. A
task is a batch of them; what a worker gives back are packs of runs, as the store
has them. So a worker needs this package and nothing else: no disk is shared.

What it does not do: nothing is kept here, and no result is made; the compiled part does.
"""

from __future__ import annotations

import importlib
import logging
import math
import pickle
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from airtab import _airtab
from airtab._errors import ClusterError

Order = tuple[bytes, str]
"""What is run (equal for many), and which run of it."""
Exchange = Callable[[list[Order]], tuple[list[bytes], int]]
"""Takes orders; gives packs that came back, and how many more orders there is room for."""
Build = tuple[str, str, str]
"""Version, commit, and the number of the sources that runs come from."""

PATIENCE = 10.0
"""Time in which a scheduler must answer, s."""
TASK = 4.0
"""Work of a task, s. With many workers it is more."""
COST = 0.004
"""What a task takes of the scheduler's time, s (measured: docs/cluster.md)."""
BUSY = 0.2
"""How much of its time the scheduler may be at work."""
AHEAD = 2
"""Tasks for each thread of the cluster: one at work, one that waits."""
LOOK = 0.02
"""Between two looks at what has ended, s: a stop must be seen within 0.1 s."""
COUNT = 2.0
"""Between two counts of the workers' threads, s."""


def build() -> Build:
    """Of this process."""
    return _airtab.version()


def work(threads: int) -> float:
    """Of a task with so many threads, s."""
    return max(TASK, threads * COST / BUSY)


def _same(one: Build, other: Build) -> bool:
    """Whether both make equal runs, and talk alike. The commit is only told: a checkout may be ahead of its sources."""
    return (one[0], one[2]) == (other[0], other[2])


def _words(of: Build) -> str:
    return f"airtab {of[0]} commit {of[1]}, sources {of[2]}"


def _refused(address: str, theirs: str, mine: Build) -> str:
    return f"worker {address} has {theirs}, and here is {_words(mine)}: install the same on both"


def make(theirs: Build, orders: bytes) -> tuple[bytes, float]:
    """A task: makes runs on a worker. Gives a pack of them, and the time that took, s."""
    mine = build()
    if not _same(mine, theirs):
        address = importlib.import_module("distributed").get_worker().address
        raise ClusterError(_refused(address, _words(mine), theirs))
    begun = time.monotonic()
    pack = _airtab.make(pickle.loads(orders))
    return pack, time.monotonic() - begun


class Crew:
    """The workers of a scheduler."""

    def __init__(self, client: Any) -> None:
        self._distributed: Any = importlib.import_module("distributed")
        self._client = client
        self._build = build()
        self._waiting: deque[Order] = deque()
        self._under_way: dict[Any, int] = {}
        self._ended = self._distributed.as_completed(loop=client.loop, with_results=True, raise_errors=False)
        # Of what came back, the older the less.
        self._runs = 0.0
        self._took = 0.0
        self._threads = 0
        self._counted = -math.inf

    def check(self) -> None:
        """Raises if a worker has no airtab, or another one; warns if there is no worker yet."""
        answers = self._client.run(build, on_error="return")
        for address, theirs in answers.items():
            if isinstance(theirs, BaseException):
                raise ClusterError(_refused(address, f"no such package ({theirs})", self._build))
            if not _same(tuple(theirs), self._build):
                raise ClusterError(_refused(address, _words(theirs), self._build))
        if not answers:
            where = self._client.scheduler.address
            warnings.warn(f"{where} has no worker yet: runs begin when the first one is there", stacklevel=6)

    def _count(self) -> int:
        """The threads of all workers, at least 1."""
        if time.monotonic() - self._counted > COUNT:
            self._threads = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return max(self._threads, 1)

    def _size(self, threads: int) -> int:
        """Runs of a task. The first tasks have one, as nobody knows what it takes."""
        if self._runs == 0:
            return 1
        return max(1, round(work(threads) * self._runs / max(self._took, 1e-9)))

    def _begin(self, size: int, threads: int) -> None:
        """Hands out what waits, as long as workers want it; less and less at a time towards the end."""
        while self._waiting and len(self._under_way) < AHEAD * threads:
            fair = math.ceil(len(self._waiting) / (AHEAD * threads))
            n = min(size, max(fair, size // 4), len(self._waiting))
            batch = [self._waiting.popleft() for _ in range(n)]
            future = self._client.submit(make, self._build, pickle.dumps(batch), pure=False)
            self._under_way[future] = n
            self._ended.add(future)

    def _take(self) -> list[bytes]:
        """What has ended since."""
        packs = []
        for future, result in self._ended.next_batch(block=False):
            n = self._under_way.pop(future, 0)
            # The result decides, not the status: a future is lost as soon as the worker that made it is killed, also
            # if its result is here.
            if not isinstance(result, tuple):
                raise self._gone()
            if len(result) == 3:
                raise self._failed(result[1])
            pack, took = result
            packs.append(pack)
            self._runs = self._runs * 0.8 + n
            self._took = self._took * 0.8 + took
        return packs

    def _failed(self, e: BaseException) -> ClusterError:
        if isinstance(e, ClusterError):
            return e
        if isinstance(e, self._distributed.KilledWorker):
            return ClusterError(f"a task ended each worker that made it: is there too little memory? {e}")
        return ClusterError(f"a worker failed: {type(e).__name__}: {e}")

    def _gone(self) -> ClusterError:
        return ClusterError("the scheduler has gone; what came back is kept: the same call goes on from there")

    def exchange(self, orders: list[Order]) -> tuple[list[bytes], int]:
        """An `Exchange`."""
        self._waiting += orders
        threads = self._count()
        self._begin(self._size(threads), threads)
        if self._under_way and not self._ended.has_ready():
            if self._client.status not in ("running", "connecting"):
                raise self._gone()
            time.sleep(LOOK)
        packs = self._take()
        size = self._size(threads)
        self._begin(size, threads)
        under_way = sum(self._under_way.values()) + len(self._waiting)
        return packs, max((AHEAD + 1) * threads * size - under_way, 0 if under_way else 1)

    def close(self) -> None:
        """Takes back what is under way."""
        futures = list(self._under_way)
        self._under_way.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)


def _client(stack: ExitStack, cluster: object, jobs: int | None) -> Any:
    """A client of that cluster; what is made for it ends with the stack."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as e:
        raise ImportError("a cluster needs Dask: pip install 'airtab[dask]'") from e
    if jobs is not None and cluster != "local":
        raise ValueError("jobs: how many workers there are is the cluster's to say; only \"local\" takes it")
    if isinstance(cluster, distributed.Client):
        if cluster.asynchronous:
            raise TypeError("cluster: this client is asynchronous; give one that is not, or the scheduler's address")
        return cluster
    if cluster == "local":
        local = distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            # Its pages are for this machine, at any port that is free.
            dashboard_address="127.0.0.1:0",
            # A terminal's Ctrl-C is the caller's, who ends the workers.
            preload=["import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"],
            silence_logs=logging.ERROR,
        )
        cluster = stack.enter_context(local)
    elif isinstance(cluster, str) and not cluster.startswith(("tcp://", "tls://")):
        raise ValueError(f"cluster: '{cluster}': write \"local\", or a scheduler's address such as tcp://HOST:8786")
    elif not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
        kinds = '"local", a scheduler\'s address, a cluster or a client of Dask'
        raise TypeError(f"cluster: {kinds}, not {type(cluster).__name__}")
    try:
        client = distributed.Client(cluster, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as e:
        raise ClusterError(
            f"no scheduler at {cluster} within {PATIENCE:g} s ({e}): is `dask scheduler` at work there, and does a "
            "firewall let it through?"
        ) from e
    return stack.enter_context(client)


@contextmanager
def joined(cluster: object, jobs: int | None) -> Iterator[Exchange]:
    """Who makes runs, as long as it is wanted: of "local", an address, a cluster or a client of Dask.

    Raises `ClusterError` if there is no scheduler within `PATIENCE`, or a worker has another build.
    """
    with ExitStack() as stack:
        crew = Crew(_client(stack, cluster, jobs))
        crew.check()
        stack.callback(crew.close)
        yield crew.exchange
