"""The one policy of arming and settling: which darts count, and how long a thrown one may be taken out (contract).

`announce`: a dart counts once it was announced; the thrower takes it out until the ready button, or until cameras see
the board empty. `auto`: every dart counts; a contact board waits `settle_ms` after the last contact.
"""

from __future__ import annotations

from dataclasses import dataclass

from scharten.match.phases import Finished, Phase, Settling, ToMove, bare, within


@dataclass(frozen=True, slots=True)
class Arming:
    """The options `arming` and `settle_ms` of a game."""

    auto: bool
    settle_ms: int

    def after_dart(self, at: int, *, seen: bool = False) -> ToMove | Settling:
        """A dart ended a turn; `seen`: by cameras, which also see it being taken out."""
        if not self.auto or seen:
            return Settling()
        return Settling(at + self.settle_ms) if self.settle_ms else ToMove()

    def after_move(self, phase: Phase) -> ToMove | Settling:
        """A move was played; in `auto` the dart before it may still be in the board, and its time goes on."""
        inner = bare(phase)
        return inner if self.auto and isinstance(inner, Settling) else ToMove()

    def after_correction(self, before: Phase, now: int) -> ToMove | Settling:
        """The last dart was put right: it may still be in the board, and must not be counted while it comes out."""
        match bare(before):
            case Settling(until):
                return Settling(None if until is None else now + self.settle_ms)
            case Finished() if self.auto and self.settle_ms:
                return Settling(now + self.settle_ms)
            case _:
                return ToMove()

    def touched(self, phase: Phase, at: int) -> Phase:
        """A contact while a dart is taken out: the wait starts again."""
        match bare(phase):
            case Settling(int() as until):
                return within(phase, Settling(max(until, at + self.settle_ms)))
            case _:
                return phase

    def resumed(self, phase: Phase, now: int) -> Phase:
        """The phase that a pause held goes on."""
        if not isinstance(bare(phase), Settling):
            return phase
        return within(phase, Settling(now + self.settle_ms if self.auto else None))

    def not_ahead(self, phase: Phase, now: int) -> Phase:
        """After the host's clock was set back: no longer to wait than it was ever meant."""
        match bare(phase):
            case Settling(int() as until) if until > now + self.settle_ms:
                return within(phase, Settling(now + self.settle_ms))
            case _:
                return phase
