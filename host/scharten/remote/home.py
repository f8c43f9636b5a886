"""A finished game at another board comes home: its proof becomes a game of this machine's own journal.

Statistics, score sheet, review and openings then have it as any other game. The registered player who threw here
stands in it with the id of this register; the other player is a name.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from scharten.data_folder import read_small
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalError, Record
from scharten.journal.step_record import as_record
from scharten.journal.stored_inputs import decode_stored
from scharten.match.codec import UnreadableInputError
from scharten.match.digest import digest
from scharten.match.events import Event
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import begin
from scharten.remote.files import GuestState
from scharten.remote.messages import Proof
from scharten.remote.proof import GAMES
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)

DUE = ".home"
Append = Callable[[list[Record]], object]


class Due(BaseModel):
    """A game that is to come home, in a file beside its proof: who threw at this board, and at which seat."""

    model_config = ConfigDict(extra="forbid")

    match: str
    seat: str
    player: str = ""


def records_of(proof: Path, seat: str, player: str) -> Iterator[Record]:
    """Play a proof again with this register's player at `seat`, and return its rows for the journal."""
    match, text = None, ""
    events: tuple[Event, ...] = ()
    for line in proof.read_bytes().splitlines():
        shown = Proof.model_validate_json(line)
        given = decode_stored(shown.input)
        if match is None:
            players = (player, "") if seat == "seat1" else ("", player)
            start = Start.model_validate_json(json.dumps(shown.start)).model_copy(update={"players": players})
            match, text = begun_by(begin(start, GAMES_BY_KEY), given), start.model_dump_json()
        elif shown.judged:
            match, events = step(match, given)
        else:
            continue
        yield as_record(match, given, events, "", mark=digest(match), start=text)


def note_due(folder: Path, state: GuestState, player: str) -> None:
    """Note that a game is to come home; the journal may be busy or full now."""
    if state.match:
        due = Due(match=state.match, seat=state.seat, player=player)
        write_private((folder / GAMES / state.match).with_suffix(DUE), due.model_dump_json())


def bring_home(folder: Path, append: Append) -> None:
    """Append every game that is due; what the disk refuses stays due. Call it where the journal may be written."""
    for path in sorted((folder / GAMES).glob(f"*{DUE}")):
        try:
            due = Due.model_validate_json(read_small(path))
            append(list(records_of(path.with_suffix(".jsonl"), due.seat, due.player)))
        except JournalError as error:
            log.warning("the game at the other board stays in %s for now: %s", path.parent, error)
            return
        except (
            OSError,
            ValidationError,
            UnreadableInputError,
            ValueError,
            IndexError,
            SchartenError,
        ) as error:
            log.warning("a game at another board does not come home: %s", error)
        path.unlink(missing_ok=True)
