"""Copy a journal while the daemon runs, and restore a copy (`store/copies.py`)."""

from __future__ import annotations

from pathlib import Path

from scharten.journal.form import JOURNAL
from scharten.store import copies
from scharten.store.copies import Copied


def back_up(path: Path, folder: Path) -> Copied:
    """Copy a journal into a folder under a name with the time of day; `SchartenError` if that fails."""
    return copies.back_up(path, folder, JOURNAL)


def restore(copy: Path, path: Path) -> Copied:
    """Replace a journal by a copy; the previous journal stays complete beside it under another name."""
    return copies.restore(copy, path, JOURNAL)
