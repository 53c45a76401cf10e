# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Figures show the means and intervals of the results, at their places."""

import sys
from pathlib import Path

import airtab
import matplotlib
import nbclient
import nbformat
import pytest
from airtab import plot

matplotlib.use("Agg")
EXAMPLES = Path(__file__).parents[1] / "examples"


def test_bars(small: str) -> None:
    result = airtab.compare(small, ["fifo", "chap"], seeds=3)
    drawn = plot.bars(result, "game.game_mos")
    queues = result.to_dict()["queues"]
    summaries = [queue["apps"][0]["metrics"]["game_mos"] for queue in queues]
    assert [bar.get_height() for bar in drawn.patches] == [s["mean"] for s in summaries]  # type: ignore[attr-defined]
    whiskers = [whisker.get_segments()[0] for whisker in drawn.collections]  # type: ignore[attr-defined]
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
        assert list(line.get_ydata()) == means
        halves = [point["queues"][i]["apps"][1]["metrics"]["goodput_bits_per_second"]["half_width_95"] for point in points]
        whiskers = [segment[:, 1] for segment in container[2][0].get_segments()]
        assert [(high - low) / 2 for low, high in whiskers] == pytest.approx(halves)
    two = airtab.sweep(small, {"station.laptop.distance": [1, 2], "queue.fifo.limit": [35, 70]}, "fifo", 2)
    with pytest.raises(ValueError, match="name the axis"):
        plot.curves(two, "game.game_mos")
    with pytest.raises(ValueError, match="has 2 values: sweep it alone"):
        plot.curves(two, "game.game_mos", "queue.fifo.limit")
    words = airtab.sweep(small, {"app.game.start": ["1s", "1500ms"]}, "fifo", 1)
    drawn = plot.curves(words, "game.game_mos")
    assert [label.get_text() for label in drawn.get_xticklabels()] == ["1s", "1500ms"]


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.ipynb")))
def test_notebooks(name: str, tmp_path: Path) -> None:
    notebook = nbformat.read(EXAMPLES / name, as_version=4)  # type: ignore[no-untyped-call, unused-ignore]
    assert all(not cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in shown), sys.version
    assert any("runs" in output.get("data", {}).get("text/plain", "") for output in shown), "a bar"
