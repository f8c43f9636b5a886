"""Swiss, round robin (Berger tables of `caissify-pairings`) and free play.

Where everybody has met everybody, the draw repeats as few games as possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from caissify_pairings import generate_pairings

from scharten.tournament import swiss
from scharten.tournament.matching import cheapest_pairs, with_bye
from scharten.tournament.model import MemberKey, Pair, Season, Unpaired
from scharten.tournament.options import System
from scharten.tournament.record import EntrantRecord, records_of

_FAR = 10_000


def dutch(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Return the next round of the Dutch system, and who has the bye."""
    pairs, left_over = swiss.pair(season, present)
    if len(left_over) > 1:
        return _fewest_rematches(season, records_of(season), present)
    return pairs, left_over[0] if left_over else None


def round_robin(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], MemberKey | None]:
    """Return the next round of the Berger tables; once the field has changed, pair those who met least."""
    order = [key for key in season.entrants if key in set(present)]
    rounds = (len(order) - 1 + len(order) % 2) * season.options.cycles
    unchanged = all(
        {key for pairing in drawn.pairings for key in pairing.players}
        | {key for key, why in drawn.unpaired.items() if why in (Unpaired.BYE, Unpaired.WAITS)}
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
    # Who would meet a forbidden opponent waits: the tables have no other one for them.
    allowed = [two for two in pairs if frozenset(two) not in season.forbidden]
    return allowed, byes[0] if byes else None


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


def _fewest_rematches(
    season: Season, records: dict[MemberKey, EntrantRecord], present: Sequence[MemberKey]
) -> tuple[list[Pair], MemberKey | None]:
    """Repeat the fewest games, least of all those of the last round, and keep equal points together."""
    order = sorted(
        (key for key in season.entrants if key in set(present)),
        key=lambda key: (-records[key].points, season.entrants.index(key)),
    )
    met = Counter(pairing.players for _, pairing in season.meetings())
    last = {pairing.players for pairing in season.rounds[-1].pairings} if season.rounds else set()

    def pairs_of(playing: Sequence[MemberKey]) -> list[Pair]:
        def cost(higher: int, lower: int) -> int:
            two = frozenset((playing[higher], playing[lower]))
            return _FAR * (2 * met[two] + (two in last)) + (lower - higher - 1) ** 2

        return cheapest_pairs(playing, cost, forbidden=season.forbidden)

    lowest_first = order[::-1]
    may_wait = sorted(lowest_first, key=lambda key: records[key].byes)
    pairs, bye = with_bye(order, may_wait, pairs_of)
    return [_turned(records, *two) for two in pairs], bye


def _turned(records: dict[MemberKey, EntrantRecord], higher: MemberKey, lower: MemberKey) -> Pair:
    """Give White to the member who is due: less White so far, or Black last."""
    mine, yours = records[higher], records[lower]
    if mine.balance != yours.balance:
        return (higher, lower) if mine.balance < yours.balance else (lower, higher)
    return (lower, higher) if mine.colours[-1:] == ("white",) else (higher, lower)


ENGINES = {System.SWISS: dutch, System.ROUND_ROBIN: round_robin, System.FREE: free}
