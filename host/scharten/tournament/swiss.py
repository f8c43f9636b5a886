"""The FIDE Dutch system (C.04.3): `caissify-pairings` finds the pairs; colours and tables are set here, by the rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from caissify_pairings import generate_pairings

from scharten.tournament.model import Colour, MemberKey, Pair, Season, Unpaired
from scharten.tournament.record import EntrantRecord, RoundPlayed, records_of


class Strength(IntEnum):
    """How strongly a player is due a colour (C.04.3 1.7)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


@dataclass(frozen=True, slots=True)
class Preference:
    """The colour that a player is due, how strongly, and games with White minus games with Black."""

    colour: Colour | None
    strength: Strength
    difference: int


@dataclass(frozen=True, slots=True)
class SwissPlayer:
    """A player in the order of the draw: by `points`, then by `number`, which is the place in the start list."""

    key: MemberKey
    number: int
    points: Fraction
    colours: tuple[Colour, ...]

    @property
    def rank(self) -> tuple[Fraction, int]:
        """A key that sorts the higher ranked player first."""
        return -self.points, self.number


def pair(season: Season, present: Sequence[MemberKey]) -> tuple[list[Pair], list[MemberKey]]:
    """Return the pairs of the next round as (White, Black) by table, and the members left over.

    The bye is for one member. With more left over no round keeps the rules, and it needs another one.
    """
    records = records_of(season)
    here = set(present)
    players = {
        number: SwissPlayer(key, number, records[key].points, records[key].colours)
        for number, key in enumerate(season.entrants, 1)
        if key in here
    }
    never = _never_paired(season)
    # In round 1 the library reads no pair that may not meet; it draws a later round without games alike.
    number = max(season.next_round, 2) if never else season.next_round
    rows = generate_pairings(
        "dutch",
        [_described(season, records, player) for player in players.values()],
        never | _padding(never, {at: records[player.key] for at, player in players.items()}),
        number,
        max(season.options.rounds, number),
        bye_value=season.options.points.bye,
    )
    found = [
        (players[row["white_id"]], players[row["black_id"]]) for row in rows if row["black_id"] is not None
    ]
    left_over = [players[row["white_id"]].key for row in rows if row["black_id"] is None]
    if any(
        (min(two), max(two)) in never for two in ((first.number, second.number) for first, second in found)
    ):
        return [], list(present)
    found.sort(key=lambda two: _table_order(*two))
    return [_coloured(*two) for two in found], left_over


def preference(colours: Sequence[Colour]) -> Preference:
    """Return the colour that a player with these games is due, the oldest game first (1.7)."""
    difference = sum(1 if colour is Colour.WHITE else -1 for colour in colours)
    if not colours:
        return Preference(None, Strength.NONE, 0)
    if abs(difference) > 1:
        due = Colour.BLACK if difference > 0 else Colour.WHITE
        return Preference(due, Strength.ABSOLUTE, difference)
    if len(colours) > 1 and colours[-1] == colours[-2]:
        return Preference(_other(colours[-1]), Strength.ABSOLUTE, difference)
    if difference:
        return Preference(Colour.BLACK if difference > 0 else Colour.WHITE, Strength.STRONG, difference)
    return Preference(_other(colours[-1]), Strength.MILD, difference)


def colour_of_higher(higher: SwissPlayer, lower: SwissPlayer) -> Colour:
    """Return the colour of the higher ranked of two who meet (5.2.1 to 5.2.5)."""
    mine, theirs = preference(higher.colours), preference(lower.colours)
    if mine.colour != theirs.colour and mine.colour and theirs.colour:
        return mine.colour
    if mine.strength != theirs.strength:
        return _granted(mine, theirs, mine.strength > theirs.strength)
    if mine.strength is Strength.ABSOLUTE and abs(mine.difference) != abs(theirs.difference):
        return _granted(mine, theirs, abs(mine.difference) > abs(theirs.difference))
    for last, their_last in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if last != their_last:
            return their_last
    if mine.colour:
        return mine.colour
    return Colour.WHITE if higher.number % 2 else Colour.BLACK


def _granted(mine: Preference, theirs: Preference, to_me: bool) -> Colour:
    granted = mine.colour if to_me else theirs.colour
    assert granted is not None, "the stronger of two preferences names a colour"
    return granted if to_me else _other(granted)


def _other(colour: Colour) -> Colour:
    return Colour.BLACK if colour is Colour.WHITE else Colour.WHITE


def _coloured(first: SwissPlayer, second: SwissPlayer) -> Pair:
    higher, lower = sorted((first, second), key=lambda player: player.rank)
    white = colour_of_higher(higher, lower) is Colour.WHITE
    return (higher.key, lower.key) if white else (lower.key, higher.key)


def _table_order(first: SwissPlayer, second: SwissPlayer) -> tuple[Fraction, Fraction, int]:
    """Sort tables by the score of the higher ranked player, then by both scores, then by the start list."""
    higher = min((first, second), key=lambda player: player.rank)
    return -higher.points, -first.points - second.points, higher.number


def _never_paired(season: Season) -> set[tuple[int, int]]:
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    never = {pairing.players for _, pairing in season.meetings()} | {
        two for two in season.forbidden if two <= set(number)
    }
    return {(min(two), max(two)) for two in ([number[key] for key in players] for players in never)}


def _padding(
    never: Collection[tuple[int, int]], records: Mapping[int, EntrantRecord]
) -> set[tuple[int, int]]:
    """Return pairs with invented opponents, so that a player with more games has more opponents.

    The library counts opponents as games (C9), but a forbidden opponent is no game, and two members may meet twice.
    """
    surplus = {
        number: sum(number in two for two in never) - sum(played.is_game for played in record.rounds)
        for number, record in records.items()
    }
    most = max(surplus.values(), default=0)
    return {(-extra, number) for number in surplus for extra in range(1, most - surplus[number] + 1)}


def _described(
    season: Season, records: Mapping[MemberKey, EntrantRecord], player: SwissPlayer
) -> dict[str, object]:
    """Describe a player to the library. It takes only games for `color_hist`: it reads two gaps as a colour."""
    mine = records[player.key]
    return {
        "id": player.number,
        "name": player.key,
        "score": float(player.points),
        "rating": len(season.entrants) - player.number + 1,
        "starting_number": player.number,
        "pairing_number": player.number,
        "color_hist": [colour.value for colour in player.colours],
        "float_history": [_float(records, mine, place) for place in range(len(mine.rounds))] or ["none"],
        "bye_count": sum(
            played.why is Unpaired.BYE or (not played.is_game and played.points == 1)
            for played in mine.rounds
        ),
    }


def _float(records: Mapping[MemberKey, EntrantRecord], mine: EntrantRecord, place: int) -> str:
    """Return the float of one round (1.4): points without a game, or any bye of the draw, count as a downfloat."""
    played: RoundPlayed = mine.rounds[place]
    if played.opponent is None or played.forfeit:
        return "down" if played.points or played.why is Unpaired.BYE else "none"
    own, other = mine.points_before(place), records[played.opponent].points_before(place)
    return "none" if own == other else "down" if own > other else "up"
