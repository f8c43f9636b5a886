"""Mapping a board, as a state machine without a port or a screen: presses in, the next question out.

The person presses the bed that is asked for; the contact that closes is the bed's. First four singles show whether
inner and outer single share a contact, then every other bed is asked for, then all again in a shuffled order.

| phase     | press                                    | back             | skip            | again          |
| --------- | ---------------------------------------- | ---------------- | --------------- | -------------- |
| probing   | kept; the fourth decides, or all anew    | undoes the last  | refused         | starts it anew |
| mapping   | the bed's; refused if it has one (*)     | undoes the last  | has no contact  | refused        |
| verifying | right: the next; wrong: refused          | refused          | left unverified | mapped anew    |
| done      | refused                                  | refused          | refused         | refused        |

(*) While one bed is mapped anew, a contact that another, unverified bed has is taken over, and that bed asked for.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from scharten.dartboard.beds import NUMBERS, Bed, BedKind
from scharten.dartboard.profile import BoardProfile, Contact, expected_beds


class Phase(StrEnum):
    """How far the mapping is."""

    PROBING = "probing"
    MAPPING = "mapping"
    VERIFYING = "verifying"
    DONE = "done"


class Wish(StrEnum):
    """What a person can say besides pressing a bed."""

    BACK = "back"
    SKIP = "skip"
    AGAIN = "again"


Input = Contact | Wish

PROBES: tuple[Bed, ...] = (
    Bed(BedKind.FAT, 20),
    Bed(BedKind.LITTLE, 20),
    Bed(BedKind.FAT, 3),
    Bed(BedKind.LITTLE, 3),
)
"""The singles that show whether a number's two singles share one contact; two numbers, so that a slip is noticed."""

_RING_WORDS = {
    BedKind.DOUBLE: "the double (narrow outer ring) of {n}",
    BedKind.FAT: "the outer single (between treble and double) of {n}",
    BedKind.TREBLE: "the treble (narrow inner ring) of {n}",
    BedKind.LITTLE: "the inner single (between bull and treble) of {n}",
    BedKind.SINGLE: "a single of {n} (inner or outer, they are one)",
    BedKind.OUTER_BULL: "the outer bull (25)",
    BedKind.BULL: "the bull (50)",
    BedKind.MISS: "beside the board",
}


def bed_words(bed: Bed) -> str:
    """A bed as one would point at it, with its neighbours on the board."""
    words = _RING_WORDS[bed.kind].format(n=bed.number)
    if bed.number is None:
        return words
    place = NUMBERS.index(bed.number)
    return f"{words}, between {NUMBERS[place - 1]} and {NUMBERS[(place + 1) % 20]}"


@dataclass(frozen=True)
class Answer:
    """What came of an input: taken or refused, and why, in words for the person at the board."""

    taken: bool
    words: str


@dataclass(frozen=True)
class Wizard:
    """The whole state; `asked` begins with the bed that is asked for now, `seed` shuffles the verify pass."""

    name: str
    drives: int
    senses: int
    seed: int
    phase: Phase = Phase.PROBING
    separate: bool = True
    asked: tuple[Bed, ...] = PROBES
    pairs: tuple[tuple[Contact, Bed], ...] = ()
    skipped: tuple[Bed, ...] = ()
    verified: tuple[Bed, ...] = ()
    returns: bool = False  # mapping one bed anew out of the verify pass

    @property
    def bed(self) -> Bed | None:
        """The bed to press now; None when all is done."""
        return self.asked[0] if self.asked else None

    @property
    def progress(self) -> tuple[int, int]:
        """How many beds of this phase are over, and of how many."""
        if self.phase is Phase.PROBING:
            return (len(self.pairs), len(PROBES))
        if self.phase is Phase.MAPPING:
            total = len(expected_beds(self.separate))
            return (total - len(self.asked), total)
        return (len(self.pairs) - len(self.asked), len(self.pairs))

    @property
    def beds(self) -> Mapping[Contact, Bed]:
        """Contact to bed, as far as it is known."""
        return dict(self.pairs)


def profile_of(wizard: Wizard, settings: Mapping[str, int]) -> BoardProfile:
    """The profile that the mapping has found so far."""
    return BoardProfile(
        wizard.name, wizard.drives, wizard.senses, wizard.separate, dict(settings), dict(wizard.pairs)
    )


