# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures by altair, which a notebook shows with a legend and tooltips. What they show is `_figures`'."""

from __future__ import annotations

import importlib
from typing import Any

from airtab._figures import DASHES, Bar, Look, Plot


def _altair() -> Any:
    try:
        return importlib.import_module("altair")
    except ImportError as e:
        raise ImportError("backend=\"altair\" needs altair: pip install altair") from e


def _row(label: str, mean: float, half: float | None) -> dict[str, Any]:
    return {"queue": label, "mean": mean, "low": mean - (half or 0.0), "high": mean + (half or 0.0)}


def _scale(alt: Any, labels: list[str], values: list[Any]) -> Any:
    return alt.Scale(domain=labels, range=values)


def _colour(alt: Any, labels: list[str], looks: list[Look]) -> Any:
    return alt.Color("queue:N", title=None, scale=_scale(alt, labels, [look.colour for look in looks]))


def bars(rows: list[Bar], title: str, label: str) -> Any:
    """A bar for each discipline; the whisker is the interval."""
    alt = _altair()
    labels = [bar.label for bar in rows]
    base = alt.Chart(alt.Data(values=[_row(bar.label, bar.mean, bar.half) for bar in rows])).encode(
        x=alt.X("queue:N", sort=labels, title=None)
    )
    colour = _colour(alt, labels, [bar.look for bar in rows]).legend(None)
    tips = [alt.Tooltip(f"{name}:{kind}") for name, kind in (("queue", "N"), ("mean", "Q"), ("low", "Q"), ("high", "Q"))]
    drawn = base.mark_bar().encode(y=alt.Y("mean:Q", title=label), color=colour, tooltip=tips)
    return (drawn + base.mark_rule().encode(y="low:Q", y2="high:Q")).properties(title=title)


def lines(plot: Plot) -> Any:
    """A line for each discipline, with whiskers where there are intervals."""
    alt = _altair()
    labels = [line.label for line in plot.lines]
    rows = []
    for line in plot.lines:
        halves = line.half or [None] * len(line.x)
        for x, y, half in zip(line.x, line.y, halves, strict=True):
            at: Any = plot.ticks[int(x)] if plot.ticks else x
            rows.append({**_row(line.label, y, half), "x": at})
    kind = "O" if plot.ticks else "Q"
    scale = alt.Undefined if plot.ticks else alt.Scale(zero=False)
    dashes = [list(DASHES[line.look.dash]) or [1, 0] for line in plot.lines]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(f"x:{kind}", title=plot.x, sort=plot.ticks or alt.Undefined, scale=scale),
        color=_colour(alt, labels, [line.look for line in plot.lines]),
    )
    drawn = base.mark_line(point=plot.lines[0].half is not None).encode(
        y=alt.Y("mean:Q", title=plot.y, scale=alt.Scale(zero=False)),
        strokeDash=alt.StrokeDash("queue:N", title=None, scale=_scale(alt, labels, dashes)),
        tooltip=[alt.Tooltip("queue:N"), alt.Tooltip(f"x:{kind}", title=plot.x), alt.Tooltip("mean:Q", title=plot.y)],
    )
    if plot.lines[0].half is None:
        return drawn.properties(title=plot.title)
    return (drawn + base.mark_rule().encode(y="low:Q", y2="high:Q")).properties(title=plot.title)
