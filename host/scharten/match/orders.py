"""The commands of contract.md, one closed model per `type`; sizes bounded, nothing guessed.

An order states what someone wants; the referee decides whether it is allowed.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from scharten.game.options import ClockRequest, Closed, WhiteBy

SideName = Literal["white", "black"]
SeatName = Literal["seat1", "seat2"]
BedName = Annotated[str, Field(pattern=r"^([DFTL]([1-9]|1[0-9]|20)|25|BULL|MISS)$")]
FieldText = Annotated[str, Field(pattern=r"^[a-z][1-9]$")]
"""A field of some board; the game checks that it exists."""
MoveText = Annotated[str, Field(pattern=r"^[a-z][1-9][a-z][1-9][a-z]?$")]
"""A move in coordinates; the game checks that it exists."""
GameKey = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
OptionName = Annotated[str, Field(max_length=32)]
Id = Annotated[str, Field(min_length=1, max_length=64)]
PlayerName = Annotated[str, Field(max_length=40)]
PlayerId = Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")]
"""The id of a registered player; the referee does not check that it exists."""
BIGGEST = 2**53 - 1
Counter = Annotated[int, Field(ge=0, le=BIGGEST)]
ContractVersion = Annotated[int, Field(ge=1, le=2)]
"""The versions of the contract that the host takes; a plain `Literal[1, 2]` would take true and 1.0."""
EngineName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
"""The name of a chess engine in the configuration; never a path or a command."""


class Engine(Closed):
    """A chess engine by its name; `strength` as the engine counts it, null: as strong as it can."""

    name: EngineName
    strength: Annotated[int, Field(ge=-100, le=4000)] | None = None


BySeat = tuple[Engine | None, Engine | None]
"""The engine that chooses the moves of each seat that the computer plays."""


class StandIn(Closed):
    """A registered player as whom the computer plays: its hand scatters by `mm`, the player's own scatter."""

    player: PlayerId
    mm: Annotated[float, Field(ge=3, le=150)]


StandInBySeat = tuple[StandIn | None, StandIn | None]
"""The player as whom the computer plays each of its seats."""


class Exercise(StrEnum):
    """Exercises of the practice."""

    WARM_UP = "warm_up"
    ROUND_THE_ZONE = "round_the_zone"
    LIT_FIELD = "lit_field"
    FOULS_IN_A_ROW = "fouls_in_a_row"
    DOUBLES = "doubles"


class Order(Closed):
    """The fields of every command: `id` for its answer, the game it is for, the `seq` its sender saw."""

    checks_seq: ClassVar[bool] = False
    names_match: ClassVar[bool] = True
    """Whether it must name the game; an order that changes nothing need not."""

    v: ContractVersion
    id: Id
    match: Annotated[str, Field(max_length=64)] | None = None
    seq: Counter | None = None
    side: SideName | None = None


class SeqOrder(Order):
    """An order that is only valid for the state its sender saw."""

    checks_seq: ClassVar[bool] = True

    seq: Counter


class Names(Closed):
    """The players' names: by colour, or by seat while colours are not known."""

    white: PlayerName = ""
    black: PlayerName = ""
    seat1: PlayerName = ""
    seat2: PlayerName = ""


class Players(Closed):
    """The registered player at each colour or seat; null is a guest, of whom nothing is stored."""

    white: PlayerId | None = None
    black: PlayerId | None = None
    seat1: PlayerId | None = None
    seat2: PlayerId | None = None


class Seats(Closed):
    """The colour of each player."""

    seat1: SideName = "white"
    seat2: SideName = "black"


LevelNumber = Annotated[int, Field(ge=1, le=10)]
"""How well the computer plays."""


class Computers(Closed):
    """The level at which the computer plays a seat; null: a person does."""

    seat1: LevelNumber | None = None
    seat2: LevelNumber | None = None


class Engines(Closed):
    """The engine that chooses the moves of a computer's seat; null: the built-in player does."""

    seat1: Engine | None = None
    seat2: Engine | None = None


class StandIns(Closed):
    """The player as whom the computer plays a seat; null: its level's own hand throws."""

    seat1: StandIn | None = None
    seat2: StandIn | None = None


class NewGame(Order):
    """Start a game; fields left out are as configured. `options` follow the game's own closed model."""

    type: Literal["new_game"]
    game: GameKey | None = None
    kind: Literal["loud", "silent"] | None = None
    options: Annotated[dict[OptionName, JsonValue], Field(max_length=40, default_factory=dict)]
    names: Names = Names()
    players: Players = Players()
    clock: ClockRequest | None = None
    seats: Seats = Seats()
    computers: Computers = Computers()
    engines: Engines = Engines()
    stand_ins: StandIns = StandIns()
    abandon: bool = False
    away: SeatName | None = None
    """The seat that throws at another board."""


class DecideWhite(Order):
    """Choose how to decide who has White, while that is open."""

    type: Literal["decide_white"]
    by: WhiteBy
    white: SeatName | None = None


class Die(SeqOrder):
    """The number on the die in the draw of an opening; null lets the host throw."""

    type: Literal["die"]
    value: Annotated[int, Field(ge=1, le=6)] | None = None


class PlayMove(SeqOrder):
    """Play a move, written in coordinates."""

    type: Literal["move"]
    move: MoveText


class AnnounceThrow(SeqOrder):
    """The next dart counts."""

    type: Literal["announce_throw"]


