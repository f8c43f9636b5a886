"""Restore a copy of a journal alone (`store/copies.py`)."""

from __future__ import annotations

from pathlib import Path

from scharten.journal.form import JOURNAL
from scharten.store import copies
from scharten.store.copies import Copied


def restore(copy: Path, path: Path) -> Copied:
    """Replace a journal by a copy; the previous journal stays complete beside it under another name."""
    return copies.restore(copy, path, JOURNAL)
