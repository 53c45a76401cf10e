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


BESIDE = """
import time, airtab
tiny = airtab.Scenario('duration = "20ms"\\n[[station]]\\nname = "a"\\n[[app]]\\nname = "g"\\nkind = "game"\\nstation = "a"\\n')
took = []
for seed in range(1, 101):
    begun = time.process_time()
    airtab.run(tiny, "chap", seed, cache=False)
    took.append(time.process_time() - begun)
print(sorted(took)[50])
"""

ROWS = """
import time, airtab
made = airtab.compare(None, "chap", HOMES, short=True, cache=False, progress=False)
made.polars()
took = []
for _ in range(5):
    begun = time.process_time()
    made.polars()
    took.append(time.process_time() - begun)
print(made.polars().height, min(took))
"""


def main(airtab: str, homes: int) -> int:
    """Prints a row for each figure; 1 if a bar is missed. `homes`: how many short ones."""
    missed = 0

    def row(name: str, value: float, unit: str, bar: float) -> None:
        nonlocal missed
        missed += value > bar
        print(f"{name:52} {value:9.3f} {unit:3} bar {bar:g}{'  MISSED' if value > bar else ''}", flush=True)

    nothing, imported = least(2 * ROUNDS, python("pass"), python("import airtab"))
    row("import", imported - nothing, "s", 0.1)

    # The interpreter and the import are not the run's.
    seeds = 2
    run = f"import airtab\nfor seed in range(1, {seeds + 1}): airtab.run(None, 'chap', seed, cache=False)"
    words = [airtab, "compare", "--queues", "chap", "--seeds", str(seeds), "--no-cache", "--jobs", "1", "--json"]
    mine, told = least(3 * ROUNDS, python(run), words)
    row("a run of the home: added to the command's", 100 * ((mine - imported) / told - 1), "%", 1)
    # Where machines differ by more than that from one second to the next, all but the run itself is better told apart.
    beside = float(cost(python(BESIDE))[2])
    row("  of it, all but the simulation", 100 * beside * seeds / told, "%", 1)

    many = f"import airtab\nairtab.compare(None, 'chap', {homes}, short=True, cache=False, progress=False)"
    words = [airtab, "compare", "--short", "--queues", "chap", "--seeds", str(homes), "--no-cache", "--json"]
    costs = [(cost(python(many)), cost(words)) for _ in range(2)]
    mine, told = (min(pair[i][0] for pair in costs) for i in (0, 1))
    row(f"{homes:,} short homes: added to the command's", 100 * ((mine - imported) / told - 1), "%", 3)
    row(f"{homes:,} short homes: peak of memory", max(pair[0][1] for pair in costs), "MB", 200)

    rows, took = cost(python(ROWS.replace("HOMES", str(homes))))[2].split()
    row(f".polars() of {int(rows):,} rows, for 1,000,000", 1000 * float(took) * 1e6 / int(rows), "ms", 50)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
