"""A match as one frozen value: the game, whose turn, what is asked, what was said, and how it came about.

`begin(start)` makes a match from what it began with; everything after that comes from inputs. `Start` is JSON, so a
journal keeps it beside the inputs and replays a match by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scharten.dartboard.beds import Bed
from scharten.errors import SchartenError
from scharten.game.basics import Side
from scharten.games.scharten.board import Field
from scharten.games.scharten.options import OptionsError, RuleOptions, make_options
from scharten.games.scharten.position import Position, initial_position, position_text
from scharten.match.board_state import BoardState, board_state
from scharten.match.clock import Clock, ClockError, ClockSettings, new_clock, parse_clock
from scharten.match.clock import start as clock_start
from scharten.match.events import Args, Event, Happened
from scharten.match.inputs import Dart
from scharten.match.orders import AnyOrder
from scharten.match.phases import Phase
from scharten.match.settings import ClockWish, Closed, Game, MatchSettings, ZoneLists
from scharten.match.touch import Touches
from scharten.match.white import Seat, Toss


class Start(Closed):
    """What a match begins with: its id ("" before the first game), its game, and the seat that has White if known."""

    settings: MatchSettings
    id: str = ""
    t_ms: int = 0
    game: Game
    white: Seat | None = None
    names: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Text:
    """Words for a page: it has them in its language under `code`."""

    code: str
    args: Args = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an order is not carried out: a code of contract.md, figures, and English words."""

    code: str
    words: str
    args: Args = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One completed turn: the position `before` it, the `key` and `position` string of the one after, its dart.

    `text` is English notation, `short` coordinates (`e2e4`, `@c3`, `@-`), `foul` why the dart was lost.
    """

    number: int
    side: Side
    kind: str
    text: str
    short: str
    before: Position
    key: str
    position: str = ""
    bed: Bed | None = None
    dart: Dart | None = None
    foul: str | None = None
    chain: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: the bed, and what it would do ("placed" on `field`, or a lost-dart code)."""

    bed: Bed
    effect: str
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What only a person can say: `code` is `which_bed`, `lost_dart` or `take_back`; the dart, and its sensor."""

    code: str
    side: Side | None
    choices: tuple[Choice, ...] = ()
    dart: Dart | None = None
    sensor: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A seat's order that waits for the other seat's `confirm` until `until_ms`."""

    by: Seat
    order: AnyOrder
    seed: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Match:
    """All of it.

    `opening` is what the sheet begins with, `since_ms` when the phase or turn began, `now_ms` the time of the last
    input that changed more than words; `answers` holds (role, id, answer) of the last commands that changed something,
    the newest last, and `passing` of those that did not.
    """

    start: Start
    options: RuleOptions
    opening: BoardState
    board: BoardState
    phase: Phase
    seq: int = 1
    white: Seat = Seat.SEAT1
    toss: Toss = field(default_factory=Toss)
    turns: tuple[Turn, ...] = ()
    clock: Clock | None = None
    since_ms: int = 0
    now_ms: int = 0
    settle_until: int | None = None
    paused_from: Phase | None = None
    question: Question | None = None
    draw_offer: Side | None = None
    requests: tuple[Request, ...] = ()
    result: str | None = None
    reason: str | None = None
    message: Text = Text("setup")
    touches: Touches = field(default_factory=Touches)
    answers: tuple[tuple[str, str, Args], ...] = ()
    passing: tuple[tuple[str, str, Args], ...] = ()

    @property
    def id(self) -> str:
        """The game's id, "" before the first one."""
        return self.start.id

    @property
    def game(self) -> Game:
        """The game's options."""
        return self.start.game

    @property
    def position(self) -> Position:
        """What stands on the board."""
        return self.board.position

    @property
    def position_text(self) -> str:
        """The position string; the sheet has it already."""
        return self.turns[-1].position if self.turns else position_text(self.position)

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.board.position.side

    @property
    def stable_phase(self) -> Phase:
        """The phase, or the one that a pause holds."""
        return self.paused_from or self.phase

    @property
    def under_way(self) -> bool:
        """Whether a game is going on."""
        return self.phase not in (Phase.SETUP, Phase.FINISHED)

    def side_of(self, seat: Seat) -> Side:
        """The colour that a seat plays."""
        return Side.WHITE if seat is self.white else Side.BLACK

    def name_of(self, side: Side) -> str:
        """The player's name, "" if none was given."""
        seat = self.white if side is Side.WHITE else self.white.other
        return self.start.names[0 if seat is Seat.SEAT1 else 1]


