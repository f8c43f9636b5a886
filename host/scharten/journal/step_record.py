"""The journal row of a step."""

from __future__ import annotations

import json
from typing import Any

from scharten.game.basics import Side
from scharten.journal.journal import Record
from scharten.match.codec import encode_event, encode_input
from scharten.match.events import Event
from scharten.match.inputs import Input, Reading, ReadingsLost, SensorNews, receipt_of
from scharten.match.state import Match


def as_record(
    match: Match, given: Input, events: tuple[Event, ...], setup: str, *, mark: str, start: str
) -> Record:
    """Build the row of a step: `mark` is the digest of `match`, `start` its start as JSON.

    `setup` is the id of a match before the first game.
    """
    receipt, lost = receipt_of(given), readings_lost(given)
    if isinstance(given, Reading) and given.place:
        receipt = None  # the line of another board is known by the row itself
    return Record(
        match=match.id or setup,
        t_ms=given.t_ms,
        body=_text(encode_input(given)),
        events=_text([encode_event(event) for event in events]),
        digest=mark,
        start=start,
        summary=_text(summary(match)),
        line=(receipt.session, receipt.number) if receipt else None,
        dropped=lost.total if lost else None,
    )


def readings_lost(given: Input) -> ReadingsLost | None:
    """The input's report of lost readings, if it is one."""
    return given.news if isinstance(given, SensorNews) and isinstance(given.news, ReadingsLost) else None


def summary(match: Match) -> dict[str, Any]:
    """A match's row in a list of games."""
    players = {side.word: match.player_of(side) for side in Side if match.player_of(side)}
    return {
        "game": match.game.key,
        "kind": match.options.kind,
        "names": {side.word: match.name_of(side) for side in Side},
        **({"players": players} if players else {}),
        "phase": match.phase.name,
        "result": match.result,
        "reason": match.reason,
        "turns": len(match.turns),
    }


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
