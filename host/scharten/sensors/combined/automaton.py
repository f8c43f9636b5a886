"""The automaton that joins a contact board and cameras: sensor inputs in, referee inputs out. Pure.

| a throw | what the referee gets |
| --- | --- |
| contact, sure by the table | its bed at once; the cameras' opinion follows as a revision, and asks on disagreement |
| contact in doubt, with a hand before the board, or often a ghost | nothing until the cameras report |
| knock without a contact | a miss, unless the cameras see a dart |
| cameras alone | their dart; a question where it may hang in another one |
| contact, and the cameras saw nothing | a question; no dart if a hand was there, or it is a ghost (`is_ghost`) |

A decided throw stays known for some seconds: a report of the cameras that comes late or twice is no second dart.
Waiting board lines keep their order, since the board forgets all lines before an acknowledged one. A sensor that is
lost, silent, or noticed nothing of the last darts is left out: the other goes on alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from scharten.dartboard.beds import MISS, SURE, Bed, Beds
from scharten.dartboard.lines import HitNotice
from scharten.dartboard.profile import Contact
from scharten.match.dart import Dart
from scharten.match.inputs import (
    Cleared,
    ContactStuck,
    Input,
    Knock,
    Observed,
    Reading,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.combined import evidence
from scharten.sensors.combined.state import (
    AT_REST,
    GHOSTLY,
    UNNOTICED,
    BoardThrow,
    BothSensors,
    Outcome,
    PastThrow,
    Phase,
    chance_beside,
    is_ghost,
    is_same_bed,
    outcome_of,
    past_of,
    phase_of,
    repeated,
    throw_of,
    with_past,
    without_dart,
)
from scharten.sensors.sensor import BOARD, CAMERA

BURST_MS = 150
"""Contacts this soon after the first one belong to the same dart."""
TAKEN_OUT_MS = 5000
"""When cameras no longer see the board, it counts as empty this long after the last contact."""
NOTICES_KEPT, PIEZO_KEPT, DARTS_KEPT = 16, 64, 8
WARNINGS = {
    "unseen": "The cameras noticed nothing of the last 3 darts. The board goes on alone: look at their pictures.",
    "unfelt": "The board felt nothing of the last 3 darts. The cameras go on alone: check the board's cables.",
}
"""The English words by their code."""


# --- the board ---


def on_hit_notice(both: BothSensors, receipt: Receipt, notice: HitNotice) -> BothSensors:
    """A board's notice of a hit; older firmware gives none."""
    return replace(both, notices=(*both.notices, (receipt, notice))[-NOTICES_KEPT:])


def on_board(both: BothSensors, given: Input, now: int) -> BothSensors:
    """A line of the board, or news about it."""
    if isinstance(given, SensorNews) and given.receipt is None:
        return _on_board_news(both, given)
    if both.holding and not (
        isinstance(given, Reading) and isinstance(given.what, Dart | Knock) and _joins(both, given)
    ):
        return replace(both, waiting=(*both.waiting, given))
    if isinstance(given, SensorNews):
        return _on_board_news(both, given)
    if not isinstance(given, Reading):
        return both.emit(given)
    match given.what:
        case Dart(contact=Contact()):
            return _on_contact(_board_works(both, now), given)
        case Knock() if both.cameras_usable:
            return _joined(both, given) or _opened(both, BoardThrow((given,)))
        case _:
            return both.emit(given)


def _on_board_news(both: BothSensors, given: SensorNews) -> BothSensors:
    """A board that came back is trusted again; a board that stays and feels nothing keeps its warning."""
    match given.news:
        case SensorChanged(state) as news:
            unfelt = both.unfelt if both.board is SensorState.FOUND else frozenset()
            both = replace(both, board=state, unfelt=unfelt, notices=())
            given = _with_warning(given, news, "unfelt" if len(unfelt) >= UNNOTICED else "")
        case ContactStuck(contact, stuck=stuck):
            both = replace(both, stuck=both.stuck - {contact} | ({contact} if stuck else set()))
        case _:
            pass
    return both.emit(given)


def _with_warning(given: SensorNews, news: SensorChanged, reason: str) -> SensorNews:
    if news.state is not SensorState.FOUND or not reason:
        return given
    words = f"{WARNINGS[reason]} {news.detail}".strip()
    return replace(given, news=SensorChanged(SensorState.SILENT, words, reason))


