"""A start with a very long journal: a million inputs of earlier games, or one game with 500,000 idle readings."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from lab.trust.rows import Held
from scharten.games import GAMES_BY_KEY
from scharten.journal.examine import hold
from scharten.journal.form import JOURNAL, match_seal
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.journal.replay import going_on
from scharten.match.codec import encode_input
from scharten.match.inputs import Knock, Reading, Receipt
from scharten.store import chain
from scharten.store.files import connect, mark_of
from scharten.store.mark import MarkFile

EVENING = Path(__file__).parents[2] / "journal" / "kept" / "schema4-evening.sqlite3"
AIM_S = 2.0
KNOCKS = 20_000
ONE_GAME_S, RECOVERY_S = 1.0, 10.0


def start(folder: Path, inputs: int, knocks: int = KNOCKS) -> Held:
    """Measure the CPU time of a start that verifies such a journal and has its match, since the machine may be busy."""
    path = folder / "scharten.sqlite3"
    _write(path, inputs, knocks)
    began, wall = time.process_time(), time.perf_counter()
    held = hold(path)
    reader = JournalReader(path)
    match = going_on(reader, GAMES_BY_KEY)
    reader.close()
    cpu, wall = time.process_time() - began, time.perf_counter() - wall
    held.lock.close()
    assert match is not None and not held.found.warning, held.found
    words = f"{cpu:.2f} s of CPU, {wall:.2f} s by the wall, to verify its end and have the match (aim {AIM_S:.0f} s)"
    return Held(f"start with {inputs:,} inputs and {knocks:,} knocks", words, cpu < AIM_S)


def _write(path: Path, inputs: int, knocks: int) -> None:
    """Write old rows directly into the table, chained; then the last game, and knocks that change nothing."""
    Journal(path).close()
    reader = JournalReader(EVENING)
    *_, old, game = reader.matches()
    rows = list(reader.inputs(old.id))
    with closing(connect(path, "rwc")) as db:
        db.execute("BEGIN")
        head = ("old", old.started_ms, old.start, old.summary)
        db.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (*head, match_seal(*head)))
        db.execute("INSERT INTO going_on VALUES (1, 'old', ?)", (chain.seal(1, "old"),))
        previous = ""
        for n in range(1, inputs + 1):
            item = rows[n % len(rows)]
            row = (n, "old", item.t_ms, item.body, item.events, item.digest, None, None)
            previous = chain.link(previous, row)
            db.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, previous))
        db.execute("COMMIT")
    mark = MarkFile(mark_of(path))
    mark.write(inputs, previous, JOURNAL.newest, clean=True)
    mark.close()
    journal = Journal(path)
    for item in reader.inputs(game.id):
        journal.append(
            Record(game.id, item.t_ms, item.body, item.events, item.digest, game.start, game.summary)
        )
    knock = encode_input(Reading(item.t_ms, item.t_ms, "board", Knock(7), Receipt(9, 1)))
    body = json.dumps(knock, separators=(",", ":"))
    for number in range(knocks):
        line = (9, number)
        journal.append(Record(game.id, item.t_ms, body, "[]", item.digest, game.start, game.summary, line))
    journal.close()
    reader.close()


def one_game(folder: Path, readings: int) -> Iterator[Held]:
    """Measure a game with very many readings that changed nothing: a start, a recovery after a flipped bit, a
    start again."""
    path = folder / "scharten.sqlite3"
    write_readings(path, readings)
    yield _timed(f"start of a game with {readings:,} idle readings", path, ONE_GAME_S, [])
    flip(path, 0.99)
    reported: list[str] = []
    yield _timed(f"recovery of {readings:,} readings", path, RECOVERY_S, reported)
    yield _timed("start after that recovery", path, ONE_GAME_S, [])


def _timed(what: str, path: Path, aim_s: float, reported: list[str]) -> Held:
    """Measure the CPU time of a start as the daemon makes it."""
    began = time.process_time()
    held = hold(path, reported.append)
    reader = JournalReader(path)
    match = going_on(reader, GAMES_BY_KEY)
    reader.close()
    Journal(path, held).close()
    cpu = time.process_time() - began
    recovering = held.found.recovered is not None
    fine = match is not None and recovering == (aim_s == RECOVERY_S) and bool(reported) == recovering
    words = f"{cpu:.2f} s of CPU (aim {aim_s:.0f} s)" + (f", {len(reported)} reports" if recovering else "")
    return Held(what, words, fine and cpu < aim_s)


def flip(path: Path, share: float) -> None:
    """Flip one bit of a row, this far into the file."""
    with path.open("r+b") as file:
        file.seek(int(path.stat().st_size * share) // 4096 * 4096 + 2000)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes((byte[0] ^ 1,)))


def write_readings(path: Path, count: int) -> None:
    """Write the last game, then readings directly into the table."""
    Journal(path).close()
    reader = JournalReader(EVENING)
    game, journal = reader.matches()[-1], Journal(path)
    for item in reader.inputs(game.id):
        journal.append(
            Record(game.id, item.t_ms, item.body, item.events, item.digest, game.start, game.summary)
        )
    n = journal.rows
    journal.close()
    reader.close()
    knock = encode_input(Reading(item.t_ms, item.t_ms, "board", Knock(7), Receipt(9, 1)))
    body = json.dumps(knock, separators=(",", ":"))
    with closing(connect(path, "rwc")) as db:
        previous = db.execute("SELECT chain FROM inputs WHERE n = ?", (n,)).fetchone()[0]
        db.execute("BEGIN")
        for seq in range(count):
            row = (n + seq + 1, game.id, item.t_ms, body, "[]", item.digest, 9, seq)
            previous = chain.link(previous, row)
            db.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, previous))
        db.execute("COMMIT")
    mark = MarkFile(mark_of(path))
    mark.write(n + count, previous, JOURNAL.newest, clean=True)
    mark.close()
