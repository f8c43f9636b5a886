"""Rankings of a season or of one evening, with tie-breaks (`tiebreak-core`, FIDE C.07), and the cross table."""

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


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a ranking: `points` by the system (Keizer's own), `game_points` by games and byes.

    `breaks` are the tie-breaks in their order; `value` is the Keizer value, and `counted` the one that games
    against this member counted with.
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
    counted: int | None = None


def table(season: Season, evening: int | None = None) -> tuple[TableRow, ...]:
    """Return the ranking of a season, or of one evening (its index) by game points."""
    system = season.options.system
    if evening is not None:
        here = {
            key for drawn, pairing in season.pairings() if drawn.evening == evening for key in pairing.players
        }
        return tuple(row for row in _by_points(season, evening) if row.key in here)
    if system is System.KEIZER:
        return _by_keizer(season)
    return _by_knockout(season) if system is System.KNOCKOUT else _by_points(season, None)


def _row(place: int, record: EntrantRecord, points: Fraction, **more: object) -> TableRow:
    scores = [played.points for played in record.games]
    wins, losses = scores.count(Fraction(1)), scores.count(Fraction(0))
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
        _row(place, records[row.key], row.points, value=row.value, counted=row.counted)
        for place, row in enumerate(keizer.ranking(season), 1)
    )


def _by_knockout(season: Season) -> tuple[TableRow, ...]:
    """Rank first those who are still in, then by how far they came; last who came after the first round."""
    records, lost = records_of(season), knockout.defeats(season)
    alive, field = set(knockout.still_in(season)), set(knockout.field(season))
    last = {key: drawn.number for drawn, pairing in season.pairings() for key in pairing.players}
    order = sorted(
        season.entrants,
        key=lambda key: (
            key not in alive,
            key not in field,
            lost[key],
            -last.get(key, 0),
            -records[key].points,
        ),
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
        total_rounds=max(1, *(len(player.games) for player in data.values())),
        deterministic_keys={at: at for at in data},
        ruleset=RULESET,
        mode="round_robin" if season.options.system is System.ROUND_ROBIN else "swiss",
    )
    return tuple(
        _row(
            place,
            records[season.entrants[player.player_id - 1]],
            records[season.entrants[player.player_id - 1]].points,
            breaks=tuple(round(float(player.values.get(name, 0)), 2) for name in breaks),
        )
        for place, player in enumerate(ranked.players, 1)
    )


def _tie_break_data(record: EntrantRecord, number: Mapping[MemberKey, int]) -> PlayerTiebreakData:
    count = len(number)
    games = [
        _game(played, at, number) for at, played in enumerate(record.rounds, 1) if played.points is not None
    ]
    points = sum(game.score for game in games)
    return PlayerTiebreakData(number[record.key], 1000 + count - number[record.key], points, games)


def _game(played: RoundPlayed, at: int, number: Mapping[MemberKey, int]) -> GameRecord:
    points = float(played.points or 0)
    if played.opponent is None:
        kind = "pairing_bye" if played.why is Unpaired.BYE else "requested_bye"
        return GameRecord(-1, 0, points, "white", at, kind=kind)
    colour = played.colour.value if played.colour else "white"
    opponent = number[played.opponent]
    kind = "played" if played.is_game else "forfeit_win" if points else "forfeit_loss"
    return GameRecord(opponent, 1000 + len(number) - opponent, points, colour, at, kind)


@dataclass(frozen=True, slots=True)
class Against:
    """A member's games and points against another."""

    games: int
    points: float


def player_against_player(season: Season) -> dict[MemberKey, dict[MemberKey, Against]]:
    """Return the cross table: each member's games and points against each opponent."""
    found: dict[MemberKey, dict[MemberKey, Against]] = {key: {} for key in season.entrants}
    for record in records_of(season).values():
        for played in record.games:
            if played.opponent is None or played.points is None:
                continue
            before = found[record.key].get(played.opponent, Against(0, 0.0))
            score = before.points + float(played.points)
            found[record.key][played.opponent] = Against(before.games + 1, score)
    return found
