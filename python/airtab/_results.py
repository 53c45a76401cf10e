# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What came out: as a dict, as rows, as text, as files."""

from __future__ import annotations

import importlib
import json
import os
from typing import TYPE_CHECKING, Any

from airtab import _airtab

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def _library(name: str, use: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise ImportError(f"{use} needs {name}: pip install {name}") from e


class Result:
    """What all results can do.

    Rows have the columns of ``results.parquet`` (``docs/report.md``): one for
    each discipline, seed, application and metric. Anything that takes Arrow's
    PyCapsule interface takes a result as it is: ``polars.DataFrame(result)``.
    """

    def __init__(self, results: _airtab.Results) -> None:
        self._results = results

    def json(self) -> str:
        """The text that the command prints as JSON."""
        return self._results.json()

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict."""
        data: dict[str, Any] = json.loads(self.json())
        return data

    def save(self, dir: str | os.PathLike[str]) -> None:
        """Writes the files of ``--out`` into a folder, which is made if it is not there."""
        self._results.save(dir)

    def arrow(self) -> pyarrow.Table:
        """Rows as a table of pyarrow."""
        table: pyarrow.Table = _library("pyarrow", "arrow()").table(self)
        return table

    def polars(self) -> polars.DataFrame:
        """Rows as a frame of polars."""
        frame: polars.DataFrame = _library("polars", "polars()").DataFrame(self)
        return frame

    def pandas(self) -> pandas.DataFrame:
        """Rows as a frame of pandas, by way of pyarrow."""
        _library("pandas", "pandas()")
        frame: pandas.DataFrame = self.arrow().to_pandas()
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._results.__arrow_c_stream__(requested_schema)

    @property
    def warnings(self) -> list[str]:
        """What a command would say beside the results."""
        return self._results.warnings

    def __str__(self) -> str:
        return self._results.text(100) or repr(self)


class Comparison(Result):
    """Disciplines under the same seeds."""

    def why(self, *, short: bool = False) -> list[str]:
        """Sentences that say what made the scores: one for each application and discipline, or for each application."""
        return self._results.why(not short) or []


    def courses(self) -> dict[str, Any]:
        """What each application received and sent over time, with the first seed; those runs are made once more.

        ``step_s`` is the time of a step, s; ``queues`` have ``label`` and ``apps``,
        and each of these ``name`` and two lists of bits per second, a value for
        each step: ``received`` by the station, ``uploaded`` to its server.
        """
        data: dict[str, Any] = json.loads(self._results.courses() or "{}")
        return data


class Run(Comparison):
    """One discipline, one seed."""

    def json(self) -> str:
        """The text that ``airtab run --json`` prints."""
        return self._results.run_json() or ""


class Sweep(Result):
    """Points, each under the same disciplines."""


class Outcome(Result):
    """An experiment and its verdicts."""


class Shard:
    """A part of a sweep's runs, as packs in a folder; ``sweep(..., merge=[folders])`` makes the results."""

    def __init__(self, runs: int, packs: str | os.PathLike[str]) -> None:
        self.runs = runs
        self.packs = packs

    def __repr__(self) -> str:
        return f"<airtab.Shard {self.runs} runs in {os.fspath(self.packs)}>"
