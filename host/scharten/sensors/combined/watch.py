"""A contact board and cameras watch one board: what each notices goes in, what the referee is told comes out. Pure.

| a throw | what is told |
| --- | --- |
| contact, sure by the table | at once; the cameras' word follows as a second one, and asks where they do not agree |
| contact in doubt, with a hand before the board, or of a kind that fires by itself | held until the cameras speak |
| knock without a contact | held: a miss, unless the cameras see a dart |
| cameras alone | their dart; asked where it may hang in another one |
| contact, and the cameras saw nothing | asked; not counted if a hand was there, or it is a ghost (`ghosts`) |

Board lines that wait keep their order, since the board forgets all lines before one that is acknowledged. A sensor
that is lost, silent, or has noticed nothing of the last darts is left out: the other goes on alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scharten.dartboard.beds import MISS, SURE, Bed, Beds
from scharten.dartboard.profile import Contact
from scharten.match.inputs import (
    Cleared,
    Dart,
    Input,
    Knock,
    NoDart,
    Observed,
    Reading,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.combined.beside import chance_beside
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.ghosts import listened, no_dart
from scharten.sensors.combined.in_board import in_board, jolted
from scharten.sensors.combined.moments import FIRST_APART_MS
from scharten.sensors.combined.news import BLIND, DEAF, board_news, cameras_news
from scharten.sensors.combined.state import UNNOTICED, FeltThrow, Watched
from scharten.sensors.combined.weigh import agreed, disputed, felt, unclosed, unfelt
from scharten.sensors.sensor import BOARD, CAMERA

BURST_MS = 150
"""Contacts so soon after the first one are of the same dart."""
GHOSTLY = 0.05
"""A contact that fires by itself more often than this is told only with the cameras."""
AT_REST = ("empty", "quiet", "settled", "partly_out")
"""What cameras say of their tracking while nothing moves."""
PATIENCE_MS = 6000
"""While something moves before the cameras their word is waited for, but no longer than this."""
REMEMBERED_MS = 10_000
"""A dart that cameras told alone is known for so long, should its contact come late."""
TAKEN_OUT_MS = 5000
"""When cameras no longer see the board, it counts as empty after so long without a contact."""


# --- what the board says ---


def from_board(watched: Watched, given: Input, now: int) -> Watched:
    """A line of the board, or news about it."""
    if isinstance(given, SensorNews) and given.receipt is None:
        return board_news(watched, given)
    if watched.held and not _of_last(watched, given):
        return replace(watched, waiting=(*watched.waiting, given))
    if isinstance(given, SensorNews):
        return board_news(watched, given)
    if not isinstance(given, Reading):
        return watched.telling(given)
    match given.what:
        case Dart(contact=Contact()):
            return _contact(_heard(watched, now), given)
        case Knock() if watched.sighted:
            return _joined(watched, given) or _opened(watched, FeltThrow((given,)))
        case _:
            return watched.telling(given)


def _heard(watched: Watched, now: int) -> Watched:
    """A contact: the board feels darts."""
    if len(watched.deaf) >= UNNOTICED:
        watched = watched.telling(SensorNews(now, BOARD, SensorChanged(SensorState.FOUND)))
    return replace(watched, deaf=frozenset(), in_board_ms=None if watched.in_board_ms is None else now)


def _of_last(watched: Watched, given: Input) -> bool:
    return isinstance(given, Reading) and isinstance(given.what, Dart | Knock) and _joins(watched, given)


def _joins(watched: Watched, given: Reading) -> bool:
    """Whether it is of the last throw; a knock may be the first that is noticed of one."""
    last = watched.throws[-1] if watched.throws else None
    return last is not None and (not last.contacts or 0 <= given.happened_ms - last.at_ms <= BURST_MS)


def _joined(watched: Watched, given: Reading) -> Watched | None:
    """One more contact or knock of the last throw, or None: it is one of its own."""
    if not _joins(watched, given):
        return None
    last = watched.throws[-1]
    joined = replace(last, readings=(*last.readings, given))
    watched = replace(watched, throws=(*watched.throws[:-1], joined))
    return watched if last.told is None else watched.telling(without_dart(watched.table, given))


def _contact(watched: Watched, given: Reading) -> Watched:
    """A contact: told at once where the board alone is sure and the cameras need not be heard first."""
    dart = given.what
    assert isinstance(dart, Dart) and dart.contact is not None
    if not watched.sighted or not watched.table.knows(dart.contact):
        return watched.telling(given)
    if (joined := _joined(watched, given)) is not None:
        return joined
    if (late := _late(watched, given)) is not None:
        return late
    handled = watched.tracking == "hand"
    beds = felt(watched.table, (dart.contact,))
    if handled or watched.table.ghost(dart.contact) > GHOSTLY or beds[0][1] < SURE:
        return _opened(watched, FeltThrow((given,), handled=handled))
    told = replace(given, what=replace(dart, beds=((beds[0][0], 1.0),)))
    return _opened(watched.telling(told), FeltThrow((given,), told))


def _opened(watched: Watched, throw: FeltThrow) -> Watched:
    return replace(watched, throws=(*watched.throws, throw))


def _late(watched: Watched, given: Reading) -> Watched | None:
    """The contact of a dart that the cameras told before, as after a line that was unplugged."""
    for seen in watched.seen:
        if watched.moments.fit(seen.happened_ms - given.happened_ms):
            left = tuple(each for each in watched.seen if each is not seen)
            return replace(watched, seen=left).telling(without_dart(watched.table, given))
    return None


def without_dart(table: ContactTable, given: Reading) -> Reading:
    """A reading of the board that is stored and acknowledged, and counts as no dart."""
    contact = given.what.contact if isinstance(given.what, Dart) else None
    return replace(given, what=NoDart(contact, None if contact is None else table.profile.bed(contact)))


# --- what the cameras say ---


def from_cameras(watched: Watched, given: Input, now: int) -> Watched:
    """A happening before the cameras, or news about them."""
    match given:
        case SensorNews(news=SensorChanged() as change):
            return cameras_news(watched, given, change)
        case Reading(what=Dart() as dart):
            return _drained(_dart_seen(_again_sighted(watched, now), given, dart, now), now)
        case Reading(what=Cleared()):
            return replace(watched, standing=(), in_board_ms=None).telling(given)
        case _:
            return watched.telling(given)


def tracked(watched: Watched, tracking: str, looked_ms: int, looking_ms: int | None = None) -> Watched:
    """How the cameras follow the throw, when they looked last, and since when without a break (None: not known)."""
    rests = tracking in AT_REST
    still_ms = (looked_ms if watched.still_ms is None else watched.still_ms) if rests else None
    watched = replace(watched, tracking=tracking, bare=tracking == "empty" if rests else watched.bare)
    looked_ms = max(looked_ms, watched.looked_ms)
    return replace(watched, looked_ms=looked_ms, looking_ms=looking_ms, still_ms=still_ms)


def _again_sighted(watched: Watched, now: int) -> Watched:
    if len(watched.blind) >= UNNOTICED:
        watched = watched.telling(SensorNews(now, CAMERA, SensorChanged(SensorState.FOUND)))
    return replace(watched, blind=frozenset())


def _dart_seen(watched: Watched, given: Reading, seen: Dart, now: int) -> Watched:
    throw = _its_throw(watched, given)
    watched = replace(watched, in_board_ms=watched.in_board_ms if seen.bounced else now)
    if throw is None:
        return _stands(_alone(watched, given, seen, now), seen)
    rest = tuple(each for each in watched.throws if each is not throw)
    watched = replace(watched, throws=rest)
    if not throw.contacts:
        return _stands(_knocked(watched, throw, given, seen), seen)
    hit = jolted(watched.table, throw.contacts[0], seen, watched.standing, bare=watched.bare)
    beside = chance_beside(watched, throw)
    both = None if hit else agreed(watched.table, throw.contacts, seen, watched.stuck, beside)
    if both is not None and throw.told is not None and not _same_bed(both, throw.told):
        both = both if _broken(watched, both.beds[0][0]) else None  # a stuck contact explains the one beside
    dart = disputed(watched.table, throw.contacts, seen) if both is None else both
    if both is not None and not seen.bounced and seen.beds:
        watched = _learnt(watched, throw, given, both)
    told = _told(
        watched, throw, replace(dart, seen_ms=given.at_ms if seen.seen_ms is None else seen.seen_ms), now
    )
    return _stands(told, seen, dart.beds, throw.contacts)


def _same_bed(dart: Observed, told: Reading | None) -> bool:
    if told is None or not isinstance(dart, Dart) or not isinstance(told.what, Dart):
        return False
    return bool(dart.beds) and dart.beds[0][0] == told.what.beds[0][0]


def _its_throw(watched: Watched, given: Reading) -> FeltThrow | None:
    """The throw that the cameras saw: of those in the window the one whose time fits best.

    Outside of it one in the same bed, as after cameras were set to another rate: the window is measured anew by it.
    """
    low, high = watched.moments.window
    apart = {n: given.happened_ms - throw.at_ms for n, throw in enumerate(watched.throws)}
    fit = [n for n, ms in apart.items() if watched.moments.fit(ms)]
    fit = fit or [
        n
        for n, ms in apart.items()
        if abs(ms) <= FIRST_APART_MS and _same_bed(given.what, watched.throws[n].told)
    ]
    best = min(fit, key=lambda n: abs(apart[n] - (low + high) / 2), default=None)
    return None if best is None else watched.throws[best]


def _learnt(watched: Watched, throw: FeltThrow, given: Reading, dart: Dart) -> Watched:
    table = watched.table.learnt(throw.contacts[0], dart.beds[0][0])
    apart, word = given.happened_ms - throw.at_ms, given.t_ms - throw.at_ms
    return replace(listened(watched, throw), table=table, moments=watched.moments.learnt(apart, word))


def _alone(watched: Watched, given: Reading, seen: Dart, now: int) -> Watched:
    """A dart that only the cameras noticed."""
    broken = bool(seen.beds) and _broken(watched, seen.beds[0][0])
    heard = watched.feeling and not broken
    if heard:
        dart = _unfelt(watched, seen)
    elif watched.feeling and not seen.bounced:
        # that the other contacts say nothing speaks for the one that cannot
        dart = unclosed(watched.table, seen, watched.stuck)
    else:
        dart = seen
    told = replace(given, what=dart)
    recent = tuple(each for each in watched.seen if now - each.t_ms < REMEMBERED_MS)
    watched = replace(watched, seen=(*recent, told)[-8:]).telling(told)
    inside = bool(seen.beds) and seen.beds[0][0] != MISS and seen.confidence >= SURE and not seen.bounced
    if not inside or not heard:
        return watched
    watched = replace(watched, deaf=watched.deaf | {seen.beds[0][0]})
    if watched.feeling:
        return watched
    return watched.telling(SensorNews(now, BOARD, SensorChanged(SensorState.SILENT, DEAF)))


def _unfelt(watched: Watched, seen: Dart) -> Dart:
    return unfelt(watched.table, seen, watched.stuck, occupied=watched.occupied)


def _broken(watched: Watched, bed: Bed) -> bool:
    """Whether the contact of this bed is known to be stuck: nobody wonders that it says nothing."""
    return watched.table.profile.contact_of(bed) in watched.stuck


def _knocked(watched: Watched, throw: FeltThrow, given: Reading, seen: Dart) -> Watched:
    """A knock without a contact, and what the cameras saw of it: a dart that no contact felt, or the miss."""
    known = bool(seen.beds) and not seen.bounced
    dart = unclosed(watched.table, seen, watched.stuck) if known else seen
    if known and watched.occupied and seen.beds[0][0] != MISS and not _broken(watched, seen.beds[0][0]):
        dart = _unfelt(watched, seen)  # a dart that hangs is heard too
    first, *others = throw.readings
    watched = watched.telling(replace(given, what=dart, receipt=first.receipt))
    return watched.telling(*(without_dart(watched.table, each) for each in others))


def _told(watched: Watched, throw: FeltThrow, dart: Dart, now: int) -> Watched:
    """What all sensors know of a throw: in place of the board's reading, or as the second word on it."""
    first, *others = throw.readings
    if throw.told is None:
        watched = watched.telling(replace(first, what=dart))
        return watched.telling(*(without_dart(watched.table, each) for each in others))
    return watched.telling(_second(throw.told, dart, now))


