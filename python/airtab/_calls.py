# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs, comparisons, sweeps and experiments."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, ParamSpec, TypeVar, overload

from airtab import _airtab, _progress
from airtab._results import Comparison, Outcome, Result, Run, Shard, Sweep
from airtab._scenario import Scenario, is_text

Path = str | os.PathLike[str]
Source = str | os.PathLike[str] | Mapping[str, Any] | Scenario | None
Seeds = int | Iterable[int]
Progress = Literal["auto"] | Callable[[int, int], object] | bool
Cache = bool | str | os.PathLike[str]

USUAL = ("fifo", "fq_codel", "cake", "airtime_fq", "chap")
"""The disciplines of a comparison that names none, as the command has them."""

_MOST = 100_000

_P = ParamSpec("_P")
_T = TypeVar("_T")
_R = TypeVar("_R", bound=Result)


def _guessing(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A keyword that there is not is told with the one that was meant."""
    known = [p.name for p in inspect.signature(function).parameters.values()]

    @functools.wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        for key in kwargs:
            if key not in known:
                import difflib

                close = difflib.get_close_matches(key, known, 1)
                guess = f"; did you mean '{close[0]}'?" if close else ""
                known_ = ", ".join(known)
                raise TypeError(f"{function.__name__}() has no argument '{key}'{guess} (known: {known_})")
        return function(*args, **kwargs)

    return called


def _seeds(seeds: Seeds, what: str = "seeds") -> str:
    if isinstance(seeds, bool | str | float):
        raise TypeError(f"{what}: a number or several, as in 20 or range(1, 21), not {seeds!r}")
    if not isinstance(seeds, Iterable):
        return str(operator.index(seeds))
    if isinstance(seeds, range) and len(seeds) > _MOST:
        raise ValueError(f"{what}: {len(seeds)} seeds: at most {_MOST}")
    each = [operator.index(seed) for seed in seeds]
    if not each:
        raise ValueError(f"{what}: none is named; give 20, or range(1, 21)")
    if len(each) > _MOST:
        raise ValueError(f"{what}: {len(each)} seeds: at most {_MOST}")
    if min(each) < 0:
        raise ValueError(f"{what}: {min(each)}: a seed is 0 or more")
    return ",".join(map(str, each)) + ","


def _queues(queues: str | Iterable[str]) -> list[str]:
    if isinstance(queues, str):
        queues = [queues]
    labels = []
    for queue in queues:
        if not isinstance(queue, str):
            name = getattr(queue, "__name__", type(queue).__name__)
            raise TypeError(f'queues: {queue!r} is no queue: write "{name}" or {name}()')
        labels.append(str(queue))
    return labels


@contextmanager
def _how(jobs: int | None, cache: Cache, progress: Progress, cluster: object = None) -> Iterator[Any]:
    """How to run, as the compiled part takes it. A bar ends with it, and what was made for a cluster."""
    if jobs is not None and not 1 <= operator.index(jobs) <= 1024:
        raise ValueError(f"jobs: {jobs}: 1 to 1024, or None for one for each processor")
    where = None if cache is False else (True, None if cache is True else os.fspath(cache))
    with ExitStack() as stack:
        exchange = None
        if cluster is not None:
            from airtab import _cluster

            exchange = stack.enter_context(_cluster.joined(cluster, jobs))
        shown = _progress.bar(progress)
        stack.callback(_progress.close, shown)
        yield (jobs or 0, where, shown, exchange)


def _made(kind: type[_R], results: _airtab.Results) -> _R:
    made = kind(results)
    for warning in made.warnings:
        warnings.warn(warning, stacklevel=4)
    return made


@_guessing
def compare(
    scenario: Source = None,
    queues: str | Iterable[str] = USUAL,
    seeds: Seeds = 20,
    *,
    short: bool = False,
    jobs: int | None = None,
    cache: Cache = True,
    progress: Progress = "auto",
    cluster: object = None,
    quick: bool | None = None,
) -> Comparison:
    """Runs a scenario under several disciplines, which all meet the same seeds.

    ``seeds`` is a number (1 to N) or the seeds themselves; two or more give
    intervals. ``short`` divides all times by 10 (``quick`` is its old name, for
    one version more). ``jobs`` runs at the same time
    (default: one for each processor); results do not depend on it. ``cache``:
    finished runs are kept where the command keeps them, in a folder, or, if it
    is False, nowhere. ``progress`` is a bar, False, or is called with how many
    runs are done, and of how many. ``cluster`` has Dask make the runs: "local",
    a scheduler's address (``"tcp://HOST:8786"``), a cluster or a client of Dask.

    Raises `ScenarioError`, `QueueError`, `CacheError`, `ClusterError`, and `Stopped` at Ctrl-C.
    """
    if quick is not None:
        warnings.warn("compare(quick=...) is now short=...: all times / 10", DeprecationWarning, stacklevel=3)
        short = short or quick
    text = Scenario(scenario)._text
    labels, numbers = _queues(queues), _seeds(seeds)
    with _how(jobs, cache, progress, cluster) as how:
        results = _airtab.compare(text, labels, numbers, short, how)
    return _made(Comparison, results)


@_guessing
def run(scenario: Source = None, queue: str = "chap", seed: int = 1, *, cache: Cache = True) -> Run:
    """Runs a scenario once under one discipline.

    Raises as `compare`.
    """
    text = Scenario(scenario)._text
    with _how(1, cache, False) as how:
        results = _airtab.compare(text, _queues(queue), _seeds([seed], "seed"), False, how)
    return _made(Run, results)


def _value(path: str, value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return value
        case float() if not math.isfinite(value):
            raise ValueError(f"axis {path}: {value} is no number that a scenario can have; give a finite one")
    if hasattr(value, "__index__"):
        return str(operator.index(value))
    if hasattr(value, "__float__"):
        return _value(path, repr(float(value)))
    raise TypeError(f"axis {path}: {value!r} is no value of an axis: str, int, float or bool")


def _axes(axes: Mapping[str, Iterable[object]] | None) -> list[tuple[str, list[str]]]:
    read: list[tuple[str, list[str]]] = []
    points = 1
    for path, values in (axes or {}).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(f"axis {path}: give its values as a list, as in [1, 2, 3]")
        size = len(values) if isinstance(values, Sized) else 1
        points *= max(size, 1)
        if points > _MOST:
            raise ValueError(f"axes: {points} points with {path}: at most {_MOST}; make several sweeps")
        read.append((path, [_value(path, value) for value in values]))
    return read


def _until(until: Mapping[str, float] | tuple[str, float] | None) -> tuple[str, float] | None:
    if until is None:
        return None
    pairs = list(until.items()) if isinstance(until, Mapping) else [until]
    if len(pairs) != 1 or len(pairs[0]) != 2:
        raise ValueError('until: one figure and half a width, as in {"game.game_mos": 0.05}')
    metric, width = pairs[0]
    if not math.isfinite(width):
        raise ValueError(f"until: {metric}: {width} is no width; give a number above 0")
    return metric, float(width)


@overload
def sweep(
    scenario: Source = None,
    axes: Mapping[str, Iterable[object]] | None = None,
    queues: str | Iterable[str] | None = None,
    seeds: Seeds | None = None,
    *,
    until: Mapping[str, float] | tuple[str, float] | None = None,
    first: int | None = None,
    most: int | None = None,
    shard: None = None,
    packs: None = None,
    merge: Sequence[Path] = (),
    jobs: int | None = None,
    cache: Cache = True,
    progress: Progress = "auto",
    cluster: object = None,
) -> Sweep: ...
@overload
def sweep(
    scenario: Source = None,
    axes: Mapping[str, Iterable[object]] | None = None,
    queues: str | Iterable[str] | None = None,
    seeds: Seeds | None = None,
    *,
    until: Mapping[str, float] | tuple[str, float] | None = None,
    first: int | None = None,
    most: int | None = None,
    shard: tuple[int, int] | str,
    packs: Path,
    merge: Sequence[Path] = (),
    jobs: int | None = None,
    cache: Cache = True,
    progress: Progress = "auto",
) -> Shard: ...
@_guessing
def sweep(
    scenario: Source = None,
    axes: Mapping[str, Iterable[object]] | None = None,
    queues: str | Iterable[str] | None = None,
    seeds: Seeds | None = None,
    *,
    until: Mapping[str, float] | tuple[str, float] | None = None,
    first: int | None = None,
    most: int | None = None,
    shard: tuple[int, int] | str | None = None,
    packs: Path | None = None,
    merge: Sequence[Path] = (),
    jobs: int | None = None,
    cache: Cache = True,
    progress: Progress = "auto",
    cluster: object = None,
) -> Sweep | Shard:
    """Runs a scenario at every combination of some values.

    ``axes`` has a list of values for each path, as `Scenario.set` takes it; the
    last varies fastest. A path or name may also be that of a sweep's file or of
    an experiment, which has axes, disciplines and seeds of its own.

    ``until={"game.game_mos": 0.05}`` gives a point ``first`` seeds (10), then
    twice as many, up to ``most`` (320), until half the 95 % interval of that
    figure is no wider under any discipline.

    ``shard=(3, 7), packs=folder`` makes the third of seven parts and leaves it as
    packs; ``merge=[folders]`` makes the results of them, and no run. ``cluster`` is that of `compare`.

    Raises as `compare`; `CacheError` also where runs are missing in ``merge``.
    """
    text = None
    file = None
    if isinstance(scenario, str | os.PathLike) and not is_text(scenario):
        file = scenario
    else:
        text = Scenario(scenario)._text
    if cluster is not None and (shard is not None or merge):
        raise ValueError("cluster: it makes the whole sweep; leave out shard and merge")
    if (shard is None) != (packs is None):
        raise ValueError("shard and packs go together: which part, and the folder that it is left in")
    asking: Any = (
        _axes(axes),
        None if queues is None else _queues(queues),
        None if seeds is None else _seeds(seeds),
        _until(until),
        (first, most),
        [os.fspath(folder) for folder in merge],
    )
    with _how(jobs, cache, progress, cluster) as how:
        if shard is not None and packs is not None:
            part = shard if isinstance(shard, str) else "/".join(map(str, shard))
            return Shard(_airtab.fill(text, file, asking, part, packs, how), packs)
        results = _airtab.sweep(text, file, asking, how)
    return _made(Sweep, results)


class Experiment:
    """An experiment of the repository, or of a file; `experiment` makes one."""

    def __init__(self, name: str) -> None:
        _airtab.experiment(name, False, None, None)
        self.name = name

    def run(
        self,
        *,
        quick: bool = False,
        seeds: int | None = None,
        jobs: int | None = None,
        cache: Cache = True,
        progress: Progress = "auto",
    ) -> Outcome:
        """Runs it, and holds what comes out against what its source says.

        ``quick``: only the points that verdicts need, with fewer seeds.
        ``seeds``: 1 to N, in place of its own.

        Raises as `compare`.
        """
        with _how(jobs, cache, progress) as how:
            results = _airtab.experiment(self.name, quick, seeds, how)
        assert results is not None
        return _made(Outcome, results)

    def __repr__(self) -> str:
        return f"<airtab.Experiment {self.name}>"


@_guessing
def experiment(name: str | os.PathLike[str]) -> Experiment:
    """The experiment of that id, such as ``chap/qsize-game``, or of a file.

    Raises `ValueError` if there is none, with the one that was most likely
    meant, and `ScenarioError` if its file is wrong.
    """
    return Experiment(os.fspath(name))
