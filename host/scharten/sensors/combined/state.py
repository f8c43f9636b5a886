"""What is known of both sensors and of the throws on which they have not both spoken, as values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from scharten.dartboard.beds import Bed
from scharten.dartboard.lines import HitNotice
from scharten.dartboard.profile import Contact
from scharten.match.inputs import Dart, Input, Reading, Receipt, SensorState
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.in_board import InBoard
from scharten.sensors.combined.moments import Moments

UNNOTICED = 3
"""A sensor that noticed nothing of so many darts in a row, in different beds, is left out."""


@dataclass(frozen=True)
class FeltThrow:
    """What the board noticed of one throw: its readings in order, and what the referee was told of it at once."""

    readings: tuple[Reading, ...]
    told: Reading | None = None
    handled: bool = False

    @property
    def at_ms(self) -> int:
        """When it happened: its first contact, else its knock."""
        felt = (each.happened_ms for each in self.readings if isinstance(each.what, Dart))
        return next(felt, self.readings[0].happened_ms)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """What it closed, in order."""
        found = (each.what.contact for each in self.readings if isinstance(each.what, Dart))
        return tuple(dict.fromkeys(contact for contact in found if contact is not None))


@dataclass(frozen=True)
class Watched:
    """Both sensors as they are, and the throws on which the cameras have not spoken."""

    table: ContactTable
    moments: Moments
    board: SensorState = SensorState.LOST
    cameras: SensorState = SensorState.LOST
    tracking: str = ""
    looked_ms: int = 0
    looking_ms: int | None = None  # since when cameras have looked without a break
    still_ms: int | None = None  # since when nothing has moved before them
    remarked: bool = False  # whether they have anything to say about themselves
    heard: tuple[bool, ...] = ()  # of the last darts that both noticed, whether the piezo heard them
    bare: bool = True  # whether no dart was in the board when all was still last
    blind: frozenset[Contact] = frozenset()  # of darts in a row that only the board felt
    deaf: frozenset[Bed] = frozenset()  # of darts in a row that only the cameras saw
    stuck: frozenset[Contact] = frozenset()
    noticed: tuple[tuple[Receipt, HitNotice], ...] = ()  # what the board said of its last hits
    throws: tuple[FeltThrow, ...] = ()
    waiting: tuple[Input, ...] = ()  # lines of the board behind a throw that is held
    seen: tuple[Reading, ...] = ()  # what cameras told of late, alone
    standing: tuple[InBoard, ...] = ()
    in_board_ms: int | None = None  # when the last of the darts that stand there was felt or seen
    out: tuple[Input, ...] = field(default=())  # for the referee, in order

    @property
    def sighted(self) -> bool:
        """Whether the cameras can be asked."""
        return self.cameras is SensorState.FOUND and len(self.blind) < UNNOTICED and bool(self.tracking)

    @property
    def occupied(self) -> bool:
        """Whether darts are in the board, known ones or such as cameras only see there."""
        return bool(self.standing) or not self.bare

    @property
    def feeling(self) -> bool:
        """Whether the board can be asked."""
        return self.board is SensorState.FOUND and len(self.deaf) < UNNOTICED

    @property
    def held(self) -> bool:
        """Whether a line of the board waits for the cameras."""
        return any(throw.told is None for throw in self.throws)

    def telling(self, *given: Input) -> Watched:
        """With this for the referee."""
        return replace(self, out=(*self.out, *given))


def taken(watched: Watched) -> tuple[Watched, tuple[Input, ...]]:
    """What is to be told now, and the rest."""
    return replace(watched, out=()), watched.out
