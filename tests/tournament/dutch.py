"""Rounds of the Dutch system by another program (py4swiss, through TRF), and a judge of two rounds that differ.

py4swiss follows the text that held until January 2026. Since then an unplayed round without points is no downfloat
(1.4.4), which py4swiss gets here. C5 (the score of the member with the bye), C8 (the floaters of the next bracket)
and C9 (that member's unplayed games) rank pairings otherwise; the judge applies these.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scharten.tournament.model import Club, MemberKey, Unpaired
from scharten.tournament.record import records_of
from scharten.tournament.trf import trf

Row = tuple[int, int]
"""White's and Black's numbers in the start list; Black is 0 for the bye."""


def by_another(club: Club, absent: Iterable[MemberKey]) -> list[Row] | None:
    """Return the next round by py4swiss in the order of the tables; None where no round without a rematch exists."""
    engines = pytest.importorskip("py4swiss.engines")
    from py4swiss.engines.common import Float, PairingError  # noqa: PLC0415
    from py4swiss.engines.dutch import player  # noqa: PLC0415
    from py4swiss.trf import TrfParser  # noqa: PLC0415

    older = player._get_floats

    def floats(section: Any, place: int, points: Any) -> Any:
        unscored = place >= 0 and section.results[place].result.value in "-Z"
        return Float.NONE if unscored else older(section, place, points)

    assert club.season is not None
    number = numbers(club)
    away = " ".join(str(number[key]) for key in absent)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.trf"
        lines = trf(club, club.season).splitlines()
        # py4swiss expects one space between the rounds' dates, where TRF16 has two.
        lines = [line for line in lines if not line.startswith("132")] + [f"XXZ {away}"] * bool(away)
        report.write_text("\r\n".join(lines), encoding="utf-8")
        read = TrfParser.parse(report, strict=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "_get_floats", floats)
        try:
            return [(row.white, row.black) for row in engines.DutchEngine.generate_pairings(read)]
        except PairingError:
            return None


def numbers(club: Club) -> dict[MemberKey, int]:
    """Return each entrant's place in the start list."""
    assert club.season is not None
    return {key: place for place, key in enumerate(club.season.entrants, 1)}


def last_round(club: Club) -> list[Row]:
    """Return the round that the club drew last."""
    assert club.season is not None
    number, drawn = numbers(club), club.season.rounds[-1]
    rows = [(number[pairing.white], number[pairing.black]) for pairing in drawn.pairings]
    return rows + [(number[key], 0) for key, why in drawn.unpaired.items() if why is Unpaired.BYE]


def better(before: Club, mine: list[Row], theirs: list[Row]) -> str:
    """Return the criterion by which one of two rounds is better, and whose it is; `undecided` if none of them."""
    assert before.season is not None
    records, number = records_of(before.season), numbers(before)
    points = {number[key]: record.points for key, record in records.items()}
    byes = [[points[white] for white, black in rows if not black] for rows in (mine, theirs)]
    if byes[0] != byes[1]:
        return "C5 mine" if byes[0] < byes[1] else "C5 theirs"
    ours, others = _floaters(points, mine), _floaters(points, theirs)
    for place, (own, other) in enumerate(zip(ours, others, strict=True)):
        if own != other:
            return "C6 or C7"
        following = ours[place + 1 : place + 2], others[place + 1 : place + 2]
        if following[0] != following[1]:
            return "C8 mine" if following[0] < following[1] else "C8 theirs"
    missed = {
        number[key]: sum(not played.is_game for played in record.rounds) for key, record in records.items()
    }
    unplayed = [sum(missed[white] for white, black in rows if not black) for rows in (mine, theirs)]
    if unplayed[0] != unplayed[1]:
        return "C9 mine" if unplayed[0] < unplayed[1] else "C9 theirs"
    return "undecided"


def _floaters(points: Mapping[int, Fraction], rows: list[Row]) -> list[tuple[int, list[Fraction]]]:
    """Return how many leave each bracket downwards, and their scores; the highest bracket first."""
    partner = dict(rows) | {black: white for white, black in rows if black}
    found: list[tuple[int, list[Fraction]]] = []
    moved: set[int] = set()
    playing = set(partner)
    for score in sorted({points[player] for player in playing}, reverse=True):
        bracket = moved | {player for player in playing if points[player] == score}
        moved = {player for player in bracket if partner[player] not in bracket}
        found.append((len(moved), sorted((points[player] for player in moved), reverse=True)))
    return found
