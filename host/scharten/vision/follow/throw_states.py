"""The states of a throw, the observations, and the next state: a table.

| state | means |
| --- | --- |
| waking | nothing is known yet: the first still pictures show the board; a dart that came meanwhile is asked about |
| empty | no dart is in the board, and nothing moves |
| quiet | darts are in the board that were there before anyone looked; nothing moves |
| motion | something small moves: a dart flies, the board shakes |
| settled | a dart came, was reported, and is in the board; nothing moves |
| hand | something as large as a hand is before the board: nothing counts |
| partly_out | the hand is gone and took some of the darts |
| askew | a camera was moved or is covered, or the board is turned: nothing counts until all is as calibrated |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from scharten.dartboard.beds import MISS, Beds
from scharten.errors import Problem
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.follow.judge import Sight
from scharten.vision.model import Image

Pictures = tuple[Image, ...]


class TakeoutState(StrEnum):
    """Where a throw is in its life."""

    WAKING = "waking"
    EMPTY = "empty"
    QUIET = "quiet"
    MOTION = "motion"
    SETTLED = "settled"
    HAND = "hand"
    PARTLY_OUT = "partly_out"
    ASKEW = "askew"


class HappeningKind(StrEnum):
    """Reports of a throw."""

    DART = "dart"
    SURROUND = "surround"
    BOUNCED = "bounced"
    UNCLEAR = "unclear"
    EMPTY = "empty"
    ASKEW = "askew"
    STRAIGHT = "straight"


REST = None
"""In the table: back to the state before the motion."""

RESTING = (TakeoutState.EMPTY, TakeoutState.QUIET, TakeoutState.SETTLED, TakeoutState.PARTLY_OUT)
_S, _N = Sight, HappeningKind
TABLE: dict[tuple[TakeoutState, Sight], tuple[TakeoutState | None, HappeningKind | None]] = {
    **{(state, _S.MOVES): (TakeoutState.MOTION, None) for state in RESTING},
    **{(state, _S.HAND): (TakeoutState.HAND, None) for state in (*RESTING, TakeoutState.MOTION)},
    (TakeoutState.WAKING, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.WAKING, _S.NEW): (TakeoutState.QUIET, None),
    (TakeoutState.WAKING, _S.ADDED): (TakeoutState.QUIET, _N.UNCLEAR),
    (TakeoutState.MOTION, _S.SAME): (REST, None),
    (TakeoutState.MOTION, _S.FLEW_BY): (REST, _N.BOUNCED),
    (TakeoutState.MOTION, _S.NEW): (TakeoutState.SETTLED, _N.DART),
    (TakeoutState.MOTION, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.MOTION, _S.FEWER): (TakeoutState.PARTLY_OUT, None),
    (TakeoutState.MOTION, _S.FELL): (TakeoutState.PARTLY_OUT, _N.UNCLEAR),
    (TakeoutState.MOTION, _S.DROPPED): (TakeoutState.EMPTY, _N.UNCLEAR),
    (TakeoutState.HAND, _S.SAME): (REST, None),
    (TakeoutState.HAND, _S.FLEW_BY): (REST, None),
    (TakeoutState.HAND, _S.NEW): (TakeoutState.PARTLY_OUT, None),
    (TakeoutState.HAND, _S.ADDED): (TakeoutState.SETTLED, _N.DART),
    (TakeoutState.HAND, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.HAND, _S.FEWER): (TakeoutState.PARTLY_OUT, None),
    **{
        (state, _S.ASKEW): (TakeoutState.ASKEW, _N.ASKEW)
        for state in (TakeoutState.WAKING, TakeoutState.MOTION, TakeoutState.HAND)
    },
    (TakeoutState.ASKEW, _S.BARE): (TakeoutState.EMPTY, _N.STRAIGHT),
    (TakeoutState.ASKEW, _S.NEW): (TakeoutState.QUIET, _N.STRAIGHT),
}
"""(state, sight) -> (state, report); pairs that are missing change nothing."""


@dataclass(frozen=True)
class Happening:
    """An event: when it began, the dart if one was found, every bed it may be in, and its pictures."""

    kind: HappeningKind
    at_ms: int
    dart: SeenDart | None = None
    beds: Beds = ((MISS, 1.0),)
    why: Problem | None = None  # of an alarm
    before: Pictures = ()
    current: Pictures = ()

    def shown(self, before: Pictures, current: Pictures) -> Happening:
        """With its pictures, one of each camera."""
        return replace(self, before=before, current=current)

    @property
    def confidence(self) -> float:
        """The probability of the likeliest bed."""
        return self.beds[0][1]
