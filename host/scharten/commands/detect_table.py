"""The table that `scharten detect` prints below the throws: beds right, doubts, and the time per throw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scharten.commands.words import words
from scharten.dartboard.beds import SURE
from scharten.sensors.photo_sets import Measured, reliability

RINGS = ("D", "F", "T", "L", "25", "BULL", "MISS")


def table(results: Sequence[Measured], truth: Mapping[str, str]) -> list[str]:
    """Return the lines of the table; `truth` has the beds of the throws whose bed is known, by name."""
    seen = {r.throw: str(r.dart.bed) if r.dart else "MISS" for r in results}
    known = [r.throw for r in results if r.throw in truth]
    lines = [_row("throws", len(results))]
    if known:
        lines.append(_share("exact", [seen[t] == truth[t] for t in known]))
        for ring in RINGS:
            shares = [seen[t] == truth[t] for t in known if _ring(truth[t]) == ring]
            lines.append(f"  {ring:<13} {_counted(shares)}")
        lines.append(_share("sector", [_sector(seen[t]) == _sector(truth[t]) for t in known]))
    else:
        lines.append(_row("exact", words("detect.no_truth")))
    lines.append(_share("undetected", [r.dart is None for r in results]))
    lines.append(_share("in_doubt", [r.dart is not None and r.dart.confidence < SURE for r in results]))
    if known:
        judged = [
            (r.dart.confidence if r.dart else 0.0, seen[r.throw] == truth[r.throw])
            for r in results
            if r.throw in truth
        ]
        lines.append(_share("sure_and_wrong", [not right for sure, right in judged if sure >= SURE]))
        lines += [words("detect.reliability"), *reliability(judged, words("detect.called"))]
    lines.append(words("detect.time"))
    for name, spent in (
        ("time_per_throw", [r.seconds for r in results]),
        ("cpu", [r.cpu_seconds for r in results]),
        ("cpu_all", [r.all_cpu_seconds for r in results]),
    ):
        p50, p95 = np.quantile(np.array(spent) * 1000, (0.5, 0.95))
        lines.append(_row(name, words("detect.quantiles", p50=f"{p50:.1f}", p95=f"{p95:.1f}")))
    return lines


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
