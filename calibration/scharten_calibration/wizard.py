"""Map a board, as a state machine without a port or a screen: presses in, the next question out.

The person presses the bed that is asked for; the contact that closes is the bed's. The singles of two numbers show
whether inner and outer single share a contact, then every other bed is asked for, then all again in a shuffled order.

| phase     | press                                  | back            | skip             | again       | take       |
| --------- | -------------------------------------- | --------------- | ---------------- | ----------- | ---------- |
| probing   | kept; when two numbers agree: decided  | undoes the last | another number   | from start  | refused    |
| mapping   | the bed's; another's twice: taken over | undoes the last | asked at the end | refused     | taken over |
| verifying | right: the next; wrong twice: replaced | refused         | left unverified  | from start  | replaced   |
| done      | refused                                | refused         | refused          | refused     | refused    |

Two beds that close one contact would take it from each other without end: in the end both are left out, and named.
A contact that also closed for another bed may be a ghost: its own bed is asked for once more at the end.

One press closes a contact more than once, and a wire two contacts: the same contact within 400 ms and any other
within 150 ms of a press is that press again. A bed that loses its contact to another is asked for at the end.
"""

from __future__ import annotations

import binascii
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from scharten.dartboard.beds import Bed, BedKind
from scharten.dartboard.profile import Contact, expected_beds
from scharten_calibration.mapping import (
    PROBE_NUMBERS,
    Input,
    MappingReply,
    MappingWord,
    Phase,
    Wizard,
    bed_words,
    singles_of,
    to_verify,
)
from scharten_calibration.words import words as text


def step(wizard: Wizard, given: Input) -> tuple[Wizard, MappingReply]:
    """The wizard after one input, and what to tell the person. Never raises."""
    if isinstance(given, MappingWord):
        return _TABLE[wizard.phase, given](wizard)
    contact = given.contact
    if contact.drive >= wizard.drives or contact.sense >= wizard.senses:
        size = f"{wizard.drives} x {wizard.senses}"
        return wizard, _no(text("wizard.outside", contact=contact, size=size))
    if wizard.last is not None and given.belongs_to(wizard.last):
        words = text("wizard.too_soon", contact=contact)
        return wizard, MappingReply(False, words, same_press=contact == wizard.last.contact)
    changed, answer = _PRESS[wizard.phase](wizard, contact)
    return replace(changed, last=given), answer


def _no(words: str) -> MappingReply:
    return MappingReply(False, words)


def _yes(words: str) -> MappingReply:
    return MappingReply(True, words)


def _owner(wizard: Wizard, contact: Contact) -> Bed | None:
    return wizard.beds.get(contact)


# --- probing ---


def _probe(wizard: Wizard, contact: Contact) -> tuple[Wizard, MappingReply]:
    """Note a probing press; a contact may come twice, as this phase finds out whether singles share it."""
    bed = wizard.asked[0]
    owners = [known for seen, known in wizard.pairs if seen == contact]
    owner = next((known for known in owners if known.number != bed.number), None)
    if owner is not None and wizard.doubt == contact:
        on, answer = _probe_another(wizard)
        return on, replace(answer, words=text("wizard.closes", bed=bed, other=owner, then=answer.words))
    if owner is not None:
        return replace(wizard, doubt=contact), _no(text("wizard.other", other=owner, where=bed_words(bed)))
    if owners and wizard.doubt != contact:
        words = text("wizard.closes_too", other=owners[0], where=bed_words(bed))
        return replace(wizard, doubt=contact), _yes(words)
    pairs = (*wizard.pairs, (contact, bed))
    on = replace(wizard, pairs=pairs, asked=wizard.asked[1:], done=(*wizard.done, bed), doubt=None)
    return (on, _yes(text("wizard.mapped", bed=bed, contact=contact))) if on.asked else _compared(on)


