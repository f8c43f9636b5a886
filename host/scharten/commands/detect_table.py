"""The table that `scharten detect` prints below the throws: beds right, doubts, and the time per throw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scharten.commands.words import words
from scharten.dartboard.beds import SURE
from scharten.sensors.photo_sets import Measured, reliability

RINGS = ("D", "F", "T", "L", "25", "BULL", "MISS")


def table(results: Sequence[Measured], truth: Mapping[str, str]) -> list[str]:
    """Return the lines of the table; `truth` has the beds of the throws whose bed is known, by name."""
    known = [
        _Known(truth[r.throw], str(r.dart.bed) if r.dart else "MISS", r.dart.confidence if r.dart else 0.0)
        for r in results
        if r.throw in truth
    ]
    return [
        _row("throws", len(results)),
        *(_beds(known) if known else [_row("exact", words("detect.no_truth"))]),
        _share("undetected", [r.dart is None for r in results]),
        _share("in_doubt", [r.dart is not None and r.dart.confidence < SURE for r in results]),
        *(_confidences(known) if known else []),
        words("detect.time"),
        _times("time_per_throw", [r.seconds for r in results]),
        _times("cpu", [r.cpu_seconds for r in results]),
        _times("cpu_all", [r.all_cpu_seconds for r in results]),
    ]


@dataclass(frozen=True)
class _Known:
    """A throw whose bed is known: its bed, the bed that was seen, and how sure that was."""

    bed: str
    seen: str
    confidence: float

    @property
    def right(self) -> bool:
        return self.seen == self.bed


def _beds(known: Sequence[_Known]) -> Iterator[str]:
    """Yield the share of right beds, in all and by ring, and of right sectors."""
    yield _share("exact", [throw.right for throw in known])
    for ring in RINGS:
        yield f"  {ring:<13} {_counted([throw.right for throw in known if _ring(throw.bed) == ring])}"
    yield _share("sector", [_sector(throw.seen) == _sector(throw.bed) for throw in known])


def _confidences(known: Sequence[_Known]) -> Iterator[str]:
    """Yield the share that was sure and wrong, and how often each confidence was right."""
    yield _share("sure_and_wrong", [not throw.right for throw in known if throw.confidence >= SURE])
    yield words("detect.reliability")
    yield from reliability([(throw.confidence, throw.right) for throw in known], words("detect.called"))


def _times(name: str, spent_s: Sequence[float]) -> str:
    p50, p95 = np.quantile(np.array(spent_s) * 1000, (0.5, 0.95))
    return _row(name, words("detect.quantiles", p50=f"{p50:.1f}", p95=f"{p95:.1f}"))


def _row(name: str, value: object) -> str:
    return f"{words(f'detect.row.{name}'):<15} {value}"


def _share(name: str, hits: Sequence[bool]) -> str:
    return _row(name, _counted(hits))


def _counted(hits: Sequence[bool]) -> str:
    if not hits:
        return words("detect.unmeasured")
    return f"{sum(hits)}/{len(hits)} = {sum(hits) / len(hits):.1%}"


def _ring(segment: str) -> str:
    return segment if segment in RINGS else segment[0]


def _sector(segment: str) -> str:
    return segment if segment in RINGS else segment[1:]