def _board_works(both: BothSensors, now: int) -> BothSensors:
    """A contact closed: the board feels darts."""
    if len(both.unfelt) >= UNNOTICED:
        both = both.emit(SensorNews(now, BOARD, SensorChanged(SensorState.FOUND)))
    return replace(both, unfelt=frozenset(), in_board_ms=None if both.in_board_ms is None else now)


def _joins(both: BothSensors, given: Reading) -> bool:
    """Whether a reading belongs to the last throw, of which a knock may be the first sign."""
    last = both.throws[-1] if both.throws else None
    return last is not None and (not last.contacts or 0 <= given.happened_ms - last.at_ms <= BURST_MS)


def _joined(both: BothSensors, given: Reading) -> BothSensors | None:
    """Add a contact or knock to the last throw, or None: it belongs to another throw."""
    if not _joins(both, given):
        return None
    last = both.throws[-1]
    joined = replace(last, readings=(*last.readings, given))
    both = replace(both, throws=(*both.throws[:-1], joined))
    return both if last.reported is None else both.emit(without_dart(both.table, given))


def _on_contact(both: BothSensors, given: Reading) -> BothSensors:
    """Report a contact at once where the board alone is sure and the cameras need not confirm it."""
    dart = given.what
    assert isinstance(dart, Dart) and dart.contact is not None
    if not both.cameras_usable or not both.table.knows(dart.contact):
        return both.emit(given)
    if (joined := _joined(both, given)) is not None:
        return joined
    for seen in both.camera_darts:  # a contact may come any time later, as from a line that was unplugged
        if both.timing.fit(seen.happened_ms - given.happened_ms):
            others = tuple(other for other in both.camera_darts if other is not seen)
            return replace(both, camera_darts=others).emit(without_dart(both.table, given))
    hand = both.tracking == "hand"
    beds = evidence.beds_by_contacts(both.table, (dart.contact,))
    if hand or both.table.ghost(dart.contact) > GHOSTLY or beds[0][1] < SURE:
        return _opened(both, BoardThrow((given,), hand=hand))
    reported = replace(given, what=replace(dart, beds=((beds[0][0], 1.0),)))
    return _opened(both.emit(reported), BoardThrow((given,), reported))


def _opened(both: BothSensors, throw: BoardThrow) -> BothSensors:
    return replace(both, throws=(*both.throws, throw))


# --- the cameras ---


def on_cameras(both: BothSensors, given: Input, now: int) -> BothSensors:
    """A dart or an empty board by the cameras, or news about them."""
    match given:
        case SensorNews(news=SensorChanged(state, detail) as news):
            unseen = both.unseen if both.cameras is SensorState.FOUND else frozenset()
            both = replace(both, cameras=state, unseen=unseen, remarked=bool(detail))
            return both.emit(_with_warning(given, news, "unseen" if len(unseen) >= UNNOTICED else ""))
        case Reading(what=Dart() as dart):
            if len(both.unseen) >= UNNOTICED:
                both = both.emit(SensorNews(now, CAMERA, SensorChanged(SensorState.FOUND)))
            return _drained(_on_dart(replace(both, unseen=frozenset()), given, dart, now), now)
        case Reading(what=Cleared()):
            unreported = tuple(earlier for earlier in both.past if earlier.seen is None)
            return replace(both, standing=(), in_board_ms=None, past=unreported).emit(given)
        case _:
            return both.emit(given)


def on_tracking(
    both: BothSensors, tracking: str, looked_ms: int, looking_ms: int | None = None
) -> BothSensors:
    """The cameras' tracking, when they last looked, and since when without a break (None: unknown)."""
    rests = tracking in AT_REST
    still_ms = (looked_ms if both.still_ms is None else both.still_ms) if rests else None
    both = replace(both, tracking=tracking, bare=tracking == "empty" if rests else both.bare)
    looked_ms = max(looked_ms, both.looked_ms)
    return replace(both, looked_ms=looked_ms, looking_ms=looking_ms, still_ms=still_ms)


