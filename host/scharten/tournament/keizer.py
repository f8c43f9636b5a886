"""The Keizer system: everybody has a value by rank, and a win gives the opponent's value.

After each round the ranking gives new values, and all games since the first round are counted anew with them.
Who is present is paired from the top with the nearest neighbour in the ranking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scharten.tournament.model import RESULTS, MemberKey, Season, Unpaired
from scharten.tournament.options import KeizerOptions, share
from scharten.tournament.record import records_of

MOST_STEPS = 20_000
"""So many tries are made to keep all pairs apart that met lately, then they may meet one round sooner."""


@dataclass(frozen=True, slots=True)
class KeizerRow:
    """A member in the Keizer ranking: the present value, and the points that all rounds give with these values."""

    key: MemberKey
    value: int
    points: Fraction


def first_value(count: int, ratio: int) -> int:
    """The value of the first of `count`: `ratio` times that of the last, each next one lower (at least `count`)."""
    return max(round((count - 1) * ratio / (ratio - 1)), count, 1)


def ranking(season: Season) -> tuple[KeizerRow, ...]:
    """The ranking after all results so far, the first first."""
    options = season.options.keizer
    order = list(season.entrants)
    points: dict[MemberKey, Fraction] = {}
    played = [number for number, drawn in enumerate(season.rounds, 1) if _counts(drawn.pairings)]
    for upto in played or [0]:
        values = _values(order, options)
        points = _points(season, upto, values)
        before = {key: place for place, key in enumerate(order)}
        order.sort(key=lambda key: (-points[key], before[key]))
    values = _values(order, options)
    return tuple(KeizerRow(key, values[key], points.get(key, Fraction(0))) for key in order)


def _counts(pairings: Sequence[object]) -> bool:
    return any(getattr(one, "result") is not None for one in pairings)  # noqa: B009


def _values(order: Sequence[MemberKey], options: KeizerOptions) -> dict[MemberKey, int]:
    top = first_value(len(order), options.ratio)
    return {key: top - place for place, key in enumerate(order)}


def _points(season: Season, upto: int, values: Mapping[MemberKey, int]) -> dict[MemberKey, Fraction]:
    options = season.options.keizer
    total = {key: Fraction(values[key] if options.own_value else 0) for key in season.entrants}
    missed: Counter[MemberKey] = Counter()
    for drawn in season.rounds[:upto]:
        for one in drawn.pairings:
            if one.result is None or one.white not in values or one.black not in values:
                continue
            white, black = RESULTS[one.result]
            total[one.white] += white * values[one.black]
            total[one.black] += black * values[one.white]
        for key, why in drawn.unpaired.items():
            if key in values:
                missed[key] += why in (Unpaired.ABSENT, Unpaired.EXCUSED)
                total[key] += values[key] * _share(why, missed[key], options)
    return total


def _share(why: Unpaired, missed: int, options: KeizerOptions) -> Fraction:
    if why is Unpaired.BYE:
        return share(options.bye)
    if why is Unpaired.CLUB:
        return share(options.club)
    if missed > options.most_absences:
        return Fraction(0)
    if why is Unpaired.EXCUSED:
        return share(options.excused)
    return share(options.absent) if why is Unpaired.ABSENT else Fraction(0)


def pair(
    season: Season, present: Sequence[MemberKey]
) -> tuple[list[tuple[MemberKey, MemberKey]], MemberKey | None]:
    """Pair who is present with neighbours: pairs as (White, Black), and who has the bye when they are odd."""
    there = set(present)
    order = [row.key for row in ranking(season) if row.key in there]
    bye = _bye(season, order) if len(order) % 2 else None
    order = [key for key in order if key != bye]
    met = _last_met(season)
    for gap in range(season.options.keizer.rematch_after, -1, -1):
        found = _neighbours(order, met, season.next_round, gap)
        if found is not None:
            return [_colours(season, *two) for two in found], bye
    raise AssertionError("with no gap at all everybody may meet")


def _bye(season: Season, order: Sequence[MemberKey]) -> MemberKey:
    """The lowest of those who had the fewest byes."""
    byes = Counter(
        key for drawn in season.rounds for key, why in drawn.unpaired.items() if why is Unpaired.BYE
    )
    fewest = min(byes[key] for key in order)
    return next(key for key in reversed(order) if byes[key] == fewest)


def _last_met(season: Season) -> dict[frozenset[MemberKey], int]:
    return {one.players: drawn.number for drawn, one in season.pairings()}


def _neighbours(
    order: Sequence[MemberKey], met: Mapping[frozenset[MemberKey], int], number: int, gap: int
) -> list[tuple[MemberKey, MemberKey]] | None:
    """The first from the top pairing of neighbours in which nobody meets whom they met in the last `gap` rounds."""
    steps = 0

    def search(left: tuple[MemberKey, ...]) -> list[tuple[MemberKey, MemberKey]] | None:
        nonlocal steps
        if not left:
            return []
        first, rest = left[0], left[1:]
        for place, other in enumerate(rest):
            steps += 1
            if steps > MOST_STEPS:
                return None
            last = met.get(frozenset((first, other)))
            if last is not None and number - last <= gap:
                continue
            found = search(rest[:place] + rest[place + 1 :])
            if found is not None:
                return [(first, other), *found]
        return None

    return search(tuple(order))


def _colours(season: Season, higher: MemberKey, lower: MemberKey) -> tuple[MemberKey, MemberKey]:
    """Who has had White less has White; when equal, the other way round than last; else the lower one."""
    records = records_of(season)
    one, other = records[higher], records[lower]
    if one.balance != other.balance:
        return (higher, lower) if one.balance < other.balance else (lower, higher)
    for mine, yours in zip(reversed(one.colours), reversed(other.colours), strict=False):
        if mine != yours:
            return (lower, higher) if mine == "white" else (higher, lower)
    return lower, higher
