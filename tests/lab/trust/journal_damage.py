"""Damage to the files of a journal: flipped bits, truncations, zeroed sectors, missing files, each before a start."""

from __future__ import annotations

import itertools
import random
import shutil
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lab.trust.rows import Fault, show_progress
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.examine import hold
from scharten.journal.form import JOURNAL
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.journal.replay import going_on
from scharten.match.digest import digest
from scharten.store.chain import rechain
from scharten.store.files import mark_of, parts_of
from scharten.store.recover import mark_the_end

EVENING = Path(__file__).parents[2] / "journal" / "kept" / "schema3-evening.sqlite3"
NAME = "scharten.sqlite3"
PAGE = 4096
MOST_S = 5.0
KINDS = ("flip", "truncated", "zeroed", "missing")


@dataclass(frozen=True)
class Damage:
    """One damage to one file; `at` is a byte, `bit` the flipped one."""

    kind: str
    file: str
    at: int
    bit: int = 0


def killed_evening(folder: Path) -> str:
    """Write a journal as a kill leaves it, half of it checkpointed; return the digest of its game."""
    source = JournalReader(EVENING)
    made = folder / "made" / NAME
    journal = Journal(made)
    for number, row in enumerate(_rows(source)):
        if number == 20:
            journal.close()
            journal = Journal(made)
        journal.append(row)
    source.close()
    kept = folder / "kept"
    kept.mkdir()
    for part in parts_of(made):
        shutil.copy(part, kept / part.name)
    journal.close()
    return _played(kept / NAME)


def _rows(source: JournalReader) -> list[Record]:
    return [
        Record(match.id, row.t_ms, row.body, row.events, row.digest, match.start, match.summary)
        for match in source.matches()
        for row in source.inputs(match.id)
    ]


def damages(folder: Path, many: int, seed: int, database: str = NAME) -> list[Damage]:
    """Yield each missing file once, and other damage by chance, as often in small files as in large ones."""
    chance = random.Random(seed)
    names = [part.name for part in parts_of(folder / "kept" / database)]
    made = [Damage("missing", name, 0) for name in names]
    while len(made) < many:
        name = chance.choice(names)
        size = (folder / "kept" / name).stat().st_size
        kind = chance.choices(KINDS[:3], (8, 1, 1))[0]
        made.append(Damage(kind, name, chance.randrange(size), chance.randrange(8)))
    return made[:many]


def happens(damage: Damage, folder: Path, database: str = NAME) -> Path:
    """Write a fresh copy of the files and damage it; return the journal's path."""
    place = folder / "damaged"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / "kept", place)
    file = place / damage.file
    content = bytearray(file.read_bytes())
    match damage.kind:
        case "missing":
            file.unlink()
            return place / database
        case "flip":
            content[damage.at] ^= 1 << damage.bit
        case "truncated":
            del content[damage.at :]
        case "zeroed":
            start = damage.at // 512 * 512
            content[start : start + 512] = bytes(len(content[start : start + 512]))
    file.write_bytes(content)
    return place / database


def started(path: Path, sound: str) -> str:
    """Return the result of a start: `sound` (the same game), `recovered`, `reported`, `refused` (message), or
    `silent`: harm."""
    try:
        held = hold(path)
        held.lock.close()
        played = _played(path)
    except SchartenError as error:
        return "refused" if error.message and error.cure else "silent"
    if held.found.warning:
        return "recovered" if played == sound else "reported"
    return "sound" if played == sound else "silent"


def fuzzed(folder: Path, many: int, seed: int = 0) -> Fault:
    """Databases with up to 64 wrong bytes, exchanged pages or foreign ones, with their mark and without: a start plays
    the same game, recovers, or refuses in words, and takes no longer than `MOST_S`."""
    folder.mkdir(parents=True, exist_ok=True)
    sound = killed_evening(folder)
    chance = random.Random(seed)
    came: Counter[str] = Counter()
    slowest = 0.0
    for number in range(many):
        path = _fuzz(folder, chance)
        began = time.process_time()
        try:
            what = started(path, sound)
        except Exception as error:
            what = "silent"
            show_progress(f"fuzzed database {number} of seed {seed}: {error!r}")
        if what == "silent":
            show_progress(f"silent: fuzzed database {number} of seed {seed}")
        slowest = max(slowest, time.process_time() - began)
        came[what] += 1
    shown = ", ".join(f"{came[item]:,} {item}" for item in ("sound", "recovered", "reported", "refused"))
    harm = came["silent"] + (slowest > MOST_S)
    words = f"{shown}; at most {slowest:.1f} s (aim {MOST_S:.0f} s)"
    return Fault("journal: fuzzed databases", many, many - harm, lost=came["silent"], figure=words)


def _fuzz(folder: Path, chance: random.Random) -> Path:
    path = happens(Damage("none", NAME, 0), folder)
    for file in chance.sample(parts_of(path), chance.randint(1, 2)):
        content = bytearray(file.read_bytes())
        pages = len(content) // PAGE
        way = chance.random()
        if way < 0.2 and pages > 1:
            first, two = (chance.randrange(pages) * PAGE for _ in range(2))
            content[first : first + PAGE], content[two : two + PAGE] = (
                content[two : two + PAGE],
                content[first : first + PAGE],
            )
        elif way < 0.3 and pages:
            at = chance.randrange(pages) * PAGE
            content[at : at + PAGE] = chance.randbytes(PAGE)
        else:
            for _ in range(chance.choice((1, 4, 64))):
                content[chance.randrange(min(len(content), chance.choice((100, 1 << 30))))] = (
                    chance.randrange(256)
                )
        file.write_bytes(content)
    if chance.random() < 0.5:
        mark_of(path).unlink()
    return path


