"""Practice on the board without an opponent, while no game is on: the targets, and the score so far."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Final

from scharten.dartboard.beds import BULL, NUMBERS, OUTER_BULL, RINGS, Bed, BedKind, readings
from scharten.match.orders import Exercise

DARTS: Final = 20
"""How many darts a warm-up at the bull and a series of lit fields have."""
LOST: Final = 3
"""How many darts in a row outside the zone end `fouls_in_a_row`."""


@dataclass(frozen=True, slots=True)
class Practice:
    """One series: `hit` targets in their order, `run` hits and `lost` darts in a row.

    `last` is the bed that counted for the last dart, `doubt` every bed it may be in if that is not certain, `before`
    the series without it.
    """

    exercise: Exercise
    player: str
    seed: int
    white_sits_at: int
    thrown: int = 0
    hit: int = 0
    run: int = 0
    best_run: int = 0
    lost: int = 0
    last: Bed | None = None
    doubt: tuple[Bed, ...] = ()
    before: Practice | None = None
    corrected: bool = False

    @property
    def text(self) -> str:
        """The series in one line, for the digest."""
        counts = (self.thrown, self.hit, self.run, self.best_run, self.lost)
        text = f"{self.exercise} {self.player} {self.seed} {self.white_sits_at} {' '.join(map(str, counts))}"
        return f"{text} {self.last}" if self.corrected else text

    @property
    def length(self) -> int | None:
        """The number of darts or targets, None for a series without a fixed length."""
        targets = {Exercise.ROUND_THE_ZONE: len(self._zone()), Exercise.DOUBLES: len(NUMBERS)}
        return None if self.exercise is Exercise.FOULS_IN_A_ROW else targets.get(self.exercise, DARTS)

    @property
    def over(self) -> bool:
        """Whether the series is complete."""
        if self.exercise is Exercise.FOULS_IN_A_ROW:
            return self.lost >= LOST
        done = self.thrown if self.exercise in (Exercise.WARM_UP, Exercise.LIT_FIELD) else self.hit
        return done >= (self.length or 0)

    @property
    def targets(self) -> tuple[Bed, ...]:
        """The beds that the next dart should hit; empty once the series is over."""
        if self.over:
            return ()
        zone = self._zone()
        match self.exercise:
            case Exercise.WARM_UP:
                return (BULL, OUTER_BULL)
            case Exercise.ROUND_THE_ZONE:
                return tuple(Bed(ring, zone[self.hit]) for ring in RINGS)
            case Exercise.DOUBLES:
                return (Bed(BedKind.DOUBLE, NUMBERS[self.hit]),)
            case Exercise.LIT_FIELD:
                beds = [Bed(ring, number) for ring in (BedKind.FAT, BedKind.LITTLE) for number in zone]
                drawn = hashlib.sha256(f"lit {self.seed} {self.thrown}".encode()).digest()
                return (beds[int.from_bytes(drawn[:4], "big") % len(beds)],)
            case _:
                return tuple(Bed(ring, number) for ring in RINGS for number in zone)

    def throw(self, bed: Bed, doubt: tuple[Bed, ...] = ()) -> Practice:
        """Add a dart; a dart after the end changes nothing."""
        if self.over:
            return self
        hit = any(reading in self.targets for reading in readings(bed))
        run = self.run + 1 if hit else 0
        return replace(
            self,
            thrown=self.thrown + 1,
            hit=self.hit + hit,
            run=run,
            best_run=max(self.best_run, run),
            lost=0 if hit else self.lost + 1,
            last=bed,
            doubt=doubt,
            before=replace(self, before=None),
            corrected=False,
        )

    def correct(self, bed: Bed) -> Practice | None:
        """Move the last dart to this bed; None if there is none."""
        return None if self.before is None else replace(self.before.throw(bed), corrected=True)

    def _zone(self) -> tuple[int, ...]:
        """The ten numbers of the half in front of White, from left to right."""
        middle = NUMBERS.index(self.white_sits_at)
        return tuple(NUMBERS[(middle + step) % len(NUMBERS)] for step in range(5, -5, -1))
