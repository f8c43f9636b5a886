"""What a board says of its hits, and how far a contact is believed at a wire by that. Pure.

Of a board that says such things a hit of which nothing was said, as when the line was disturbed, closed both contacts
alike, for all that is known.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.lines import HitNotice
from scharten.match.inputs import Dart, Receipt
from scharten.sensors.combined.state import FeltThrow, Watched
from scharten.sensors.combined.weigh import AT_WIRE, EITHER, LONE

KEPT = 16
"""So much of what was said last is kept."""
_BESIDE = (HitNotice.ALONE, HitNotice.CLEAR)


def hit_noticed(watched: Watched, receipt: Receipt, notice: HitNotice) -> Watched:
    """The board says it of a hit; one that never says so may be of older firmware."""
    return replace(watched, noticed=(*watched.noticed, (receipt, notice))[-KEPT:])


def said(watched: Watched, throw: FeltThrow, notice: HitNotice) -> bool:
    """Whether the board said it of the only hit of this throw."""
    hits = [each.receipt for each in throw.readings if isinstance(each.what, Dart)]
    return len(hits) == 1 and (hits[0], notice) in watched.noticed


def chance_beside(watched: Watched, throw: FeltThrow) -> float:
    """How often a dart at a wire closes the contact beside its own first, by what the board said of this one."""
    if not any(notice in _BESIDE for _, notice in watched.noticed):
        return AT_WIRE
    if said(watched, throw, HitNotice.ALONE):
        jolts = any(set(throw.contacts) & each.contacts for each in watched.standing)
        return AT_WIRE if jolts else LONE
    return AT_WIRE if said(watched, throw, HitNotice.CLEAR) else EITHER
