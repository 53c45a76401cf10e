# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures show the means and intervals of the results, at their places."""

import re
from pathlib import Path

from typing import Any

import airtab
import matplotlib
import nbclient
import nbformat
import pytest
from airtab import _figures, disciplines, plot

matplotlib.use("Agg")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python/examples"


def test_a_disciplines_colour_is_that_of_other_figures() -> None:
    css = (ROOT / "crates/airtab-lab/src/draw/draw.css").read_text()
    light = re.findall(r"\.d(\d) \{ color: (#\w+); \}", css)[: len(_figures.COLOURS)]
    assert [colour for _, colour in light] == list(_figures.COLOURS)
    names = [table["name"] for table in disciplines.tables()]
    looks = _figures.looks(names)
    assert len(set(looks)) == len(names), "each has its own look"
    assert [look.colour for look in looks[:6]] == list(_figures.COLOURS)
    kin = _figures.looks(["fifo", "chap", "chap:limit=70"])
    assert kin[1].colour == kin[2].colour == looks[names.index("chap")].colour
    assert kin[1].dash != kin[2].dash


def test_bars(small: str) -> None:
    result = airtab.compare(small, ["fifo", "chap"], seeds=3)
    drawn = plot.bars(result, "game.game_mos")
    queues = result.to_dict()["queues"]
    summaries = [queue["apps"][0]["metrics"]["game_mos"] for queue in queues]
    assert [bar.get_height() for bar in drawn.patches] == [s["mean"] for s in summaries]
    assert (drawn.get_title(), drawn.get_ylabel()) == ("game", "MOS"), "as the report calls it"
    whiskers = [whisker.get_segments()[0] for whisker in drawn.collections]
    for ((_, low), (_, high)), s in zip(whiskers, summaries, strict=True):
        assert (high - low) / 2 == pytest.approx(s["half_width_95"])
    with pytest.raises(ValueError, match="no application 'gmae'; did you mean 'game'"):
        plot.bars(result, "gmae.game_mos")
    with pytest.raises(ValueError, match="no metric 'mos'"):
        plot.bars(result, "game.mos")
    with pytest.raises(ValueError, match="is no figure such as"):
        plot.bars(result, "game_mos")


def test_curves(small: str) -> None:
    result = airtab.sweep(small, {"station.laptop.distance": [9, 1]}, ["fifo", "chap"], 2)
    drawn = plot.curves(result, "download.goodput_bits_per_second")
    points = result.to_dict()["points"]
    for i, container in enumerate(drawn.containers):
        line = container[0]
        assert list(line.get_xdata()) == [9.0, 1.0]
        means = [point["queues"][i]["apps"][1]["metrics"]["goodput_bits_per_second"]["mean"] for point in points]
        assert list(line.get_ydata()) == pytest.approx([mean / 1e6 for mean in means]), "Mb/s"
        halves = [point["queues"][i]["apps"][1]["metrics"]["goodput_bits_per_second"]["half_width_95"] for point in points]
        whiskers = [segment[:, 1] for segment in container[2][0].get_segments()]
        assert [(high - low) / 2 for low, high in whiskers] == pytest.approx([half / 1e6 for half in halves])
    assert (drawn.get_title(), drawn.get_ylabel()) == ("download", "Mb/s")
    two = airtab.sweep(small, {"station.laptop.distance": [1, 2], "queue.fifo.limit": [35, 70]}, "fifo", 2)
    with pytest.raises(ValueError, match="name the axis"):
        plot.curves(two, "game.game_mos")
    with pytest.raises(ValueError, match="has 2 values: sweep it alone"):
        plot.curves(two, "game.game_mos", "queue.fifo.limit")
    words = airtab.sweep(small, {"app.game.start": ["1s", "1500ms"]}, "fifo", 1)
    drawn = plot.curves(words, "game.game_mos")
    assert [label.get_text() for label in drawn.get_xticklabels()] == ["1s", "1500ms"]


def rows(chart: Any) -> list[dict[str, Any]]:
    """The data of a chart of altair, which is checked against the schema of Vega-Lite first."""
    spec = chart.to_dict()
    values: list[dict[str, Any]] = spec["data"]["values"]
    return values


def test_altair(small: str) -> None:
    compared = airtab.compare(small, ["fifo", "chap"], seeds=3)
    summaries = [queue["apps"][0]["metrics"]["game_mos"] for queue in compared.to_dict()["queues"]]
    chart = plot.bars(compared, "game.game_mos", backend="altair")
    assert [row["mean"] for row in rows(chart)] == [s["mean"] for s in summaries]
    assert [row["high"] - row["low"] for row in rows(chart)] == pytest.approx([2 * s["half_width_95"] for s in summaries])
    assert chart.to_dict()["title"] == "game"
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["title"] == "MOS"
    scale = chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    assert colours == {label: look.colour for label, look in zip(["fifo", "chap"], _figures.looks(["fifo", "chap"]))}
    swept = airtab.sweep(small, {"app.game.start": ["1s", "1500ms"]}, ["fifo", "chap"], 2)
    chart = plot.curves(swept, "game.game_mos", backend="altair")
    points = swept.to_dict()["points"]
    means = [p["queues"][i]["apps"][0]["metrics"]["game_mos"]["mean"] for i in (0, 1) for p in points]
    assert [(row["x"], row["mean"]) for row in rows(chart)] == list(zip(["1s", "1500ms"] * 2, means, strict=True))
    assert rows(plot.courses(compared, "download.received", backend="altair"))[0]["queue"] == "fifo"
    asked: list[tuple[dict[str, Any], str]] = [({"backend": "gnuplot"}, "neither"), ({"backend": "altair", "axes": object()}, "matplotlib's")]
    for wrong, said in asked:
        with pytest.raises(ValueError, match=said):
            plot.bars(compared, "game.game_mos", **wrong)


def test_courses(small: str) -> None:
    compared = airtab.compare(small, ["fifo", "chap"], seeds=[4, 5])
    data = compared.courses()
    assert (data["seed"], data["step_s"]) == (4, 0.1)
    drawn = plot.courses(compared, "download.received")
    for line, queue in zip(drawn.lines, data["queues"], strict=True):
        rates = queue["apps"][1]["received"]
        assert list(line.get_ydata()) == [rate / 1e6 for rate in rates]
        assert list(line.get_xdata()) == pytest.approx([0.1 * (i + 1) for i in range(40)])
        # The part that is measured holds what the comparison says of that seed.
        measured = sum(rates[10:]) / 30
        column = next(q for q in compared.to_dict()["queues"] if q["label"] == queue["label"])
        throughput = column["apps"][1]["metrics"]["throughput_bits_per_second"]["values"][0]
        assert throughput == pytest.approx(measured, rel=1e-12)
    with pytest.raises(ValueError, match="no course 'sent' .*received, uploaded"):
        plot.courses(compared, "download.sent")
    with pytest.raises(ValueError, match="no application 'downlaod'; did you mean 'download'"):
        plot.courses(compared, "downlaod.received")


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_notebooks(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLES / name, as_version=4)  # type: ignore[no-untyped-call, unused-ignore]
    assert all(not cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert any(kind == "image/png" or kind.startswith("application/vnd.vegalite") for kind in kinds), kinds
    assert any("runs" in output.get("data", {}).get("text/plain", "") for output in shown), "a bar"
