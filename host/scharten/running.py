"""What the daemon leaves for others on this machine: where it serves, and when an input passed which stage."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from scharten.match.inputs import Input, Reading, receipt_of


def now_ms() -> int:
    """The host's Unix time in ms."""
    return time.time_ns() // 1_000_000


def write_running(folder: Path, told: Mapping[str, object]) -> Callable[[], None]:
    """Say in running.json where this daemon serves, for tools of the same user; gives what removes it again."""
    path = folder / "running.json"
    draft = folder / f".{path.name}.{os.getpid()}"
    draft.write_text(json.dumps({"pid": os.getpid(), **told}))
    draft.replace(path)
    return lambda: path.unlink(missing_ok=True)


class StageTrace:
    """A file with the moments at which each input passed each stage, in ns of the steady clock, for `make bench`."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)
        self._stages: dict[str, int] = {}

    def note(self, stage: str, given: Input) -> None:
        """One stage passed; the last one writes the line."""
        if stage == "taken":
            self._stages = {}
        self._stages[stage] = time.monotonic_ns()
        if stage == "finished":
            receipt = receipt_of(given)
            kind = type(given.what if isinstance(given, Reading) else given).__name__
            number = receipt.number if receipt else None
            self._file.write(json.dumps({"kind": kind, "seq": number, **self._stages}) + "\n")