def _on_dart(both: BothSensors, given: Reading, seen: Dart, now: int) -> BothSensors:
    if repeated(both, given):
        return both
    throw = throw_of(both, given)
    both = replace(both, in_board_ms=both.in_board_ms if seen.bounced else now)
    if throw is None:
        past = past_of(both, given, now)
        both = with_past(_without_past(both, past), PastThrow(now, past.throw if past else None, given))
        if past is None or past.throw is None:
            return _stands(_on_unfelt(both, given, seen, now), seen)
        throw = past.throw
        if is_same_bed(seen, throw.reported):
            return _stands(both, seen, (), throw.contacts)
    else:
        both = with_past(_closed(both, throw), PastThrow(now, throw, given))
    if not throw.contacts:
        return _stands(_on_knocked(both, throw, given, seen), seen)
    agreed = _agreed(both, throw, seen)
    dart = agreed or evidence.disputed_dart(both.table, throw.contacts, seen)
    if agreed is not None and not seen.bounced and seen.beds:
        both = _learnt(both, throw, given, agreed)
    seen_ms = given.at_ms if seen.seen_ms is None else seen.seen_ms
    both = _report(both, throw, replace(dart, seen_ms=seen_ms), now)
    return _stands(both, seen, dart.beds, throw.contacts)


def _without_past(both: BothSensors, past: PastThrow | None) -> BothSensors:
    return replace(both, past=tuple(earlier for earlier in both.past if earlier is not past))


def _agreed(both: BothSensors, throw: BoardThrow, seen: Dart) -> Dart | None:
    """The dart on which both sensors agree; a reported bed changes only if a stuck contact explains it."""
    if evidence.may_be_jolted(both.table, throw.contacts[0], seen, both.standing, bare=both.bare):
        return None
    beside = chance_beside(both, throw)
    agreed = evidence.agreed_dart(both.table, throw.contacts, seen, both.stuck, beside)
    if agreed is None or throw.reported is None or is_same_bed(agreed, throw.reported):
        return agreed
    return agreed if both.is_stuck(agreed.beds[0][0]) else None


def _learnt(both: BothSensors, throw: BoardThrow, given: Reading, dart: Dart) -> BothSensors:
    if any(both.noticed(throw, notice) for notice in HitNotice):
        by_piezo = not both.noticed(throw, HitNotice.UNHEARD)
        both = replace(both, piezo=(*both.piezo, by_piezo)[-PIEZO_KEPT:])
    timing = both.timing.learnt(given.happened_ms - throw.at_ms, given.t_ms - throw.at_ms)
    return replace(both, table=both.table.learnt(throw.contacts[0], dart.beds[0][0]), timing=timing)


def _on_unfelt(both: BothSensors, given: Reading, seen: Dart, now: int) -> BothSensors:
    """A dart that only the cameras noticed."""
    dart, stuck = seen, bool(seen.beds) and both.is_stuck(seen.beds[0][0])
    if both.board_usable and not stuck:
        dart = evidence.unfelt_dart(both.table, seen, both.stuck, occupied=both.occupied)
    elif both.board_usable and not seen.bounced:
        dart = evidence.dart_by_cameras(both.table, seen, both.stuck)  # the other contacts' silence counts
    reading = replace(given, what=dart)
    should_feel = both.board_usable and not stuck
    both = replace(both, camera_darts=(*both.camera_darts, reading)[-DARTS_KEPT:]).emit(reading)
    inside = bool(seen.beds) and seen.beds[0][0] != MISS and seen.confidence >= SURE and not seen.bounced
    if not inside or not should_feel:
        return both
    both = replace(both, unfelt=both.unfelt | {seen.beds[0][0]})
    if both.board_usable:
        return both
    return both.emit(SensorNews(now, BOARD, SensorChanged(SensorState.SILENT, WARNINGS["unfelt"], "unfelt")))


def _on_knocked(both: BothSensors, throw: BoardThrow, given: Reading, seen: Dart) -> BothSensors:
    """A knock without a contact that cameras saw: a dart that no contact felt, or the miss."""
    dart = seen
    if seen.beds and not seen.bounced:
        bed = seen.beds[0][0]
        dart = evidence.dart_by_cameras(both.table, seen, both.stuck)
        if both.occupied and bed != MISS and not both.is_stuck(bed):  # a hanging dart knocks too
            dart = evidence.unfelt_dart(both.table, seen, both.stuck, occupied=True)
    first, *others = throw.readings
    both = both.emit(replace(given, what=dart, receipt=first.receipt))
    return both.emit(*(without_dart(both.table, other) for other in others))


def _report(both: BothSensors, throw: BoardThrow, dart: Dart, now: int) -> BothSensors:
    """Report a throw by all sensors: in place of the board's reading, or as its revision."""
    if throw.reported is not None:
        return both.emit(_revision(throw.reported, dart, now))
    first, *others = throw.readings
    return both.emit(replace(first, what=dart), *(without_dart(both.table, other) for other in others))


