"""Power cuts of several runs of `make machine`, joined into one line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lab.machine.size import Size
from lab.machine.storage import power_cut


@dataclass
class Machine:
    """A machine that must not start, because every power cut is kept."""

    image: Any
    accelerator: str = "tcg"

    def prepare_booted(self) -> None:
        """It is prepared."""


def cut(number: int, **changed: object) -> str:
    """One line of the file of power cuts."""
    row = {"accelerator": "tcg", "number": number, "lost": 0, "doubled": 0, "refused": 0}
    row |= {"again_s": 80.0, "slower": 20.0, "survived": 1, "gone": 2, "date": "2026-11-27"}
    return json.dumps(row | changed)


def test_power_cuts_of_all_runs_make_one_line(tmp_path: Path) -> None:
    """Each kept power cut counts once, and one that lost a dart still shows; another accelerator's do not count."""
    lines = [cut(0, again_s=300.0), cut(1, lost=1), cut(2, doubled=1, refused=1, date="2026-11-28")]
    (tmp_path / "power-cuts.jsonl").write_text("\n".join([*lines, cut(2, accelerator="kvm")]))
    machine: Any = Machine(SimpleNamespace(folder=tmp_path))
    found = power_cut(machine, Size(cuts=3))
    assert (found.tries, found.lost, found.doubled, found.refused) == (3, 1, 1, 1)
    assert found.again_s == [300.0, 80.0, 80.0]
    assert "6 unflushed sectors lost, 3 kept; 1 times a whole boot, at most 300 s" in found.note
    assert (
        "20 times slower than its host: there p50 4 s, at most 15 s (aim 20 s); 2026-11-27 and 2026-11-28"
        in found.note
    )
    assert power_cut(machine, Size(cuts=1)).tries == 1
