"""The parts of `state` and `finished` that an evening reads, checked when they arrive. Other keys are ignored."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from scharten.contract.models import Milliseconds, NamesBySide, SidesBySeat
from scharten.errors import Problem
from scharten.game.basics import Result
from scharten.match.orders import Counter, PlayerId, SeatName

MatchId = Annotated[str, Field(max_length=64, pattern=r"^[^\x00-\x1f]*$")]
ShortCode = Annotated[str, Field(max_length=40, pattern=r"^[a-z_]*$")]
reported = with_config(ConfigDict(extra="ignore"))


@reported
class GuestsBySeat(TypedDict, total=False):
    """The registered player at each seat; a guest has none."""

    seat1: PlayerId | None
    seat2: PlayerId | None


@reported
class StateReport(TypedDict, total=False):
    """Of a board's `state`: its game, its players, its result."""

    match: MatchId
    seq: Counter
    phase: ShortCode
    seats: SidesBySeat
    players: GuestsBySeat
    names: NamesBySide
    started_ms: Milliseconds
    turns: Counter
    result: Result | None
    reason: ShortCode | None


@reported
class StartReport(TypedDict, total=False):
    """Of the start of a finished game: the seat that had White."""

    white: SeatName


@reported
class FinishedReport(TypedDict, total=False):
    """Of a board's `finished/<slot>`: its game, its players, its result."""

    match: MatchId
    players: Annotated[list[PlayerId | None], Field(max_length=2)]
    start: StartReport
    started_ms: Milliseconds
    result: Result | None
    reason: ShortCode | None


_STATE: TypeAdapter[StateReport] = TypeAdapter(StateReport)
_FINISHED: TypeAdapter[FinishedReport] = TypeAdapter(FinishedReport)


def read_state(payload: object) -> StateReport | Problem:
    """Check a board's `state`; a refusal names the first wrong field."""
    try:
        return _STATE.validate_python(payload)
    except ValidationError as error:
        return _malformed("state", error)


def read_finished(payload: object) -> FinishedReport | Problem:
    """Check a board's `finished/<slot>`; a refusal names the first wrong field."""
    try:
        return _FINISHED.validate_python(payload)
    except ValidationError as error:
        return _malformed("record of a game", error)


def _malformed(what: str, error: ValidationError) -> Problem:
    first: dict[str, Any] = dict(error.errors(include_url=False, include_input=False)[0])
    place = ".".join(map(str, first["loc"]))[:80]
    return Problem("malformed", f"its {what} does not follow the contract: {place}: {first['msg']}"[:300])