@dataclass(frozen=True, slots=True)
class Step:
    """What a handler makes of an input: the match after it, the news, and what the answer says besides."""

    match: Match
    events: tuple[Event, ...] = ()
    answer: Mapping[str, object] = field(default_factory=dict)

    def say(self, code: str, **args: object) -> Step:
        """Put a text in the snapshot's `message` and among the events."""
        return self.tell(code, **args).with_(message=Text(code, args))

    def tell(self, code: str, **args: object) -> Step:
        """Put a text among the events only."""
        return replace(self, events=(*self.events, Happened(code, args)))

    def with_(self, **changes: object) -> Step:
        """The step with the match changed."""
        # dataclasses checks the names itself
        return replace(self, match=replace(self.match, **changes))  # type: ignore[arg-type]

    def answering(self, **args: object) -> Step:
        """The step with more in its answer."""
        return replace(self, answer={**self.answer, **args})


def rule_options(game: Game) -> RuleOptions | OptionsError:
    """The rules' own options for a game; an error names what cannot be."""
    zones = game.zones
    if isinstance(zones, ZoneLists):
        zones_words = f"white={','.join(zones.white)};black={','.join(zones.black)}"
    else:
        zones_words = zones
    return make_options(
        loud=game.kind == "loud",
        zones=zones_words,
        support=game.support,
        protection=game.protection,
        double_step=game.double_step,
        foul_limit=(game.foul_limit.white, game.foul_limit.black),
    )


def clock_settings(wish: ClockWish | None) -> ClockSettings | ClockError | None:
    """The clock that a game wishes for; an error names what cannot be, None is a game without one."""
    return parse_clock(clock_json(wish))


def clock_json(wish: ClockWish | None) -> dict[str, object] | None:
    """The `clock` object of the contract again: `moves` always, of `minutes` and `seconds` the one that was given."""
    if wish is None:
        return None
    stages = [{"moves": stage.moves, **stage.model_dump(exclude_none=True)} for stage in wish.stages]
    return {"stages": stages, "increment_s": wish.increment_s}


def begin(start: Start) -> Match:
    """A match at its first moment. `start` has been checked by whoever made it (`games.started`)."""
    options = rule_options(start.game)
    settings = clock_settings(start.game.clock)
    if isinstance(options, OptionsError) or isinstance(settings, ClockError):
        wrong = options if isinstance(options, OptionsError) else settings
        raise SchartenError(f"the game cannot begin: {getattr(wrong, 'words', '')}", "Correct its options.")
    board = board_state(initial_position(options), options)
    match = Match(
        start=start,
        options=options,
        opening=board,
        board=board,
        phase=Phase.SETUP,
        since_ms=start.t_ms,
        now_ms=start.t_ms,
    )
    if start.id == "":
        return match
    if start.white is None:
        return replace(match, phase=Phase.DECIDING, message=Text("deciding", {"seat": Seat.SEAT1.value}))
    return with_white(match, start.white, start.t_ms, start.game.white_by)


def with_white(match: Match, white: Seat, now: int, by: str) -> Match:
    """The colours are known: White's first turn begins, and White's clock runs."""
    settings = clock_settings(match.game.clock)
    clock = (
        clock_start(new_clock(settings, now), Side.WHITE, now)
        if isinstance(settings, ClockSettings)
        else None
    )
    return replace(
        match,
        white=white,
        phase=Phase.TURN,
        clock=clock,
        since_ms=now,
        message=Text("white_found", {"seat": white.value, "by": by}),
    )


def digest(match: Match) -> str:
    """What a replay must reproduce: the game, not the words about it nor the answers given.

    Values are named one by one and options at their default left out, so that a later version, which knows more
    options or says more, still gives the digests of an old journal.
    """
    side, question = match.draw_offer, match.question
    state = (
        match.start.model_dump_json(exclude_defaults=True),
        match.position_text,
        position_text(match.opening.position),
        (match.phase, match.paused_from, match.seq, match.white, match.result, match.reason),
        (match.since_ms, match.now_ms, match.settle_until),
        [(str(dart.bed), dart.distance_mm) for dart in match.toss.darts],
        (len(match.turns), match.turns[-1].chain if match.turns else ""),
        None if match.clock is None else _clock_values(match.clock),
        None if question is None else (question.code, [str(choice.bed) for choice in question.choices]),
        None if side is None else side.word,
        [(each.by, each.order.model_dump_json(exclude_unset=True), each.until_ms) for each in match.requests],
        (match.touches.fields, match.touches.adoube),
    )
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]


def _clock_values(clock: Clock) -> tuple[object, ...]:
    sides = tuple((own.left_ms, own.turns, own.stage, own.fallen) for own in (clock.white, clock.black))
    running = tuple(None if side is None else side.word for side in (clock.running, clock.held))
    return (*sides, *running, clock.since_ms)


def chained(previous: tuple[Turn, ...], turn: Turn) -> Turn:
    """The turn with its digest, which covers all turns before it."""
    before = previous[-1].chain if previous else ""
    state = (before, turn.number, turn.side.word, turn.short, str(turn.bed), turn.foul)
    return replace(turn, chain=hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32])
