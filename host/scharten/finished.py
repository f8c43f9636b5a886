"""The last finished games of this board on the broker, whole: inputs and digest, for an archive that was away.

Eight retained topics, used in turn; a game keeps its topic when it is opened again or put right.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from scharten.contract.models import VERSION
from scharten.contract.news_models import FinishedGame
from scharten.contract.topics import FINISHED_SLOTS, Topics
from scharten.errors import SchartenError
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.settings import Start

log = logging.getLogger(__name__)

MOST_BYTES = 900_000
"""A game that is longer is told without its inputs: brokers take no message over a megabyte."""
TOLD = frozenset((Message.FINISHED, Message.RESIGNED, Message.REOPENED))
"""Events after which the record of a game may be another."""


class FinishedGames:
    """Reads the journal in a thread of its own, and keeps the records of the last games on their topics."""

    def __init__(self, journal: Path, topics: Topics, keep: Callable[[str, bytes], object]) -> None:
        self._journal, self._topics, self._keep = journal, topics, keep
        self._wanted: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="finished", daemon=True)

    def start(self) -> None:
        """Tell the last games of the journal, then each that ends."""
        self._wanted.put("")
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._wanted.put(None)
        if self._thread.is_alive():
            self._thread.join(3)

    def hear(self, event: Event) -> None:
        """An event of the match; does not wait."""
        if isinstance(event, Happened) and event.code in TOLD and event.match:
            self._wanted.put(event.match)

    def _run(self) -> None:
        while (match := self._wanted.get()) is not None:
            try:
                self._tell(match)
            except SchartenError as error:
                log.warning("a finished game was not told: %s", error.message)
            except Exception:
                log.exception("a finished game was not told")

    def _tell(self, match: str) -> None:
        """Tell one match, or with "" the last ones."""
        if not self._journal.exists():
            return
        with closing(JournalReader(self._journal)) as reader:
            played = [one for one in reader.matches() if not one.id.startswith("setup-")]
            for number, stored in list(enumerate(played))[-FINISHED_SLOTS:]:
                over = json.loads(stored.summary).get("result") is not None
                if stored.id == match or (not match and over):
                    self._keep(self._topics.finished(number % FINISHED_SLOTS), _encoded(reader, stored))


def _encoded(reader: JournalReader, stored: StoredMatch) -> bytes:
    told = json.loads(stored.summary)
    start = Start.model_validate_json(stored.start)
    rows = list(reader.changes(stored.id))
    record: FinishedGame = {
        "v": VERSION,
        "match": stored.id,
        "last": rows[-1].n if rows else 0,
        "started_ms": stored.started_ms,
        "ended_ms": rows[-1].t_ms if rows else stored.started_ms,
        "game": told["game"],
        "kind": told["kind"],
        "names": told["names"],
        "players": [one or None for one in start.players],
        "result": told["result"],
        "reason": told["reason"],
        "turns": told["turns"],
        "start": json.loads(stored.start),
        "inputs": [json.loads(row.body) for row in rows],
        "digest": rows[-1].digest if rows else "",
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    if len(text) > MOST_BYTES:
        text = json.dumps({**record, "inputs": None}, ensure_ascii=False, separators=(",", ":")).encode()
    return text
