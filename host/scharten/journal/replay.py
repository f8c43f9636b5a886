"""Replay a journal: the same inputs must give the same digests, or the start is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from scharten.errors import SchartenError
from scharten.game.protocol import Games
from scharten.journal.journal import NOT_JUDGED, JournalReader, StoredInput, StoredMatch
from scharten.journal.stored_inputs import decode_stored
from scharten.match.digest import digest
from scharten.match.events import Event
from scharten.match.inputs import Input
from scharten.match.referee import begun_by, step
from scharten.match.settings import EDITION, Start
from scharten.match.state import Match, begin
from scharten.store.progress import Progress, reported, silent


@dataclass(frozen=True, slots=True)
class ReplayedInput:
    """A replayed input: its row, the input, and the match and events after it."""

    n: int
    given: Input
    match: Match
    events: tuple[Event, ...]


class DoesNotReplayError(SchartenError):
    """The file is readable, but its inputs no longer give the same game."""


def replay(
    reader: JournalReader, stored: StoredMatch, games: Games, rows: Iterable[StoredInput] | None = None
) -> Iterator[ReplayedInput]:
    """Replay a stored match input by input; `DoesNotReplayError` at the first digest that differs.

    `rows` replace the complete list of its inputs.
    """
    edition = _edition(stored.start)
    if edition > EDITION:
        raise DoesNotReplayError.coded("later_edition", match=stored.id, edition=edition, known=EDITION)
    try:
        match = begin(Start.model_validate_json(stored.start), games)
    except (ValueError, SchartenError) as error:
        raise _refused(reader, stored, 0, f"its beginning cannot be read ({error})") from error
    began = match.id != ""  # the first input of a game is the order that began it
    for row in reader.inputs(stored.id) if rows is None else rows:
        try:
            given = decode_stored(json.loads(row.body))
        except (ValueError, KeyError, TypeError) as error:
            raise _refused(reader, stored, row.n, f"its input cannot be read ({error})") from error
        events: tuple[Event, ...] = ()
        if began:
            match = begun_by(match, given)
        elif NOT_JUDGED not in row.events:
            match, events = step(match, given)
        began = False
        if digest(match) != row.digest:
            raise _refused(reader, stored, row.n, "the same inputs no longer give the same game")
        yield ReplayedInput(row.n, given, match, events)


def _edition(start: str) -> int:
    """Return the edition that a start names, 0 if it names none."""
    try:
        return int(json.loads(start).get("edition", 0))
    except (ValueError, TypeError, AttributeError):
        return 0  # reading the start names what is wrong with it


def going_on(
    reader: JournalReader,
    games: Games,
    observe: Callable[[Input], None] = lambda given: None,
    progress: Progress = silent,
) -> Match | None:
    """Replay and check the match that the next start continues; None in an empty journal."""
    stored = reader.going_on()
    if stored is None:
        return None
    last = reader.last_digest(stored.id)
    if reader.lists_changes:
        with suppress(DoesNotReplayError):  # the list may be wrong: only the rows themselves decide
            match = _replayed(reader, stored, games, reader.changes(stored.id), observe, progress)
            if match is not None and digest(match) == last:
                return match
    return _replayed(reader, stored, games, reader.changes(stored.id, listed=False), observe, progress)


def _replayed(
    reader: JournalReader,
    stored: StoredMatch,
    games: Games,
    rows: Iterable[StoredInput],
    observe: Callable[[Input], None],
    progress: Progress,
) -> Match | None:
    match = None
    for done in reported(replay(reader, stored, games, rows), "inputs replayed", progress):
        observe(done.given)
        match = done.match
    return match


def _refused(reader: JournalReader, stored: StoredMatch, n: int, why: str) -> DoesNotReplayError:
    return DoesNotReplayError.coded("does_not_replay", path=reader.path, match=stored.id, number=n, why=why)
