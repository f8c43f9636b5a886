"""The games of a journal for pages: a bounded list, and single games; read-only."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from scharten.contract.score_sheet import sheet
from scharten.contract.snapshot import layout_json
from scharten.game.basics import Side
from scharten.game.protocol import Games
from scharten.games.letters import SHEET_LANGUAGES
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.journal.replay import replay
from scharten.journal.sheets import sheet_text
from scharten.match.state import Match

MOST: Final = 1000
"""How many games the list holds at most."""
SUMMARY: Final = ("game", "kind", "names", "result", "reason", "turns")


class Archive:
    """A journal's games; each query opens the file, reads and closes it, one query at a time.

    `gone` are the deleted players, whose games show no name.
    """

    def __init__(self, path: Path, games: Games, gone: Callable[[], Collection[str]] = tuple) -> None:
        self._path, self._games, self._gone = path, games, gone
        self._lock = threading.Lock()

    def list(self) -> list[dict[str, object]]:
        """The newest games first: id, beginning, players, game, result and number of turns."""
        with self._lock, closing(JournalReader(self._path)) as reader:
            games = [game for game in reader.matches() if not game.id.startswith("setup-")]
        games.sort(key=lambda game: game.started_ms, reverse=True)
        gone = self._gone()
        return [_listed(game, gone) for game in games[:MOST]]

    def clubs(self) -> Sequence[str] | None:
        """None: this is the archive of one board."""
        return None

    def game(self, match: str) -> dict[str, object] | None:
        """A game to step through: its board, its players and the contract's `sheet`; None if it does not exist."""
        found = self._played(match)
        return None if found is None else shown(found)

    def sheet(self, match: str, language: str, until_ms: int | None = None) -> str | None:
        """The score sheet of a game as text, as it was at `until_ms`; None for an unknown game or language."""
        if language not in SHEET_LANGUAGES:
            return None
        found = self._played(match, until_ms)
        return None if found is None else sheet_text(found, language)

    def _played(self, match: str, until_ms: int | None = None) -> Match | None:
        with self._lock, closing(JournalReader(self._path)) as reader:
            stored = reader.match(match)
            if stored is None or match.startswith("setup-"):
                return None
            last = None
            for done in replay(reader, stored, self._games):
                if last is not None and until_ms is not None and done.given.t_ms > until_ms:
                    break
                last = done.match
            return None if last is None else last.without_names_of(self._gone())


def shown(match: Match) -> dict[str, object]:
    """A game to step through: its board, its players and the contract's `sheet`."""
    return {
        "match": match.id,
        "started_ms": match.start.t_ms,
        "kind": match.options.kind,
        "game": {"key": match.game.key, "layout": layout_json(match.game.layout, match.options.kind)},
        "white_sits_at": match.start.settings.white_sits_at,
        "names": {side.word: match.name_of(side) for side in Side},
        "sheet": sheet(match),
    }


def _listed(stored: StoredMatch, gone: Collection[str]) -> dict[str, object]:
    summary = json.loads(stored.summary)
    for side, player in summary.get("players", {}).items():
        if player in gone:
            summary["names"][side] = ""
    shown = {name: summary.get(name) for name in SUMMARY}
    return {"match": stored.id, "started_ms": stored.started_ms, **shown}
