"""Types of the host's messages. Builders return them, and the JSON Schema is generated from them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import (
    Annotated,
    Literal,
    NotRequired,  # pydantic reads the standard one from Python 3.12 on
)

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from scharten.game.basics import Foul, Kind, Reason, Result
from scharten.match.codes import Message, QuestionCode
from scharten.match.orders import BIGGEST, Exercise, PlayerId, SeatName, SideName
from scharten.match.phases import PhaseName

VERSION: Literal[2] = 2
"""`v` of everything that the host publishes."""


def one_of(codes: type[StrEnum] | Iterable[str]) -> object:
    """A text that the schema limits to these codes; it is not checked on the way out."""
    return Field(json_schema_extra={"enum": [str(code) for code in codes]})


V = Literal[2]
PhaseText = Annotated[str, one_of(PhaseName)]
FieldCoordinate = Annotated[str, Field(pattern=r"^[a-z][1-9][0-9]?$")]
Letter = Annotated[str, Field(pattern="^[A-Z]$")]
Milliseconds = Annotated[int, Field(ge=0, le=BIGGEST)]
Count = Annotated[int, Field(ge=0)]
BedText = Annotated[str, Field(pattern=r"^([DFTLS]([1-9]|1[0-9]|20)|25|BULL|MISS)$")]
ResultText = Annotated[str, one_of(Result)]
FoulCode = Annotated[str, one_of(Foul)]
ReasonText = Annotated[str, one_of(Reason)]
ShortName = Annotated[str, Field(max_length=40)]
JsonObject = dict[str, object]

closed = with_config(ConfigDict(extra="forbid"))


@closed
class BySide(TypedDict):
    """A number for each side."""

    white: Count
    black: Count


@closed
class NamesBySide(TypedDict):
    """A player's name for each side."""

    white: ShortName
    black: ShortName


@closed
class LettersBySide(TypedDict):
    """A piece for each side, null when all are placed."""

    white: Letter | None
    black: Letter | None


@closed
class SidesBySeat(TypedDict):
    """The colour of each seat."""

    seat1: SideName
    seat2: SideName


@closed
class LevelsBySeat(TypedDict):
    """The level at which the computer plays a seat, null where a person does."""

    seat1: Annotated[int, Field(ge=1, le=10)] | None
    seat2: Annotated[int, Field(ge=1, le=10)] | None


@closed
class EngineModel(TypedDict):
    """A chess engine by its name in the configuration; `strength` as it counts it, null: as strong as it can."""

    name: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,31}$")]
    strength: int | None


@closed
class EnginesBySeat(TypedDict):
    """The engine that chooses the moves of a computer's seat, null where the built-in player or a person does."""

    seat1: EngineModel | None
    seat2: EngineModel | None


@closed
class StandInModel(TypedDict):
    """The registered player as whom the computer plays, and that player's scatter in mm."""

    player: PlayerId
    mm: Annotated[float, Field(ge=3, le=150)]


@closed
class StandInsBySeat(TypedDict):
    """The player as whom the computer plays a seat, null where it plays as itself or a person does."""

    seat1: StandInModel | None
    seat2: StandInModel | None


@closed
class PlayersBySeat(TypedDict):
    """The kept player at each seat, null for a guest."""

    seat1: PlayerId | None
    seat2: PlayerId | None


@closed
class LayoutModel(TypedDict):
    """The board to draw: a schartbord, or a grid of `files` (its letters, from the left) and `rows`."""

    form: Literal["schartbord", "grid"]
    files: NotRequired[str]
    rows: NotRequired[int]
    chequered: NotRequired[bool]


@closed
class GameModel(TypedDict):
    """The game and its options. The AsyncAPI document has the schema of each game's options."""

    key: str
    options: JsonObject
    layout: LayoutModel
    claim_rules: list[ReasonText]


@closed
class Checker(TypedDict):
    """A piece that gives check, and the supporters that its check needs."""

    field: FieldCoordinate
    supporters: list[FieldCoordinate]


@closed
class AimModel(TypedDict):
    """The dart that an entered move waits for: its field, the colour wanted there (`any` bed for odds), what hits."""

    move: str
    field: FieldCoordinate
    colour: Literal["dark", "light", "any"]
    beds: list[BedText]


@closed
class DrawStep(TypedDict):
    """One die or dart of a draw: what it showed, the free field it chose (from 1 on), null where thrown again."""

    bed: BedText | None
    die: Annotated[int, Field(ge=1, le=6)] | None
    choice: Annotated[int, Field(ge=1)] | None
    field: FieldCoordinate | None
    by: SeatName


@closed
class DrawModel(TypedDict):
    """How an opening is drawn; `seed` stays null until the envelope is opened, `number` until it is done."""

    by: Literal["lot", "dice", "darts"]
    digest: str | None
    seed: str | None
    number: Count | None
    steps: list[DrawStep]
    to_throw: SeatName | None


