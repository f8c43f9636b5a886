"""Lost darts: one that bounced out, was declared lost, or counts in no bed (rules 6, games 6).

What a lost dart does to a game, how many lose it and when that is a draw, the game itself says (`Game.play`).
"""

from __future__ import annotations

from scharten.dartboard.beds import MISS
from scharten.game.basics import Foul, LostDart
from scharten.match import drawing, tossing
from scharten.match.inputs import Dart
from scharten.match.phases import Deciding, Drawing
from scharten.match.state import Landed, Match, Step
from scharten.match.turns import act, why_no_throw


def lost_without_bed(match: Match, foul: Foul, at: int) -> Step:
    """A dart that is in no bed: bounced out, or declared lost."""
    if isinstance(match.stable_phase, Deciding):
        return tossing.thrown(match, MISS, at)
    if isinstance(match.stable_phase, Drawing):
        return drawing.thrown(match, MISS, at)
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return Step(match).show(refused.code, side=match.side.word)
    return lose(match, foul, at)


def lose(match: Match, foul: Foul, at: int, dart: Dart | None = None) -> Step:
    """The side to move lost its dart, in no bed that is known."""
    lost = act(match, LostDart(foul, match.aim), at, Landed(dart=dart))
    # A dart was due, so that losing it cannot be refused.
    return lost if isinstance(lost, Step) else Step(match)
