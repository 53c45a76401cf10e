# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What came out: as a dict, as rows, as text, as files."""

from __future__ import annotations

import functools
import html
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
        extra = "pandas" if name == "pyarrow" else name
        raise ImportError(f"{use} needs {name}: pip install 'airtab[{extra}]'") from e


@functools.cache
def _metrics() -> dict[str, tuple[str, float]]:
    return {name: (label, factor) for name, label, factor in _airtab.metrics()}


def shown(metric: str) -> tuple[str, float]:
    """Label of a metric in reports, with its unit, and the factor to that unit; the name itself of one that they do not know."""
    return _metrics().get(metric, (metric, 1.0))


# Rows of a table that is printed.
_MOST_ROWS = 40


def _number(value: float, digits: int) -> str:
    """A value to so many digits, without an exponent for large ones."""
    return f"{value:.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


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

    def _points(self) -> list[tuple[dict[str, str], str, list[dict[str, Any]]]]:
        """Values of the axes, discipline, and applications with the nodes of a mesh and the access point."""
        data = self.to_dict()
        points = data.get("points") or [{"at": {}, "queues": data["queues"]}]
        labels = [queue if isinstance(queue, str) else queue["label"] for queue in data["queues"]]
        return [
            (point["at"], label, [*queue["apps"], *queue.get("nodes", []), queue["ap"]])
            for point in points
            for label, queue in zip(labels, point["queues"], strict=True)
        ]

    def summary(self) -> list[dict[str, Any]]:
        """Mean and half the width of the 95 % interval of each metric over the seeds, in the base unit that its name ends with.

        A dict for each point, discipline, application and metric, as
        ``pandas.DataFrame(result.summary())`` takes it: a column for each axis,
        then ``queue``, ``application``, ``metric``, ``mean``, ``half_width_95``
        (None with one seed).
        """
        return [
            {
                **at,
                "queue": label,
                "application": app["name"],
                "metric": metric,
                "mean": summary["mean"],
                "half_width_95": summary["half_width_95"],
            }
            for at, label, apps in self._points()
            for app in apps
            for metric, summary in app["metrics"].items()
        ]

    def _table(self) -> str:
        """The score of each application, a row for each point and discipline."""
        points = self._points()
        head: list[str] = []
        rows = []
        for at, label, apps in points[:_MOST_ROWS]:
            row = {**at, "queue": label}
            for app in apps[:-1]:
                metric = _airtab.score(app["kind"])
                summary = app["metrics"].get(metric) if metric else None
                if metric is None or summary is None:
                    continue
                name, factor = shown(metric)
                half = summary["half_width_95"]
                interval = "" if half is None else f" ± {_number(half * factor, 2)}"
                row[f"{app['name']}, {name}"] = f"{_number(summary['mean'] * factor, 3)}{interval}"
            head += [key for key in row if key not in head]
            rows.append(row)
        lines = [head, *([row.get(key, "") for key in head] for row in rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines)
        more = len(points) - len(rows)
        return text + (f"{more} more rows: summary()\n" if more else "")

    def __str__(self) -> str:
        return self._results.text(100) or self._table()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


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
