"""Take a database for writing: lock it, verify it, and recover a damaged one."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import SchartenError
from scharten.store.examine import Examined, examine
from scharten.store.files import StoreLock, locked, store_error
from scharten.store.form import Form
from scharten.store.progress import Progress, silent
from scharten.store.recover import recover


@dataclass(frozen=True, slots=True)
class Held:
    """A database that this program has locked, with the result of its check."""

    path: Path
    lock: StoreLock
    found: Examined


def hold(path: Path, form: Form, progress: Progress = silent, whole: bool | None = None) -> Held:
    """Take a database for writing: lock the real file, verify it, and recover a damaged one.

    `progress` gets a line every two seconds of a recovery. `whole`: verify every row of a large file too.
    `SchartenError` if another program uses the database or it is not of this form; the file then stays untouched.
    """
    path = path.resolve()
    lock = locked(path)
    try:
        found = examine(path, form, whole)
        if found.damage:
            progress(f"{path} is damaged ({found.damage}): its {form.items} are being recovered")
            saved = recover(path, form, found.damage, progress)
            found = replace(found, warning=saved.words, recovered=saved, damage="")
    except (sqlite3.Error, MemoryError, UnicodeDecodeError) as error:
        lock.close()
        raise store_error(path, error, form.naming, SchartenError) from error
    except OSError as error:
        lock.close()
        raise SchartenError.coded("not_recovered", path=path, why=error) from error
    except SchartenError:
        lock.close()
        raise
    return Held(path, lock, found)