@with_config(ConfigDict(extra="allow"))
class Shown(TypedDict, total=False):
    """Further things a game shows. Each game has the keys that it needs; a page draws those it finds.

    Lost darts in a row, the next piece and how many are left to throw, the thrower's zone, pieces that have not moved
    and those that may therefore not be captured, whether nothing but a throw is legal, who gives check; the dart that
    a move waits for, and how the opening is drawn.
    """

    fouls: BySide
    next: LettersBySide
    to_throw: BySide
    zone: list[FieldCoordinate]
    unmoved: list[FieldCoordinate]
    protected: list[FieldCoordinate]
    must_throw: bool
    checkers: list[Checker]
    aim: AimModel | None
    draw: DrawModel


@closed
class Last(TypedDict):
    """The last completed turn: `fields` to mark, `foul` why a dart was lost, `dart` whether it was one."""

    by: SideName
    text: str
    move: str
    fields: list[FieldCoordinate]
    bed: BedText | None
    x_mm: float | None
    y_mm: float | None
    foul: FoulCode | None
    dart: bool


@closed
class ClockModel(TypedDict):
    """Both clocks as they were at `since_ms`; pages count on from there."""

    white_ms: Milliseconds
    black_ms: Milliseconds
    running: SideName | None
    since_ms: Milliseconds
    stage: Annotated[int, Field(ge=1)]
    stages: BySide
    flags: dict[SideName, bool]


@closed
class ChoiceModel(TypedDict):
    """One possible answer: the bed and what it would do (`placed`, a lost-dart code, or a ring for White's dart)."""

    bed: BedText
    effect: str
    field: FieldCoordinate | None


@closed
class OpinionModel(TypedDict):
    """One sensor's reading of a dart, where several watch the board; `bed` is null if it noticed none."""

    source: str
    bed: BedText | None
    probability: Annotated[float, Field(ge=0, le=1)]


@closed
class QuestionModel(TypedDict):
    """A question to a person; `opinions` are the readings of sensors that disagree."""

    code: Annotated[str, one_of(QuestionCode)]
    side: SideName | None
    beds: list[BedText]
    choices: list[ChoiceModel]
    probabilities: list[Annotated[float, Field(ge=0, le=1)]]
    confidence: float | None
    x_mm: float | None
    y_mm: float | None
    source: str | None
    opinions: list[OpinionModel]


@closed
class RequestModel(TypedDict):
    """A seat's order that waits for the other seat."""

    id: str
    by: SeatName
    type: str
    args: JsonObject
    until_ms: Milliseconds


@closed
class MessageModel(TypedDict):
    """Words for a page, by code."""

    code: Annotated[str, one_of(Message)]
    args: JsonObject


@closed
class Toss(TypedDict):
    """A dart thrown for White."""

    seat: SeatName
    bed: BedText


@closed
class Can(TypedDict):
    """Options of the side to move besides moving."""

    throw: bool
    claim: list[str]
    take_back: Count


@closed
class PracticeModel(TypedDict):
    """A practice while no game is on: what the next dart is to hit, and how it went; `of` null: until it is over.

    `last` is what the last dart counted as; in `doubt` stand the beds that it may be in, none where that is sure.
    """

    exercise: Annotated[str, one_of(Exercise)]
    player: PlayerId | None
    targets: list[BedText]
    thrown: Count
    hit: Count
    run: Count
    best_run: Count
    of: Count | None
    over: bool
    last: BedText | None
    doubt: list[BedText]


@closed
class Snapshot(TypedDict):
    """`state`: everything that a display needs."""

    v: V
    match: str
    seq: Count
    board: str
    white_sits_at: Literal[3, 20]
    kind: Annotated[str, one_of(Kind)]
    game: GameModel
    seats: SidesBySeat
    computers: LevelsBySeat
    engines: NotRequired[EnginesBySeat]
    stand_ins: NotRequired[StandInsBySeat]
    away: SeatName | None
    players: PlayersBySeat
    names: NamesBySide
    started_ms: Milliseconds
    position: str
    check: list[FieldCoordinate]
    moves: list[str]
    drops: list[FieldCoordinate]
    shown: Shown
    phase: PhaseText
    paused_from: PhaseText | None
    side: SideName
    since_phase_ms: Milliseconds
    settle_until_ms: Milliseconds | None
    lamp: Annotated[int, Field(ge=0, le=3)]
    clock: ClockModel | None
    last: Last | None
    sheet: list[str]
    sheet_first: Annotated[int, Field(ge=1)]
    turns: Count
    practice: PracticeModel | None
    tosses: list[Toss]
    to_toss: SeatName | None
    question: QuestionModel | None
    draw_offer: SideName | None
    requests: list[RequestModel]
    result: ResultText | None
    reason: ReasonText | None
    message: MessageModel
    touched: list[FieldCoordinate]
    can: Can


@closed
class SheetEntry(TypedDict):
    """One turn: number, side, English notation, fields to mark, its dart's bed, when it was done, what stands."""

    n: Annotated[int, Field(ge=1)]
    side: SideName
    text: str
    fields: list[FieldCoordinate]
    bed: BedText | None
    at_ms: Milliseconds
    position: str


@closed
class Sheet(TypedDict):
    """`sheet`: the whole score sheet, from the position `start`; `headers` is its head in order, without the date."""

    v: V
    match: str
    headers: dict[str, str]
    started_ms: Milliseconds
    start: str
    entries: list[SheetEntry]
    result: ResultText | None
    reason: ReasonText | None
