"""The computer's turn in any game. Time and chance come from outside."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

from scharten.game.basics import Kind, Move, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.board import THROWS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.play.any_game import AnyGamePlayer, dart_point
from scharten.play.attention import Attention
from scharten.play.choose import Thinker, choose
from scharten.play.evaluate import MATE, DartsNeeded
from scharten.play.levels import AHEAD_FROM, EXACT_FROM, LEVELS, THROWN_DEPTH
from scharten.play.room import darts_needed
from scharten.play.scatter import Hand
from scharten.play.search import key_of
from scharten.play.square_view import view_of
from scharten.play.tables import Tables
from scharten.play.throwing import aim_words, throw_model

HOPELESS: Final = -1400
"""The value at which it resigns after a while, in hundredths of a pawn."""
HOPELESS_ELSEWHERE: Final = -1200
"""The same in other games: a queen and a rook less, wherever they stand."""
EQUAL: Final = 25
ERROR_WHILE_THROWING: Final = 16
"""The error of a level is divided by this while pieces are to come."""
IN_TIME: Final = 0.95
"""Stop searching after this share of the turn's time, leaving time to free the tables and reply."""
Gauss = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Intent:
    """The next action: play `move`, or throw at the point `aim` (for `move`, if any).

    `value` is the value of the position, None if unknown; `words` describe it to a person.
    """

    move: Move | None
    aim: tuple[float, float] | None
    value: int | None = None
    words: str = ""

    @property
    def text(self) -> str:
        """The action in one line."""
        if self.aim is None:
            return self.move.text if self.move else "-"
        return f"throw at {self.aim[0]:.0f},{self.aim[1]:.0f}"


class Mind:
    """A player of one level in one game, which keeps results from turn to turn."""

    def __init__(
        self,
        game: AnyGame,
        options: GameOptions,
        level: int,
        white_sits_at: int,
        *,
        gauss: Gauss,
        tables: Tables | None = None,
        divided_by: float | None = 1,
        hand: Hand | None = None,
        ahead: bool = True,
    ) -> None:
        """Divide the level's positions by `divided_by`; with None it thinks until the time is over.

        With `ahead` False it looks no further ahead than the level's depth while pieces are to come.

        Darts land as those of `hand`, without it as those of the level. It aims as if they had no offset.
        """
        own = LEVELS[level]
        self.level = own if hand is None else own._replace(scatter=hand.scatter)
        self._offset = (0.0, 0.0) if hand is None else (hand.right_mm, hand.up_mm)
        self._thrown_depth = THROWN_DEPTH if ahead and level >= AHEAD_FROM else 1
        self.nodes = 0
        self.seen: set[Hashable] = set()
        """The keys of the game's positions so far."""
        self._positions = None if divided_by is None else round(self.level.positions / divided_by)
        self._tables = tables if level >= EXACT_FROM else None
        self._game, self._options = game, options
        self._sits, self._gauss = white_sits_at, gauss
        self._attention = Attention()
        self._needed: tuple[DartsNeeded, DartsNeeded] = ((), ())
        if game.throws is not None and options.kind is Kind.LOUD:
            throw_model(self.level.scatter)  # slow, so not in the time of the first turn
            if isinstance(options, Options):
                white, black = rules_of(options).zones
                self._needed = (
                    darts_needed(self.level.scatter, white, white_sits_at),
                    darts_needed(self.level.scatter, black, white_sits_at),
                )

    def think(
        self,
        position: Any,
        seconds: float,
        clock: Callable[[], float],
        seen: frozenset[Hashable] = frozenset(),
        began: float | None = None,
    ) -> Intent | None:
        """Return the action within `seconds` of `clock`, counted from `began` if given; None without a legal action."""
        until = (clock() if began is None else began) + seconds * IN_TIME

        def over() -> bool:
            return clock() >= until

        if self._game is SCHARTEN:
            return self._scharten(position, over, seen)
        player = AnyGamePlayer(self._game, self._options, over, seen, self._positions)
        found = player.best_move(position, self.level.depth, lambda: self._gauss(0, self.level.error))
        self.nodes += player.nodes
        if found is None:
            return None
        return Intent(move_from_text(found.move), None, found.value, _judgement(found.value, found.depth))

    @property
    def hopeless(self) -> int:
        """The value at which it resigns after a while."""
        return HOPELESS if self._game is SCHARTEN else HOPELESS_ELSEWHERE

    def key(self, position: Any) -> Hashable:
        """Return the key by which to recognise a repeated position."""
        if isinstance(position, Position):
            return key_of(position)
        return view_of(self._game, self._options).key(position)

    def notice(self, position: Any) -> None:
        """Remember a position of the game."""
        self.seen.add(self.key(position))

    def throw(self, position: Any, move: Move | None) -> tuple[float, float]:
        """Return the aim of a dart that is due already: for an entered move, or to place a piece anywhere."""
        model = throw_model(self.level.scatter)
        return dart_point(self._game, position, self._options, model, white_sits_at=self._sits, move=move)

    def scattered(self, aim: tuple[float, float]) -> tuple[float, float]:
        """Return the point where the dart lands."""
        x_mm, y_mm, tilt = self.level.scatter
        aside = self._gauss(0, x_mm)
        up = self._gauss(0, y_mm * (1 - tilt**2) ** 0.5) + tilt * aside * y_mm / x_mm
        return aim[0] + self._offset[0] + aside, aim[1] + self._offset[1] + up

    def _scharten(
        self, position: Position, over: Callable[[], bool], seen: frozenset[Hashable]
    ) -> Intent | None:
        to_come = position.rules.loud and min(position.placed) < THROWS
        complete = self._thrown_depth if to_come else 1
        limits = self._options.foul_limit.white, self._options.foul_limit.black
        if position.rules.loud:
            self._attention.notice(position, limits)
        thinker = Thinker(
            depth=max(self.level.depth, complete),
            complete=complete,
            positions=self._positions,
            # Darts have errors of their own: with the full error of moves a level loses what it sees ahead.
            error=self.level.error / (ERROR_WHILE_THROWING if to_come else 1),
            model=throw_model(self.level.scatter) if position.rules.loud else None,
            white_sits_at=self._sits,
            limits=limits,
            tables=self._tables,
            needed=self._needed,
            ignores=self._attention.ignores if complete > 1 else 0.0,
        )
        found = choose(position, thinker, over, lambda: self._gauss(0, 1), seen)
        if found is None:
            return None
        self.nodes += found.nodes
        if found.turn is not None:
            return Intent(move_of(*found.turn), None, found.value, _judgement(found.value, found.depth))
        assert found.aim is not None
        return Intent(
            None,
            found.aim,
            found.value,
            f"{aim_words(*found.aim)}; {_judgement(found.value, found.depth)}, later darts by their likeliest fields",
        )


def _judgement(value: int, depth: int) -> str:
    """Describe the value."""
    if value > MATE // 2:
        return f"mates in {(MATE - value + 1) // 2}"
    return f"value {value / 100:+.2f}, {depth} turns deep"
