"""Check a journal at the start, and take it for writing (`store/examine.py`)."""

from __future__ import annotations

from pathlib import Path

from scharten.journal.form import JOURNAL
from scharten.store import examine as store
from scharten.store.examine import Examined, Held
from scharten.store.progress import Progress, silent


def hold(path: Path, progress: Progress = silent) -> Held:
    """Take a journal for writing: lock the real file, verify it, and recover a damaged one."""
    return store.hold(path, JOURNAL, progress)


def examine(path: Path, whole: bool | None = None) -> Examined:
    """Check a journal without changing it; `SchartenError` if it is not ours or of a newer program."""
    return store.examine(path, JOURNAL, whole)
