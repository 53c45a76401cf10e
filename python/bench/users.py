# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""What the package costs beside the command: `make bench-users` (docs/python.md).

Each figure is of a process of its own, so that peaks of memory are its own; the
least of some rounds, package and command in turns. Times are processor time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ROUNDS = 5


def cost(words: list[str]) -> tuple[float, float, str]:
    """Processor time in s and the peak of memory in MB of a process, and what it printed."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, words
        out.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out.read()


def least(rounds: int, *sides: list[str]) -> list[float]:
    """The least time of each side, in turns."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, words in zip(times, sides, strict=True):
            side.append(cost(words)[0])
    return [min(side) for side in times]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


# Rows of a sweep without axes: as many as 2,500 short homes have.
ROWS = """
import time, tempfile, pathlib, airtab, polars
home = airtab.Scenario(airtab.Scenario().toml(), name="home.toml")
made = airtab.compare(home, "chap", 2500, quick=True, cache=False, progress=False)
made.polars()
took = min(time_of() for time_of in [lambda: (t := time.process_time(), made.polars(), time.process_time() - t)[2]] * 5)
print(made.polars().height, took)
"""


def main(airtab: str) -> int:
    """Prints a row for each figure; 1 if a bar is missed."""
    missed = 0

    def row(name: str, value: float, unit: str, bar: float) -> None:
        nonlocal missed
        missed += value > bar
        print(f"{name:52} {value:9.3f} {unit:3} bar {bar:g}{'  MISSED' if value > bar else ''}", flush=True)

    nothing, imported = least(2 * ROUNDS, python("pass"), python("import airtab"))
    row("import", imported - nothing, "s", 0.1)

    # The interpreter and the import are not the run's.
    homes = 5
    run = f"import airtab\nfor seed in range(1, {homes + 1}): airtab.run(None, 'chap', seed, cache=False)"
    words = [airtab, "compare", "--queues", "chap", "--seeds", str(homes), "--no-cache", "--jobs", "1", "--json"]
    mine, told = least(ROUNDS, python(run), words)
    row("a run of the home: added to the command's", 100 * ((mine - imported) / told - 1), "%", 1)

    many = "import airtab\nairtab.compare(None, 'chap', 10_000, quick=True, cache=False, progress=False)"
    words = [airtab, "compare", "--quick", "--queues", "chap", "--seeds", "10000", "--no-cache", "--json"]
    costs = [(cost(python(many)), cost(words)) for _ in range(2)]
    mine, told = (min(pair[i][0] for pair in costs) for i in (0, 1))
    row("10,000 short homes: added to the command's", 100 * ((mine - imported) / told - 1), "%", 3)
    row("10,000 short homes: peak of memory", max(pair[0][1] for pair in costs), "MB", 200)

    rows, took = cost(python(ROWS))[2].split()
    row(f".polars() of {int(rows):,} rows, for 1,000,000", 1000 * float(took) * 1e6 / int(rows), "ms", 50)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