def _revision(reported: Reading, what: Observed, now: int) -> Reading:
    return replace(reported, t_ms=now, at_ms=reported.happened_ms, what=what, receipt=None, revises=True)


def _stands(
    both: BothSensors, seen: Dart, beds: Beds = (), contacts: tuple[Contact, ...] = ()
) -> BothSensors:
    if seen.bounced:
        return both
    stands = evidence.standing_dart(both.table, seen, beds, contacts)
    return replace(both, standing=(*both.standing, stands)[-DARTS_KEPT:])


# --- time, and throws that the cameras did not see ---


def on_time(both: BothSensors, now: int) -> BothSensors:
    """Decide throws on which the cameras have nothing to report."""
    for throw in both.throws:
        outcome = outcome_of(both, throw, now)
        if outcome is not None:
            verdict = VERDICTS[phase_of(both, throw), outcome]
            both = verdict(_closed(both, throw), throw, now)
            if throw.contacts and verdict is not _discard:
                reported = throw.reported or throw.readings[0]
                both = with_past(both, PastThrow(now, replace(throw, reported=reported)))
    both = _drained(both, now)
    since = both.in_board_ms
    if since is None or both.cameras_usable or now - since < TAKEN_OUT_MS:
        return both
    return replace(both, in_board_ms=None, standing=()).emit(Reading(now, now, CAMERA, Cleared()))


def _by_board(both: BothSensors, throw: BoardThrow, _now: int) -> BothSensors:
    """Report what the board has."""
    first, *others = throw.readings
    return both.emit(first, *(without_dart(both.table, other) for other in others))


def _stay(both: BothSensors, _throw: BoardThrow, _now: int) -> BothSensors:
    """Leave the report as it is."""
    return both


def _discard(both: BothSensors, throw: BoardThrow, _now: int) -> BothSensors:
    """No dart came."""
    return both.emit(*(without_dart(both.table, reading) for reading in throw.readings))


def _dispute(both: BothSensors, throw: BoardThrow, now: int) -> BothSensors:
    """Ask whether a dart came; cameras that miss too many darts are left out instead."""
    ghost = throw.reported is not None and is_ghost(both, throw)
    both = replace(both, unseen=both.unseen | {throw.contacts[0]})
    if not both.cameras_usable:
        both = both.emit(
            SensorNews(now, CAMERA, SensorChanged(SensorState.SILENT, WARNINGS["unseen"], "unseen"))
        )
        return both if throw.reported else _by_board(both, throw, now)
    if throw.reported is not None and ghost:
        return both.emit(_revision(throw.reported, without_dart(both.table, throw.reported).what, now))
    return _report(both, throw, evidence.disputed_dart(both.table, throw.contacts, None), now)


VERDICTS: Mapping[tuple[Phase, Outcome], Callable[[BothSensors, BoardThrow, int], BothSensors]] = {
    (Phase.KNOCK, Outcome.UNSEEN): _by_board,
    (Phase.GHOSTLY, Outcome.UNSEEN): _discard,
    (Phase.HELD, Outcome.UNSEEN): _dispute,
    (Phase.REPORTED, Outcome.UNSEEN): _dispute,
    (Phase.KNOCK, Outcome.UNAVAILABLE): _by_board,
    (Phase.GHOSTLY, Outcome.UNAVAILABLE): _by_board,
    (Phase.HELD, Outcome.UNAVAILABLE): _by_board,
    (Phase.REPORTED, Outcome.UNAVAILABLE): _stay,
}
"""Actions for a throw that the cameras do not report."""


def _closed(both: BothSensors, throw: BoardThrow) -> BothSensors:
    return replace(both, throws=tuple(other for other in both.throws if other is not throw))


def _drained(both: BothSensors, now: int) -> BothSensors:
    """Process board lines that waited, now that no throw before them is held."""
    while both.waiting and not both.holding:
        first, *others = both.waiting
        both = on_board(replace(both, waiting=tuple(others)), first, now)
    return both


def on_truth(both: BothSensors, contact: Contact | None, bed: Bed | None) -> BothSensors:
    """A person named the bed of the dart that closed a contact (None: no contact); no bed: no dart came."""
    return replace(both, table=both.table.learnt(contact, bed))
