# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures of results by matplotlib: ``pip install 'airtab[plot]'``.

- `bars`: an application's figure under each discipline, with 95 % intervals
- `curves`: a figure along an axis of a sweep, a line for each discipline

What it does not do: no interval is computed here; they are the results' own.
Figures of reports are drawn by airtab itself (``save``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from airtab._results import Comparison, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Paul Tol's bright scheme, made for all kinds of colour vision.
_COLOURS = ("#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#BBBBBB")


def _axes(axes: Axes | None) -> Any:
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as e:
        raise ImportError("airtab.plot needs matplotlib: pip install 'airtab[plot]'") from e
    return pyplot.subplots(layout="constrained")[1]


def _split(figure: str) -> tuple[str, str]:
    app, dot, metric = figure.rpartition(".")
    if not dot:
        raise ValueError(f"'{figure}' is no figure such as game.game_mos: an application, a dot, a metric")
    return app, metric


def _guess(what: str, name: str, known: list[str]) -> ValueError:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    guess = f"; did you mean '{close[0]}'?" if close else ""
    return ValueError(f"no {what} '{name}'{guess} (known: {', '.join(known)})")


def _summary(queue: dict[str, Any], figure: str) -> tuple[float, float | None] | None:
    """Mean and half the width of its interval; None where this discipline has no such figure."""
    name, metric = _split(figure)
    apps = {app["name"]: app["metrics"] for app in [*queue["apps"], queue["ap"]]}
    if name not in apps:
        raise _guess("application", name, list(apps))
    summary = apps[name].get(metric)
    return summary and (summary["mean"], summary["half_width_95"])


def _known(queues: list[dict[str, Any]], figure: str) -> None:
    """Raises if no discipline has the figure."""
    name, metric = _split(figure)
    if all(_summary(queue, figure) is None for queue in queues):
        apps = [app for queue in queues for app in [*queue["apps"], queue["ap"]] if app["name"] == name]
        raise _guess("metric", metric, sorted({metric for app in apps for metric in app["metrics"]}))


def bars(comparison: Comparison, figure: str, *, axes: Axes | None = None) -> Axes:
    """A bar for each discipline: ``bars(home, "game.game_mos")``. The whisker is the 95 % interval of the mean.

    Returns the axes that it drew on, new ones if none are given.
    """
    queues = comparison.to_dict()["queues"]
    _known(queues, figure)
    drawn = _axes(axes)
    for i, queue in enumerate(queues):
        summary = _summary(queue, figure)
        if summary is not None:
            drawn.bar(i, summary[0], yerr=summary[1], capsize=4, color=_COLOURS[i % len(_COLOURS)])
    drawn.set_xticks(range(len(queues)), [queue["label"] for queue in queues])
    drawn.set_ylabel(figure)
    drawn.spines[["top", "right"]].set_visible(False)
    result: Axes = drawn
    return result


def curves(sweep: Sweep, figure: str, axis: str | None = None, *, axes: Axes | None = None) -> Axes:
    """A line for each discipline along an axis, with the 95 % intervals of its means.

    A sweep of more than one axis needs ``axis``, and the others must have one
    value each. Values that are no numbers stand at equal distances.

    Returns the axes that it drew on, new ones if none are given.
    """
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
    drawn = _axes(axes)
    try:
        places = [float(text) for text in texts]
    except ValueError:
        places = [float(i) for i in range(len(texts))]
        drawn.set_xticks(places, texts)
    for i, label in enumerate(data["queues"]):
        x, mean, half = [], [], []
        for place, point in zip(places, data["points"], strict=True):
            summary = _summary(point["queues"][i], figure)
            if summary is not None:
                x.append(place)
                mean.append(summary[0])
                half.append(summary[1] or 0.0)
        drawn.errorbar(x, mean, yerr=half, label=label, marker="o", capsize=3, color=_COLOURS[i % len(_COLOURS)])
    drawn.set_xlabel(axis)
    drawn.set_ylabel(figure)
    drawn.legend(frameon=False)
    drawn.spines[["top", "right"]].set_visible(False)
    result: Axes = drawn
    return result