def step(wizard: Wizard, given: Input) -> tuple[Wizard, Answer]:
    """The wizard after one input, and what to tell the person. Never raises."""
    if isinstance(given, Wish):
        return _TABLE[wizard.phase, given](wizard)
    if given.drive >= wizard.drives or given.sense >= wizard.senses:
        size = f"{wizard.drives} x {wizard.senses}"
        return wizard, _no(f"the contact {given} is outside the board's own matrix of {size}")
    return _PRESS[wizard.phase](wizard, given)


def _no(words: str) -> Answer:
    return Answer(False, words)


def _yes(words: str) -> Answer:
    return Answer(True, words)


def _probe(wizard: Wizard, contact: Contact) -> tuple[Wizard, Answer]:
    """The pairs of the probing phase may hold one contact twice: that is what is to be found out."""
    bed = wizard.asked[0]
    other = next(
        (known for seen, known in wizard.pairs if seen == contact and known.number != bed.number), None
    )
    if other is not None:
        return wizard, _no(f"that is the contact of {other}; press {bed_words(bed)}")
    on = replace(wizard, pairs=(*wizard.pairs, (contact, bed)), asked=wizard.asked[1:])
    if on.asked:
        return on, _yes(f"{bed} is contact {contact}")
    contacts = [seen for seen, _ in on.pairs]
    shared = [contacts[0] == contacts[1], contacts[2] == contacts[3]]
    if shared[0] != shared[1]:
        one, two = (20, 3) if shared[0] else (3, 20)
        words = (
            f"the singles of {one} share a contact and those of {two} do not: one press was a slip. Once more"
        )
        return _fresh(wizard), _no(words)
    return _decided(on, not shared[0])


def _fresh(wizard: Wizard) -> Wizard:
    return Wizard(wizard.name, wizard.drives, wizard.senses, wizard.seed)


def _decided(wizard: Wizard, separate: bool) -> tuple[Wizard, Answer]:
    pairs = wizard.pairs
    if not separate:
        pairs = tuple((contact, Bed(BedKind.SINGLE, bed.number)) for contact, bed in dict(pairs).items())
    known = {bed for _, bed in pairs}
    asked = tuple(bed for bed in expected_beds(separate) if bed not in known)
    words = (
        "inner and outer singles have contacts of their own"
        if separate
        else "inner and outer single share a contact"
    )
    on = replace(wizard, phase=Phase.MAPPING, separate=separate, pairs=pairs, asked=asked)
    return on, _yes(f"{words}: {len(asked)} beds to go")


def _map(wizard: Wizard, contact: Contact) -> tuple[Wizard, Answer]:
    bed = wizard.asked[0]
    other = wizard.beds.get(contact)
    if other is not None and wizard.returns and other not in wizard.verified:
        pairs = (*(pair for pair in wizard.pairs if pair[0] != contact), (contact, bed))
        words = f"{bed} is contact {contact}, which was given to {other}: now press {bed_words(other)}"
        return replace(wizard, pairs=pairs, asked=(*wizard.asked[1:], other)), _yes(words)
    if other is not None:
        return wizard, _no(f"that is the contact of {other}; press {bed_words(bed)}")
    on = replace(wizard, pairs=(*wizard.pairs, (contact, bed)), asked=wizard.asked[1:])
    return _mapped(on, f"{bed} is contact {contact}")


def _mapped(wizard: Wizard, words: str) -> tuple[Wizard, Answer]:
    """To the verify pass when nothing is left to ask for."""
    if wizard.asked:
        return wizard, _yes(words)
    left = [bed for _, bed in wizard.pairs if bed not in wizard.verified]
    order = sorted(left, key=lambda bed: binascii.crc32(f"{wizard.seed} {bed}".encode()))
    on = replace(wizard, phase=Phase.VERIFYING, asked=tuple(order), returns=False)
    if not order:
        return _finished(on, words)
    return on, _yes(f"{words}. Now all of them once more, in another order, to be sure")


def _verify(wizard: Wizard, contact: Contact) -> tuple[Wizard, Answer]:
    bed = wizard.asked[0]
    found = wizard.beds.get(contact)
    if found != bed:
        what = f"the contact of {found}" if found else f"contact {contact}, which has no bed"
        return wizard, _no(f"that was {what}; press {bed_words(bed)}, or map it anew with 'again'")
    on = replace(wizard, asked=wizard.asked[1:], verified=(*wizard.verified, bed))
    return _finished(on, f"{bed} is right") if not on.asked else (on, _yes(f"{bed} is right"))


