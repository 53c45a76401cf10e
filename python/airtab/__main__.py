# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""``python -m airtab``: the command."""

from airtab._command import main

main()
