"""How far the mapping of a board is: the state that `wizard` steps, and the words for what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from scharten.dartboard.beds import NUMBERS, Bed, BedKind
from scharten.dartboard.profile import BoardProfile, Contact, expected_beds
from scharten_calibration.words import words


class Phase(StrEnum):
    """How far the mapping is."""

    PROBING = "probing"
    MAPPING = "mapping"
    VERIFYING = "verifying"
    DONE = "done"


class MappingWord(StrEnum):
    """A person's answers besides pressing a bed."""

    BACK = "back"
    SKIP = "skip"
    AGAIN = "again"
    TAKE = "take"


SAME_CONTACT_MS, OTHER_CONTACT_MS = 400, 150


@dataclass(frozen=True, slots=True)
class Press:
    """A contact closed, and when, in ms of any one clock."""

    contact: Contact
    at_ms: int

    def belongs_to(self, last: Press) -> bool:
        """Whether a person pressed only once: a contact bounces, and a wire closes two."""
        within = SAME_CONTACT_MS if self.contact == last.contact else OTHER_CONTACT_MS
        return 0 <= self.at_ms - last.at_ms < within


Input = Press | MappingWord

PROBE_NUMBERS: tuple[int, ...] = (20, 3, 6, 11, *(n for n in NUMBERS if n not in (20, 3, 6, 11)))
"""The numbers whose singles are probed, two of them so that a slip is noticed; the others where one is dead."""


def singles_of(number: int) -> tuple[Bed, Bed]:
    return Bed(BedKind.FAT, number), Bed(BedKind.LITTLE, number)


PROBES: tuple[Bed, ...] = (*singles_of(PROBE_NUMBERS[0]), *singles_of(PROBE_NUMBERS[1]))


def bed_words(bed: Bed) -> str:
    """A bed as one would point at it, with its neighbours on the board."""
    name = words(f"bed.{bed.kind.name}", n=bed.number)
    if bed.number is None:
        return name
    place = NUMBERS.index(bed.number)
    return words("bed.between", bed=name, left=NUMBERS[place - 1], right=NUMBERS[(place + 1) % 20])


@dataclass(frozen=True)
class MappingReply:
    """The result of an input: taken, or refused with the reason; `same_press` needs no new question."""

    taken: bool
    words: str
    same_press: bool = False


@dataclass(frozen=True)
class Wizard:
    """The whole state; `asked` begins with the bed that is asked for now, `seed` shuffles the verify pass.

    `done` are the beds of this phase in the order in which they were pressed or skipped, `skipped` those to be asked
    for in a `last_round`, `left_out` those skipped there again, `dead` the numbers that could not be probed,
    `alike` those whose two singles closed one contact although they should not. `moved` are contacts with a bed that
    lost them to another, `joined` contacts that two or more beds close, each with its beds. `strays` are contacts that
    closed once when another bed was asked for, `rechecked` the beds that were asked for once more because of it.
    `probed_again` and `turned` say that the probes, or the question of shared singles, were decided once already.
    `doubt` is the contact of a press that did not fit: the same once more is believed.
    """

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
    left_out: tuple[Bed, ...] = ()
    done: tuple[Bed, ...] = ()
    dead: tuple[int, ...] = ()
    last_round: bool = False
    alike: tuple[int, ...] = ()
    moved: tuple[tuple[Contact, Bed], ...] = ()
    joined: tuple[tuple[Contact, Bed], ...] = ()
    rechecked: tuple[Bed, ...] = ()
    turned: bool = False
    strays: tuple[Contact, ...] = field(default=(), compare=False)
    probed_again: bool = field(default=False, compare=False)
    doubt: Contact | None = field(default=None, compare=False)
    last: Press | None = field(default=None, compare=False)

    @property
    def bed(self) -> Bed | None:
        """The bed to press now; None when all is done."""
        return self.asked[0] if self.asked else None

    @property
    def progress(self) -> tuple[int, int]:
        """How many beds of this phase are over, and of how many."""
        if self.phase is Phase.PROBING:
            return (len(PROBES) - len(self.asked), len(PROBES))
        if self.phase is Phase.MAPPING:
            total = len(expected_beds(self.separate))
            return (total - len(self.asked) - len(self.skipped), total)
        total = len(to_verify(self.pairs))
        return (total - len(self.asked), total)

    @property
    def beds(self) -> Mapping[Contact, Bed]:
        """Contact to bed, as far as it is known."""
        return dict(self.pairs)


def profile_of(wizard: Wizard, settings: Mapping[str, int]) -> BoardProfile:
    """The profile that the mapping has found so far."""
    return BoardProfile(
        wizard.name, wizard.drives, wizard.senses, wizard.separate, dict(settings), dict(wizard.pairs)
    )


def mending(profile: BoardProfile, beds: tuple[Bed, ...], seed: int) -> Wizard:
    """Ask for these beds of a finished profile only; whatever they displace is asked for after them."""
    kept = tuple((contact, bed) for contact, bed in profile.beds.items() if bed not in beds)
    verified = tuple(to_verify(kept))
    start = Wizard(
        profile.name, profile.drives, profile.senses, seed, Phase.MAPPING, profile.separate_singles
    )
    return replace(start, asked=beds, pairs=kept, verified=verified, last_round=True)


def to_verify(pairs: tuple[tuple[Contact, Bed], ...]) -> list[Bed]:
    """Beds to press to verify these: both beds of a shared single, which proves that it is shared."""
    both = (singles_of(bed.number or 0) if bed.kind is BedKind.SINGLE else (bed,) for _, bed in pairs)
    return [bed for beds in both for bed in beds]
