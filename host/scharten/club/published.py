"""A club's ranking and pairings as one HTML file without scripts, for any web space."""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from scharten.club.skills import NO_SKILL, NO_SKILLS, Skills
from scharten.errors import SchartenError
from scharten.system.log_limit import RateLimitedLog
from scharten.tournament.model import Club, Round, Season
from scharten.tournament.options import System
from scharten.tournament.tables import table
from scharten.words import text

FILE = "index.html"
STYLE = """
:root { color-scheme: light dark; }
body { margin: 1.5rem auto; max-width: 60rem; padding: 0 1rem; font: 1.1rem/1.45 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; text-align: start; border-bottom: 1px solid #8886; }
.scroll { overflow-x: auto; }
.time { opacity: 0.8; }
"""
log = logging.getLogger(__name__)


def page(club: Club, language: str, skills: Skills = NO_SKILLS) -> str:
    """Return the body: the start list before round 1, then the ranking and every round, the newest first."""
    season = club.season
    if season is None:
        return f"<p>{escape(text(language, 'evening.no_season_yet'))}</p>"
    parts = [f"<h1>{escape(season.name)}</h1>"]
    if season.rounds:
        parts.append(_ranking(club, season, language, skills))
        parts += [_round(club, drawn, language) for drawn in reversed(season.rounds)]
    else:
        parts.append(_start_list(club, season, language))
    return "\n".join(parts)


def document(body: str, language: str, when: str) -> str:
    """Return the whole file around a body, with the time of its writing."""
    title = escape(text(language, "evening.ranking"))
    written = escape(text(language, "evening.published", time=when))
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f'<p class="time">{written}</p>\n</main>\n</body>\n</html>\n'
    )


def _ranking(club: Club, season: Season, language: str, skills: Skills) -> str:
    keizer = season.options.system is System.KEIZER
    heads = ["place", "name", "points", *(("value", "counted", "game_points") if keizer else ()), "games"]
    heads += ["hand", "head"] if skills else []
    rows = []
    for row in table(season):
        own = (row.value, row.counted, f"{row.game_points:g}") if keizer else ()
        games = f"{row.wins} / {row.draws} / {row.losses}"
        skill = skills.get(row.key, NO_SKILL)
        hands = (_figure(skill["hand"], "mm", 0), _figure(skill["head"], "points", 1)) if skills else ()
        rows.append((row.place, club.name_of(row.key), f"{row.points:g}", *own, games, *hands))
    title = text(language, "evening.ranking")
    return _table(title, [text(language, f"evening.head.{head}") for head in heads], rows)


def _figure(skill: Mapping[str, float] | None, name: str, digits: int) -> str:
    """Return a hand or a head with its interval."""
    if skill is None:
        return "–"
    figure, low, high = (f"{skill[key]:.{digits}f}" for key in (name, "low", "high"))
    return f"{figure} ({low}–{high})"


def _round(club: Club, drawn: Round, language: str) -> str:
    heads = [text(language, f"evening.{head}") for head in ("board", "white", "black", "result")]
    rows = [
        (pairing.board or "–", club.name_of(pairing.white), club.name_of(pairing.black), pairing.result or "")
        for pairing in drawn.pairings
    ]
    found = _table(text(language, "evening.round", number=drawn.number), heads, rows)
    words = [
        f"{club.name_of(key)}: {text(language, f'evening.said.{why}')}" for key, why in drawn.unpaired.items()
    ]
    return f"{found}\n<p>{escape(' · '.join(words))}</p>" if words else found  # fmt: skip


def _start_list(club: Club, season: Season, language: str) -> str:
    heads = [text(language, f"evening.head.{head}") for head in ("number", "name", "rating")]
    rows = [
        (number, club.name_of(key), club.rating_of(key) or "–")
        for number, key in enumerate(season.entrants, 1)
    ]
    return _table(text(language, "evening.start_list"), heads, rows)


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f'<th scope="col">{escape(words)}</th>' for words in heads)
    lines = "\n".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<h2>{escape(title)}</h2>\n"
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody></table></div>'
    )


class PublishedPage:
    """The file `index.html` in a folder: replaced whole when the table changes, so that no visitor sees half of it."""

    def __init__(self, folder: Path, language: str) -> None:
        self._path, self._language = folder / FILE, language
        self._written: str | None = None
        self._warnings = RateLimitedLog(log)
        try:
            missing = [path for path in (folder, *folder.parents) if not path.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            for made in missing:
                made.chmod(0o755)  # the service's files are private; a web server reads this one
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise SchartenError.coded("unwritable_publish", folder=folder, why=error.strerror) from error

    def write(self, club: Club, skills: Skills = NO_SKILLS) -> None:
        """Replace the file if the table has changed; a folder that refuses is logged and tried again next time."""
        body = page(club, self._language, skills)
        if body == self._written:
            return
        when = time.strftime("%Y-%m-%d %H:%M")
        draft = self._path.with_name(f".{FILE}-{os.getpid()}")
        try:
            draft.write_text(document(body, self._language, when), encoding="utf-8")
            draft.chmod(0o644)
            draft.replace(self._path)
        except OSError as error:
            self._warnings.warn("published", "%s cannot be written: %s", self._path, error)
            return
        self._written = body
