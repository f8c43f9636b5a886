"""Check a journal at the start, and take it for writing (`store/hold.py`)."""

from __future__ import annotations

from pathlib import Path

from scharten.journal.form import JOURNAL
from scharten.store import examine as checks
from scharten.store import hold as holding
from scharten.store.examine import Examined
from scharten.store.hold import Held
from scharten.store.progress import Progress, silent


def hold(path: Path, progress: Progress = silent) -> Held:
    """Take a journal for writing: lock the real file, verify it, and recover a damaged one."""
    return holding.hold(path, JOURNAL, progress)


def examine(path: Path, whole: bool | None = None) -> Examined:
    """Check a journal without changing it; `SchartenError` if it is not ours or of a newer program."""
    return checks.examine(path, JOURNAL, whole)
