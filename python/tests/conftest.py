# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Every test has a cache of its own, and no terminal."""

import pytest


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRTAB_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def small() -> str:
    """A scenario of which a run takes milliseconds."""
    return """
name = "small"
duration = "4s"
measure = ["1s", "4s"]
[[station]]
name = "console"
[[station]]
name = "laptop"
[[app]]
name = "game"
kind = "game"
station = "console"
[[app]]
name = "download"
kind = "download"
station = "laptop"
"""


@pytest.fixture
def long(small: str) -> str:
    """The same, of which a run takes minutes."""
    return small.replace('"4s"', '"20000s"')
