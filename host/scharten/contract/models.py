"""What the host publishes, as closed models: the source of the JSON Schema and of the AsyncAPI document.

The host writes plain dicts (`snapshot`, `encode_event`); tests hold them against these models.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from scharten.contract.codes import FOULS, MESSAGES, QUESTIONS, REASONS, WHY_NOT_COUNTED
from scharten.match.orders import BIGGEST
from scharten.match.settings import ClockWish, FieldName, FoulLimit, SideName, Zones

SeatName = Literal["seat1", "seat2"]
PhaseName = Literal["setup", "deciding", "turn", "throwing", "settling", "paused", "finished"]
Letter = Literal["K", "Q", "R", "B", "N", "P"]
Milliseconds = Annotated[int, Field(ge=0, le=BIGGEST)]
Count = Annotated[int, Field(ge=0)]
BedText = Annotated[str, Field(pattern=r"^([DFTLS]([1-9]|1[0-9]|20)|25|BULL|MISS)$")]
Result = Literal["1-0", "0-1", "½-½", "0-0", "½-0", "0-½"]
Foul = Annotated[str, Field(json_schema_extra={"enum": sorted(FOULS)})]
Reason = Annotated[str, Field(json_schema_extra={"enum": sorted(REASONS)})]


class Told(BaseModel):
    """A part of a message from the host; it says nothing beyond its keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SideCounts(Told):
    """A number for each side."""

    white: Count
    black: Count


class SideTexts(Told):
    """A text for each side."""

    white: Annotated[str, Field(max_length=40)]
    black: Annotated[str, Field(max_length=40)]


class SideLetters(Told):
    """A piece for each side, null when all are placed."""

    white: Letter | None
    black: Letter | None


class SeatSides(Told):
    """The colour of each seat."""

    seat1: SideName
    seat2: SideName


class Options(Told):
    """The options of the game that is played."""

    zones: Zones
    support: Literal["field_value", "count"]
    protection: Literal["until_moved", "off"]
    double_step: Literal["first_move", "home_row"]
    touch_move: Literal["off", "on"]
    white_by: Literal["lot", "dart", "agreed"]
    arming: Literal["announce", "auto"]
    settle_ms: Milliseconds
    bounce_counts: bool


class CheckerModel(Told):
    """A piece that gives check, and the supporters that its check needs."""

    field: FieldName
    supporters: tuple[FieldName, ...]


class Last(Told):
    """The last completed turn; `foul` is why a dart was lost, `dart` whether it was one."""

    by: SideName
    text: str
    move: str
    bed: BedText | None
    x_mm: float | None
    y_mm: float | None
    foul: Foul | None
    dart: bool


class ClockModel(Told):
    """Both clocks as they were at `since_ms`; pages count on from there."""

    white_ms: Milliseconds
    black_ms: Milliseconds
    running: SideName | None
    since_ms: Milliseconds
    stage: Annotated[int, Field(ge=1)]
    stages: SideCounts
    flags: dict[SideName, bool]


class ChoiceModel(Told):
    """One possible answer: the bed and what it would do (`placed`, a lost-dart code, or a ring for White's dart)."""

    bed: BedText
    effect: str
    field: FieldName | None


class QuestionModel(Told):
    """What a person must say."""

    code: Annotated[str, Field(json_schema_extra={"enum": sorted(QUESTIONS)})]
    side: SideName | None
    beds: tuple[BedText, ...]
    probabilities: tuple[Annotated[float, Field(ge=0, le=1)], ...]
    choices: tuple[ChoiceModel, ...]
    confidence: float | None
    x_mm: float | None
    y_mm: float | None
    source: str | None


class RequestModel(Told):
    """A seat's order that waits for the other seat."""

    id: str
    by: SeatName
    type: str
    args: dict[str, object]
    until_ms: Milliseconds


class TextModel(Told):
    """Words for a page, by code."""

    code: Annotated[str, Field(json_schema_extra={"enum": [*sorted(MESSAGES), "journal_failed"]})]
    args: dict[str, object]


