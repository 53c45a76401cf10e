# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures by matplotlib. What they show is `_figures`'."""

from __future__ import annotations

import importlib
from typing import Any

from airtab._figures import DASHES, Bar, Plot

_MARKERS = "os^Dv"


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as e:
        raise ImportError("airtab.plot needs matplotlib: pip install 'airtab[plot]'") from e
    return pyplot.subplots(layout="constrained")[1]


def bars(rows: list[Bar], title: str, label: str, axes: Any) -> Any:
    """A bar for each discipline; the whisker is the interval."""
    drawn = _axes(axes)
    for i, bar in enumerate(rows):
        drawn.bar(i, bar.mean, yerr=bar.half, capsize=4, color=bar.look.colour)
    drawn.set_xticks(range(len(rows)), [bar.label for bar in rows])
    drawn.set_title(title)
    drawn.set_ylabel(label)
    drawn.spines[["top", "right"]].set_visible(False)
    return drawn


def lines(plot: Plot, axes: Any) -> Any:
    """A line for each discipline, with whiskers where there are intervals."""
    drawn = _axes(axes)
    if plot.ticks:
        drawn.set_xticks(range(len(plot.ticks)), plot.ticks)
    for line in plot.lines:
        dash = DASHES[line.look.dash]
        style: dict[str, Any] = {"label": line.label, "color": line.look.colour}
        style["linestyle"] = (0, dash) if dash else "-"
        if line.half is None:
            drawn.plot(line.x, line.y, **style)
        else:
            half = [half or 0.0 for half in line.half]
            drawn.errorbar(line.x, line.y, yerr=half, marker=_MARKERS[line.look.marker], capsize=3, **style)
    drawn.set_title(plot.title)
    drawn.set_xlabel(plot.x)
    drawn.set_ylabel(plot.y)
    drawn.legend(frameon=False)
    drawn.spines[["top", "right"]].set_visible(False)
    return drawn
