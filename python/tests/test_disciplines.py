# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""The functions of the disciplines are those of the C tables."""

import inspect
from collections.abc import Callable
from pathlib import Path

import airtab
import pytest
from airtab import disciplines
from airtab._stub import stub


def test_the_stub_is_that_of_the_tables() -> None:
    committed = Path(__file__).parents[1] / "airtab/disciplines.pyi"
    assert committed.read_text() == stub(), "run: python -m airtab._stub > python/airtab/disciplines.pyi"


def test_each_has_a_function_with_its_parameters() -> None:
    tables = disciplines.tables()
    assert [t["name"] for t in tables] == disciplines.__all__
    for table in tables:
        function = getattr(airtab, table["name"])
        parameters = inspect.signature(function).parameters
        assert list(parameters) == [disciplines.identifier(p["name"]) for p in table["params"]]
        assert table["about"] in (function.__doc__ or "")
        # Its own defaults are taken, one by one.
        for p in table["params"]:
            if p["default"]:
                function(**{disciplines.identifier(p["name"]): p["default"]})


def test_labels() -> None:
    assert airtab.chap() == "chap"
    assert airtab.chap(increment="25ms", limit=70) == "chap:increment=25ms:limit=70"
    assert isinstance(airtab.chap(), airtab.Queue)
    assert airtab.vfq(weight=[1, 2]) == "vfq:weight=1,2"
    assert inspect.signature(airtab.fifo).parameters["limit"].default == 1000


def test_what_is_wrong_is_told() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: airtab.chap(limmit=3), "chap: no parameter 'limmit'; did you mean `limit`?"),  # type: ignore[call-arg]
        (lambda: airtab.chap(limit=0), "chap: limit: "),
        (lambda: airtab.chap(limit=float("nan")), "NaN"),
        (lambda: airtab.compare(None, ["chapp"]), "no discipline 'chapp'; did you mean `chap`?"),
    ]
    for make, said in cases:
        with pytest.raises(airtab.QueueError) as caught:
            make()
        assert str(caught.value).startswith(said), str(caught.value)