class CancelThrow(SeqOrder):
    """The announced dart is not thrown after all."""

    type: Literal["cancel_throw"]


class Ready(SeqOrder):
    """The ready button, from a screen."""

    type: Literal["ready"]


class Miss(SeqOrder):
    """The miss button, from a screen: the dart is lost."""

    type: Literal["miss"]


class ChooseBed(SeqOrder):
    """The answer to an open question; null is "none of these, it does not count"."""

    type: Literal["choose_bed"]
    bed: BedName | None


class Correct(SeqOrder):
    """The last dart was in another bed."""

    type: Literal["correct"]
    bed: BedName


class DeleteDart(SeqOrder):
    """The last reading was not a dart, or did not count."""

    type: Literal["delete_dart"]


class AddDart(SeqOrder):
    """A dart was thrown that no sensor reported."""

    type: Literal["add_dart"]
    bed: BedName


class TakeBack(SeqOrder):
    """Undo the last turns."""

    type: Literal["take_back"]
    turns: Annotated[int, Field(ge=1, le=10_000)]


class Confirm(Order):
    """Agree to the other seat's request."""

    type: Literal["confirm"]
    request: Id
    accept: bool = True


class Resign(Order):
    """Give the game up."""

    type: Literal["resign"]


class OfferDraw(Order):
    """Offer a draw."""

    type: Literal["offer_draw"]


class AnswerDraw(Order):
    """Accept or decline the other's draw."""

    type: Literal["answer_draw"]
    accept: bool


class ClaimDraw(SeqOrder):
    """Claim a draw, on the board or with the next move."""

    type: Literal["claim_draw"]
    rule: Literal["repetition", "fifty_moves", "seventy_moves"]
    move: MoveText | None = None


class ClaimFlag(Order):
    """Claim that the other's flag has fallen."""

    type: Literal["claim_flag"]


class Touch(SeqOrder):
    """Fields that the player to move touched, in order."""

    type: Literal["touch"]
    fields: Annotated[tuple[FieldText, ...], Field(min_length=1, max_length=4, strict=False)]


class LetGo(SeqOrder):
    """The player to move let go of the piece from `origin` on `to`; the answer's `moves` are what remains allowed."""

    type: Literal["let_go"]
    origin: FieldText
    to: FieldText


class Adoube(SeqOrder):
    """J'adoube: the next touches only adjust pieces."""

    type: Literal["adoube"]


class SetComputer(Order):
    """Let the computer play a seat from now on, or (null) a person."""

    type: Literal["set_computer"]
    seat: SeatName
    level: LevelNumber | None
    engine: Engine | None = None
    stand_in: StandIn | None = None


class VirtualThrow(SeqOrder):
    """A dart of the computer where no simulated board throws it; millimetres as in the contract."""

    type: Literal["virtual_throw"]
    x_mm: Annotated[float, Field(ge=-2000, le=2000)]
    y_mm: Annotated[float, Field(ge=-2000, le=2000)]


class Pause(Order):
    """Stop the game and its clocks."""

    type: Literal["pause"]


class Resume(Order):
    """Resume the game."""

    type: Literal["resume"]


class SetClock(Order):
    """Set one clock or both, in ms."""

    type: Literal["set_clock"]
    white_ms: Counter | None = None
    black_ms: Counter | None = None


class SetResult(Order):
    """The arbiter's result; null opens a finished game again."""

    type: Literal["set_result"]
    result: Literal["1-0", "0-1", "1/2-1/2", "½-½", "0-0", "1/2-0", "½-0", "0-1/2", "0-½"] | None


class SetPosition(Order):
    """Set up a position (rules 10)."""

    type: Literal["set_position"]
    position: Annotated[str, Field(max_length=400)]


class Advise(SeqOrder):
    """Ask where to aim the dart that is due; the answer comes on the topic `advice`."""

    type: Literal["advise"]


class StartPractice(Order):
    """Practise while no game is on; null ends it."""

    type: Literal["practice"]
    exercise: Annotated[Exercise, Field(strict=False)] | None
    player: PlayerId | None = None


class PracticeDart(Order):
    """A practice dart that no sensor reported, or that missed the board; `instead` corrects the last one."""

    type: Literal["practice_dart"]
    bed: BedName
    instead: bool = False


class Explain(Order):
    """Ask why a move is or is not legal; without `match`, in the present game."""

    names_match: ClassVar[bool] = False

    type: Literal["explain"]
    move: MoveText


_Game = (
    NewGame | DecideWhite | Die | PlayMove | Confirm | Resign | Explain | Advise | SetComputer | VirtualThrow
)
_Darts = AnnounceThrow | CancelThrow | Ready | Miss | ChooseBed | Correct | DeleteDart | AddDart | TakeBack
_Draws = OfferDraw | AnswerDraw | ClaimDraw | ClaimFlag | Touch | LetGo | Adoube
_Rulings = Pause | Resume | SetClock | SetResult | SetPosition
_Practice = StartPractice | PracticeDart
AnyOrder = Annotated[_Game | _Darts | _Draws | _Rulings | _Practice, Field(discriminator="type")]
# Only keys are cached: ids never repeat, and a cache of them would only fill up.
ORDERS: TypeAdapter[AnyOrder] = TypeAdapter(AnyOrder, config=ConfigDict(cache_strings="keys"))