def _compared(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """Both numbers must agree; else a press was a slip and all is asked again, and then a third number decides."""
    contacts: dict[int, set[Contact]] = {}
    for contact, bed in wizard.pairs:
        contacts.setdefault(bed.number or 0, set()).add(contact)
    shared = [number for number, seen in contacts.items() if len(seen) == 1]
    apart = [number for number, seen in contacts.items() if len(seen) == 2]
    if shared and apart and not wizard.probed_again:
        words = text("wizard.slip", shared=shared[0], apart=apart[0])
        return replace(_fresh(wizard), probed_again=True), _no(words)
    if len(shared) == len(apart):
        other = _unprobed(wizard, set(contacts))
        words = text("wizard.differ", shared=shared[0], apart=apart[0], other=other)
        return replace(wizard, asked=singles_of(other)), _yes(words)
    return _decided(wizard, separate=len(apart) > len(shared))


def _unprobed(wizard: Wizard, seen: set[int]) -> int:
    return next(n for n in PROBE_NUMBERS if n not in seen and n not in wizard.dead)


def _fresh(wizard: Wizard) -> Wizard:
    return Wizard(wizard.name, wizard.drives, wizard.senses, wizard.seed)


def _decided(wizard: Wizard, separate: bool) -> tuple[Wizard, MappingReply]:
    times = Counter(contact for contact, _ in wizard.pairs)
    alike = tuple(pair for pair in wizard.pairs if times[pair[0]] > 1)
    apart = tuple(pair for pair in wizard.pairs if times[pair[0]] == 1)
    if separate:
        pairs, joined = apart, alike
    else:
        pairs, joined = tuple((contact, _shared_of(bed)) for contact, bed in dict(alike).items()), ()
    known = {bed for _, bed in (*pairs, *joined)}
    asked = tuple(bed for bed in expected_beds(separate) if bed not in known)
    on = replace(wizard, phase=Phase.MAPPING, separate=separate, pairs=pairs, asked=asked, done=())
    on = replace(on, joined=joined, left_out=tuple(bed for _, bed in joined))
    return on, _yes(text("wizard.separate" if separate else "wizard.shared", beds=len(asked)))


def _probe_another(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """A single of this number is dead: probe the two singles of another number."""
    number = wizard.asked[0].number or 0
    pairs = tuple(pair for pair in wizard.pairs if pair[1].number != number)
    dead = (*wizard.dead, number)
    asked = tuple(bed for bed in wizard.asked if bed.number != number)
    used = {*dead, *(bed.number for _, bed in pairs), *(bed.number for bed in asked)}
    other = next((n for n in PROBE_NUMBERS if n not in used), None)
    if other is None:
        return wizard, _no(text("wizard.no_number"))
    done = tuple(bed for bed in wizard.done if bed.number != number)
    on = replace(wizard, asked=(*asked, *singles_of(other)), pairs=pairs, dead=dead, done=done, doubt=None)
    return on, _yes(text("wizard.another", number=number, other=other))


def _probe_again(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    return _fresh(wizard), _yes(text("wizard.from_start"))


# --- mapping ---


def _map(wizard: Wizard, contact: Contact) -> tuple[Wizard, MappingReply]:
    bed = wizard.asked[0]
    other = _owner(wizard, contact) or dict(wizard.joined).get(contact)
    if other is None or wizard.doubt == contact:
        return _assign(wizard, contact)
    words = text("wizard.other_twice", other=other, where=bed_words(bed), bed=bed)
    return _doubted(wizard, contact), _no(words)


def _doubted(wizard: Wizard, contact: Contact) -> Wizard:
    """The wizard that believes this contact when it closes once more; until then it is a stray."""
    return replace(wizard, doubt=contact, strays=(*wizard.strays, contact))


def _assign(wizard: Wizard, contact: Contact) -> tuple[Wizard, MappingReply]:
    """The contact is the asked bed's; a bed that had it is asked for later."""
    bed, other = wizard.asked[0], _owner(wizard, contact)
    if wizard.doubt == contact and contact in wizard.strays:
        at = len(wizard.strays) - 1 - wizard.strays[::-1].index(contact)
        wizard = replace(wizard, strays=(*wizard.strays[:at], *wizard.strays[at + 1 :]))
    if contact in dict(wizard.joined):
        return _joined(wizard, contact, (bed,))
    if bed.number and other is not None and {bed, other} == set(singles_of(bed.number)):
        wizard = replace(wizard, alike=tuple(dict.fromkeys((*wizard.alike, bed.number))))
        if len(wizard.alike) > 1:
            return _shared_after_all(wizard)
    if other is not None and wizard.moved.count((contact, bed)) > 1:  # once may be a slip pressed twice
        return _joined(wizard, contact, (bed, other))
    pairs = (*(pair for pair in wizard.pairs if pair[0] != contact and pair[1] != bed), (contact, bed))
    asked, words = wizard.asked[1:], text("wizard.mapped", bed=bed, contact=contact)
    if other is not None and other != bed:
        asked, words = (*asked, other), text("wizard.taken_over", bed=bed, contact=contact, other=other)
        wizard = replace(wizard, moved=(*wizard.moved, (contact, other)))
    gone = {bed, other}
    verified = tuple(
        known for known in wizard.verified if known not in gone and _shared_of(known) not in gone
    )
    done = (*(known for known in wizard.done if known not in gone), bed)
    return _mapped(replace(wizard, pairs=pairs, asked=asked, verified=verified, done=done, doubt=None), words)


def _joined(wizard: Wizard, contact: Contact, beds: tuple[Bed, ...]) -> tuple[Wizard, MappingReply]:
    """Beds that close one contact are left out: a dart on it may be in either, and the referee never guesses."""
    joined = (*wizard.joined, *((contact, bed) for bed in beds))
    on = replace(
        wizard,
        pairs=tuple(pair for pair in wizard.pairs if pair[0] != contact and pair[1] not in beds),
        asked=tuple(bed for bed in wizard.asked if bed not in beds),
        verified=tuple(bed for bed in wizard.verified if bed not in beds and _shared_of(bed) not in beds),
        done=tuple(bed for bed in wizard.done if bed not in beds),
        left_out=tuple(dict.fromkeys((*wizard.left_out, *beds))),
        joined=joined,
        doubt=None,
    )
    names = ", ".join(str(bed) for closed, bed in joined if closed == contact)
    return _mapped(on, text("wizard.joined", beds=names, contact=contact))


def _shared_after_all(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """The singles of two numbers share their contacts: the probes were slips, and singles are shared."""
    singles = _two_of_a_number(wizard.joined)
    pairs = {contact: _shared_of(bed) for contact, bed in (*wizard.pairs, *singles)}
    once = {bed: contact for contact, bed in pairs.items() if bed.kind is BedKind.SINGLE}
    kept = tuple((contact, bed) for contact, bed in pairs.items() if once.get(bed, contact) == contact)
    known = {bed for _, bed in kept}
    asked = tuple(bed for bed in expected_beds(False) if bed not in known)
    verified = tuple(bed for bed in wizard.verified if _shared_of(bed) == bed)
    on = replace(wizard, phase=Phase.MAPPING, separate=False, asked=asked, pairs=kept, verified=verified)
    joined = tuple(pair for pair in wizard.joined if pair not in singles)
    freed = {bed for _, bed in singles}
    left_out = tuple(bed for bed in wizard.left_out if bed not in freed)
    on = replace(on, moved=(), turned=True, joined=joined, left_out=left_out)
    words = text("wizard.shared_after_all", numbers=", ".join(map(str, wizard.alike)))
    return _mapped(replace(on, skipped=(), done=(), doubt=None, alike=()), words)


def _two_of_a_number(joined: tuple[tuple[Contact, Bed], ...]) -> tuple[tuple[Contact, Bed], ...]:
    """The beds that close one contact and are both singles of one number: shared singles, and so no fault."""
    beds: dict[Contact, set[Bed]] = {}
    for contact, bed in joined:
        beds.setdefault(contact, set()).add(_shared_of(bed))
    singles = {
        contact for contact, (first, *more) in beds.items() if first.kind is BedKind.SINGLE and not more
    }
    return tuple(pair for pair in joined if pair[0] in singles)


def _shared_of(bed: Bed) -> Bed:
    return Bed(BedKind.SINGLE, bed.number) if bed.kind in (BedKind.FAT, BedKind.LITTLE) else bed


def _mapped(wizard: Wizard, words: str) -> tuple[Wizard, MappingReply]:
    """Ask for the skipped beds once more when nothing else is left; then all are verified."""
    if wizard.asked:
        return wizard, _yes(words)
    if wizard.skipped:
        on = replace(wizard, asked=wizard.skipped, skipped=(), done=(), last_round=True)
        return on, _yes(text("wizard.skipped_now", words=words))
    left = [bed for bed in to_verify(wizard.pairs) if bed not in wizard.verified]
    order = sorted(left, key=lambda bed: binascii.crc32(f"{wizard.seed} {bed}".encode()))
    on = replace(wizard, phase=Phase.VERIFYING, asked=tuple(order), done=())
    if not order:
        return _finished(on, words)
    return on, _yes(text("wizard.verify_now", words=words))


def _back(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """Undo the last press or skip of this phase."""
    if not wizard.done:
        return wizard, _no(text("wizard.nothing_back"))
    bed = wizard.done[-1]
    on = replace(
        wizard,
        asked=(bed, *wizard.asked),
        pairs=tuple(pair for pair in wizard.pairs if pair[1] != bed),
        skipped=tuple(other for other in wizard.skipped if other != bed),
        left_out=tuple(other for other in wizard.left_out if other != bed),
        joined=tuple(pair for pair in wizard.joined if pair[1] != bed),
        done=wizard.done[:-1],
        doubt=None,
    )
    return on, _yes(text("wizard.open", bed=bed))


def _skip(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """Ask at the end; a bed skipped there again is dead."""
    bed = wizard.asked[0]
    on = replace(wizard, asked=wizard.asked[1:], done=(*wizard.done, bed), doubt=None)
    if wizard.last_round:
        words = text("wizard.left_out", bed=bed)
        return _mapped(replace(on, left_out=(*on.left_out, bed)), words)
    return _mapped(replace(on, skipped=(*on.skipped, bed)), text("wizard.at_end", bed=bed))


def _take(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    """The person confirms that the refused contact belongs to the asked bed."""
    if wizard.doubt is None:
        return wizard, _no(text("wizard.press_first"))
    return (_assign if wizard.phase is Phase.MAPPING else _replaced)(wizard, wizard.doubt)


# --- verifying ---


def _verify(wizard: Wizard, contact: Contact) -> tuple[Wizard, MappingReply]:
    bed, found = wizard.asked[0], _owner(wizard, contact)
    if found is not None and found in (bed, _shared_of(bed)):
        on = replace(wizard, asked=wizard.asked[1:], verified=(*wizard.verified, bed), doubt=None)
        right = text("wizard.right", bed=bed)
        return (on, _yes(right)) if on.asked else _finished(on, right)
    if wizard.doubt == contact:
        return _replaced(wizard, contact)
    key = "wizard.was_other" if found else "wizard.was_none"
    words = text(key, other=found, contact=contact, where=bed_words(bed), bed=bed)
    return _doubted(wizard, contact), _no(words)


def _replaced(wizard: Wizard, contact: Contact) -> tuple[Wizard, MappingReply]:
    """The same wrong contact twice: the mapped contact was the slip."""
    bed = wizard.asked[0]
    own = _owner(wizard, contact) is None and contact not in dict(wizard.joined)
    single = _shared_of(bed)
    if not wizard.separate and single != bed and own:
        before = next((closed for closed, known in wizard.pairs if known == single), contact)
        if (contact, single) not in wizard.moved:
            moved = (*wizard.moved, (before, single))
            return _assign(replace(wizard, phase=Phase.MAPPING, asked=(single,), moved=moved), contact)
        if wizard.turned:
            on, answer = _skip_verifying(wizard)
            return on, replace(
                answer, words=text("wizard.alone", bed=bed, contact=contact, then=answer.words)
            )
        return _separate_after_all(wizard, bed)
    return _assign(replace(wizard, phase=Phase.MAPPING, asked=(_mapped_as(wizard, bed),)), contact)


def _mapped_as(wizard: Wizard, bed: Bed) -> Bed:
    return bed if wizard.separate else _shared_of(bed)


def _separate_after_all(wizard: Wizard, bed: Bed) -> tuple[Wizard, MappingReply]:
    """A single closes a contact that no bed has: singles are separate, and all of them are asked for again."""
    pairs = tuple(pair for pair in wizard.pairs if pair[1].kind is not BedKind.SINGLE)
    known = {single for _, single in pairs}
    singles = (BedKind.FAT, BedKind.LITTLE)
    asked = tuple(single for single in expected_beds(True) if single.kind in singles and single not in known)
    verified = tuple(single for single in wizard.verified if single.kind not in singles)
    on = replace(wizard, phase=Phase.MAPPING, separate=True, asked=asked, pairs=pairs, verified=verified)
    words = text("wizard.separate_after_all", bed=bed)
    return replace(on, doubt=None, done=(), turned=True), _yes(words)


def _finished(wizard: Wizard, words: str) -> tuple[Wizard, MappingReply]:
    """All is verified: beds whose contact also closed for another bed are asked for once more, others end it."""
    suspects = tuple(
        to_verify((pair,))[0]
        for pair in wizard.pairs
        if pair[0] in wizard.strays and pair[1] not in wizard.rechecked
    )
    if suspects:
        rechecked = (*wizard.rechecked, *(_mapped_as(wizard, bed) for bed in suspects))
        on = replace(wizard, asked=suspects, rechecked=rechecked)
        return on, _yes(text("wizard.recheck", words=words))
    left_out = ", ".join(map(str, wizard.left_out))
    key = "wizard.done_without" if left_out else "wizard.done"
    done = text(key, words=words, beds=len(wizard.pairs), left_out=left_out)
    return replace(wizard, phase=Phase.DONE), _yes(done)


def _skip_verifying(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    bed = wizard.asked[0]
    on = replace(wizard, asked=wizard.asked[1:], doubt=None)
    words = text("wizard.unverified", bed=bed)
    return _finished(on, words) if not on.asked else (on, _yes(words))


def _map_again(wizard: Wizard) -> tuple[Wizard, MappingReply]:
    bed = _mapped_as(wizard, wizard.asked[0])
    pairs = tuple(pair for pair in wizard.pairs if pair[1] != bed)
    on = replace(wizard, phase=Phase.MAPPING, asked=(bed,), pairs=pairs, done=(), doubt=None)
    return on, _yes(text("wizard.again", bed=bed))


def _refused(key: str) -> Callable[[Wizard], tuple[Wizard, MappingReply]]:
    return lambda wizard: (wizard, _no(text(key)))


_OVER = _refused("wizard.complete")
_PRESS: dict[Phase, Callable[[Wizard, Contact], tuple[Wizard, MappingReply]]] = {
    Phase.PROBING: _probe,
    Phase.MAPPING: _map,
    Phase.VERIFYING: _verify,
    Phase.DONE: lambda wizard, _contact: _OVER(wizard),
}
_TABLE: dict[tuple[Phase, MappingWord], Callable[[Wizard], tuple[Wizard, MappingReply]]] = {
    (Phase.PROBING, MappingWord.BACK): _back,
    (Phase.PROBING, MappingWord.SKIP): _probe_another,
    (Phase.PROBING, MappingWord.AGAIN): _probe_again,
    (Phase.PROBING, MappingWord.TAKE): _refused("wizard.no_doubt"),
    (Phase.MAPPING, MappingWord.BACK): _back,
    (Phase.MAPPING, MappingWord.SKIP): _skip,
    (Phase.MAPPING, MappingWord.AGAIN): _refused("wizard.just_press"),
    (Phase.MAPPING, MappingWord.TAKE): _take,
    (Phase.VERIFYING, MappingWord.BACK): _refused("wizard.stays_verified"),
    (Phase.VERIFYING, MappingWord.SKIP): _skip_verifying,
    (Phase.VERIFYING, MappingWord.AGAIN): _map_again,
    (Phase.VERIFYING, MappingWord.TAKE): _take,
    **{(Phase.DONE, word): _OVER for word in MappingWord},
}
