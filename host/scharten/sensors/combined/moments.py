"""How far apart contact and cameras date the same dart, and how long the cameras' word takes: measured, not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

KEPT = 64
"""So many of the last darts that both noticed are kept."""
ENOUGH = 8
"""As many as this, and the window is what was measured."""
FIRST_APART_MS, FIRST_WORD_MS = 1500, 2600
"""Until then."""
LEAST_MARGIN_MS, MOST_WORD_MS = 80, 2900


@dataclass(frozen=True)
class Moments:
    """Of the last darts, in ms after the contact: when the cameras say that it came, and when they said so."""

    apart: tuple[int, ...] = ()
    word: tuple[int, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether enough darts were noticed by both."""
        return len(self.apart) >= ENOUGH

    @property
    def window(self) -> tuple[int, int]:
        """From when to when, in ms after a contact, cameras may say that its dart came."""
        if not self.measured:
            return -FIRST_APART_MS, FIRST_APART_MS
        first, last = min(self.apart), max(self.apart)
        margin = max(LEAST_MARGIN_MS, (last - first) // 2)
        return first - margin, last + margin

    @property
    def word_ms(self) -> int:
        """How long the cameras' word on a contact is waited for."""
        if not self.measured:
            return FIRST_WORD_MS
        return min(MOST_WORD_MS, max(self.word) * 5 // 4 + LEAST_MARGIN_MS)

    def fit(self, apart: int) -> bool:
        """Whether a dart that cameras date so long after a contact may be its own."""
        first, last = self.window
        return first <= apart <= last

    def learnt(self, apart: int, word: int) -> Moments:
        """With one more dart that both noticed."""
        return replace(self, apart=(*self.apart, apart)[-KEPT:], word=(*self.word, max(0, word))[-KEPT:])


def dictionary(moments: Moments) -> dict[str, object]:
    """As JSON; `parse` reads it."""
    return {"apart_ms": list(moments.apart), "word_ms": list(moments.word)}


def parse(raw: Mapping[str, object]) -> Moments:
    """What `dictionary` wrote; `ValueError`, `KeyError` or `TypeError` for anything else."""
    apart, word = (_figures(raw[key]) for key in ("apart_ms", "word_ms"))
    if len(apart) != len(word):
        raise ValueError("there are not as many of one as of the other")
    return Moments(apart, word)


def _figures(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > KEPT:
        raise ValueError(f"a list of at most {KEPT} numbers is wanted")
    if any(isinstance(each, bool) or not isinstance(each, int) or abs(each) > 60_000 for each in value):
        raise ValueError("these are not milliseconds")
    return tuple(value)
