# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Boots one guest and follows what it says until it is down.

The guest has two serial ports: the first is the kernel's console and goes to a
file, the second carries the tests' lines. Acceleration is always TCG (a /dev/kvm
that opens proves nothing). With one processor the guest's clock counts
instructions, 2 ns each, skipping idle time: whatever else this host does, the
guest never stalls, and what it measures in time repeats. With more of them each
is a thread of this host and the clock is the host's: they do meet in the kernel,
and no time means anything. The processor has RDRAND, so that the kernel's
random numbers are ready at once: before that each of them is dear.

What this is not: no network, no disk, no real time.
"""

import ctypes
import queue
import signal
import subprocess
import threading
import time

EXACT = ["-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off", "-smp", "1"]
UP_SECONDS = 300


class NeverUp(Exception):
    """The guest did not come as far as its init."""


class Hung(Exception):
    """The guest said nothing for longer than it may."""


def _die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run(kernel, archives, arguments, cpus, megabytes, console, allowed):
    """Yields the lines of the guest's second port, stripped. `allowed()` gives
    the seconds that the guest may be silent from now on. Raises NeverUp, Hung."""
    processors = EXACT if cpus == 1 else ["-accel", "tcg,thread=multi", "-smp", str(cpus)]
    initrd = console.with_suffix(".initrd")
    initrd.write_bytes(b"".join(archive.read_bytes() for archive in archives))
    command = [
        "qemu-system-x86_64", *processors, "-m", str(megabytes), "-cpu", "qemu64,+rdrand",
        "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-monitor", "none",
        "-serial", f"file:{console}", "-serial", "stdio",
        "-kernel", str(kernel), "-initrd", str(initrd),
        "-append", f"console=ttyS0 quiet panic=-1 {arguments}",
    ]
    guest = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, preexec_fn=_die_with_parent)
    lines = queue.Queue()
    threading.Thread(target=_read, args=(guest.stdout, lines), daemon=True).start()
    heard, limit = False, UP_SECONDS
    try:
        while True:
            try:
                line = lines.get(timeout=limit)
            except queue.Empty:
                raise (Hung if heard else NeverUp)(f"silent for {limit} s") from None
            if line is None:
                break
            if not heard and not line.startswith("up "):
                continue
            heard = True
            yield line
            limit = allowed()
        if not heard:
            raise NeverUp("qemu ended")
    finally:
        guest.kill()
        guest.wait()
        initrd.unlink()


def _read(stream, lines):
    for line in stream:
        lines.put(line.decode(errors="replace").rstrip())
    lines.put(None)
