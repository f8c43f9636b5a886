"""Resources used by a running process, from `/proc`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def family_cpu_s() -> float:
    """Return the CPU time of this process and of all its descendants."""
    parents: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    family, size = {os.getpid()}, 0
    while len(family) > size:
        size = len(family)
        family |= {number for number, (parent, _) in parents.items() if parent in family}
    return sum(parents[number][1] for number in family if number in parents)


def memory_mb(pid: int) -> float:
    """Return the memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def child_of(pid: int, word: str) -> int:
    """Return the child of a process whose command line has this word; `LookupError` without one."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == pid and word in (folder / "cmdline").read_text().split("\0"):
                return int(folder.name)
        except OSError:  # it has ended
            continue
    raise LookupError(f"process {pid} has no child with {word!r}")
