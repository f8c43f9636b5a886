"""Copy everything of a data folder while its programs run: databases, secrets, calibrations, profiles.

A copy is a folder named by its time. It gets its name when every file in it is verified and on the disk; all files
have mode 0600. Pictures, logs and files of running programs are left out.
"""

from __future__ import annotations

import datetime
import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scharten.config import JOURNAL
from scharten.errors import SchartenError
from scharten.journal.form import JOURNAL as JOURNAL_FORM
from scharten.store.copies import check_copy, copy_verified, restore
from scharten.store.files import REFUSALS, locked, mark_of, store_error, sync_file, sync_folder
from scharten.store.form import Form, Naming

CLUB: Final = "club.sqlite3"
ARCHIVE: Final = "archive.sqlite3"
PREFIX, PART = "scharten-", ".part"
FOLDERS: Final = ("profiles", "tls")
LEFT_OUT: Final = ("running.json", "club-running.json", "simulator.json", "simulator.pid", "simulated-board")
LEFT_OUT_ENDS: Final = ("-wal", "-shm", "-mark", ".lock", ".log", PART)
DAILY, WEEKLY = 7, 4
_OTHER: Final = Naming("database")


@dataclass(frozen=True, slots=True)
class Saved:
    """A copy of a data folder: its name, its files with their numbers of rows, and the older copies removed."""

    path: Path
    files: dict[str, int | None]
    pruned: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """The files that were restored, and the folder with the files that they replaced."""

    files: tuple[str, ...]
    kept: Path | None


def back_up_folder(data: Path, folder: Path, now: datetime.datetime | None = None) -> Saved:
    """Copy a data folder into a new folder below `folder`, and remove copies that are too old."""
    now = now or datetime.datetime.now()
    names = list(_files(data)) if data.is_dir() else []
    if not names:
        raise SchartenError.coded("nothing_to_copy", folder=data)
    goal = _free(folder / f"{PREFIX}{now:%Y%m%d-%H%M%S}")
    draft = goal.with_name(goal.name + PART)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f"{PREFIX}*{PART}"):
            shutil.rmtree(left)
        draft.mkdir(mode=0o700)
        try:
            files = {name: _copy(data / name, draft / name) for name in names}
            draft.replace(goal)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        sync_folder(folder)
        return Saved(goal, files, tuple(_prune(folder, now)))
    except (sqlite3.Error, OSError, MemoryError) as error:
        raise store_error(goal, error, _OTHER, SchartenError) from error


def restore_folder(copy: Path, data: Path) -> Restored:
    """Restore a copy of a data folder; the replaced files stay beside it. Its programs must not run.

    Every database of the copy is verified before anything changes.
    """
    names = sorted(_files(copy))
    if not names:
        raise SchartenError.coded("no_copies", folder=copy)
    databases = {name: _form(copy / name) for name in names if name.endswith(".sqlite3")}
    for name, form in databases.items():
        check_copy(copy / name, form) if form else _check_other(copy / name)
    data.mkdir(parents=True, exist_ok=True)
    locks = [locked(data / name) for name, form in databases.items() if form]
    for lock in locks:
        lock.close()
    kept = next(
        path for number in itertools.count(1) if not (path := data / f"before-restore-{number}").exists()
    )
    try:
        for name in names:
            form = databases.get(name)
            if form is not None:
                restore(copy / name, data / name, form)
            else:
                _exchange(copy / name, data / name, kept / name)
        sync_folder(data)
    except REFUSALS as error:
        raise store_error(data, error, _OTHER, SchartenError) from error
    return Restored(tuple(names), kept if kept.exists() else None)


def _files(folder: Path) -> Iterator[str]:
    """The names of the files to copy, below the folder."""
    for path in sorted((*folder.glob("*"), *(path for name in FOLDERS for path in folder.glob(f"{name}/*")))):
        hidden = path.name.startswith(".") or path.name in LEFT_OUT or path.name.endswith(LEFT_OUT_ENDS)
        kept = any(f".{word}-" in path.name for word in ("broken", "before-restore", "foreign", "old"))
        if path.is_file() and not path.is_symlink() and not hidden and not kept:
            yield str(path.relative_to(folder))


def _form(path: Path) -> Form | None:
    """The form of a database, None for one of another kind."""
    if path.name == CLUB:
        from scharten.club.form import CLUB as FORM  # noqa: PLC0415  (a board alone needs none of it)

        return FORM
    if path.name == ARCHIVE:
        from scharten.archive.form import ARCHIVE as ARCHIVE_FORM  # noqa: PLC0415
        from scharten.archive.form import is_unchained  # noqa: PLC0415

        return None if is_unchained(path) else ARCHIVE_FORM
    return JOURNAL_FORM if path.name == JOURNAL else None


def _copy(path: Path, goal: Path) -> int | None:
    """Copy a file durably; return the number of rows of a database with a chain."""
    goal.parent.mkdir(mode=0o700, exist_ok=True)
    rows = None
    if path.suffix == ".sqlite3":
        form = _form(path)
        if form is not None:
            rows = copy_verified(path, goal, form)
        else:
            _copy_other(path, goal)
    else:
        shutil.copyfile(path, goal)
    for part in (goal, mark_of(goal)):
        if part.exists():
            part.chmod(0o600)
            sync_file(part)
    sync_folder(goal.parent)
    return rows


def _copy_other(path: Path, goal: Path) -> None:
    with (
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as db,
        closing(sqlite3.connect(goal)) as copy,
    ):
        db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    _check_other(goal)


def _check_other(path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    except sqlite3.DatabaseError:
        sound = False
    if not sound:
        raise SchartenError.coded("copy_damaged", path=path)


def _exchange(copy: Path, path: Path, kept: Path) -> None:
    """Put a copied file in place; what was there moves to `kept`."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    draft = path.with_name(path.name + PART)
    shutil.copyfile(copy, draft)
    draft.chmod(0o600)
    sync_file(draft)
    for part in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        if part.exists():
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.rename(kept.with_name(part.name))
    draft.replace(path)


def _free(path: Path) -> Path:
    return next(
        name
        for number in itertools.count(1)
        if not (name := path if number == 1 else path.with_name(f"{path.name}-{number}")).exists()
    )


def _prune(folder: Path, now: datetime.datetime) -> Iterator[Path]:
    """Remove and yield all copies but the newest of each of the last seven days and four weeks with copies."""
    copies: list[tuple[datetime.datetime, Path]] = []
    for path in folder.glob(f"{PREFIX}*"):
        try:
            when = datetime.datetime.strptime(path.name.removeprefix(PREFIX)[:15], "%Y%m%d-%H%M%S")
        except ValueError:
            continue
        if path.is_dir() and not path.name.endswith(PART):
            copies.append((when, path))
    copies.sort(reverse=True)
    kept: set[Path] = {path for when, path in copies if when > now}
    for most, period in ((DAILY, "%Y%m%d"), (WEEKLY, "%G%V")):
        newest: dict[str, Path] = {}
        for when, path in copies:
            newest.setdefault(when.strftime(period), path)
        kept |= set(itertools.islice(newest.values(), most))
    for _, path in copies:
        if path not in kept:
            shutil.rmtree(path)
            yield path


def newest_copy(folder: Path) -> float | None:
    """The time at which the newest copy in a folder was made; None without a copy."""
    made = [path.stat().st_mtime for path in folder.glob(f"{PREFIX}*") if path.suffix != PART]
    return max(made, default=None)
