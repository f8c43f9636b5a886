"""The reviews beside the journal, and the turns of those that are being made.

`reviews/MATCH.json` is a review. `reviews/MATCH.turns` has a line for each turn that was split, under a digest of its
own, until the review is whole: a review that was killed goes on behind the last of them.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from scharten.errors import SchartenError
from scharten.game.basics import Side
from scharten.match.digest import digest
from scharten.match.state import Match
from scharten.review.review import VERSION, Splits, as_json, review
from scharten.review.split import Parts
from scharten.store.chain import seal

Progress = Callable[[int, int], object]


def stored_review(
    played: Match,
    folder: Path,
    scatters: tuple[float, float],
    progress: Progress,
    waits: Callable[[], object] = lambda: None,
    splits: Splits | None = None,
) -> dict[str, Any]:
    """Return the stored review of this very game, these scatters, figures and engine, or make and store it.

    `progress` receives the number of turns that are reviewed, and that of all turns. `waits` is called when another
    process is making the review.
    """
    made_of = {"digest": digest(played), "version": VERSION, "scatters": list(scatters)}
    if splits is not None:
        made_of["engine"] = splits.engine
    file = folder / "reviews" / f"{played.id}.json"
    found = _finished(file, made_of)
    try:
        found = found or _made_alone(file, made_of, played, scatters, progress, waits, splits)
    except OSError as error:
        raise SchartenError.coded("unwritable", path=file.parent, why=error.strerror) from error
    for side in Side:
        found[side.word]["name"] = played.name_of(side)
    return found


def _finished(file: Path, made_of: dict[str, Any]) -> dict[str, Any] | None:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        return dict(held["review"]) if held["made_of"] == made_of else None
    except (OSError, ValueError, TypeError, KeyError):
        return None  # a missing or damaged review is made again from the journal


def _made_alone(
    file: Path,
    made_of: dict[str, Any],
    played: Match,
    scatters: tuple[float, float],
    progress: Progress,
    waits: Callable[[], object],
    splits: Splits | None,
) -> dict[str, Any]:
    """Make and store a review when no other process is making it."""
    file.parent.mkdir(exist_ok=True)
    beside = file.with_suffix(".turns")
    with beside.open("ab+") as turns:
        try:
            fcntl.flock(turns, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits()
            fcntl.flock(turns, fcntl.LOCK_EX)
        found = _finished(file, made_of)  # another process may have made it while this one waited
        if found is None:
            found = _make(played, scatters, progress, turns, made_of, splits)
            _write(file, {"made_of": made_of, "review": found})
            beside.unlink(missing_ok=True)
    return found


def _make(
    played: Match,
    scatters: tuple[float, float],
    progress: Progress,
    turns: IO[bytes],
    made_of: dict[str, Any],
    splits: Splits | None,
) -> dict[str, Any]:
    known = _known(turns, made_of)
    done, most = len(known), len(played.turns)
    if known:
        progress(done, most)

    def keep(parts: Parts) -> None:
        nonlocal done
        turns.write(_line(parts.as_row()))
        turns.flush()
        done += 1
        progress(done, most)

    found: dict[str, Any] = json.loads(json.dumps(as_json(review(played, scatters, known, keep, splits))))
    for side in Side:
        found[side.word]["name"] = ""  # a player may be deleted later
    return found


def _known(turns: IO[bytes], made_of: dict[str, Any]) -> list[Parts]:
    """Return the turns of a stopped review of this game; what follows them, or is another review's, is cut off."""
    turns.seek(0)
    if _row(turns.readline()) != made_of:
        turns.truncate(0)
        turns.write(_line(made_of))
        return []
    found, whole = list[Parts](), turns.tell()
    for line in turns:
        row = _row(line)
        if row is None:
            break
        found.append(Parts.from_row(row))
        whole += len(line)
    turns.truncate(whole)
    return found


def _line(row: dict[str, Any]) -> bytes:
    body = json.dumps(row)
    return f"{seal(body)} {body}\n".encode()


def _row(line: bytes) -> dict[str, Any] | None:
    """Return the row of a whole line, None for one that is not as it was written."""
    stored, _, body = line.decode("utf-8", "replace").removesuffix("\n").partition(" ")
    return dict(json.loads(body)) if line.endswith(b"\n") and seal(body) == stored else None


def _write(file: Path, whole: dict[str, Any]) -> None:
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    fresh.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    fresh.replace(file)
