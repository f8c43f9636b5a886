"""The last finished games of this board on the broker, whole: inputs and digest, for an archive that was away.

Eight retained topics, used in turn; a game keeps its topic when it is opened again or put right. Who is deleted, here
or by the club, loses the name on all of them, on those of an earlier journal too.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

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

log = logging.getLogger(__name__)

MOST_BYTES = 900_000
"""A game that is longer is told without its inputs: brokers take no message over a megabyte."""
TOLD = frozenset((Message.FINISHED, Message.RESIGNED, Message.REOPENED))
"""Events after which the record of a game may be another."""
_FORGOTTEN: TypeAdapter[Forgotten] = TypeAdapter(Forgotten)
_WAITING = 100


class GonePlayers(Protocol):
    """Who knows which players were deleted (`players.book.PlayerBook`)."""

    def gone(self) -> frozenset[str]:
        """Their ids."""
        ...

    def written(self) -> int:
        """Another number once anything was written."""
        ...

    def forget(self, players: Collection[str]) -> bool:
        """Forget players of the club that are not of this board's own register; whether anybody was new."""
        ...


class RecordOutlet(Protocol):
    """The connection to the broker (`mqtt.client.MqttClient`)."""

    def keep(self, topic: str, payload: bytes) -> None:
        """Publish a retained message, now and on every later connection."""

    def subscribe(
        self, topic_filter: str, handler: Callable[[str, bytes, bool], None], others_only: bool = False
    ) -> None:
        """Have the handler called for each message."""


@dataclass(frozen=True, slots=True)
class _TopicHeard:
    """What stands on one of this board's topics, and is not of this run; or what the organiser says."""

    topic: str
    payload: bytes


_LOOK = ""
"""Tell all last games, and who is gone."""


class FinishedGames:
    """Reads the journal in a thread of its own, and keeps the records of the last games on their topics.

    `hide` is told the deleted players whenever they have become others; before the broker's client is started.
    """

    def __init__(
        self,
        journal: Path,
        topics: Topics,
        outlet: RecordOutlet,
        players: GonePlayers,
        hide: Callable[[frozenset[str]], object] = lambda gone: None,
    ) -> None:
        self._journal, self._topics, self._outlet = journal, topics, outlet
        self._players, self._hide = players, hide
        self._gone: frozenset[str] = frozenset()
        self._written = -1
        self._own: set[str] = set()
        self._old: dict[str, FinishedGame] = {}
        self._wanted: queue.Queue[str | _TopicHeard | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._run, name="finished", daemon=True)
        outlet.subscribe(topics.of(Topic.FINISHED) + "/+", self._heard, others_only=True)
        outlet.subscribe(topics.forgotten(Account.ORGANISER), self._heard)

    def start(self) -> None:
        """Tell the last games of the journal, then each that ends."""
        self._wanted.put(_LOOK)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._wanted.put(None)
        if self._thread.is_alive():
            self._thread.join(3)

    def hear(self, event: Event) -> None:
        """An event of the match; does not wait."""
        if isinstance(event, Happened) and event.code in TOLD and event.match:
            self._put(event.match)

    def look_after(self) -> None:
        """Look now and then whether somebody was deleted, by the page or by a command."""
        if self._players.written() != self._written and not self._wanted.qsize():
            self._put(_LOOK)

    def _heard(self, topic: str, payload: bytes, _retained: bool) -> None:
        if payload and topic not in self._own:
            self._put(_TopicHeard(topic, payload))

    def _put(self, wanted: str | _TopicHeard) -> None:
        try:
            self._wanted.put_nowait(wanted)
        except queue.Full:
            log.warning("too much at once: the record of a game is told at the next start")

    # --- the thread ---

    def _run(self) -> None:
        while (wanted := self._wanted.get()) is not None:
            try:
                if isinstance(wanted, _TopicHeard):
                    self._take(wanted)
                elif wanted:
                    self._tell(wanted)
                else:
                    self._look()
            except SchartenError as error:
                log.warning("a finished game was not told: %s", error.message)
            except Exception:
                log.exception("a finished game was not told")

    def _look(self) -> None:
        written = self._players.written()
        if written == self._written:
            return
        gone, first = self._players.gone(), self._written < 0
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
        self._tell("")

    def _take(self, heard: _TopicHeard) -> None:
        if heard.topic == self._topics.forgotten(Account.ORGANISER):
            try:
                told = _FORGOTTEN.validate_json(heard.payload)
            except ValidationError:
                log.warning("%s does not say who was deleted", heard.topic)
                return
            if self._players.forget(told["players"]):
                self._look()
            return
        record = read_record(heard.payload)
        if not isinstance(record, Problem) and heard.topic not in self._own:
            self._clean(heard.topic, record)

    def _clean(self, topic: str, record: FinishedGame) -> None:
        """A record of an earlier journal stays on its topic, without the names of who is gone."""
        clean = forgetful(record, self._gone)
        self._old[topic] = clean
        if clean != record:
            self._outlet.keep(topic, _encoded(clean))

    def _tell(self, match: str) -> None:
        """Tell one match, or with "" the last ones."""
        if not self._journal.exists():
            return
        with closing(JournalReader(self._journal)) as reader:
            played = [one for one in reader.matches() if not one.id.startswith("setup-")]
            for number, stored in list(enumerate(played))[-FINISHED_SLOTS:]:
                over = json.loads(stored.summary).get("result") is not None
                if stored.id == match or (not match and over):
                    topic = self._topics.finished(number % FINISHED_SLOTS)
                    self._own.add(topic)
                    self._old.pop(topic, None)
                    self._outlet.keep(topic, _encoded(forgetful(_record(reader, stored), self._gone)))


def _record(reader: JournalReader, stored: StoredMatch) -> FinishedGame:
    told = json.loads(stored.summary)
    start = Start.model_validate_json(stored.start)
    rows = list(reader.changes(stored.id))
    return nameless(
        {
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
    )


def _encoded(record: FinishedGame) -> bytes:
    text = _text(record)
    return text if len(text) <= MOST_BYTES else _text({**record, "inputs": None})


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
