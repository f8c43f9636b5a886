"""The effect of a dart: it places the next piece in the zone or is lost; lost darts may lose the game (rules 6)."""

from __future__ import annotations

from typing import Final

from scharten.dartboard.beds import Bed, BedKind
from scharten.errors import Problem
from scharten.game.basics import Drop, End, Foul, Kind, LostDart, Move, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Effect, Played
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.board import Field, field_name, field_of
from scharten.games.scharten.mate.front import could_mate
from scharten.games.scharten.position import Position, after_lost_dart
from scharten.games.scharten.turns import turns_of

PLACED: Final = "placed"


class ThrownPieces:
    """The darts of Scharten, for the referee."""

    def refusal(self, position: Position, options: GameOptions, aim: Move | None = None) -> Problem | None:
        """Return why the side to move has nothing to throw, or None."""
        if options.kind is Kind.SILENT:
            return Problem("silent_game", "nothing is thrown in a silent game")
        if position.to_throw(position.side) == 0:
            return Problem("no_pieces_left", f"{position.side.word} has no pieces left to throw")
        return None

    def effect(
        self,
        position: Position,
        options: GameOptions,
        bed: Bed,
        white_sits_at: int,
        *,
        aim: Move | None = None,
        side: Side | None = None,
    ) -> Effect:
        """Place a piece or lose the dart; a side without pieces to throw has no zone."""
        field = field_of(bed, white_sits_at)
        name = None if field is None else field_name(field)
        foul = _foul(position, bed, field, side or position.side)
        if foul is not None:
            return Effect(bed, foul.value, name, LostDart(foul, bed=str(bed)))
        assert name is not None, "a dart without a field is a foul"
        return Effect(bed, PLACED, name, Drop(name))

    def aim(self, position: Position, options: GameOptions, move: Move) -> None:
        """Return None: no move needs a dart."""


def _foul(position: Position, bed: Bed, field: Field | None, thrower: Side) -> Foul | None:
    """Return why this dart is lost, or None if it places the thrower's next piece."""
    if bed.kind is BedKind.MISS:
        return Foul.OFF_BOARD
    if field is None:
        return Foul.BULL
    if not position.to_throw(thrower) or not position.rules.zones[thrower.index] >> field & 1:
        return Foul.OUTSIDE_ZONE
    if position.occupied >> field & 1:
        return Foul.OCCUPIED
    if thrower is position.side and not turns_of(position).placements() >> field & 1:
        return Foul.MISSED_IN_CHECK
    return None


def after_foul(position: Position) -> Played[Position]:
    """Play a lost dart: in check it loses at once, too many in a row lose by fogling."""
    side = position.side
    if in_check(position, side.index):
        # The position stays: after the turn the king would be in check, which no position allows.
        return Played(position, End(side.other, Reason.MISSED_IN_CHECK))
    reached = after_lost_dart(position)
    in_a_row = reached.fouls[side.index]
    details = {"fouls": in_a_row}
    if in_a_row < position.rules.foul_limit[side.index]:
        return Played(reached, details=details)
    drawn = could_mate(reached, side.other) is False
    return Played(reached, End(None if drawn else side.other, Reason.FOGLING), details)