def _finished(wizard: Wizard, words: str) -> tuple[Wizard, Answer]:
    unsure = f", {len(wizard.skipped)} skipped" if wizard.skipped else ""
    return replace(wizard, phase=Phase.DONE), _yes(f"{words}. All done: {len(wizard.pairs)} beds{unsure}")


def _back(wizard: Wizard) -> tuple[Wizard, Answer]:
    """Undo the last press or skip of this phase."""
    if wizard.returns or (not wizard.pairs and not wizard.skipped):
        return wizard, _no("there is nothing to take back")
    order = PROBES if wizard.phase is Phase.PROBING else expected_beds(wizard.separate)
    done = order[: order.index(wizard.asked[0])]
    if wizard.phase is Phase.MAPPING:
        probed = set(PROBES) | {Bed(BedKind.SINGLE, bed.number) for bed in PROBES}
        done = tuple(bed for bed in done if bed not in probed)
    if not done:
        return wizard, _no("there is nothing to take back in this part; 'again' is for the verify pass")
    bed = done[-1]
    on = replace(
        wizard,
        asked=(bed, *wizard.asked),
        pairs=tuple(pair for pair in wizard.pairs if pair[1] != bed),
        skipped=tuple(other for other in wizard.skipped if other != bed),
    )
    return on, _yes(f"{bed} is open again")


def _skip_mapping(wizard: Wizard) -> tuple[Wizard, Answer]:
    bed = wizard.asked[0]
    on = replace(wizard, asked=wizard.asked[1:], skipped=(*wizard.skipped, bed))
    return _mapped(
        on, f"{bed} is left out: darts in it will be reported as an unknown contact, or not at all"
    )


def _skip_verifying(wizard: Wizard) -> tuple[Wizard, Answer]:
    bed = wizard.asked[0]
    on = replace(wizard, asked=wizard.asked[1:])
    words = f"{bed} stays as it was mapped, unverified"
    return _finished(on, words) if not on.asked else (on, _yes(words))


def _probe_again(wizard: Wizard) -> tuple[Wizard, Answer]:
    return _fresh(wizard), _yes("from the beginning")


def _map_again(wizard: Wizard) -> tuple[Wizard, Answer]:
    bed = wizard.asked[0]
    pairs = tuple(pair for pair in wizard.pairs if pair[1] != bed)
    on = replace(wizard, phase=Phase.MAPPING, asked=(bed,), pairs=pairs, returns=True)
    return on, _yes(f"{bed} is open: press it, and the check goes on after it")


def _refused(words: str) -> Callable[[Wizard], tuple[Wizard, Answer]]:
    return lambda wizard: (wizard, _no(words))


_OVER = "the mapping is complete"
_PRESS: dict[Phase, Callable[[Wizard, Contact], tuple[Wizard, Answer]]] = {
    Phase.PROBING: _probe,
    Phase.MAPPING: _map,
    Phase.VERIFYING: _verify,
    Phase.DONE: lambda wizard, _contact: (wizard, _no(_OVER)),
}
_TABLE: dict[tuple[Phase, Wish], Callable[[Wizard], tuple[Wizard, Answer]]] = {
    (Phase.PROBING, Wish.BACK): _back,
    (Phase.PROBING, Wish.SKIP): _refused(
        "these four singles show how the board is made: none can be left out"
    ),
    (Phase.PROBING, Wish.AGAIN): _probe_again,
    (Phase.MAPPING, Wish.BACK): _back,
    (Phase.MAPPING, Wish.SKIP): _skip_mapping,
    (Phase.MAPPING, Wish.AGAIN): _refused("this bed is being mapped: just press it"),
    (Phase.VERIFYING, Wish.BACK): _refused("what was verified stays verified; 'again' maps this bed anew"),
    (Phase.VERIFYING, Wish.SKIP): _skip_verifying,
    (Phase.VERIFYING, Wish.AGAIN): _map_again,
    (Phase.DONE, Wish.BACK): _refused(_OVER),
    (Phase.DONE, Wish.SKIP): _refused(_OVER),
    (Phase.DONE, Wish.AGAIN): _refused(_OVER),
}
