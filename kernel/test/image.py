# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""The guest's root file system: cpio archives that the kernel unpacks one after
the other (Documentation/driver-api/early-userspace/buffer-format.rst).

`tools`: programs of this host with the libraries they load. `modules`: drivers
of the guest's kernel with what they depend on. `tests`: scripts, programs and
modules under test. Each is written to DIR/NAME-HASH.cpio, HASH being of all
that is in it, and made again only when that changes.

What this is not: no file system of the host is mounted in the guest.
"""

import hashlib
import lzma
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path


class ImageError(Exception):
    """Something that the image needs is not on this host."""


def newc(entries):
    """A `newc` cpio archive of {path: (mode, bytes)}, folders added."""
    folders = {str(p) for path in entries for p in list(Path(path).parents)[:-1]}
    every = {folder: (stat.S_IFDIR | 0o755, b"") for folder in folders} | entries
    out = bytearray()
    for inode, path in enumerate(sorted(every), 1):
        _record(out, inode, path, *every[path])
    _record(out, 0, "TRAILER!!!", 0, b"")
    return bytes(out) + bytes(-len(out) % 512)


def _record(out, inode, path, mode, data):
    name = path.encode() + b"\0"
    # ino mode uid gid nlink mtime size dev(2) rdev(2) namesize check
    fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
    out += b"070701" + b"".join(b"%08X" % field for field in fields) + name
    out += bytes(-len(out) % 4)
    out += data
    out += bytes(-len(out) % 4)


def layer(folder, name, entries):
    """Path of the archive of {path: (mode, bytes)}."""
    digest = hashlib.sha256()
    for path in sorted(entries):
        mode, data = entries[path]
        digest.update(f"{path}\0{mode}\0{len(data)}\0".encode() + data)
    archive = folder / f"{name}-{digest.hexdigest()[:16]}.cpio"
    if not archive.exists():
        for old in folder.glob(f"{name}-*"):
            old.unlink()
        folder.mkdir(parents=True, exist_ok=True)
        fresh = archive.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(newc(entries))
        fresh.rename(archive)
    return archive


def read(path, mode=None):
    """The entry for a file of this host."""
    return (stat.S_IFREG | (mode or path.stat().st_mode & 0o777), path.read_bytes())


def link(target):
    return (stat.S_IFLNK | 0o777, target.encode())


def _libraries(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return set(re.findall(r"(/\S+) \(0x", listed))


def tools(programs):
    """Entries for programs of this host, in bin/, with their libraries."""
    entries, libraries, missing = {}, set(), []
    for name in programs:
        found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
        if not found:
            missing.append(name)
            continue
        real = Path(found).resolve()
        entries[f"bin/{Path(name).name}"] = read(real, 0o755)
        libraries |= _libraries(real)
    if missing:
        raise ImageError(f"not on this host: {', '.join(missing)}; tools/require guest installs them")
    for library in libraries:
        entries[library.lstrip("/")] = read(Path(library).resolve(), 0o755)
    return entries


def modules(tree, release, names):
    """Entries for modules of the kernel unpacked in `tree`, and theirs."""
    root = tree / "lib" / "modules" / release
    if not (root / "modules.dep").exists():
        subprocess.run(["depmod", "-b", tree, release], check=True)
    depends = {}
    for line in (root / "modules.dep").read_text().splitlines():
        path, _, needs = line.partition(":")
        depends[path] = needs.split()
    by_name = {Path(path).name.split(".ko")[0].replace("-", "_"): path for path in depends}
    builtin = {Path(path).stem.replace("-", "_")
               for path in (root / "modules.builtin").read_text().split()}
    wanted = set()
    for name in names:
        if name in by_name:
            wanted |= {by_name[name], *depends[by_name[name]]}
        elif name not in builtin:
            raise ImageError(f"Linux {release} has no module {name}")
    entries = {}
    for path in wanted:
        mode, data = read(root / path, 0o644)
        if path.endswith(".xz"):
            path, data = path[:-3], lzma.decompress(data)
        entries[f"lib/modules/{release}/{path}"] = (mode, data)
    for index in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        entries[f"lib/modules/{release}/{index}"] = read(root / index)
    return _with_index(release, entries)


def _with_index(release, entries):
    """modules.dep and what else modprobe reads, for just these modules."""
    with tempfile.TemporaryDirectory() as scratch:
        for path, (_, data) in entries.items():
            file = Path(scratch, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        subprocess.run(["depmod", "-b", scratch, release], check=True)
        for file in Path(scratch, "lib/modules", release).glob("modules.*"):
            entries[f"lib/modules/{release}/{file.name}"] = read(file, 0o644)
    return entries
