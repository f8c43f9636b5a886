"""Rankings: of a season or of one evening, with tie-breaks (`tiebreak-core`, FIDE C.07); and who did what to whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tiebreak_core import GameRecord, PlayerTiebreakData, rank_standings_strict

from scharten.tournament import keizer, knockout
from scharten.tournament.model import MemberKey, Season, Unpaired
from scharten.tournament.options import System
from scharten.tournament.record import EntrantRecord, RoundPlayed, records_of

RULESET = "fide-2026"
_KINDS = {
    Unpaired.BYE: "pairing_bye",
    Unpaired.EXCUSED: "requested_bye",
    Unpaired.CLUB: "requested_bye",
    Unpaired.ABSENT: "requested_bye",
}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a ranking: `points` are those of the system (Keizer's own), `game_points` what games and byes gave.

    `breaks` are the tie-breaks in their order; `value` is the Keizer value.
    """

    place: int
    key: MemberKey
    points: float
    game_points: float
    games: int
    wins: int
    draws: int
    losses: int
    breaks: tuple[float, ...] = ()
    value: int | None = None


def table(season: Season, evening: int | None = None) -> tuple[TableRow, ...]:
    """The ranking of a season, or of one evening (its index) by game points."""
    system = season.options.system
    if evening is not None:
        here = {
            key for drawn in season.rounds if drawn.evening == evening for key in _players(drawn.pairings)
        }
        return tuple(row for row in _by_points(season, evening) if row.key in here)
    if system is System.KEIZER:
        return _by_keizer(season)
    return _by_knockout(season) if system is System.KNOCKOUT else _by_points(season, None)


def _players(pairings: tuple[object, ...]) -> set[MemberKey]:
    return {key for one in pairings for key in getattr(one, "players")}  # noqa: B009


def _row(place: int, record: EntrantRecord, points: Fraction, **more: object) -> TableRow:
    scores = [one.points for one in record.games]
    wins, losses = (sum(one == what for one in scores) for what in (1, 0))
    return TableRow(
        place,
        record.key,
        round(float(points), 2),
        round(float(record.points), 2),
        len(scores),
        wins,
        len(scores) - wins - losses,
        losses,
        **more,  # type: ignore[arg-type]
    )


def _by_keizer(season: Season) -> tuple[TableRow, ...]:
    records = records_of(season)
    return tuple(
        _row(place, records[one.key], one.points, value=one.value)
        for place, one in enumerate(keizer.ranking(season), 1)
    )


def _by_knockout(season: Season) -> tuple[TableRow, ...]:
    """Who is still in, then by how far they came."""
    records, lost = records_of(season), knockout.defeats(season)
    most = 2 if season.options.double_elimination else 1
    last = {key: drawn.number for drawn, one in season.pairings() for key in one.players}
    order = sorted(
        season.entrants,
        key=lambda key: (lost[key] >= most, lost[key], -last.get(key, 0), -records[key].points),
    )
    return tuple(_row(place, records[key], records[key].points) for place, key in enumerate(order, 1))


def _by_points(season: Season, evening: int | None) -> tuple[TableRow, ...]:
    records = records_of(season, evening)
    if not season.entrants:
        return ()
    breaks = season.options.breaks if evening is None else ("wins",)
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    data = {number[key]: _tie_break_data(record, number) for key, record in records.items()}
    ranked = rank_standings_strict(
        data,
        list(breaks),
        total_rounds=max(1, *(len(one.games) for one in data.values())),
        deterministic_keys={at: at for at in data},
        ruleset=RULESET,
        mode="round_robin" if season.options.system is System.ROUND_ROBIN else "swiss",
    )
    return tuple(
        _row(
            place,
            records[season.entrants[one.player_id - 1]],
            records[season.entrants[one.player_id - 1]].points,
            breaks=tuple(round(float(one.values.get(name, 0)), 2) for name in breaks),
        )
        for place, one in enumerate(ranked.players, 1)
    )


def _tie_break_data(record: EntrantRecord, number: Mapping[MemberKey, int]) -> PlayerTiebreakData:
    count = len(number)
    games = [_game(one, at, number) for at, one in enumerate(record.rounds, 1) if one.points is not None]
    points = sum(one.score for one in games)
    return PlayerTiebreakData(number[record.key], 1000 + count - number[record.key], points, games)


def _game(one: RoundPlayed, at: int, number: Mapping[MemberKey, int]) -> GameRecord:
    points = float(one.points or 0)
    if one.opponent is None:
        kind = _KINDS.get(one.why, "requested_bye") if one.why else "requested_bye"
        return GameRecord(-1, 0, points, "white", at, kind=kind)
    colour = one.colour.value if one.colour else "white"
    return GameRecord(
        number[one.opponent], 1000 + len(number) - number[one.opponent], points, colour, at, "played"
    )


@dataclass(frozen=True, slots=True)
class Against:
    """What one scored against another."""

    games: int
    points: float


def player_against_player(season: Season) -> dict[MemberKey, dict[MemberKey, Against]]:
    """Everybody's games and points against everybody whom they met."""
    found: dict[MemberKey, dict[MemberKey, Against]] = {key: {} for key in season.entrants}
    for record in records_of(season).values():
        for one in record.games:
            if one.opponent is None or one.points is None:
                continue
            before = found[record.key].get(one.opponent, Against(0, 0.0))
            found[record.key][one.opponent] = Against(before.games + 1, before.points + float(one.points))
    return found
