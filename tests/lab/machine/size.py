"""The size of a run of `make machine`, and the type of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.machine.evening import Finding
from lab.machine.qemu import Machine

OUT_S = 4.0
"""The time in s for which a cable stays unplugged."""


@dataclass(frozen=True)
class Size:
    """The size of a run."""

    cuts: int = 50
    unplugs: int = 20
    turns: int = 80


SHORT = Size(cuts=1, unplugs=3, turns=40)
Row = Callable[[Machine, Size], Finding]
