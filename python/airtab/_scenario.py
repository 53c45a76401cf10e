# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Scenarios: what is simulated."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from airtab import _airtab


def is_text(source: object) -> bool:
    """Whether it is the text of a scenario, and no path."""
    return isinstance(source, str) and ("\n" in source or "=" in source)


class Scenario:
    """A scenario, checked when it is made; it does not change.

    ``source`` is the text of a scenario (TOML), a path, the name of one that
    airtab brings (``"family"``), a dict with the same keys as the file, or
    None: the built-in home. A str with a line break or a ``=`` is a text.
    ``name`` is what messages call a text or a dict; files that it names are
    looked for beside it.

    Raises `ScenarioError` with all that is wrong in it, and
    `FileNotFoundError` where nothing can be read.
    """

    __slots__ = ("_text",)
    _text: _airtab.Text

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | Scenario | None = None,
        *,
        name: str = "scenario.toml",
    ) -> None:
        match source:
            case Scenario():
                text = source._text
            case None:
                text = _airtab.Text.of_path()
            case Mapping():
                text = _airtab.Text.of_dict(name, dict(source))
            case str() if is_text(source):
                text = _airtab.Text.of_text(name, source)
            case str() | os.PathLike():
                text = _airtab.Text.of_path(source)
            case _:
                raise TypeError(f"a scenario is a text, a path, a dict or None, not {type(source).__name__}")
        object.__setattr__(self, "_text", text)

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError(f"a scenario does not change; set({key!r}, ...) gives a new one")

    @classmethod
    def _of(cls, text: _airtab.Text) -> Scenario:
        new = cls.__new__(cls)
        object.__setattr__(new, "_text", text)
        return new

    def set(self, path: str, value: str | int | float | bool | list[Any]) -> Scenario:
        """The same with one value changed or added; comments stay.

        ``path`` is ``duration``, ``wifi.attempts``, ``queue.chap.limit``,
        ``station."our tablet".distance``. A str is read as on a command line:
        ``"7"`` is a number, ``"25ms"`` a text.
        """
        return Scenario._of(self._text.set(path, value))

    def toml(self) -> str:
        """Its text."""
        return self._text.toml

    def to_dict(self) -> dict[str, Any]:
        """What its text says, as a dict."""
        data: dict[str, Any] = self._text.to_dict()
        return data

    @property
    def name(self) -> str:
        """Its name."""
        return self._text.name

    @property
    def hash(self) -> str:
        """A number that is equal for equal scenarios, however they are written; a manifest's ``scenario_hash``."""
        return self._text.hash

    @property
    def warnings(self) -> list[str]:
        """What is allowed, and most likely not meant."""
        return self._text.warnings

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._text.file, self._text.toml)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.toml() == other.toml()

    def __hash__(self) -> int:
        return hash(self.toml())

    def __repr__(self) -> str:
        return f"<airtab.Scenario {self.name} {self.hash[:12]}>"


def _again(file: str, text: str) -> Scenario:
    return Scenario._of(_airtab.Text.of_text(file, text))
