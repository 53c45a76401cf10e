# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""The kernel that a guest boots, by the name that --kernel gives it.

6.1, 6.12   Debian's, fetched (../debian-kernel)
debug       the one that looks for bugs, built (../debug-kernel)
RELEASE     one of this host, with /lib/modules/RELEASE/build and /boot/vmlinuz-RELEASE
PATH        a build tree with a kernel in it and its modules, if it has any

What this is not: no cross builds; a guest is of this machine's architecture.
"""

import dataclasses
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
SERIES = ["6.1", "6.12"]
DEBUG = "debug"


@dataclasses.dataclass
class Kernel:
    """What is booted, what its modules are built against."""
    name: str  # a folder of BUILD
    release: str
    image: Path
    root: Path  # has lib/modules/RELEASE
    make: list  # arguments of make that choose it


class KernelError(Exception):
    """There is no such kernel, or it cannot be had."""


def find(name):
    """Fetched or built first, where that is how to get it."""
    if name in SERIES:
        root = BUILD / name / "debian"
        release = _run(HERE.parent / "debian-kernel", name, "image", root).split()[-1]
        return Kernel(name, release, root / "boot" / f"vmlinuz-{release}", root, [f"KERNEL={name}"])
    if name == DEBUG:
        _run(HERE.parent / "debug-kernel", BUILD / DEBUG)
        return _of_tree(DEBUG, BUILD / DEBUG / "linux")
    if "/" in name:
        tree = Path(name).resolve()
        return _of_tree(re.sub(r"[^\w.-]", "_", str(tree)[1:]), tree)
    image, tree = Path("/boot", f"vmlinuz-{name}"), Path("/lib/modules", name, "build")
    if not image.exists() or not tree.exists():
        raise KernelError(f"{name} is none of {', '.join(SERIES)}, {DEBUG}, and there is no {image} with {tree}")
    return Kernel(name, name, image, Path("/"), _make(name, tree))


def _make(name, tree):
    return [f"KERNEL={name}", f"TREE={tree}"]


def _of_tree(name, tree):
    image = tree / "arch/x86/boot/bzImage"
    if not image.exists():
        raise KernelError(f"{tree}: no kernel is built there (no {image.relative_to(tree)})")
    release = (tree / "include/config/kernel.release").read_text().strip()
    root = BUILD / name / "installed"
    _run("make", "-s", "-C", tree, "modules_install", f"INSTALL_MOD_PATH={root}")
    return Kernel(name, release, image, root, _make(name, tree))


def _run(*command):
    done = subprocess.run([str(a) for a in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        tail = "\n".join("    " + line for line in done.stdout.splitlines()[-20:])
        raise KernelError(f"{' '.join(map(str, command[:1]))} failed:\n{tail}")
    return done.stdout
