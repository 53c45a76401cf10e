# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Scenarios, and what is said of wrong ones: the words of the command line, at the same places."""

import math
import pickle
import re
from pathlib import Path

import airtab
import pytest

ROOT = Path(__file__).resolve().parents[2]
WRONG = ROOT / "crates/airtab-scenario/tests/it"


def test_text_path_name_dict_and_none(small: str, tmp_path: Path) -> None:
    text = airtab.Scenario(small)
    assert (text.name, text.toml()) == ("small", small)
    path = tmp_path / "s.toml"
    path.write_text(small)
    data = text.to_dict()
    assert data["app"][0] == {"name": "game", "kind": "game", "station": "console"}
    same = [airtab.Scenario(source) for source in (path, str(path), data, text)]
    assert {s.hash for s in same} == {text.hash}
    assert airtab.Scenario().name == "home"
    assert airtab.Scenario("family").name == "family"
    assert pickle.loads(pickle.dumps(text)) == text
    with pytest.raises(FileNotFoundError, match="did you mean `family`"):
        airtab.Scenario("familly")
    with pytest.raises(TypeError, match="not int"):
        airtab.Scenario(7)  # type: ignore[arg-type]


def test_set_makes_another_and_keeps_comments(small: str) -> None:
    old = airtab.Scenario("# mine\n" + small)
    new = old.set("station.laptop.distance", 9).set("queue.chap.limit", "70").set("measure", ["2s", "3s"])
    assert new.to_dict()["queue"] == {"chap": {"limit": 70}}
    assert new.to_dict()["measure"] == ["2s", "3s"]
    assert new.toml().startswith("# mine\n") and old.toml() == "# mine\n" + small
    assert new.hash != old.hash
    with pytest.raises(ValueError, match="no .*station.* 'lapptop'; did you mean `laptop`"):
        old.set("station.lapptop.distance", 9)
    with pytest.raises(airtab.ScenarioError, match="attempts"):
        old.set("wifi.attempts", 0)
    with pytest.raises(AttributeError, match="does not change"):
        old.name = "x"  # type: ignore[misc]


def test_a_dict_is_blamed_by_its_keys(small: str) -> None:
    data = airtab.Scenario(small).to_dict()
    data["station"][1]["distance"] = "far"
    data["wifi"] = {"atempts": 4}
    with pytest.raises(airtab.ScenarioError) as caught:
        airtab.Scenario(data)
    problems = {p.path: p for p in caught.value.problems}
    assert set(problems) == {"station[1].distance", "wifi.atempts"}
    assert problems["wifi.atempts"].hint == "attempts"
    assert problems["wifi.atempts"].key == "[wifi] atempts"
    assert "wifi.atempts: " in str(caught.value)
    for value, error, said in [
        (math.nan, ValueError, r"wifi\.loss: NaN is no number"),
        (math.inf, ValueError, r"wifi\.loss: infinity is no number"),
        (None, TypeError, r"wifi\.loss: None is no value"),
        (2**70, ValueError, r"wifi\.loss: .* \(64 bits\)"),
        ([1, object()], TypeError, r"wifi\.loss\[1\]: object is no value"),
    ]:
        with pytest.raises(error, match=said):
            airtab.Scenario({"wifi": {"loss": value}})
    with pytest.raises(TypeError, match="a key is a str, not int"):
        airtab.Scenario({1: 2})  # type: ignore[dict-item]


STRING = r'"(?:[^"\\]|\\.)*"'
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "0": "\0"}


def literal(text: str) -> str:
    """A string of Rust's source."""
    text = re.sub(r"\\\n\s*", "", text[1:-1])
    return re.sub(r"\\(.)", lambda m: ESCAPES[m.group(1)], text)


def cases() -> list[tuple[str, str]]:
    """Name and text of each case of the reader's own test."""
    source = (WRONG / "common" / "bad_cases.rs").read_text()
    right = (ROOT / "scenarios/game-call-download.toml").read_text()
    table = source[source.index("const CASES") : source.index("\n];")]
    triple = re.compile(rf"\(\s*({STRING}),\s*({STRING}),\s*({STRING}),?\s*\)", re.DOTALL)
    found = []
    for match in triple.finditer(table):
        name, old, new = map(literal, match.groups())
        assert old in right, name
        found.append((name, right.replace(old, new, 1)))
    more = source[source.index("let others = [") :]
    pair = re.compile(rf"\(({STRING}), ({STRING})\),")
    found += [(literal(a), literal(b)) for a, b in pair.findall(more[: more.index("];")])]
    return found


def test_every_wrong_file_of_the_readers_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = (WRONG / "snapshots/it__bad_scenarios__every_message.snap").read_text().split("---\n", 2)[2]
    expected = dict(re.findall(r"^--- (.*)\n((?:(?!--- ).*\n?)*)", snapshot, re.MULTILINE))
    monkeypatch.chdir(tmp_path)
    found = cases()
    assert len(found) == len(expected) > 200
    for name, text in found:
        Path("home.toml").write_text(text)
        with pytest.raises(airtab.ScenarioError) as caught:
            airtab.Scenario("home.toml")
        assert str(caught.value) == expected[name].rstrip("\n"), name
        problems = caught.value.problems
        shown = [f"{p.file}:{p.line}:{p.column}: {p.message}" if p.line else f"{p.file}: {p.message}" for p in problems]
        said = [line for line in str(caught.value).splitlines() if line.startswith("home.toml")]
        assert shown == said, name
        with pytest.raises(airtab.ScenarioError) as again:
            # A str on one line would be a path.
            airtab.Scenario(text if "\n" in text else text + "\n", name="home.toml")
        assert again.value.problems == problems
        assert pickle.loads(pickle.dumps(again.value)).problems == problems
