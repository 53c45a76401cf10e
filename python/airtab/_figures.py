# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What figures show: means and intervals of results, at their places. Nothing is drawn here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from airtab import disciplines
from airtab._results import Comparison, Sweep, shown


class Look(NamedTuple):
    """How a discipline is told from others: as in airtab's own figures."""

    colour: str
    """Of the light theme."""
    dash: int
    """Number of a pattern, 0 to 3; 0 is a whole line."""
    marker: int
    """Number of a shape, 0 to 4."""


# Those of `crates/airtab-lab/src/draw`: draw.css has the colours, look.rs says whose they are.
COLOURS = ("#6b6f78", "#9a8400", "#332288", "#b03a6b", "#1f8a7d", "#7a4b2a")
DASHES = ((), (7, 4), (2, 3), (10, 3, 2, 3))
_MARKERS = 5


def looks(labels: list[str]) -> list[Look]:
    """A discipline has the colour of its place among all; those of one discipline differ in dashes and markers."""
    known = [table["name"] for table in disciplines.tables()]
    names = [label.split(":")[0] for label in labels]
    found = []
    for i, name in enumerate(names):
        number = known.index(name)
        variant = names[:i].count(name)
        turn = number + variant + number // len(COLOURS)
        marker = (turn + variant // len(DASHES)) % _MARKERS
        found.append(Look(COLOURS[number % len(COLOURS)], turn % len(DASHES), marker))
    return found


class Bar(NamedTuple):
    """A mean, and half the width of its 95 % interval."""

    label: str
    look: Look
    mean: float
    half: float | None


class Line(NamedTuple):
    """A discipline's values; `half` has half the width of their intervals, if they have any."""

    label: str
    look: Look
    x: list[float]
    y: list[float]
    half: list[float | None] | None


class Plot(NamedTuple):
    """Lines over an axis."""

    title: str
    x: str
    y: str
    ticks: list[str] | None
    """What to write at 0, 1, 2 ..., where values are no numbers."""
    lines: list[Line]


def _split(figure: str) -> tuple[str, str]:
    app, dot, metric = figure.rpartition(".")
    if not dot:
        raise ValueError(f"'{figure}' is no figure such as game.game_mos: an application, a dot, a metric")
    return app, metric


def words(figure: str) -> tuple[str, str]:
    """Title and label of a figure: the application, and the metric as reports call it, with its unit."""
    app, metric = _split(figure)
    return app, shown(metric)[0]


def _guess(what: str, name: str, known: Iterable[str]) -> ValueError:
    import difflib

    known = list(known)
    close = difflib.get_close_matches(name, known, 1)
    guess = f"; did you mean '{close[0]}'?" if close else ""
    return ValueError(f"no {what} '{name}'{guess} (known: {', '.join(known)})")


def _summary(queue: dict[str, Any], figure: str) -> tuple[float, float | None] | None:
    """Mean and half the width of its interval, in the unit of reports; None where this discipline has no such figure."""
    name, metric = _split(figure)
    apps = {app["name"]: app["metrics"] for app in [*queue["apps"], queue["ap"]]}
    if name not in apps:
        raise _guess("application", name, apps)
    summary = apps[name].get(metric)
    if not summary:
        return None
    _, factor = shown(metric)
    half = summary["half_width_95"]
    return summary["mean"] * factor, None if half is None else half * factor


def _known(queues: list[dict[str, Any]], figure: str) -> None:
    """Raises if no discipline has the figure."""
    name, metric = _split(figure)
    if all(_summary(queue, figure) is None for queue in queues):
        apps = [app for queue in queues for app in [*queue["apps"], queue["ap"]] if app["name"] == name]
        raise _guess("metric", metric, sorted({metric for app in apps for metric in app["metrics"]}))


def bars(comparison: Comparison, figure: str) -> list[Bar]:
    """One for each discipline that has the figure."""
    queues = comparison.to_dict()["queues"]
    _known(queues, figure)
    labels = [queue["label"] for queue in queues]
    summaries = [_summary(queue, figure) for queue in queues]
    return [Bar(label, look, *s) for label, look, s in zip(labels, looks(labels), summaries, strict=True) if s]


def curves(sweep: Sweep, figure: str, axis: str | None) -> Plot:
    """Along an axis of a sweep; the others have one value each."""
    data = sweep.to_dict()
    names = [known["name"] for known in data["axes"]]
    if axis is None:
        if len(names) != 1:
            raise ValueError(f"name the axis to draw along; there are {', '.join(names) or 'none'}")
        axis = names[0]
    if axis not in names:
        raise _guess("axis", axis, names)
    for known in data["axes"]:
        if known["name"] != axis and len(known["values"]) > 1:
            raise ValueError(f"axis '{known['name']}' has {len(known['values'])} values: sweep it alone, or with one")
    texts = [point["at"][axis] for point in data["points"]]
    _known([queue for point in data["points"] for queue in point["queues"]], figure)
    try:
        places, ticks = [float(text) for text in texts], None
    except ValueError:
        places, ticks = [float(i) for i in range(len(texts))], texts
    lines = []
    for i, (label, look) in enumerate(zip(data["queues"], looks(data["queues"]), strict=True)):
        found = [_summary(point["queues"][i], figure) for point in data["points"]]
        rows = [(x, *summary) for x, summary in zip(places, found, strict=True) if summary]
        x, y = [row[0] for row in rows], [row[1] for row in rows]
        lines.append(Line(label, look, x, y, [row[2] for row in rows]))
    title, label = words(figure)
    return Plot(title, axis, label, ticks, lines)


_COURSES = ("received", "uploaded")


def courses(comparison: Comparison, figure: str) -> Plot:
    """Over time, with the first seed: Mb/s in each step, at its end."""
    name, what = _split(figure)
    if what not in _COURSES:
        raise _guess("course", what, _COURSES)
    data = comparison.courses()
    labels = [queue["label"] for queue in data["queues"]]
    lines = []
    for queue, look in zip(data["queues"], looks(labels), strict=True):
        apps = {app["name"]: app for app in queue["apps"]}
        if name not in apps:
            raise _guess("application", name, apps)
        rates = [rate / 1e6 for rate in apps[name][what]]
        times = [data["step_s"] * (i + 1) for i in range(len(rates))]
        lines.append(Line(queue["label"], look, times, rates, None))
    return Plot(name, "time, s", f"{what}, Mb/s, seed {data['seed']}", None, lines)
