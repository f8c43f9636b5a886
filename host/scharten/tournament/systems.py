"""Swiss and round robin, both by `caissify-pairings`, whose Swiss is the FIDE Dutch system; and free play.

Where the library leaves more than one player without an opponent, because everybody has met everybody, we repeat the
fewest possible games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from caissify_pairings import generate_pairings

from scharten.tournament.matching import cheapest_pairs
from scharten.tournament.model import MemberKey, Pair, Season
from scharten.tournament.options import System
from scharten.tournament.record import EntrantRecord, records_of

_FAR = 10_000


def swiss(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Return the next round of the Dutch system: (White, Black) by table, and who has the bye."""
    records = records_of(season)
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    met = {tuple(sorted(number[key] for key in pairing.players)) for _, pairing in season.pairings()}
    rows = generate_pairings(
        "dutch",
        [_player(season, records, key, number[key]) for key in season.entrants if key in set(present)],
        met,
        season.next_round,
        max(season.options.rounds, season.next_round),
        bye_value=season.options.points.bye,
    )
    pairs, byes = _read(season, rows)
    if len(byes) > 1:
        return _fewest_rematches(season, records, present)
    return pairs, byes[0] if byes else None


def round_robin(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Return the next round of the Berger tables; once the field has changed, pair those who met least."""
    order = [key for key in season.entrants if key in set(present)]
    rounds = (len(order) - 1 + len(order) % 2) * season.options.cycles
    unchanged = all(
        {key for pairing in drawn.pairings for key in pairing.players}
        | {key for key, why in drawn.unpaired.items() if why == "bye"}
        == set(order)
        for drawn in season.rounds
    )
    if not unchanged or season.next_round > rounds:
        return _fewest_rematches(season, records_of(season), present)
    players = [
        {"id": season.entrants.index(key) + 1, "starting_number": place} for place, key in enumerate(order, 1)
    ]
    rows = generate_pairings(
        "round_robin", players, set(), season.next_round, rounds, cycles=season.options.cycles
    )
    pairs, byes = _read(season, rows)
    return pairs, byes[0] if byes else None


def free(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Pair those who met least and stand nearest; the member who waited least often waits."""
    return _fewest_rematches(season, records_of(season), present)


def _read(season: Season, rows: Iterable[dict[str, Any]]) -> tuple[list[Pair], list[MemberKey]]:
    pairs, byes = [], []
    for row in rows:
        white = season.entrants[row["white_id"] - 1]
        if row["black_id"] is None:
            byes.append(white)
        else:
            pairs.append((white, season.entrants[row["black_id"] - 1]))
    return pairs, byes


def _player(
    season: Season, records: dict[MemberKey, EntrantRecord], key: MemberKey, number: int
) -> dict[str, object]:
    """Describe a player to the Dutch engine, with who floated in each round (C.04.A)."""
    mine, floats = records[key], []
    for place, played in enumerate(mine.rounds):
        if played.opponent is None:
            floats.append("down" if played.why == "bye" else "none")
            continue
        own, other = (_points(records[player], place) for player in (key, played.opponent))
        floats.append("none" if own == other else "down" if own > other else "up")
    return {
        "id": number,
        "name": key,
        "score": float(mine.points),
        "rating": len(season.entrants) - number + 1,
        "starting_number": number,
        "color_hist": [played.colour.value if played.colour else "none" for played in mine.rounds],
        "float_history": floats,
        "bye_count": mine.byes,
    }


def _points(record: EntrantRecord, rounds: int) -> Fraction:
    """Return the points of the first `rounds` rounds."""
    return sum((played.points for played in record.rounds[:rounds] if played.points is not None), Fraction(0))


def _fewest_rematches(
    season: Season, records: dict[MemberKey, EntrantRecord], present: Sequence[MemberKey]
) -> tuple[list[Pair], MemberKey | None]:
    """Repeat the fewest games, least of all those of the last round, and keep equal points together."""
    order = sorted(
        (key for key in season.entrants if key in set(present)),
        key=lambda key: (-records[key].points, season.entrants.index(key)),
    )
    bye = None
    if len(order) % 2:
        bye = min(reversed(order), key=lambda key: records[key].byes)
        order.remove(bye)
    met = Counter(pairing.players for _, pairing in season.pairings())
    last = {pairing.players for pairing in season.rounds[-1].pairings} if season.rounds else set()

    def cost(higher: int, lower: int) -> int:
        two = frozenset((order[higher], order[lower]))
        return _FAR * (2 * met[two] + (two in last)) + (lower - higher - 1) ** 2

    return [_turned(records, *two) for two in cheapest_pairs(order, cost)], bye


def _turned(records: dict[MemberKey, EntrantRecord], higher: MemberKey, lower: MemberKey) -> Pair:
    """Give White to the member who is due: less White so far, or Black last."""
    mine, yours = records[higher], records[lower]
    if mine.balance != yours.balance:
        return (higher, lower) if mine.balance < yours.balance else (lower, higher)
    return (lower, higher) if mine.colours[-1:] == ("white",) else (higher, lower)


ENGINES = {System.SWISS: swiss, System.ROUND_ROBIN: round_robin, System.FREE: free}
