# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Writes the stub of `airtab.disciplines` from the tables: ``python -m airtab._stub > python/airtab/disciplines.pyi``."""

from __future__ import annotations

from typing import Any

from airtab.disciplines import default, identifier, tables

HEAD = '''# SPDX-License-Identifier: MIT OR GPL-2.0-only
# Made from the tables of the C core by `python -m airtab._stub`; do not edit.
from collections.abc import Sequence
from typing import Any

class Queue(str): ...

def tables() -> list[dict[str, Any]]: ...
def default(param: dict[str, Any]) -> bool | int | float | str: ...
def identifier(name: str) -> str: ...
def document(table: dict[str, Any]) -> str: ...

'''


def _kind(param: dict[str, Any]) -> str:
    kind = "bool" if param["unit"] == "bool" else "str | int | float"
    return f"{kind} | Sequence[str | int | float]" if param["values"] > 1 else kind


def _function(table: dict[str, Any]) -> str:
    params = [f"    {identifier(p['name'])}: {_kind(p)} = {default(p)!r},\n" for p in table["params"]]
    star = "    *,\n" if params else ""
    return f"def {identifier(table['name'])}(\n{star}{''.join(params)}) -> Queue: ...\n"


def stub() -> str:
    """The text of the stub."""
    names = "".join(f'    "{identifier(table["name"])}",\n' for table in tables())
    return HEAD + f"__all__ = [\n{names}]\n\n" + "".join(_function(table) for table in tables())


if __name__ == "__main__":
    print(stub(), end="")
