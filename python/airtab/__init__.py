# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Queue disciplines that keep Wi-Fi responsive: compare, sweep and judge them.

    >>> import airtab
    >>> home = airtab.compare(None, ["fifo", "chap"], seeds=3)   # doctest: +SKIP
    >>> print(home)                                              # doctest: +SKIP

``docs/python.md`` shows all of it. Everything is run, summarised and written by
the code behind the command ``airtab``; results are equal to the bit.
"""

from airtab._airtab import version as _version
from airtab._calls import Experiment, compare, experiment, run, sweep
from airtab._errors import CacheError, ClusterError, Problem, QueueError, ScenarioError, Stopped
from airtab._results import Comparison, Outcome, Result, Run, Shard, Sweep
from airtab._scenario import Scenario
from airtab import disciplines
from airtab.disciplines import *  # noqa: F403
from airtab.disciplines import Queue

__version__, __commit__, _ = _version()

__all__ = [
    "CacheError",
    "ClusterError",
    "Comparison",
    "Experiment",
    "Outcome",
    "Problem",
    "Queue",
    "QueueError",
    "Result",
    "Run",
    "Scenario",
    "ScenarioError",
    "Shard",
    "Stopped",
    "Sweep",
    "compare",
    "disciplines",
    "experiment",
    "run",
    "sweep",
]
__all__ += disciplines.__all__
