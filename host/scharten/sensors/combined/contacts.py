"""Which contact fires for which bed: a table with a prior, learnt from darts whose bed is known.

A count for each bed and contact, or no contact; and for each contact how often it fired without any dart. All pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from scharten.dartboard.beds import ALL_BEDS, MISS, Bed, neighbours, readings
from scharten.dartboard.profile import BoardProfile, Contact

OWN, NONE, NEAR, FAR = 96.0, 2.0, 1.0, 0.02
"""The prior, as darts seen before: of 100 in a bed its own contact, none, one of the neighbours, any other."""
DARTS_KEPT = 400.0
"""More counts for a bed are made half as many, so that what was repaired is learnt anew."""
GHOSTS, USES = 0.3, 100.0
"""The prior of a contact that fires without a dart: so often, of so many times."""

Row = Mapping[Contact | None, float]


@lru_cache(maxsize=512)
def _prior(bed: Bed, own: Bed | None) -> float:
    """How many of 100 darts in a bed close the contact of the bed `own`; None is no contact at all."""
    if bed == MISS:
        return OWN if own in (None, MISS) else FAR
    if own is None:
        return NONE
    inside = readings(own)
    if bed in inside:
        return OWN
    around = neighbours(bed)
    return NEAR / len(around) if any(each in around for each in inside) else FAR / len(ALL_BEDS)


@lru_cache(maxsize=128)
def _around(own: Bed | None) -> tuple[Bed, ...]:
    if own is None:
        return ()
    inside = readings(own)
    return (*inside, *(bed for bed in ALL_BEDS if any(each in neighbours(bed) for each in inside)))


@dataclass(frozen=True)
class ContactTable:
    """What a board's contacts are worth; `counts` and `ghosts` are what was learnt."""

    profile: BoardProfile
    counts: Mapping[Bed, Row] = field(default_factory=dict)
    ghosts: Mapping[Contact, float] = field(default_factory=dict)

    def chance(self, contact: Contact | None, bed: Bed) -> float:
        """How likely a dart in this bed closes this contact (None: no contact)."""
        row = self.counts.get(bed, {})
        own = None if contact is None else self.profile.bed(contact)
        prior = FAR / len(ALL_BEDS) if contact is not None and own is None else _prior(bed, own)
        return (prior + row.get(contact, 0.0)) / (OWN + NONE + NEAR + FAR + sum(row.values()))

    def knows(self, contact: Contact) -> bool:
        """Whether anything is known of this contact, by the profile or learnt."""
        return self.profile.bed(contact) is not None or any(contact in row for row in self.counts.values())

    def near(self, contact: Contact) -> tuple[Bed, ...]:
        """The beds that a dart which closed this contact may well be in: its own, those around, those learnt."""
        learnt = (bed for bed, row in self.counts.items() if contact in row)
        return tuple(dict.fromkeys((*_around(self.profile.bed(contact)), *learnt)))

    def ghost(self, contact: Contact) -> float:
        """How likely this contact fired without a dart."""
        used = sum(row.get(contact, 0.0) for row in self.counts.values())
        ghosts = GHOSTS + self.ghosts.get(contact, 0.0)
        return ghosts / (USES + used + ghosts)

    def learnt(self, contact: Contact | None, bed: Bed | None) -> ContactTable:
        """With one more dart in this bed (None: no dart at all) that closed this contact (None: no contact)."""
        if bed is None:
            return self if contact is None else self._haunted(contact)
        row = {**self.counts.get(bed, {})}
        row[contact] = row.get(contact, 0.0) + 1.0
        if sum(row.values()) > DARTS_KEPT:
            row = {each: count / 2 for each, count in row.items()}
        return replace(self, counts={**self.counts, bed: row})

    def _haunted(self, contact: Contact) -> ContactTable:
        # One ghost weighs as many uses as make the next one be looked at by the cameras first.
        return replace(self, ghosts={**self.ghosts, contact: self.ghosts.get(contact, 0.0) + USES / 10})


def shares(weights: Mapping[Bed, float], least: float = 0.01) -> tuple[tuple[Bed, float], ...]:
    """Weights as probabilities, the likeliest first, those above `least` only."""
    total = sum(weights.values())
    if total <= 0:
        return ()
    found = sorted(((bed, weight / total) for bed, weight in weights.items()), key=lambda each: -each[1])
    return tuple(each for number, each in enumerate(found) if number == 0 or each[1] > least)


def dictionary(table: ContactTable) -> dict[str, object]:
    """What was learnt as JSON; `parse` reads it."""
    counts = {
        str(bed): {_name(contact): count for contact, count in row.items()}
        for bed, row in table.counts.items()
    }
    return {"counts": counts, "ghosts": {_name(contact): count for contact, count in table.ghosts.items()}}


def parse(profile: BoardProfile, raw: Mapping[str, object]) -> ContactTable:
    """What `dictionary` wrote; `ValueError`, `KeyError`, `TypeError` or `AttributeError` for anything else."""
    beds = {str(bed): bed for bed in ALL_BEDS}
    lines = {
        str(Contact(d, s)): Contact(d, s) for d, s in product(range(profile.drives), range(profile.senses))
    }
    counts, ghosts = raw["counts"], raw["ghosts"]
    if not isinstance(counts, dict) or not isinstance(ghosts, dict):
        raise TypeError("counts and ghosts are tables")
    rows = {
        beds[bed]: {None if name == "none" else lines[name]: _count(value) for name, value in row.items()}
        for bed, row in counts.items()
    }
    return ContactTable(profile, rows, {lines[name]: _count(value) for name, value in ghosts.items()})


def _name(contact: Contact | None) -> str:
    return "none" if contact is None else str(contact)


def _count(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
        raise ValueError(f"{value!r} is not a count")
    return float(value)
