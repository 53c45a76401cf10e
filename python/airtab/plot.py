# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures of results: ``pip install 'airtab[plot]'``.

- `bars`: an application's figure under each discipline, with 95 % intervals
- `curves`: a figure along an axis of a sweep, a line for each discipline
- `courses`: what an application received over time in one run

``backend`` is ``"matplotlib"``, or ``"altair"``, which gives a chart that a
notebook shows. A discipline has the colour that it has in airtab's own figures,
an axis the label and the unit; the title is the application.

What it does not do: no interval is computed here; they are the results' own.
Figures of reports are drawn by airtab itself (``save``).
"""

from __future__ import annotations

from typing import Any, Literal

from airtab import _figures
from airtab._results import Comparison, Sweep

Backend = Literal["matplotlib", "altair"]


def _alone(backend: str, axes: Any) -> bool:
    """Whether it is altair, which takes no axes."""
    if backend not in ("matplotlib", "altair"):
        raise ValueError(f'backend: {backend!r} is neither "matplotlib" nor "altair"')
    if backend == "altair" and axes is not None:
        raise ValueError("axes: they are matplotlib's; a chart of altair is put beside another by | and &")
    return backend == "altair"


def _lines(plot: _figures.Plot, alone: bool, axes: Any) -> Any:
    if alone:
        from airtab import _altair

        return _altair.lines(plot)
    from airtab import _matplotlib

    return _matplotlib.lines(plot, axes)


def bars(comparison: Comparison, figure: str, *, backend: Backend = "matplotlib", axes: Any = None) -> Any:
    """A bar for each discipline: ``bars(home, "game.game_mos")``. The whisker is the 95 % interval of the mean.

    Returns the axes that it drew on, new ones if none are given; or a chart of altair.
    """
    alone = _alone(backend, axes)
    rows = _figures.bars(comparison, figure)
    if alone:
        from airtab import _altair

        return _altair.bars(rows, *_figures.words(figure))
    from airtab import _matplotlib

    return _matplotlib.bars(rows, *_figures.words(figure), axes)


def curves(
    sweep: Sweep, figure: str, axis: str | None = None, *, backend: Backend = "matplotlib", axes: Any = None
) -> Any:
    """A line for each discipline along an axis, with the 95 % intervals of its means.

    A sweep of more than one axis needs ``axis``, and the others must have one
    value each. Values that are no numbers stand at equal distances.

    Returns as `bars`.
    """
    alone = _alone(backend, axes)
    return _lines(_figures.curves(sweep, figure, axis), alone, axes)


def courses(comparison: Comparison, figure: str, *, backend: Backend = "matplotlib", axes: Any = None) -> Any:
    """A line for each discipline over time, of the run with the first seed: ``courses(home, "download.received")``.

    ``APPLICATION.received`` is what its station received, ``APPLICATION.uploaded``
    its server, Mb/s. One run shows how a discipline works, and not what it is worth.

    Returns as `bars`.
    """
    alone = _alone(backend, axes)
    return _lines(_figures.courses(comparison, figure), alone, axes)
