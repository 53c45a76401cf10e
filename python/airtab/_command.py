# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""The command ``airtab`` of the wheel: that of the program, less what needs a Linux machine of its own."""

import os
import signal
import sys
from contextlib import ExitStack
from typing import Any

from airtab import _airtab


def main() -> None:
    """Does what the words of the command line ask for."""
    # The program listens for Ctrl-C itself, and `airtab ... | head` ends quietly.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with ExitStack() as stack:

        def join(cluster: str, jobs: int | None) -> Any:
            from airtab import _cluster

            return stack.enter_context(_cluster.joined(cluster, jobs))

        code = _airtab.main(["airtab", *sys.argv[1:]], join)
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
