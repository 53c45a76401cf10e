# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""A function for each discipline, made from the tables of the C core.

``chap(increment="25ms", limit=70)`` is the queue ``chap:increment=25ms:limit=70``.
What is not given comes from the scenario's ``[queue]`` table, then from the
defaults that the signature shows. ``help(chap)`` has the parameters.
"""

from __future__ import annotations

import inspect
import json
import keyword
from collections.abc import Callable
from typing import Any

from airtab import _airtab
from airtab._errors import QueueError


class Queue(str):
    """A discipline with parameters, as the command line writes it: a str such as ``chap:limit=70``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<airtab.Queue {self}>"


def tables() -> list[dict[str, Any]]:
    """The tables of all disciplines, as ``airtab disciplines --json`` prints them."""
    data: list[dict[str, Any]] = json.loads(_airtab.disciplines())
    return data


def default(param: dict[str, Any]) -> bool | int | float | str:
    """The default of a parameter: a number where its text is one."""
    text: str = param["default"]
    if param["unit"] == "bool":
        return text in ("1", "true", "yes")
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _text(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float() if value != value:
            raise QueueError("NaN is no value of a parameter")
        case list() | tuple():
            return ",".join(_text(item) for item in value)
        case _:
            return str(value)


def identifier(name: str) -> str:
    """A name as Python can have it."""
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def document(table: dict[str, Any]) -> str:
    """What the tables say of a discipline."""
    lines = [f"{table['about']}.", ""]
    for param in table["params"]:
        many = f", up to {param['values']} values" if param["values"] > 1 else ""
        source = f" [{param['source']}]" if param["source"] else ""
        lines.append(f"{identifier(param['name'])}: {param['allowed']}{many}; default {param['default']}")
        lines.append(f"    {param['help']}{source}")
    return "\n".join(lines).strip()


def _function(table: dict[str, Any]) -> Callable[..., Queue]:
    name: str = table["name"]
    names = {identifier(param["name"]): param["name"] for param in table["params"]}

    def discipline(**given: Any) -> Queue:
        label = name
        for key, value in given.items():
            if key not in names:
                import difflib

                close = difflib.get_close_matches(key, names, 1)
                guess = f"; did you mean `{close[0]}`?" if close else ""
                raise QueueError(f"{name}: no parameter '{key}'{guess} (known: {', '.join(names)})")
            label += f":{names[key]}={_text(value)}"
        _airtab.check_queue(label)
        return Queue(label)

    discipline.__name__ = discipline.__qualname__ = identifier(name)
    discipline.__doc__ = document(table)
    parameters = [
        inspect.Parameter(identifier(param["name"]), inspect.Parameter.KEYWORD_ONLY, default=default(param))
        for param in table["params"]
    ]
    vars(discipline)["__signature__"] = inspect.Signature(parameters, return_annotation=Queue)
    return discipline


__all__: list[str] = []
for _table in tables():
    globals()[identifier(_table["name"])] = _function(_table)
    __all__.append(identifier(_table["name"]))
