"""The commands of contract.md, one closed model per `type`; sizes bounded, nothing guessed.

An order says what someone wishes; whether it may be is the referee's to judge.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from scharten.game.options import ClockWish, Closed, WhiteBy
from scharten.match.practice import Exercise

SideName = Literal["white", "black"]
SeatName = Literal["seat1", "seat2"]
BedName = Annotated[str, Field(pattern=r"^([DFTL]([1-9]|1[0-9]|20)|25|BULL|MISS)$")]
FieldText = Annotated[str, Field(pattern=r"^[a-z][1-9]$")]
"""A field of some board; whether this game has it, the game says."""
MoveText = Annotated[str, Field(pattern=r"^[a-z][1-9][a-z][1-9][a-z]?$")]
"""A move in coordinates; whether there is such a move, the game says."""
GameKey = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
OptionName = Annotated[str, Field(max_length=32)]
Id = Annotated[str, Field(min_length=1, max_length=64)]
PlayerName = Annotated[str, Field(max_length=40)]
PlayerId = Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")]
"""A kept player; whether there is one of that id is not the referee's to know."""
BIGGEST = 2**53 - 1
Counter = Annotated[int, Field(ge=0, le=BIGGEST)]


class Order(Closed):
    """What every command carries: `id` for its answer, the game it means, the `seq` its sender saw."""

    checks_seq: ClassVar[bool] = False
    names_match: ClassVar[bool] = True
    """Whether it must say which game it means; what changes nothing need not."""

    v: Literal[1, 2]
    id: Id
    match: Annotated[str, Field(max_length=64)] | None = None
    seq: Counter | None = None
    side: SideName | None = None


class SeqOrder(Order):
    """An order that is only meant for the state its sender saw."""

    checks_seq: ClassVar[bool] = True

    seq: Counter


class Names(Closed):
    """What the players are called; by colour, or by seat where the colours are not known yet."""

    white: PlayerName = ""
    black: PlayerName = ""
    seat1: PlayerName = ""
    seat2: PlayerName = ""


class Players(Closed):
    """Which kept player sits where, by colour or by seat; null is a guest, of whom nothing is kept."""

    white: PlayerId | None = None
    black: PlayerId | None = None
    seat1: PlayerId | None = None
    seat2: PlayerId | None = None


class Seats(Closed):
    """Who plays which colour."""

    seat1: SideName = "white"
    seat2: SideName = "black"


LevelNumber = Annotated[int, Field(ge=1, le=10)]
"""How well the computer plays."""


class Computers(Closed):
    """The level at which the computer plays a seat; null: a person does."""

    seat1: LevelNumber | None = None
    seat2: LevelNumber | None = None


class NewGame(Order):
    """Start a game; what is left out is as configured. `options` are those of the game's own closed model."""

    type: Literal["new_game"]
    game: GameKey | None = None
    kind: Literal["loud", "silent"] | None = None
    options: Annotated[dict[OptionName, JsonValue], Field(max_length=40, default_factory=dict)]
    names: Names = Names()
    players: Players = Players()
    clock: ClockWish | None = None
    seats: Seats = Seats()
    computers: Computers = Computers()
    abandon: bool = False


class DecideWhite(Order):
    """Say how White is found, while it is being found."""

    type: Literal["decide_white"]
    by: WhiteBy
    white: SeatName | None = None


class Die(SeqOrder):
    """What a die shows in the draw of an opening; null lets the host throw."""

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
    """The last dart was none, or did not count."""

    type: Literal["delete_dart"]


class AddDart(SeqOrder):
    """A dart was thrown that nothing reported."""

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
    """J'adoube: what is touched next is only put straight."""

    type: Literal["adoube"]


class SetComputer(Order):
    """Let the computer play a seat from now on, or (null) a person."""

    type: Literal["set_computer"]
    seat: SeatName
    level: LevelNumber | None


class VirtualThrow(SeqOrder):
    """A dart of the computer, where there is no simulated board for it; millimetres as in the contract."""

    type: Literal["virtual_throw"]
    x_mm: Annotated[float, Field(ge=-2000, le=2000)]
    y_mm: Annotated[float, Field(ge=-2000, le=2000)]


class Pause(Order):
    """Stop the game and its clocks."""

    type: Literal["pause"]


class Resume(Order):
    """Go on."""

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
    """A dart of a practice that nothing reported, or that missed the board; `instead` puts the last one right."""

    type: Literal["practice_dart"]
    bed: BedName
    instead: bool = False


class Explain(Order):
    """Ask why a move is or is not legal; without `match`, of the game that is on."""

    names_match: ClassVar[bool] = False

    type: Literal["explain"]
    move: MoveText


AnyOrder = Annotated[
    NewGame
    | DecideWhite
    | Die
    | PlayMove
    | AnnounceThrow
    | CancelThrow
    | Ready
    | Miss
    | ChooseBed
    | Correct
    | DeleteDart
    | AddDart
    | TakeBack
    | Confirm
    | Resign
    | OfferDraw
    | AnswerDraw
    | ClaimDraw
    | ClaimFlag
    | Touch
    | LetGo
    | Adoube
    | Pause
    | Resume
    | SetClock
    | SetResult
    | SetPosition
    | Advise
    | StartPractice
    | PracticeDart
    | Explain
    | SetComputer
    | VirtualThrow,
    Field(discriminator="type"),
]
# Ids are never the same twice: a table of them would only fill.
ORDERS: TypeAdapter[AnyOrder] = TypeAdapter(AnyOrder, config=ConfigDict(cache_strings="keys"))
