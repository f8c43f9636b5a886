"""Publish the last finished games with inputs and digest, for an archive that was offline.

There are eight retained topics, used in turn; a reopened or corrected game keeps its topic. Players deleted here or by
the club lose their names on all topics, including those of an earlier journal.
"""

from __future__ import annotations

import json
import logging
import queue
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from scharten.contract.models import VERSION
from scharten.contract.news_models import FinishedGame, Forgotten
from scharten.contract.roles import Account
from scharten.contract.topics import FINISHED_SLOTS, Topic, Topics
from scharten.errors import Problem, SchartenError
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.journal.records import forgetful, nameless, read_record
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.settings import Start
from scharten.mqtt.client import MqttClient
from scharten.players.book import PlayerBook
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

MOST_BYTES = 900_000
"""A longer game is published without inputs: brokers refuse messages over a megabyte."""
MAY_CHANGE_RECORD = frozenset((Message.FINISHED, Message.RESIGNED, Message.REOPENED))
"""Events that may change the record of a game."""
_FORGOTTEN: TypeAdapter[Forgotten] = TypeAdapter(Forgotten)
_WAITING = 100
ROUND_S = 5.0


@dataclass(frozen=True, slots=True)
class _TopicMessage:
    """A record of an earlier run on one of this board's topics, or the organiser's list of deleted players."""

    topic: str
    payload: bytes


_ALL = ""
"""The request to publish all last games and the deleted players."""


class FinishedGames:
    """Publish the records of the last games from the journal, in a thread of its own.

    `hide` gets the deleted players whenever they change. Create this before the broker's client starts.
    """

    def __init__(
        self,
        journal: Path,
        topics: Topics,
        outlet: MqttClient,
        players: PlayerBook,
        hide: Callable[[frozenset[str]], object] = lambda gone: None,
    ) -> None:
        self._journal, self._topics, self._outlet = journal, topics, outlet
        self._players, self._hide = players, hide
        self._gone: frozenset[str] = frozenset()
        self._written = -1
        self._own: set[str] = set()
        self._old: dict[str, FinishedGame] = {}
        self._wanted: queue.Queue[str | _TopicMessage | None] = queue.Queue(_WAITING)
        self.worker = Worker("finished", self._run)
        outlet.subscribe(topics.path(Topic.FINISHED) + "/+", self._on_message, others_only=True)
        outlet.subscribe(topics.forgotten(Account.ORGANISER), self._on_message)

    def start(self) -> None:
        """Publish the last games of the journal, then each finished game."""
        self._wanted.put(_ALL)
        self.worker.start()

    def stop(self) -> None:
        """End the thread."""
        self._wanted.put(None)
        self.worker.join(3)

    def on_event(self, event: Event) -> None:
        """Queue a match whose record may have changed; does not wait."""
        if isinstance(event, Happened) and event.code in MAY_CHANGE_RECORD and event.match:
            self._put(event.match)

    def look_after(self) -> None:
        """Check whether a page or a command deleted a player; called periodically."""
        if self._players.revision() != self._written and not self._wanted.qsize():
            self._put(_ALL)

    def _on_message(self, topic: str, payload: bytes, _retained: bool) -> None:
        if payload and topic not in self._own:
            self._put(_TopicMessage(topic, payload))

    def _put(self, wanted: str | _TopicMessage) -> None:
        try:
            self._wanted.put_nowait(wanted)
        except queue.Full:
            log.warning("too many requests: a game's record is published at the next start")

    # --- the thread ---

    def _run(self) -> None:
        while True:
            self.worker.rounds += 1
            try:
                wanted = self._wanted.get(timeout=ROUND_S)
            except queue.Empty:
                continue
            if wanted is None:
                return
            try:
                if isinstance(wanted, _TopicMessage):
                    self._take(wanted)
                elif wanted:
                    self._publish(wanted)
                else:
                    self._publish_deleted()
            except SchartenError as error:
                log.warning("a finished game was not published: %s", error.message)
            except Exception:
                log.exception("a finished game was not published")

    def _publish_deleted(self) -> None:
        written = self._players.revision()
        if written == self._written:
            return
        gone, first = self._players.deleted(), self._written < 0
        self._written = written
        if gone != self._gone:
            self._gone = gone
            self._hide(gone)
            body: Forgotten = {"v": VERSION, "players": sorted(gone)}
            self._outlet.keep(self._topics.forgotten(Account.HOST), _text(body))
            for topic, record in list(self._old.items()):
                self._clean(topic, record)
        elif not first:
            return
        self._publish("")

    def _take(self, message: _TopicMessage) -> None:
        if message.topic == self._topics.forgotten(Account.ORGANISER):
            try:
                summary = _FORGOTTEN.validate_json(message.payload)
            except ValidationError:
                log.warning("%s holds no list of deleted players", message.topic)
                return
            if self._players.forget(summary["players"]):
                self._publish_deleted()
            return
        record = read_record(message.payload)
        if not isinstance(record, Problem) and message.topic not in self._own:
            self._clean(message.topic, record)

    def _clean(self, topic: str, record: FinishedGame) -> None:
        """Keep a record of an earlier journal on its topic, without the names of deleted players."""
        clean = forgetful(record, self._gone)
        self._old[topic] = clean
        if clean != record:
            self._outlet.keep(topic, _encoded(clean))

    def _publish(self, match_id: str) -> None:
        """Publish a match, or with "" the last ones."""
        if not self._journal.exists():
            return
        with closing(JournalReader(self._journal)) as reader:
            played = [match for match in reader.matches() if not match.id.startswith("setup-")]
            for number, stored in list(enumerate(played))[-FINISHED_SLOTS:]:
                over = json.loads(stored.summary).get("result") is not None
                if stored.id == match_id or (not match_id and over):
                    topic = self._topics.finished(number % FINISHED_SLOTS)
                    self._own.add(topic)
                    self._old.pop(topic, None)
                    self._outlet.keep(topic, _encoded(forgetful(_record(reader, stored), self._gone)))


def _record(reader: JournalReader, stored: StoredMatch) -> FinishedGame:
    summary = json.loads(stored.summary)
    start = Start.model_validate_json(stored.start)
    rows = list(reader.changes(stored.id))
    return nameless(
        {
            "v": VERSION,
            "match": stored.id,
            "last": rows[-1].n if rows else 0,
            "started_ms": stored.started_ms,
            "ended_ms": rows[-1].t_ms if rows else stored.started_ms,
            "game": summary["game"],
            "kind": summary["kind"],
            "names": summary["names"],
            "players": [player or None for player in start.players],
            "result": summary["result"],
            "reason": summary["reason"],
            "turns": summary["turns"],
            "start": json.loads(stored.start),
            "inputs": [json.loads(row.body) for row in rows],
            "digest": rows[-1].digest if rows else "",
        }
    )


def _encoded(record: FinishedGame) -> bytes:
    text = _text(record)
    return text if len(text) <= MOST_BYTES else _text({**record, "inputs": None})


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
