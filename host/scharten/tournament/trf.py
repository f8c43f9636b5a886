"""The season as a FIDE tournament report: TRF16, with the lines XXR, XXC, XXP and XXS that pairing programs read."""

from __future__ import annotations

from collections.abc import Mapping

from scharten.tournament.model import Club, Colour, MemberKey, Pairing, Season, Unpaired
from scharten.tournament.options import System
from scharten.tournament.record import points_without_game, records_of
from scharten.tournament.tables import table

_HEAD = 91
"""Columns of a player's line before the first round."""
_ROUND = 10
_SYSTEMS: Mapping[System, str] = {
    System.SWISS: "Individual: Swiss-System (Dutch)",
    System.ROUND_ROBIN: "Individual: Round-Robin",
    System.KEIZER: "Individual: Keizer",
    System.KNOCKOUT: "Individual: Knock-Out",
    System.FREE: "Individual",
}


def trf(club: Club, season: Season) -> str:
    """Return the report, without titles and FIDE numbers."""
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    rank = {row.key: row.place for row in table(season)}
    records = records_of(season)
    rated = sum(club.rating_of(key) > 0 for key in season.entrants)
    lines = [*_about(season, rated), *_forbidden(season, number)]
    for key in season.entrants:
        line = [" "] * _HEAD
        rating = club.rating_of(key)
        for column, text in (
            (0, "001"),
            (4, f"{number[key]:4}"),
            (14, _plain(club.name_of(key))[:33]),
            (48, f"{rating:4}" if rating else ""),
            (80, f"{float(records[key].points):4.1f}"),
            (85, f"{rank[key]:4}"),
        ):
            line[column : column + len(text)] = text
        rounds = (
            _round(season, drawn.pairing_of(key), drawn.unpaired.get(key), key, number)
            for drawn in season.rounds
        )
        lines.append(("".join(line) + "".join(text.ljust(_ROUND) for text in rounds)).rstrip())
    return "\r\n".join((*lines, ""))


def _about(season: Season, rated: int) -> list[str]:
    dates = [season.evenings[drawn.evening] for drawn in season.rounds]
    lines = [f"012 {_plain(season.name)}"]
    if season.evenings:
        lines += [f"042 {_date(season.evenings[0])}", f"052 {_date(season.evenings[-1])}"]
    lines += [f"062 {len(season.entrants)}", f"072 {rated}", f"092 {_SYSTEMS[season.options.system]}"]
    if dates:
        lines.append("132".ljust(_HEAD) + "".join(_date(text)[2:].ljust(_ROUND) for text in dates).rstrip())
    bye = season.options.points.bye
    lines += [f"XXS PAB={bye}"] if bye != 1 else []
    return [*lines, f"XXR {max(season.options.rounds, len(season.rounds))}", "XXC white1"]


def _forbidden(season: Season, number: Mapping[MemberKey, int]) -> list[str]:
    pairs = [sorted(number[key] for key in two) for two in season.forbidden if two <= set(number)]
    return [f"XXP {first} {second}" for first, second in sorted(pairs)]


def _date(text: str) -> str:
    """Return an ISO date as TRF16 has it: `2026/11/23`."""
    return text.replace("-", "/")


def _plain(text: str) -> str:
    return " ".join(text.split())


def _round(
    season: Season,
    pairing: Pairing | None,
    why: Unpaired | None,
    key: MemberKey,
    number: Mapping[MemberKey, int],
) -> str:
    if pairing is None:
        return f"0000 - {_without_game(season, why)}"
    points, played = pairing.points_of(key), pairing.played
    sign = (
        " "
        if points is None
        else "="
        if points == 1 / 2
        else "10"[points == 0]
        if played
        else "+-"[points == 0]
    )
    colour = "w" if pairing.colour_of(key) is Colour.WHITE else "b"
    return f"{number[pairing.opponent_of(key)]:4} {colour} {sign}"


def _without_game(season: Season, why: Unpaired | None) -> str:
    """Return U for the bye of the draw, else F, H or Z by the points of the round."""
    if why is Unpaired.BYE:
        return "U"
    points = points_without_game(why, season.options.points)
    return "F" if points == 1 else "H" if points == 1 / 2 else "Z"
