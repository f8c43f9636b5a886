"""Whether a contact closed without any dart: cameras and piezo both noticed nothing at all. Pure.

A dart that stays is seen where it stands, and one that falls is seen falling: that no camera saw anything move while
all of them looked without a break is so rare that a contact which fires by itself is likelier. Since cameras may fail
in a way that nobody thought of, the piezo must have listened and heard nothing, and the dart before have been seen.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import SURE
from scharten.dartboard.lines import HitNotice
from scharten.sensors.combined.beside import said
from scharten.sensors.combined.moments import ENOUGH, FIRST_APART_MS
from scharten.sensors.combined.state import FeltThrow, Watched

UNMOVED = 0.001
"""After a dart no camera saw anything move so often at most: none of 3,750 rendered ones (`make bench ARGS=both`)."""
HEARD_KEPT = 64
"""Of so many of the last darts that both noticed is kept whether the piezo heard them."""


def listened(watched: Watched, throw: FeltThrow) -> Watched:
    """With whether the piezo heard this throw, which was a dart; nothing where the board does not say such things."""
    if not any(said(watched, throw, notice) for notice in HitNotice):
        return watched
    heard = not said(watched, throw, HitNotice.UNHEARD)
    return replace(watched, heard=(*watched.heard, heard)[-HEARD_KEPT:])


def no_dart(watched: Watched, throw: FeltThrow) -> bool:
    """Whether a throw that cameras did not see was none, as surely as the bed of a dart is sure."""
    unproven = (
        watched.blind or watched.remarked or not watched.moments.measured or len(watched.heard) < ENOUGH
    )
    if unproven or not said(watched, throw, HitNotice.UNHEARD) or not _unmoved(watched, throw):
        return False
    ghost = watched.table.ghost(throw.contacts[0])
    unheard = (1 + watched.heard.count(False)) / (2 + len(watched.heard))
    return ghost / (ghost + UNMOVED * unheard) >= SURE


def _unmoved(watched: Watched, throw: FeltThrow) -> bool:
    """Whether all cameras looked since well before the contact, and nothing moved before any of them."""
    before = throw.at_ms - FIRST_APART_MS
    return all(since is not None and since <= before for since in (watched.still_ms, watched.looking_ms))