def _second(told: Reading, what: Observed, now: int) -> Reading:
    """The second word on what was told at once."""
    return replace(told, t_ms=now, at_ms=told.happened_ms, what=what, receipt=None, revises=True)


def _stands(watched: Watched, seen: Dart, beds: Beds = (), contacts: tuple[Contact, ...] = ()) -> Watched:
    if seen.bounced:
        return watched
    stands = in_board(watched.table, seen, beds, contacts)
    return replace(watched, standing=(*watched.standing, stands)[-8:])


# --- time ---


def elapsed(watched: Watched, now: int) -> Watched:
    """What follows from the time alone: throws on which the cameras have nothing to say."""
    for throw in watched.throws:
        verdict = _unspoken(watched, throw, now)
        if verdict is not None:
            rest = tuple(each for each in watched.throws if each is not throw)
            watched = verdict(replace(watched, throws=rest), throw, now)
    watched = _drained(watched, now)
    since = watched.in_board_ms
    if since is None or watched.sighted or now - since < TAKEN_OUT_MS:
        return watched
    return replace(watched, in_board_ms=None, standing=()).telling(Reading(now, now, CAMERA, Cleared()))


Verdict = Callable[[Watched, FeltThrow, int], Watched]


def _unspoken(watched: Watched, throw: FeltThrow, now: int) -> Verdict | None:
    """What to make of a throw without the cameras' word, or None: it is waited for."""
    if not watched.sighted:
        return _by_board
    age, word = now - throw.at_ms, watched.moments.word_ms
    if age < word:
        return None
    at_rest = watched.tracking in AT_REST
    looked = watched.looked_ms - throw.at_ms >= min(word, PATIENCE_MS)
    if at_rest and looked:
        return _unseen
    return _by_board if age >= PATIENCE_MS else None


