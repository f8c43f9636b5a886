"""Games that the referee played, and their records as a daemon publishes them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from scharten.contract.news_models import FinishedGame
from scharten.contract.topics import Topics
from scharten.daemon.finished import FinishedGames
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.journal.examine import hold
from scharten.journal.journal import Journal, JournalReader
from scharten.journal.records import read_record
from scharten.journal.step_record import as_record
from scharten.match.digest import digest
from scharten.match.inputs import Command, Role
from scharten.match.orders import ORDERS
from scharten.match.referee import new_match, step
from scharten.match.settings import MatchSettings
from scharten.players.book import PlayerBook

DAY_MS = 86_400_000


def play(folder: Path, *orders: dict[str, Any], begun_ms: int = DAY_MS) -> Path:
    """A journal with one game of chess: Anna against Bram, then these orders of the arbiter."""
    folder.mkdir()
    path = folder / "scharten.sqlite3"
    match = new_match(MatchSettings(board="board1"), GAMES_BY_KEY)
    new = {
        "type": "new_game", "game": "chess", "kind": "silent", "names": {"white": "Anna", "black": "Bram"},
        "players": {"white": "key1"},
    }  # fmt: skip
    with closing(Journal(path, hold(path))) as journal:
        for number, order in enumerate((new, *orders)):
            seq = {} if order["type"] == "new_game" else {"match": match.id, "seq": match.seq}
            body = json.dumps({"v": 2, "id": f"o{number}", **seq, **order})
            given = Command(begun_ms + number * 1000, Role.ARBITER, ORDERS.validate_json(body), 7)
            match, events = step(match, given)
            start = match.start.model_dump_json()
            journal.append(as_record(match, given, events, "setup", mark=digest(match), start=start))
    return path


class Outlet:
    """The retained messages of a broker, and its subscribers."""

    def __init__(self) -> None:
        self.published: dict[str, bytes] = {}
        self.handlers: dict[str, Any] = {}

    def keep(self, topic: str, payload: bytes) -> None:
        self.published[topic.removeprefix("scharten/haarlem/board1/")] = payload

    def subscribe(self, topic_filter: str, handler: Any, others_only: bool = False) -> None:
        self.handlers[topic_filter.removeprefix("scharten/haarlem/board1/")] = handler


def finished(path: Path, *received: tuple[str, bytes]) -> dict[str, bytes]:
    """The records that a daemon with this journal keeps on a broker that has sent `received`."""
    outlet: Any = Outlet()
    topics = Topics("scharten", "haarlem", "board1")
    made = FinishedGames(path, topics, outlet, PlayerBook(path.parent, path.name, GAMES_BY_KEY))
    for topic, payload in received:
        where = topic if topic in outlet.handlers else f"{topic.partition('/')[0]}/+"
        outlet.handlers[where](f"{topics.root}/{topic}", payload, True)
    made.start()
    made.stop()
    published: dict[str, bytes] = outlet.published
    return published


def records(path: Path) -> list[bytes]:
    """The records alone."""
    return [payload for topic, payload in finished(path).items() if topic.startswith("finished/")]


def old_record(path: Path) -> FinishedGame:
    """The record in the form of earlier versions: the journal's digest, names in `start` and `inputs`."""
    with closing(JournalReader(path)) as reader:
        (stored,) = [match_ for match_ in reader.matches() if not match_.id.startswith("setup-")]
        rows = list(reader.changes(stored.id))
    inputs = [json.loads(row.body) for row in rows]
    new = read_record(records(path)[0])
    assert not isinstance(new, Problem)
    return {**new, "start": json.loads(stored.start), "inputs": inputs, "digest": rows[-1].digest}


MOVES = [
    {"type": "move", "move": move, "side": side} for move, side in (("e2e4", "white"), ("e7e5", "black"))
]
RESIGNED = [*MOVES, {"type": "resign", "side": "black"}]
