"""Models of messages besides state and sheet: events, hits, the caller's texts, answers, health."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from scharten.contract.models import (
    BedText,
    Count,
    JsonObject,
    Milliseconds,
    NamesBySide,
    OpinionModel,
    ResultText,
    V,
    closed,
    one_of,
)
from scharten.contract.remote import REMOTE_CODES
from scharten.match.codes import ComputerFault, Message, RefusalCode, WhyNotCounted
from scharten.match.orders import SeatName, SideName


@closed
class EventModel(TypedDict):
    """`events`: something happened."""

    v: V
    match: str
    seq: Count
    t_ms: Milliseconds
    code: Annotated[str, one_of(Message)]
    args: JsonObject


@closed
class HitModel(TypedDict):
    """`hits`: one reading of a dart, counted or not; `beds` and their `probabilities`, the likeliest first.

    With both kinds of sensors: `revises`, the second word on a dart; `seen_ms`, when cameras saw it; `opinions`.
    """

    v: V
    at_ms: Milliseconds
    source: str
    bed: BedText | None
    beds: list[BedText]
    probabilities: list[Annotated[float, Field(ge=0, le=1)]]
    counted: bool
    why: Annotated[str, one_of(("", *WhyNotCounted))]
    confidence: float
    x_mm: float | None
    y_mm: float | None
    drive: int | None
    sense: int | None
    seen_ms: int | None
    revises: bool
    opinions: list[OpinionModel]
    place: SeatName | None
    match: str
    seq: Count


@closed
class Said(TypedDict):
    """`said`: what the caller says; `important` is more than a plain turn, `stop` ends what is being spoken.

    `words` has the same words in each language, by its tag (`en`, `nl`, ...).
    """

    v: V
    match: str
    seq: Count
    code: Annotated[str, one_of(Message)]
    args: JsonObject
    important: bool
    stop: bool
    words: dict[str, str]


@closed
class FinishedGame(TypedDict):
    """`finished/<slot>`: a game from beginning to end; `last` grows when it is put right, `result` null: it goes on.

    `start` and `inputs` (null for a game over 900 kB) are as the journal has them, without names; played again they
    give `digest`. Names stand in `names` alone: one that is "" was not given, or its player was deleted.
    """

    v: V
    match: str
    last: Count
    started_ms: Milliseconds
    ended_ms: Milliseconds
    game: str
    kind: str
    names: NamesBySide
    players: list[str | None]
    result: ResultText | None
    reason: str | None
    turns: Count
    start: JsonObject
    inputs: list[JsonObject] | None
    digest: str


@closed
class Forgotten(TypedDict):
    """`forgotten/<host or organiser>`: the keys of deleted players, whose names nobody shows or keeps any more."""

    v: V
    players: Annotated[list[Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")]], Field(max_length=10_000)]


@closed
class Pair(TypedDict):
    """Two players of a round: White and Black, at this table of the draw."""

    round: Count
    table: Count
    names: NamesBySide


@closed
class NextPair(TypedDict):
    """`next`: the pair that plays next on a board of a club's evening; null without one."""

    v: V
    pair: Pair | None


@with_config(ConfigDict(extra="allow"))
class Answer(TypedDict):
    """`answer/<role>`: one for every command, the first one again for a repeated `id`.

    `remote`, after a message on `remote`: the state of the line to the other board.
    """

    v: V
    id: str | None
    accepted: bool
    pending: NotRequired[bool]
    code: Annotated[str, one_of((*RefusalCode, *REMOTE_CODES))] | None
    args: NotRequired[Mapping[str, object]]
    words: NotRequired[str]
    throw: NotRequired[bool]
    match: NotRequired[str]
    seq: NotRequired[int]
    remote: NotRequired[JsonObject]


@closed
class ComputerTrouble(TypedDict):
    """A seat whose computer does not play as it should, until `set_computer` names the seat again, and why."""

    seat: SeatName
    code: Annotated[str, one_of(ComputerFault)]
    words: str


@closed
class SensorRemark(TypedDict):
    """A sensor's remark that is not a dart: `words` in English, `code` and `args` for other languages."""

    code: Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
    args: JsonObject
    words: str


@closed
class CalibrateModel(TypedDict):
    """A camera to calibrate (1 is the first), and how many of the last darts were corrected."""

    camera: Count | None
    corrected: Count
    darts: Count
    words: str


@closed
class PartFault(TypedDict):
    """The last fault of a part of the host: `recent` in the first minute, `count` since the start."""

    name: Annotated[str, Field(pattern=r"^[a-z-]{1,32}$")]
    state: Literal["faulty", "restarted", "ended", "process_restarted"]
    words: str
    count: Count
    since_ms: Milliseconds
    recent: bool


@closed
class Notice(TypedDict):
    """A warning of `health` with its `code`, by which pages find their own text; `words` is its English text."""

    code: Annotated[str, Field(pattern=r"^[a-z0-9_ ]{1,32}$")]
    words: str


@with_config(ConfigDict(extra="allow"))
class Health(TypedDict):
    """`health`: how the machine is. Sources, cameras and the broker add what they know."""

    v: V
    version: str
    playable: bool
    reason: str | None
    reason_code: NotRequired[Literal["restarting", "not_stored"] | None]
    cure: str | None
    warnings: list[str]
    notices: NotRequired[list[Notice]]
    sources: list[JsonObject]
    cameras: list[JsonObject]
    stuck: list[JsonObject]
    readings: list[JsonObject]
    dropped: Count
    broker: NotRequired[JsonObject]
    computers: NotRequired[list[ComputerTrouble]]
    remarks: NotRequired[list[SensorRemark]]
    parts: NotRequired[list[PartFault]]
    calibrate: NotRequired[CalibrateModel | None]


Share = Annotated[float, Field(ge=0, le=1)]


@closed
class LightModel(TypedDict):
    """`light`: the light on the board changes now, and stands still again at `back_ms`; `by`: what changes it."""

    v: V
    by: Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")]
    at_ms: Milliseconds
    back_ms: Milliseconds


@closed
class AdvisedAim(TypedDict):
    """A point to aim at: its bed and the part of it, the chance to do what the dart is for, its value in pawns."""

    x_mm: float
    y_mm: float
    bed: BedText
    part: Annotated[str, one_of(("inner", "middle", "outer"))]
    words: str
    placed: Share
    lost: Share
    value: float | None


@closed
class FieldAdviceModel(TypedDict):
    """A field that would do: the chance to hit just it, what a piece there is worth, what aiming there costs."""

    bed: BedText
    field: str
    hit: Share
    placed: Share
    worth: float | None
    value: float | None
    cost: float


@closed
class AdviceBody(TypedDict):
    """The safest aim, the best one, and each field, the cheapest first."""

    safe: AdvisedAim
    best: AdvisedAim
    fields: list[FieldAdviceModel]


@closed
class ScatterModel(TypedDict):
    """How a thrower's darts scatter, in mm, with the interval that holds it with a chance of 90 %."""

    mm: float
    low: float
    high: float
    darts: Count


@closed
class AdviceModel(TypedDict):
    """`advice`: where to aim in the turn of this `seq`; null once it is over, or could not be worked out."""

    v: V
    match: str
    seq: Count
    side: SideName | None
    scatter: ScatterModel | None
    advice: AdviceBody | None
