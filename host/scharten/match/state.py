"""A match as one frozen value: the game, whose turn it is, the open question, the message, the turns so far.

`begin(start, games)` makes a match from its start; everything else comes from inputs. A journal stores `Start` as
JSON beside the inputs, and replays a match from both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scharten.dartboard.beds import Bed
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Action, Drop, End, FieldName, LostDart, Move, Reason, Result, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Drawn, Games, Situation
from scharten.match.clock import Clock, ClockSettings, new_clock, parse_clock
from scharten.match.clock import start as clock_start
from scharten.match.codes import Message
from scharten.match.dart import Dart
from scharten.match.events import Args, Event, Happened
from scharten.match.orders import AnyOrder, BySeat, StandInBySeat
from scharten.match.phases import (
    Arming,
    Bare,
    Deciding,
    Drawing,
    Finished,
    Phase,
    Question,
    Setup,
    Throwing,
    ToMove,
    innermost,
    question_in,
)
from scharten.match.practice import Practice
from scharten.match.settings import MatchSettings, Start, find_game, read_options, start_text
from scharten.match.touch import Touches
from scharten.match.white import Seat, TossForWhite


@dataclass(frozen=True, slots=True)
class BoardState:
    """A position, which only the game understands, and the game's description of it."""

    position: Any
    situation: Situation


