# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""How far runs are: a bar on a terminal or in a notebook.

What it does not do: it shows nothing where nobody looks (standard error is no terminal).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Progress = Callable[[int, int], object]

_WIDTH = 40


def _words(done: int, total: int) -> str:
    if total == 0:
        return f"{done} runs"
    full = _WIDTH * done // total
    return f"{'█' * full}{'░' * (_WIDTH - full)} {done} of {total} runs"


class Terminal:
    """A line of standard error, which goes when the runs have ended."""

    def __call__(self, done: int, total: int) -> None:
        print(f"\r{_words(done, total)}\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Notebook:
    """A line below the cell, which stays."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def __call__(self, done: int, total: int) -> None:
        data = {"text/plain": _words(done, total)}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def close(self) -> None:
        pass


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


def bar(progress: str | bool | Progress) -> Progress | None:
    """What is told how far runs are: the usual bar, what was given, or None."""
    if callable(progress):
        return progress
    if progress is False or progress is None:
        return None
    if progress not in ("auto", True):
        raise ValueError(f'progress: {progress!r} is neither "auto", False nor callable')
    if _in_notebook():
        from IPython.display import display  # type: ignore[import-not-found, unused-ignore]

        return Notebook(display)
    return Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


def close(shown: Progress | None) -> None:
    """Ends a bar."""
    if isinstance(shown, Terminal | Notebook):
        shown.close()
