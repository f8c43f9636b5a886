"""The season for other programs: CSV for a spreadsheet, JSON for everything else; `trf.py` has FIDE's format."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict

from scharten.tournament.model import Club, Season
from scharten.tournament.options import System
from scharten.tournament.tables import table


def table_csv(club: Club, season: Season, evening: int | None = None) -> str:
    """Return the ranking with a header line; a ' quotes text that a spreadsheet could take for a formula."""
    head = ["place", "name", "points", "game_points", "games", "wins", "draws", "losses", "value", "counted"]
    without = evening is not None or season.options.system in (System.KEIZER, System.KNOCKOUT)
    breaks = () if without else season.options.breaks
    shown = [place for place, name in enumerate(breaks) if name not in head]  # each column stands once
    rows: list[list[object]] = [
        [
            row.place, _cell(club.name_of(row.key)), row.points, row.game_points, row.games, row.wins, row.draws,
            row.losses, "" if row.value is None else row.value, "" if row.counted is None else row.counted,
            *(row.breaks[place] for place in shown),
        ]
        for row in table(season, evening)
    ]  # fmt: skip
    return _csv([[*head, *(breaks[place] for place in shown)], *rows])


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


def start_csv(club: Club, season: Season) -> str:
    """Return the start list: number, name, first strength."""
    rows: list[list[object]] = [
        [number, _cell(club.name_of(key)), club.rating_of(key) or ""]
        for number, key in enumerate(season.entrants, 1)
    ]
    return _csv([["number", "name", "rating"], *rows])


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