@dataclass(frozen=True, slots=True)
class Text:
    """A text for the display, which has it in its own language under `code`."""

    code: str
    args: Args = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Landed:
    """Where a dart landed, as far as known: the bed that counts, its field, the dart as a sensor read it."""

    bed: Bed | None = None
    field: FieldName | None = None
    dart: Dart | None = None


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One completed turn: the board `before` it, the `key` and `position` text of the one after, its dart.

    `bed` and `field` are what the dart hit, `text` is English notation. `end` is how it ended the game, by the board,
    by lost darts or by an automatic draw.
    `pressed`: the clock was pressed after it; `at_ms`: when it was completed. `chain` is a digest of it and all turns
    before it.
    """

    number: int
    side: Side
    action: Action
    text: str
    before: BoardState
    key: str
    position: str
    bed: Bed | None = None
    field: FieldName | None = None
    dart: Dart | None = None
    end: End | None = None
    pressed: bool = True
    at_ms: int = 0
    chain: str = ""

    @property
    def short(self) -> str:
        """The turn in coordinates: `e2e4`, `@c3`, `@-`."""
        return self.action.text

    @property
    def fields(self) -> tuple[FieldName, ...]:
        """The fields of the turn: origin and goal, or the field that its dart hit."""
        if isinstance(self.action, Move):
            return (self.action.origin, self.action.to)
        return () if self.field is None else (self.field,)

    @property
    def foul(self) -> str | None:
        """Why its dart was lost."""
        return self.action.foul.value if isinstance(self.action, LostDart) else None

    @property
    def thrown(self) -> bool:
        """Whether a dart was thrown."""
        return isinstance(self.action, Drop | LostDart) or self.bed is not None

    @property
    def aim(self) -> Move | None:
        """The move that its dart was thrown for."""
        if isinstance(self.action, LostDart):
            return self.action.aim
        return self.action if isinstance(self.action, Move) and self.thrown else None


@dataclass(frozen=True, slots=True)
class Request:
    """A seat's order that waits for the other seat's `confirm` until `until_ms`."""

    by: Seat
    order: AnyOrder
    seed: int
    until_ms: int


@dataclass(frozen=True)
class Match:
    """The complete state.

    `opening` is the board at the head of the sheet, `since_ms` when the phase or turn began, `now_ms` the time of the
    last input that changed more than the message. `answers` holds (role, id, answer) of the last commands that changed
    something, the newest last, and `passing` of those that did not. `games` are all available games, `computers` the
    level by seat at which the computer plays (0: a person), `engines` what chooses its moves (None: the built-in
    player), `stand_ins` as whom it plays (None: as itself), `start_text` the constant part of the digest, and `draw`
    the draw of the opening, a value of the game's own. The next game begins with `next_settings`, where the
    configuration has changed since this one began; a replay has the settings in `start`.
    """

    start: Start
    games: Games
    game: AnyGame
    options: GameOptions
    arming: Arming
    start_text: str
    opening: BoardState
    board: BoardState
    phase: Phase
    seq: int = 1
    draw: Any = None
    white: Seat = Seat.SEAT1
    toss: TossForWhite = field(default_factory=TossForWhite)
    turns: tuple[PlayedTurn, ...] = ()
    clock: Clock | None = None
    since_ms: int = 0
    now_ms: int = 0
    draw_offer: Side | None = None
    requests: tuple[Request, ...] = ()
    message: Text = Text(Message.SETUP)
    touches: Touches = field(default_factory=Touches)
    computers: tuple[int, int] = (0, 0)
    engines: BySeat = (None, None)
    stand_ins: StandInBySeat = (None, None)
    practice: Practice | None = None
    answers: tuple[tuple[str, str, Args], ...] = ()
    passing: tuple[tuple[str, str, Args], ...] = ()
    next_settings: MatchSettings | None = None

    @property
    def id(self) -> str:
        """The game's id, "" before the first one."""
        return self.start.id

    @property
    def position(self) -> Any:
        """The position, which only the game understands."""
        return self.board.position

    @property
    def situation(self) -> Situation:
        """The game's description of the present position."""
        return self.board.situation

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.board.situation.side

    @property
    def stable_phase(self) -> Bare:
        """The phase without a pause and a question."""
        return innermost(self.phase)

    @property
    def question(self) -> Question | None:
        """The open question."""
        return question_in(self.phase)

    @property
    def aim(self) -> Move | None:
        """The entered move that waits for its dart."""
        inner = innermost(self.phase)
        return inner.aim if isinstance(inner, Throwing) else None

    @property
    def result(self) -> Result | None:
        """How the game ended."""
        inner = innermost(self.phase)
        return inner.result if isinstance(inner, Finished) else None

    @property
    def reason(self) -> Reason | None:
        """The reason for the result."""
        inner = innermost(self.phase)
        return inner.reason if isinstance(inner, Finished) else None

    @property
    def drawn(self) -> Drawn | None:
        """The progress of the draw of the opening, None where nothing is drawn."""
        draws = self.game.draws
        return None if draws is None or self.draw is None else draws.drawn(self.draw)

    @property
    def under_way(self) -> bool:
        """Whether a game is going on."""
        return not isinstance(innermost(self.phase), Setup | Finished)

    def side_of(self, seat: Seat) -> Side:
        """The colour that a seat plays."""
        return Side.WHITE if seat is self.white else Side.BLACK

    def name_of(self, side: Side) -> str:
        """The player's name, "" if none was given."""
        return self.start.names[self._place(side)]

    def player_of(self, side: Side) -> str:
        """The registered player's id, "" for a guest."""
        return self.start.players[self._place(side)]

    def with_names(self, names: Mapping[Side, str]) -> Match:
        """The same match under other names, for display; its digest does not change."""
        placed = sorted(Side, key=self._place)
        by_seat = {"names": tuple(names[side] for side in placed)}
        return replace(self, start=self.start.model_copy(update=by_seat))

    def without_names_of(self, gone: Collection[str]) -> Match:
        """The same match without the names of deleted players."""
        if not any(player in gone for player in self.start.players):
            return self
        return self.with_names(
            {side: "" if self.player_of(side) in gone else self.name_of(side) for side in Side}
        )

    def _place(self, side: Side) -> int:
        """0 for seat 1, 1 for seat 2."""
        return 0 if self.side_of(Seat.SEAT1) is side else 1