class Toss(Told):
    """A dart thrown for White."""

    seat: SeatName
    bed: BedText


class Can(Told):
    """What the side to move may do besides moving."""

    throw: bool
    claim: tuple[Literal["repetition", "fifty_moves"], ...]
    take_back: Count


class Snapshot(Told):
    """`state`: everything that a display needs. Beyond contract.md, these keys are added:

    white_sits_at, clock_settings, started_ms, must_throw, protected, unmoved, paused_from, since_phase_ms,
    settle_until_ms, lamp, sheet_first, turns, tosses, to_toss, touched, can.
    """

    v: Literal[1]
    match: str
    seq: Count
    board: str
    white_sits_at: Literal[3, 20]
    kind: Literal["loud", "silent"]
    options: Options
    clock_settings: ClockWish | None
    foul_limit: FoulLimit
    seats: SeatSides
    names: SideTexts
    started_ms: Milliseconds
    position: str
    check: bool
    checkers: tuple[CheckerModel, ...]
    moves: tuple[str, ...]
    placements: tuple[FieldName, ...]
    zone: tuple[FieldName, ...]
    must_throw: bool
    next: SideLetters
    to_throw: SideCounts
    fouls: SideCounts
    protected: tuple[FieldName, ...]
    unmoved: tuple[FieldName, ...]
    phase: PhaseName
    paused_from: PhaseName | None
    side: SideName
    since_phase_ms: Milliseconds
    settle_until_ms: Milliseconds | None
    lamp: Literal[0, 1, 2, 3]
    clock: ClockModel | None
    last: Last | None
    sheet: tuple[str, ...]
    sheet_first: Annotated[int, Field(ge=1)]
    turns: Count
    tosses: tuple[Toss, ...]
    to_toss: SeatName | None
    question: QuestionModel | None
    draw_offer: SideName | None
    requests: tuple[RequestModel, ...]
    result: Result | None
    reason: Reason | None
    message: TextModel
    touched: tuple[FieldName, ...]
    can: Can


class SheetEntry(Told):
    """One turn: its number, side, English notation, bed if a dart was thrown, and the position after it."""

    n: Annotated[int, Field(ge=1)]
    side: SideName
    text: str
    bed: BedText | None
    position: str


class Sheet(Told):
    """`sheet`: the whole score sheet, from the position `start`."""

    v: Literal[1]
    match: str
    start: str
    entries: tuple[SheetEntry, ...]
    result: Result | None
    reason: Reason | None


class EventModel(Told):
    """`events`: something happened."""

    v: Literal[1]
    match: str
    seq: Count
    t_ms: Milliseconds
    code: Annotated[str, Field(json_schema_extra={"enum": sorted(MESSAGES)})]
    args: dict[str, object]


class HitModel(Told):
    """`hits`: one reading of a dart, counted or not."""

    v: Literal[1]
    at_ms: Milliseconds
    source: str
    bed: BedText | None
    beds: tuple[BedText, ...]
    probabilities: tuple[Annotated[float, Field(ge=0, le=1)], ...]
    counted: bool
    why: Annotated[str, Field(json_schema_extra={"enum": ["", *WHY_NOT_COUNTED]})]
    confidence: float
    x_mm: float | None
    y_mm: float | None
    drive: int | None
    sense: int | None
    match: str
    seq: Count


class Health(BaseModel):
    """`health`: how the machine is. Sources, cameras and the broker add what they know."""

    model_config = ConfigDict(extra="allow")

    v: Literal[1]
    version: str
    playable: bool
    reason: str | None = None
    cure: str | None = None
    warnings: tuple[str, ...] = ()
    sources: tuple[dict[str, object], ...] = ()
    cameras: tuple[dict[str, object], ...] = ()
    stuck: tuple[dict[str, object], ...] = ()
    readings: tuple[dict[str, object], ...] = ()
    dropped: Count = 0
    broker: dict[str, object] = Field(default_factory=dict)
