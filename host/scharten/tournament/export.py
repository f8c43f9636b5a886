"""The season for other programs: CSV for a spreadsheet, TRF16 for FIDE's tools, JSON for everything else."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from typing import Any

from caissify_pairings.trf import write_trf

from scharten.tournament.model import Club, MemberKey, Pairing, Season, Unpaired
from scharten.tournament.record import records_of
from scharten.tournament.tables import table

_TRF = {Unpaired.BYE: "U", Unpaired.EXCUSED: "H", Unpaired.CLUB: "H"}


def table_csv(club: Club, season: Season, evening: int | None = None) -> str:
    """Return the ranking with a header line; a ' quotes text that a spreadsheet could take for a formula."""
    head = ["place", "name", "points", "game_points", "games", "wins", "draws", "losses", "value"]
    rows: list[list[object]] = [
        [
            row.place, _cell(club.name_of(row.key)), row.points, row.game_points, row.games, row.wins, row.draws,
            row.losses, "" if row.value is None else row.value, *row.breaks,
        ]
        for row in table(season, evening)
    ]  # fmt: skip
    breaks = season.options.breaks if evening is None else ("wins",)
    return _csv([[*head, *(breaks if any(len(row) > len(head) for row in rows) else ())], *rows])


def results_csv(club: Club, season: Season) -> str:
    """Return every pairing of the season with its result."""
    rows: list[list[object]] = [
        [
            drawn.number, season.evenings[drawn.evening], pairing.table, pairing.board or "",
            _cell(club.name_of(pairing.white)), _cell(club.name_of(pairing.black)),
            pairing.result or "", pairing.reason or "",
        ]
        for drawn, pairing in season.pairings()
    ]  # fmt: skip
    return _csv([["round", "date", "table", "board", "white", "black", "result", "reason"], *rows])


def _cell(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


class _CsvLines(list[str]):
    """A list of lines that `csv` writes into."""

    def write(self, line: str) -> int:
        """Append a line."""
        self.append(line)
        return len(line)


def _csv(rows: list[list[object]]) -> str:
    lines = _CsvLines()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return "".join(lines)


def trf(club: Club, season: Season) -> str:
    """Return the season as a FIDE tournament report (TRF16), without titles and FIDE numbers."""
    number = {key: place for place, key in enumerate(season.entrants, 1)}
    place_of = {row.key: row.place for row in table(season)}
    records = records_of(season)
    players = []
    for key in season.entrants:
        member = club.members.get(key)
        players.append(
            {
                "starting_number": number[key],
                "name": club.name_of(key),
                "rating": member.rating if member else 0,
                "score": float(records[key].points),
                "rank": place_of[key],
                "results": {
                    drawn.number: _trf_result(drawn.pairing_of(key), drawn.unpaired.get(key), key, number)
                    for drawn in season.rounds
                },
            }
        )
    about = {
        "name": season.name,
        "start_date": season.evenings[0] if season.evenings else "",
        "end_date": season.evenings[-1] if season.evenings else "",
        "system": season.options.system.value,
    }
    return str(write_trf(about, players, len(season.rounds)))


def _trf_result(
    pairing: Pairing | None, why: Unpaired | None, key: MemberKey, number: dict[MemberKey, int]
) -> dict[str, Any]:
    if pairing is None:
        return {"opponent": None, "result": _TRF.get(why, "Z") if why else "Z"}
    points = pairing.points_of(key)
    sign = "" if points is None else "1" if points == 1 else "0" if points == 0 else "="
    colour = pairing.colour_of(key).value[0]
    return {"opponent": number[pairing.opponent_of(key)], "color": colour, "result": sign}


def season_json(club: Club, season: Season) -> str:
    """Return the whole season: options, entrants, rounds, ranking."""
    rounds = [
        {
            "number": drawn.number,
            "date": season.evenings[drawn.evening],
            "pairings": [asdict(pairing) for pairing in drawn.pairings],
            "unpaired": dict(drawn.unpaired),
        }
        for drawn in season.rounds
    ]
    whole = {
        "v": 1,
        "name": season.name,
        "options": season.options.model_dump(mode="json"),
        "entrants": [{"key": key, "name": club.name_of(key)} for key in season.entrants],
        "rounds": rounds,
        "table": [{**asdict(row), "name": club.name_of(row.key)} for row in table(season)],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)
