"""Simulated power cuts: the disk's content when everything that was not synced before the cut is lost or torn."""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.programs import shared_library

HEAD = struct.Struct("=BBHIQ")
OPEN, WRITE, TRUNCATE, SYNC, UNLINK, LINE, REPORTED, RENAME, STATE = range(1, 10)
SECTOR = 512


@dataclass(frozen=True)
class Operation:
    """One recorded operation: on a file (`path`, `offset`, `data`), on a serial line or to a player (`data`).

    A new name stands in `data`; a folder is synced like a file.
    """

    op: int
    path: str
    offset: int
    data: bytes


@dataclass
class _File:
    durable: bytearray = field(default_factory=bytearray)
    exists: bool = False
    pending: list[Operation] = field(default_factory=list)


def build(folder: Path) -> Path:
    """Compile the shim into a folder and return the library for LD_PRELOAD."""
    return shared_library(Path(__file__).with_name("cutdisk.c"), folder, "-U_FILE_OFFSET_BITS")


def environment(library: Path, folder: Path, log: Path) -> dict[str, str]:
    """Return the variables under which a program is recorded."""
    return {"LD_PRELOAD": str(library), "CUTDISK_DIR": str(folder.resolve()), "CUTDISK_LOG": str(log)}


def read(log: Path) -> list[Operation]:
    """The recorded operations in order; a record that a kill cut short ends the list."""
    return list(_records(log.read_bytes()))


def _records(raw: bytes) -> Iterator[Operation]:
    at = 0
    while at + HEAD.size <= len(raw):
        op, path_length, _, data_length, offset = HEAD.unpack_from(raw, at)
        start = at + HEAD.size
        at = start + path_length + data_length
        if at > len(raw):
            return
        yield Operation(op, raw[start : start + path_length].decode(), offset, raw[start + path_length : at])


def after_cut(done: Sequence[Operation], folder: Path, chance: random.Random) -> None:
    """Write into `folder` the disk's content after a power cut that follows `done`.

    Synced writes are present. Of the writes after a file's last sync each sector is kept or lost by chance, in any
    order, as in a disk's cache. A file never synced may be missing, and a new name not yet present.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files, renamed = _replayed(done)
    for path, goal, before in reversed(renamed[chance.randint(0, len(renamed)) :]):
        files[path] = files.pop(goal)
        if before is not None:
            files[goal] = before
    for path, file in files.items():
        content = bytearray(file.durable)
        for operation in file.pending:
            _apply_torn(content, operation, chance)
        if file.exists or (content and chance.random() < 0.5):
            (folder / Path(path).name).write_bytes(content)


class AllLost(random.Random):
    """The worst disk: it loses every write that was not synced."""

    def random(self) -> float:
        """Return a number that keeps nothing."""
        return 0.999

    def randint(self, a: int, b: int) -> int:
        """Return a number that keeps every new name."""
        return b


def _replayed(done: Sequence[Operation]) -> tuple[dict[str, _File], list[tuple[str, str, _File | None]]]:
    """Return each file by its name, and the new names that no sync of the folder has made durable: old, new,
    replaced."""
    files: dict[str, _File] = {}
    renamed: list[tuple[str, str, _File | None]] = []
    for item in done:
        if item.op in (LINE, REPORTED, STATE):
            continue
        if item.op == RENAME:
            goal = item.data.decode()
            renamed.append((item.path, goal, files.get(goal)))
            files[goal] = files.pop(item.path)
            continue
        if item.op == SYNC and ".sqlite3" not in Path(item.path).name:
            renamed.clear()
            continue
        file = files.setdefault(item.path, _File())
        if item.op in (WRITE, TRUNCATE):
            file.pending.append(item)
        elif item.op == SYNC:
            for pending in file.pending:
                _apply(file.durable, pending)
            file.pending.clear()
            file.exists = True
        elif item.op == UNLINK:
            files[item.path] = _File()
    return files, renamed


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.op == TRUNCATE:
        del content[operation.offset :]
        content.extend(bytes(operation.offset - len(content)))
        return
    end = operation.offset + len(operation.data)
    content.extend(bytes(max(0, end - len(content))))
    content[operation.offset : end] = operation.data


def _apply_torn(content: bytearray, operation: Operation, chance: random.Random) -> None:
    if operation.op == TRUNCATE:
        if chance.random() < 0.5:
            _apply(content, operation)
        return
    for start in range(0, len(operation.data), SECTOR):
        if chance.random() < 0.5:
            part = operation.data[start : start + SECTOR]
            _apply(content, Operation(WRITE, operation.path, operation.offset + start, part))
