"""Records of finished games (topic `finished/<slot>`): replay them, and remove the names of deleted players.

A record's digest does not cover the names, so that a name can be deleted and the game still verified. Records of
earlier versions have names in `start` and `inputs` too; `nameless` converts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Side
from scharten.games import GAMES_BY_KEY
from scharten.journal.replay import ReplayedInput
from scharten.journal.stored_inputs import decode_stored
from scharten.match.digest import digest
from scharten.match.events import Event
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import Match, begin

MATCH: Final = re.compile(r"[0-9A-Za-z-]{1,64}")
"""The id of a match, as it may stand in a path or an address."""
_RECORD: TypeAdapter[FinishedGame] = TypeAdapter(FinishedGame)


def read_record(payload: bytes) -> FinishedGame | Problem:
    """Read a record of the topic `finished/<slot>`."""
    return _checked(_RECORD.validate_json, payload)


def checked_record(payload: object) -> FinishedGame | Problem:
    """Check a record that is decoded already."""
    return _checked(_RECORD.validate_python, payload)


def _checked(validate: Callable[[Any], FinishedGame], payload: object) -> FinishedGame | Problem:
    try:
        return validate(payload)
    except ValidationError as error:
        return Problem("malformed", f"this is not a record of a game: {error.error_count()} fields are wrong")


def replayed(
    record: Mapping[str, Any], observe: Callable[[ReplayedInput], object] = lambda done: None
) -> Match | Problem:
    """Replay the game; a refusal if it does not give its digest or its result. `observe` receives every input."""
    match = _played(record, observe)
    if isinstance(match, Problem):
        return match
    agrees = (match.id, match.result, digest(match)) == (record["match"], record["result"], record["digest"])
    return match if agrees else Problem("digest", "its inputs do not give the game that the record says")


def nameless(record: FinishedGame) -> FinishedGame:
    """The record with names only in `names`, and the digest of the game without them.

    A record that cannot be replayed loses its names too and keeps its old digest.
    """
    start, inputs = _without_names(record["start"]), _without_names(record["inputs"])
    if (start, inputs) == (record["start"], record["inputs"]):
        return record
    bare: FinishedGame = {**record, "start": start, "inputs": inputs}
    match = _played(bare)
    return bare if isinstance(match, Problem) else {**bare, "digest": digest(match)}


def named(match: Match, names: Mapping[str, str]) -> Match:
    """The match under these names, by side; for sheets and pages."""
    return match.with_names({side: names[side.word] for side in Side})


def forgetful(record: FinishedGame, gone: Collection[str]) -> FinishedGame:
    """The record without the names of deleted players; without any names if it cannot be replayed."""
    if not any(player in gone for player in record["players"]):
        return record
    bare = nameless(record)
    match = _played(bare)
    kept = [side for side in Side if not isinstance(match, Problem) and match.player_of(side) not in gone]
    names = {side.word: bare["names"][side.word] if side in kept else "" for side in Side}  # type: ignore[literal-required]
    return {**bare, "names": names}  # type: ignore[typeddict-item]


def _played(
    record: Mapping[str, Any], observe: Callable[[ReplayedInput], object] = lambda done: None
) -> Match | Problem:
    if record["inputs"] is None:
        return Problem.reasoned("too_long", "no_inputs")
    try:
        match = begin(Start.model_validate_json(json.dumps(record["start"])), GAMES_BY_KEY)
        for number, body in enumerate(record["inputs"]):
            given, events = decode_stored(body), tuple[Event, ...]()
            if number == 0 and match.id:
                match = begun_by(match, given)
            else:
                match, events = step(match, given)
            observe(ReplayedInput(number + 1, given, match, events))
    except (ValueError, KeyError, TypeError, SchartenError) as error:
        return Problem.reasoned("unreadable", "inputs_unread", error=str(error))
    return match


def _without_names(value: Any) -> Any:
    """JSON without any `names`: of `start`, and of the order `new_game` among the inputs."""
    if isinstance(value, Mapping):
        return {key: _without_names(member) for key, member in value.items() if key != "names"}
    return [_without_names(member) for member in value] if isinstance(value, list) else value
