# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What goes wrong, as exceptions. The compiled part makes them."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong in a scenario."""

    file: str
    """As messages name it."""
    line: int
    """From 1; 0 if it is the file as a whole."""
    column: int
    """In characters, from 1."""
    message: str
    """What is wrong and what is allowed, with the key in front."""
    text: str
    """The line itself; empty if it must not be shown."""
    width: int
    """How many characters of it are meant."""
    path: str | None
    """Of a dict: where in it, such as ``station[0].distance``."""

    @property
    def key(self) -> str:
        """The table and key that it is about, such as ``[wifi] attempts``; empty if it is about none."""
        key, colon, _ = self.message.partition(": ")
        words = key.split()
        known = bool(words) and (words[0].startswith("[") or len(words) == 1)
        return key if colon and known and self.line > 0 else ""

    @property
    def hint(self) -> str:
        """What was most likely meant, or is allowed; empty if nobody knows."""
        _, found, guess = self.message.partition("; did you mean ")
        if found:
            return guess.split("?", 1)[0].strip("`")
        _, found, known = self.message.rpartition(" (known: ")
        return known.rstrip(")") if found else ""


class ScenarioError(ValueError):
    """A scenario cannot be used; ``problems`` has all that is wrong in it."""

    problems: tuple[Problem, ...]

    def __init__(self, message: str, problems: list[tuple[str, int, int, str, str, int, str | None]]) -> None:
        self.problems = tuple(Problem(*problem) for problem in problems)
        paths = [p for p in self.problems if p.path]
        if paths:
            message = "\n".join(f"{p.path or p.file}: {p.message}" for p in self.problems)
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], [tuple(problem) for problem in self.problems])


class QueueError(ValueError):
    """There is no such discipline or parameter, or it does not take that value."""


class CacheError(OSError):
    """Finished runs cannot be kept or found where they were to be."""


class ClusterError(OSError):
    """There is no scheduler, a worker cannot be used, or what was under way is lost. What came back is in the cache."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended the runs. What was done is in the cache: the same call goes on from there."""

    done: int
    """Runs finished."""
    total: int
    """Runs asked for."""

    def __init__(self, message: str, done: int, total: int) -> None:
        super().__init__(message)
        self.done = done
        self.total = total

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.done, self.total)
