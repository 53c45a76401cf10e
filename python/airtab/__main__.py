# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""``python -m airtab``: the command."""

from airtab._command import main

# Workers of a local cluster read it again.
if __name__ == "__main__":
    main()
