# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What the functions give is what the command prints and writes, to the bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import airtab
import numpy
import pandas
import polars
import pyarrow.parquet
import pytest
from airtab._results import _number

AIRTAB = Path(sys.executable).with_name("airtab")


def command(*words: str, folder: Path) -> str:
    env = {**os.environ, "AIRTAB_CACHE": str(folder / "cache-of-the-command")}
    done = subprocess.run([AIRTAB, *words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bits(value: object) -> object:
    """The same with numbers by their bits."""
    if isinstance(value, dict):
        return {key: bits(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [bits(inner) for inner in value]
    return value.hex() if isinstance(value, float) else value


@pytest.fixture
def folder(tmp_path: Path, small: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "small.toml").write_text(small)
    monkeypatch.chdir(tmp_path)
    return tmp_path


QUEUES = ["fifo", "chap:limit=70"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_compare(folder: Path, jobs: int) -> None:
    mine = airtab.compare("small.toml", ["fifo", airtab.chap(limit=70)], seeds=3, jobs=jobs, cache=False)
    told = command("compare", "small.toml", "--queues", ",".join(QUEUES), "--seeds", "3", "--json", folder=folder)
    assert mine.json() == told
    assert bits(mine.to_dict()) == bits(json.loads(told))
    assert mine.why() and len(mine.why(short=True)) == 2
    assert "game" in str(mine)


def test_summaries_and_tables(folder: Path) -> None:
    swept = airtab.sweep("small.toml", {"station.laptop.distance": [1, 5]}, ["fifo", "chap"], 3)
    frame = swept.pandas()
    row = next(row for row in swept.summary() if row["metric"] == "game_mos" and row["queue"] == "chap")
    keys = ["station.laptop.distance", "queue", "application", "metric", "mean", "half_width_95"]
    assert list(row) == keys and (row["station.laptop.distance"], row["application"]) == ("1", "game")
    same = (frame["queue"] == "chap") & (frame["metric"] == "game_mos") & (frame["station.laptop.distance"].astype(float) == 1)
    values = frame[same & (frame["application"] == "game")]["value"]
    assert len(values) == 3 and row["mean"] == pytest.approx(values.mean())
    # Student's t for two degrees of freedom.
    assert row["half_width_95"] == pytest.approx(4.302653 * values.std() / 3**0.5, rel=1e-6)
    lines = str(swept).splitlines()
    assert len(lines) == 5 and lines[0].split() == ["station.laptop.distance", "queue", "game,", "MOS", "download,", "Mb/s"]
    assert f"{row['mean']:.3g} ± " in lines[2]
    compared = airtab.compare("small.toml", "fifo", seeds=2)
    for result in (swept, compared):
        assert repr(result) == str(result)
        assert result._repr_html_().startswith("<pre>") and result._repr_html_().endswith("</pre>")
    assert "queue" in compared.summary()[0] and len(compared.summary()) > 9
    many = airtab.sweep("small.toml", {"queue.fifo.limit": list(range(20, 62))}, "fifo", 1)
    assert str(many).endswith("\n2 more rows: summary()\n")
    assert [_number(x, 3) for x in (0.1234, 4.2, 99.96, 1234.5, -21500.0)] == ["0.123", "4.2", "100", "1234", "-21500"]


def test_the_home(folder: Path) -> None:
    mine = airtab.compare(short=True, seeds=2, queues="chap")
    assert mine.json() == command("compare", "--short", "--queues", "chap", "--seeds", "2", "--json", folder=folder)
    with pytest.warns(DeprecationWarning, match="short="):
        assert airtab.compare(quick=True, seeds=2, queues="chap").json() == mine.json()


def test_run(folder: Path) -> None:
    mine = airtab.run("small.toml", "fifo", 7)
    assert mine.json() == command("run", "small.toml", "--queue", "fifo", "--seed", "7", "--json", folder=folder)
    assert mine.to_dict()["seeds"] == [7]


def test_sweep(folder: Path) -> None:
    mine = airtab.sweep("small.toml", {"station.laptop.distance": [1, 5], "queue.fifo.limit": [35]}, ["fifo", "chap"], 2)
    words = ["sweep", "small.toml", "--axis", "station.laptop.distance=1,5", "--axis", "queue.fifo.limit=35"]
    words += ["--queues", "fifo,chap", "--seeds", "2"]
    assert mine.json() == command(*words, "--format", "json", folder=folder)
    mine.save(folder / "mine")
    command(*words, "--out", "told", folder=folder)
    for name in ("results.parquet", "manifest.json"):
        assert (folder / "mine" / name).read_bytes() == (folder / "told" / name).read_bytes(), name
    text = airtab.sweep(
        (folder / "small.toml").read_text(), {"station.laptop.distance": numpy.array([1, 5])}, ["fifo"], range(1, 3)
    )
    assert len(text.to_dict()["points"]) == 2


def test_shards_and_merge(folder: Path) -> None:
    axes = {"station.laptop.distance": [1, 5, 9]}
    whole = airtab.sweep("small.toml", axes, "fifo", 2)
    shards = [airtab.sweep("small.toml", axes, "fifo", 2, shard=(i, 2), packs=f"packs{i}") for i in (1, 2)]
    assert [shard.runs for shard in shards] == [4, 2]
    merged = airtab.sweep("small.toml", axes, "fifo", 2, merge=["packs1", "packs2"])
    assert merged.json() == whole.json()
    with pytest.raises(airtab.CacheError, match="2 are not in these folders"):
        airtab.sweep("small.toml", axes, "fifo", 2, merge=["packs1"])
    with pytest.raises(ValueError, match="no shard 0 of 4"):
        airtab.sweep("small.toml", axes, shard=(0, 4), packs="p")


def test_until(folder: Path) -> None:
    mine = airtab.sweep("small.toml", None, "fifo", until={"game.game_mos": 1e-3}, first=2, most=4)
    words = ["sweep", "small.toml", "--queues", "fifo", "--until", "game.game_mos=0.001", "--first", "2", "--most", "4"]
    assert mine.json() == command(*words, "--format", "json", folder=folder)


def test_experiment(folder: Path) -> None:
    mine = airtab.experiment("chap/worked-example").run(quick=True)
    told = command("experiment", "run", "chap/worked-example", "--quick", "--json", folder=folder)
    assert bits(mine.to_dict()) == bits(json.loads(told)[0])
    assert {check["state"] for check in mine.to_dict()["checks"]} == {"holds"}
    mine.save("out")
    assert (folder / "out/chap/worked-example.html").is_file()


def test_files_of_a_comparison(folder: Path) -> None:
    mine = airtab.compare("small.toml", ["fifo", "chap"], seeds=2)
    mine.save(folder / "mine")
    command("compare", "small.toml", "--queues", "fifo,chap", "--seeds", "2", "--out", "told", folder=folder)
    told = {path.name: path.read_bytes() for path in (folder / "told").iterdir()}
    saved = {path.name: path.read_bytes() for path in (folder / "mine").iterdir()}
    assert set(saved) == set(told) and {"report.html", "results.parquet", "scenario.toml"} <= set(told)
    for name, content in saved.items():
        assert content == told[name], name
    with pytest.raises(OSError, match="small.toml"):
        mine.save("small.toml/below")


@pytest.mark.parametrize(
    ("seeds", "short", "words"),
    [
        ([5, 3], True, "--seeds 5,3 --short"),
        ([7], True, "--seeds 7, --short"),
        (range(1, 3), False, "--seeds 2"),
        ([2, 1], False, "--seeds 2,1"),
    ],
)
def test_what_repeats_a_comparison(folder: Path, seeds: list[int], short: bool, words: str) -> None:
    """The line in the manifest, run where the files are, makes the same."""
    mine = airtab.compare("small.toml", QUEUES, seeds=seeds, short=short)
    mine.save("out")
    line = json.loads((folder / "out/manifest.json").read_text())["command"]
    assert line == f"airtab compare scenario.toml --queues {','.join(QUEUES)} {words}"
    assert command(*line.split()[1:], "--json", folder=folder / "out") == mine.json()


def test_rows(folder: Path) -> None:
    mine = airtab.compare("small.toml", ["fifo", "chap"], seeds=2)
    mine.save("out")
    file = pyarrow.parquet.read_table("out/results.parquet")
    table = mine.arrow()
    assert table.column_names == file.column_names
    assert [list(map(bits, column)) for column in table.to_pydict().values()] == [
        list(map(bits, column)) for column in file.to_pydict().values()
    ]
    frame = mine.polars()
    assert isinstance(frame, polars.DataFrame) and frame.height == table.num_rows > 50
    assert frame["value"].to_list() == table["value"].to_pylist()
    assert isinstance(mine.pandas(), pandas.DataFrame) and len(mine.pandas()) == table.num_rows
    mos = frame.filter((polars.col("metric") == "game_mos") & (polars.col("queue") == "fifo"))
    fifo = mine.to_dict()["queues"][0]["apps"][0]["metrics"]["game_mos"]
    assert mos["value"].to_list() == fifo["values"]


def test_the_cache_is_the_commands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRTAB_CACHE", str(folder / "cache-of-the-command"))
    airtab.compare("small.toml", "fifo", seeds=3)
    env = {**os.environ}
    words = [str(AIRTAB), "compare", "small.toml", "--queues", "fifo", "--seeds", "3", "--json"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert "3 of them are known from before" in done.stderr
    (folder / "file").write_text("")
    with pytest.raises(airtab.CacheError, match="cannot keep runs in file"):
        airtab.compare("small.toml", "fifo", seeds=1, cache="file")
    monkeypatch.setenv("AIRTAB_CACHE", "file")
    with pytest.warns(UserWarning, match="cannot be kept"):
        airtab.compare("small.toml", "fifo", seeds=1)