@dataclass(frozen=True, slots=True)
class Step:
    """The result of handling an input: the new match, the events, and more fields for the answer."""

    match: Match
    events: tuple[Event, ...] = ()
    answer: Mapping[str, object] = field(default_factory=dict)

    def show(self, code: str, **args: object) -> Step:
        """Put a text on the display, as the snapshot's `message`, and among the events."""
        shown = changed(self.match, message=Text(code, args))
        return Step(shown, (*self.events, Happened(code, args)), self.answer)

    def note(self, code: str, **args: object) -> Step:
        """Put a text among the events only."""
        return Step(self.match, (*self.events, Happened(code, args)), self.answer)

    def enter(self, phase: Phase, at: int | None = None, **changes: object) -> Step:
        """Begin a phase at `at`; None keeps `since_ms`, if only the question or the wait changes.

        Nothing else sets a phase.
        """
        since = self.match.since_ms if at is None else at
        return Step(changed(self.match, phase=phase, since_ms=since, **changes), self.events, self.answer)

    def with_(self, **changes: object) -> Step:
        """The step with more of the match changed."""
        return Step(changed(self.match, **changes), self.events, self.answer)

    def answering(self, **args: object) -> Step:
        """The step with more in its answer."""
        return Step(self.match, self.events, {**self.answer, **args})


def changed(match: Match, **changes: object) -> Match:
    """The match with fields changed; `dataclasses.replace` is several times slower with this many fields."""
    unknown = changes.keys() - vars(match).keys()
    if unknown:
        raise TypeError(f"a match has no {', '.join(sorted(unknown))}")
    new = object.__new__(Match)
    vars(new).update(vars(match), **changes)
    return new


def board_state(game: AnyGame, position: Any, options: GameOptions) -> BoardState:
    """A position with its game's description."""
    return BoardState(position, game.situation(position, options))


def clock_settings(options: GameOptions) -> ClockSettings | Problem | None:
    """The clock that a game's options ask for; None is a game without a clock."""
    return parse_clock(options.clock and options.clock.model_dump())


def begin(start: Start, games: Games) -> Match:
    """A match at its first moment; `SchartenError` for a game or options that this version does not know."""
    game = find_game(games, start.game)
    options = game if isinstance(game, Problem) else read_options(game, start.options)
    settings = options if isinstance(options, Problem) else clock_settings(options)
    if isinstance(game, Problem) or isinstance(options, Problem) or isinstance(settings, Problem):
        why = next(found for found in (game, options, settings) if isinstance(found, Problem))
        raise SchartenError.coded("cannot_begin", why=why)
    draws = game.draws if start.draw_seed else None
    draw = None if draws is None else draws.begin(options, start.id, start.draw_seed)
    opening = game.begin(options) if draws is None or draw is None else draws.position(draw)
    board = board_state(game, opening, options)
    match = Match(
        start=start,
        games=games,
        game=game,
        options=options,
        arming=Arming(options.arming == "auto", options.settle_ms),
        start_text=start_text(start, options, games),
        opening=board,
        board=board,
        phase=Setup(),
        draw=draw,
        computers=start.computers,
        engines=start.engines,
        stand_ins=start.stand_ins,
        since_ms=start.t_ms,
        now_ms=start.t_ms,
    )
    if start.id == "":
        return match
    if start.white is None:
        text = Text(Message.DECIDING, {"seat": Seat.SEAT1.value})
        return Step(match).enter(Deciding(), message=text).match
    return with_white(Step(match), start.white, start.t_ms, options.white_by).match


def with_white(step: Step, white: Seat, now: int, by: str) -> Step:
    """Set who has White: draw the opening if needed, then begin White's first turn."""
    drawn = step.match.drawn
    if drawn is not None and drawn.waits_for:
        text = Text(Message.DRAWING, {"seat": f"seat{drawn.to_throw + 1}", "by": drawn.waits_for})
        return step.enter(Drawing(), now, white=white, message=text)
    text = Text(Message.WHITE_FOUND, {"seat": white.value, "by": by})
    return first_turn(step, now).with_(white=white, message=text)


def first_turn(step: Step, now: int) -> Step:
    """Begin the first turn: White is to move, and White's clock runs."""
    settings = clock_settings(step.match.options)
    clock = None
    if isinstance(settings, ClockSettings):
        clock = clock_start(new_clock(settings, now), step.match.side, now)
    return step.enter(ToMove(), now, clock=clock)