def _by_board(watched: Watched, throw: FeltThrow, now: int) -> Watched:
    """The cameras cannot be asked: as the board alone has it."""
    if throw.told is not None:
        return watched
    return watched.telling(*throw.readings[:1], *(without_dart(watched.table, r) for r in throw.readings[1:]))


def _unseen(watched: Watched, throw: FeltThrow, now: int) -> Watched:
    """The cameras looked, and no dart came."""
    if not throw.contacts:
        return _by_board(watched, throw, now)
    ghostly = throw.handled or watched.table.ghost(throw.contacts[0]) > GHOSTLY
    if throw.told is None and ghostly:
        return watched.telling(*(without_dart(watched.table, each) for each in throw.readings))
    ghost = throw.told is not None and no_dart(watched, throw)
    watched = replace(watched, blind=watched.blind | {throw.contacts[0]})
    if not watched.sighted:
        news = SensorNews(now, CAMERA, SensorChanged(SensorState.SILENT, BLIND))
        return _by_board(watched.telling(news), throw, now)
    if throw.told is not None and ghost:
        return watched.telling(_second(throw.told, without_dart(watched.table, throw.told).what, now))
    return _told(watched, throw, disputed(watched.table, throw.contacts, None), now)


def _drained(watched: Watched, now: int) -> Watched:
    """Lines of the board that waited, now that nothing is held before them."""
    while watched.waiting and not watched.held:
        first, *rest = watched.waiting
        watched = from_board(replace(watched, waiting=tuple(rest)), first, now)
    return watched


def told_by_person(watched: Watched, contact: Contact | None, bed: Bed | None) -> Watched:
    """A person said in which bed the dart was that closed a contact (None: no contact); no bed: no dart came."""
    return replace(watched, table=watched.table.learnt(contact, bed))
