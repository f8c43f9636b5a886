"""The Keizer system: each member has a value by rank, and a win gives the opponent's value.

Each round changes the ranking and so the values; then all games since the first round count again with the new values,
once or until nothing moves.
Members who are present meet their nearest neighbours in the ranking, from the top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scharten.tournament.matching import cheapest_pairs, with_bye
from scharten.tournament.model import RESULTS, MemberKey, Pair, Season, Unpaired
from scharten.tournament.options import KeizerOptions
from scharten.tournament.record import records_of

WINDOW = 20
"""Opponents are at most this many places apart, and two more for each round without rematch: a bound on the time."""


@dataclass(frozen=True, slots=True)
class KeizerRow:
    """A member in the Keizer ranking: the value by the place, and the points of all rounds.

    Games against this member counted with the value `counted`; it differs from `value` while the ranking moves.
    """

    key: MemberKey
    value: int
    points: Fraction
    counted: int


def first_value(count: int, ratio: int) -> int:
    """Return the highest of `count` values that fall by one: `ratio` times the lowest, at least `count`."""
    return max(round((count - 1) * ratio / (ratio - 1)), count, 1)


def ranking(season: Season) -> tuple[KeizerRow, ...]:
    """Return the ranking after all results so far, the first first."""
    options = season.options.keizer
    order = list(season.entrants)
    points: dict[MemberKey, Fraction] = {}
    played = [
        number
        for number, drawn in enumerate(season.rounds, 1)
        if any(pairing.result is not None for pairing in drawn.pairings)
    ]
    counted = _values(order, options)
    for rounds in played or [0]:
        counted = before = _values(order, options)
        points = _points(season, rounds, counted, before)
        order = _ranked(order, points)
        seen: set[tuple[MemberKey, ...]] = set()
        # Two orders may give each other in turn: then the first that comes again stands.
        while options.counting == "settled" and played and tuple(order) not in seen:
            seen.add(tuple(order))
            counted = _values(order, options)
            points = _points(season, rounds, counted, before)
            order = _ranked(order, points)
    values = _values(order, options)
    return tuple(KeizerRow(key, values[key], points.get(key, Fraction(0)), counted[key]) for key in order)


def _ranked(order: Sequence[MemberKey], points: Mapping[MemberKey, Fraction]) -> list[MemberKey]:
    """Return the order by points; of equal points the one before."""
    before = {key: place for place, key in enumerate(order)}
    return sorted(order, key=lambda key: (-points[key], before[key]))


def _values(order: Sequence[MemberKey], options: KeizerOptions) -> dict[MemberKey, int]:
    top = first_value(len(order), options.ratio)
    return {key: top - place for place, key in enumerate(order)}


def _points(
    season: Season, rounds: int, values: Mapping[MemberKey, int], before: Mapping[MemberKey, int]
) -> dict[MemberKey, Fraction]:
    """Return everybody's points of the first `rounds` rounds.

    A round without a game pays by the value `before` the last round. By the new value a bye would raise the value that
    pays it, and take the last member past most winners.
    """
    options = season.options.keizer
    total = {key: Fraction(values[key] if options.own_value else 0) for key in season.entrants}
    missed: Counter[MemberKey] = Counter()
    for drawn in season.rounds[:rounds]:
        for pairing in drawn.pairings:
            if pairing.result is None or pairing.white not in values or pairing.black not in values:
                continue
            white, black = RESULTS[pairing.result]
            total[pairing.white] += white * values[pairing.black]
            total[pairing.black] += black * values[pairing.white]
        for key, why in drawn.unpaired.items():
            if key in values:
                missed[key] += why in (Unpaired.ABSENT, Unpaired.EXCUSED)
                total[key] += before[key] * _share(why, missed[key], options)
    return total


def _share(why: Unpaired, missed: int, options: KeizerOptions) -> Fraction:
    """Return the share of the own value that a round without a game gives."""
    if why in (Unpaired.BYE, Unpaired.CLUB):
        return Fraction(options.bye if why is Unpaired.BYE else options.club)
    if missed > options.most_absences or why not in (Unpaired.ABSENT, Unpaired.EXCUSED):
        return Fraction(0)
    return Fraction(options.excused if why is Unpaired.EXCUSED else options.absent)


def pair(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Pair the members present with their neighbours: (White, Black), and the member with the bye if they are odd."""
    order = [row.key for row in ranking(season) if row.key in set(present)]
    pairs, bye = with_bye(order, _may_wait(season, order), lambda others: _neighbours(season, others))
    return [_colours(season, *two) for two in pairs], bye


def _may_wait(season: Season, order: Sequence[MemberKey]) -> list[MemberKey]:
    """Return the players by their claim to the bye: fewest byes first, then lowest place."""
    byes = Counter(
        key for drawn in season.rounds for key, why in drawn.unpaired.items() if why is Unpaired.BYE
    )
    lowest_first = order[::-1]
    return sorted(lowest_first, key=lambda key: byes[key])


def _neighbours(season: Season, order: Sequence[MemberKey]) -> list[Pair]:
    """Return the pairing with the fewest and oldest rematches, and of these the one of nearest neighbours from the top.

    The cost is a number with a digit for each rank, and above these a digit for each round since two members met.
    """
    apart, count = season.options.keizer.rematch_after, len(order)
    met = {pairing.players: drawn.number for drawn, pairing in season.meetings()}

    def cost(higher: int, lower: int) -> int:
        last = met.get(frozenset((order[higher], order[lower])))
        ago = apart + 1 if last is None else season.next_round - last
        rematch = count ** (count + 2 + apart - ago) if ago <= apart else 0
        return int(rematch + (lower - higher) * count ** (count - higher))

    return cheapest_pairs(order, cost, WINDOW + 2 * (apart + len(season.forbidden)), season.forbidden)


def _colours(season: Season, higher: MemberKey, lower: MemberKey) -> Pair:
    """Give White to the member who had it less; else turn the last round that differs; else to the lower member."""
    records = records_of(season)
    first, second = records[higher], records[lower]
    if first.balance != second.balance:
        return (higher, lower) if first.balance < second.balance else (lower, higher)
    for mine, yours in zip(reversed(first.colours), reversed(second.colours), strict=False):
        if mine != yours:
            return (lower, higher) if mine == "white" else (higher, lower)
    return lower, higher