def _played(path: Path) -> str:
    if not path.exists():
        return "nothing"
    reader = JournalReader(path)
    try:
        match = going_on(reader, GAMES_BY_KEY)
    finally:
        reader.close()
    return digest(match) if match else "nothing"


def damaged(folder: Path, many: int, seed: int = 0) -> Fault:
    """Damage a journal this many times. A start that plays something else without a message counts as lost."""
    folder.mkdir(parents=True, exist_ok=True)
    sound = killed_evening(folder)
    came: Counter[str] = Counter()
    for number, damage in enumerate(damages(folder, many, seed)):
        what = started(happens(damage, folder), sound)
        came[what] += 1
        if what == "silent":
            show_progress(f"silent: {damage}")
        if number % 1000 == 999:
            show_progress(f"{number + 1} damages: {dict(came)}")
    shown = ", ".join(f"{came[item]:,} {item}" for item in ("sound", "recovered", "reported", "refused"))
    return Fault(
        "journal: flips, cuts, zeroes, missing files",
        many,
        many - came["silent"],
        lost=came["silent"],
        figure=shown,
    )


def changed(folder: Path, many: int, seed: int = 0) -> Fault:
    """Change one value of a stored row, so that no page is damaged and the game's digest need not notice."""
    folder.mkdir(parents=True, exist_ok=True)
    killed_evening(folder)
    chance = random.Random(seed)
    silent = 0
    for _ in range(many):
        path = happens(Damage("none", NAME, 0), folder)
        column = chance.choice(("t_ms = t_ms + 1", "events = events || ' '", "body = body || ' '", "seq = 7"))
        with closing(sqlite3.connect(path)) as db:
            last = db.execute("SELECT max(n) FROM inputs").fetchone()[0]
            db.execute(f"UPDATE inputs SET {column} WHERE n = ?", (chance.randint(1, last),))
            db.commit()
        try:
            held = hold(path)
            held.lock.close()
            silent += not held.found.warning
        except SchartenError:
            pass  # refused in words
    return Fault("journal: a value of a row changed", many, many - silent, lost=silent)


def cut(folder: Path, many: int, seed: int = 0) -> Fault:
    """Delete the last rows and keep the mark: only the mark can show that a valid chain lost its end."""
    folder.mkdir(parents=True, exist_ok=True)
    killed_evening(folder)
    chance = random.Random(seed)
    silent = 0
    for _ in range(many):
        path = happens(Damage("none", NAME, 0), folder)
        with closing(sqlite3.connect(path)) as db:
            last = db.execute("SELECT max(n) FROM inputs").fetchone()[0]
            db.execute("DELETE FROM inputs WHERE n > ?", (last - chance.randint(1, 5),))
            db.commit()
        held = hold(path)
        held.lock.close()
        found = held.found.recovered
        silent += found is None or not found.lost
    return Fault("journal: its last rows are missing", many, many - silent, lost=silent)


def foreign(folder: Path, many: int, seed: int = 0) -> Fault:
    """Put another valid journal under the mark: only the mark can show the exchange."""
    folder.mkdir(parents=True, exist_ok=True)
    killed_evening(folder)
    chance = random.Random(seed)
    silent = 0
    for _ in range(many):
        path = happens(Damage("none", NAME, 0), folder)
        _rewrite(path, "UPDATE inputs SET t_ms = ?", chance.randint(1, 10**9))
        try:
            held = hold(path)
            held.lock.close()
            silent += not held.found.warning
        except SchartenError:
            pass  # refused in words
    return Fault("journal: a file of another evening", many, many - silent, lost=silent)


def digests(folder: Path, many: int, seed: int = 0) -> Fault:
    """Give a step another digest in a valid chain, as a program with other rules would: a start refuses the game."""
    folder.mkdir(parents=True, exist_ok=True)
    sound = killed_evening(folder)
    chance = random.Random(seed)
    silent = 0
    for _ in range(many):
        path = happens(Damage("none", NAME, 0), folder)
        number = chance.choice(_steps_of_the_game(path))
        _rewrite(path, "UPDATE inputs SET digest = 'x' WHERE n = ?", number)
        mark_the_end(path, JOURNAL)
        silent += started(path, sound) != "refused"
    return Fault("journal: a step with another digest", many, many - silent, lost=silent)


def _steps_of_the_game(path: Path) -> list[int]:
    """Return the numbers of the rows that changed the current game."""
    query = "SELECT n, digest FROM inputs WHERE match = (SELECT match FROM going_on) ORDER BY n"
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(query).fetchall()
    return [n for (_, earlier), (n, later) in itertools.pairwise(rows) if earlier != later]


def _rewrite(path: Path, statement: str, value: int) -> None:
    """Change rows and chain all of them again, in one file without a log."""
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement, (value,))
        rechain(db, JOURNAL)
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
