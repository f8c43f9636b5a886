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
    throws: int = 6
    """At rendered boards; after each second one a hand takes the darts out."""


SHORT = Size(cuts=1, unplugs=3, turns=20, throws=2)
Row = Callable[[Machine, Size], Finding]
