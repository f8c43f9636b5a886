"""The seat that is to throw."""

from __future__ import annotations

from scharten.match.phases import Deciding, Drawing
from scharten.match.seats import drawing, tossing
from scharten.match.state import Match
from scharten.match.white import Seat


def may_throw(match: Match, seat: Seat) -> bool:
    """Return whether a dart of this seat can be due now; between games everybody throws for practice."""
    if not match.under_way:
        return True
    if isinstance(match.stable_phase, Deciding):
        return tossing.thrower(match) is seat
    if isinstance(match.stable_phase, Drawing):
        return drawing.thrower(match) is seat
    return match.side_of(seat) is match.side
