"""Read the records of all clubs from a broker: board by board, each acknowledged when it is stored.

A broker queues only a limited number and size of messages for a client, and drops the rest of many retained ones. So
the receiver asks for the records of a few boards at a time, of one where records are large, acknowledges each when the
database has it, and asks again after every connection, after the database was unavailable, and every few hours.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

from pydantic import TypeAdapter, ValidationError

from scharten.archive.store import ArchiveStore
from scharten.contract.news_models import FinishedGame, Forgotten
from scharten.contract.topics import FINISHED_SLOTS, NAME, Topic
from scharten.errors import Problem
from scharten.game.basics import MutableJson
from scharten.journal.records import read_record
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import ConnectionStatus
from scharten.mqtt.delivery import MOST_UNACKNOWLEDGED, DeliveryClient
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)

RETRY_S = 5.0
TRIES = 3
"""A record that a working database refuses this many times is set aside."""
IDLE_S = 0.1
"""Boards' records have arrived when the broker has answered, and each slot came or nothing came for this time."""
BOARDS_TOGETHER = 4
"""Boards whose records are asked for at once: what the broker may deliver before the first is acknowledged."""
LARGE_BYTES = 100_000
"""After a record of this size, one board is asked at a time: a broker may queue no more than 4 MB."""
ANSWER_S = 30.0
ASK_AGAIN_S = 6 * 3600.0
MOST_KNOWN = 200_000
UNKNOWN = 1_000_000_000
"""Records of a slot: as many as there are boards, so only silence shows that they have arrived."""
MOST_SET_ASIDE = 100
MOST_NAMED = 1000
StoreTask = Callable[[], bool | int | Problem]
Message = tuple[str, bytes, Callable[[], None]]
_FORGOTTEN: TypeAdapter[Forgotten] = TypeAdapter(Forgotten)


class RecordReceiver:
    """Store the broker's records in a separate thread; wait while the database is unavailable."""

    def __init__(self, store: ArchiveStore, broker: BrokerAddress, prefix: str) -> None:
        self._store, self._prefix = store, prefix
        self._arrived: queue.Queue[Message | None] = queue.Queue()  # limited by what is not acknowledged
        self._stopping, self._answered = threading.Event(), threading.Event()
        self._client = DeliveryClient(broker, self._receive, name="archive", on_status=self._on_status)
        self._client.follow(f"{prefix}/+/+/{Topic.AVAILABILITY}")
        self._client.follow(*(f"{prefix}/+/+/{topic}/+" for topic in _RETAINED), live_only=True)
        self._boards: set[str] = set()
        self._pages: deque[tuple[str, ...]] = deque()
        self._asked_at = self._ask_again_at = 0.0
        self._awaited = self._largest = 0  # slots of the boards that were asked; bytes
        self._known: dict[str, bytes] = {}
        self._warnings = RateLimitedLog(log)
        self._thread = threading.Thread(target=self._run, name="archive", daemon=True)
        self.stored = self.refused = 0
        self.set_aside: dict[str, str] = {}
        """The topics of records that the database refuses, with the reason."""

    def start(self) -> None:
        """Connect, and reconnect as needed."""
        self._answered.set()
        self._thread.start()
        self._client.start()

    def stop(self) -> None:
        """Disconnect from the broker, and finish the current game."""
        self._client.stop()
        self._stopping.set()
        self._arrived.put(None)
        self._thread.join(10)

    def remarks(self) -> list[MutableJson]:
        """Remarks for the pages: the state of the database, and records that were set aside."""
        count, trouble = len(self.set_aside), self._store.trouble
        words = f"{count} records were set aside: the database refuses them; the log has the reasons"
        aside: list[MutableJson] = [{"code": "set_aside", "args": {"count": count}, "words": words}]
        return [*([trouble] if trouble else []), *(aside if count else [])]

    # --- from the client's thread ---

    def _on_status(self, status: ConnectionStatus) -> None:
        if status.connected:
            self._arrived.put(("", b"", _nothing))

    def _receive(self, topic: str, payload: bytes, acknowledge: Callable[[], None]) -> None:
        self._arrived.put((topic, payload, acknowledge))

    # --- in the thread of its own ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                message = self._arrived.get(timeout=IDLE_S)
            except queue.Empty:
                self._next_page()
                continue
            messages = [message, *self._waiting()]
            self._count(message for message in messages if message is not None)
            if self._awaited <= 0:
                self._next_page()
            self._store_together([message for message in messages if message is not None])
            for message in messages:
                if message is None or self._stopping.is_set():
                    return
                try:
                    self._take(*message)
                except Exception:
                    log.exception("%s was not stored", message[0])
                    self._put_aside(message[0], "an error of the program; the log has it")
                message[2]()

    def _waiting(self) -> Iterator[Message | None]:
        """The messages that have arrived by now, as many as one transaction takes."""
        with suppress(queue.Empty):
            for _ in range(MOST_UNACKNOWLEDGED - 1):
                yield self._arrived.get_nowait()

    def _store_together(self, messages: Sequence[Message]) -> None:
        """Store games in one transaction, and note them as known; `_take` then judges the others one by one."""
        games: dict[tuple[str, str, str], tuple[Message, FinishedGame]] = {}
        for message in messages:
            parts = message[0].removeprefix(f"{self._prefix}/").split("/")
            names = len(parts) == 4 and parts[2] == Topic.FINISHED and all(map(NAME.fullmatch, parts[:2]))
            record = read_record(message[1]) if names and message[1] and self._is_new(message) else None
            if record is not None and not isinstance(record, Problem):
                games.setdefault((parts[0], parts[1], record["match"]), (message, record))
        if len(games) < 2:
            return
        try:
            results = self._store.take_all([(*key[:2], record) for key, (_, record) in games.items()])
        except Exception:
            log.exception("%s games are stored one by one", len(games))
            return
        for (message, _), result in zip(games.values(), results, strict=True):
            if not isinstance(result, Problem):
                self.stored += result
                self.set_aside.pop(message[0], None)
                self._note_known(message)

    def _count(self, messages: Iterable[Message]) -> None:
        """Note how many records arrived, and the size of the largest."""
        for topic, payload, _ in messages:
            self._awaited -= f"/{Topic.FINISHED}/" in topic
            self._largest = max(self._largest, len(payload))

    def _next_page(self) -> None:
        """Ask for the records of the next boards once those of the boards before have arrived."""
        now = time.monotonic()
        if not self._answered.is_set() and now - self._asked_at < ANSWER_S:
            return
        if now > self._ask_again_at and self._ask_again_at:
            self._ask_all()
        if self._pages:
            self._answered.clear()
            self._asked_at = now
            self._client.ask(self._next_filters(), self._answered.set)

    def _next_filters(self) -> tuple[str, ...]:
        """Take the pages to ask for: those of a few boards, or a slot of every board."""
        pages = [self._pages.popleft()]
        boards = len(pages[0]) > 1
        while boards and self._largest < LARGE_BYTES and len(pages) < BOARDS_TOGETHER:
            if not self._pages or len(self._pages[0]) == 1:
                break
            pages.append(self._pages.popleft())
        self._awaited = FINISHED_SLOTS * len(pages) if boards else UNKNOWN
        return tuple(chain.from_iterable(pages))

    def _ask_all(self) -> None:
        """Ask for all boards' records, and at last slot by slot for those of boards that never announced themselves."""
        pages = [self._page(board) for board in sorted(self._boards)]
        slots = [(f"{self._prefix}/+/+/{Topic.FINISHED}/{slot}",) for slot in range(FINISHED_SLOTS)]
        self._pages = deque([*pages, *slots])
        self._ask_again_at = time.monotonic() + ASK_AGAIN_S

    def _page(self, board: str) -> tuple[str, ...]:
        return tuple(f"{self._prefix}/{board}/{topic}/+" for topic in _RETAINED)

    def _take(self, topic: str, payload: bytes, acknowledge: Callable[[], None]) -> None:
        if not topic:
            return self._ask_all()
        club, board, kind = topic.removeprefix(f"{self._prefix}/").split("/")[:3]
        if not (NAME.fullmatch(club) and NAME.fullmatch(board)):
            return self._refuse(topic, "its club or board has no valid name")
        if f"{club}/{board}" not in self._boards:
            self._boards.add(f"{club}/{board}")
            self._pages.appendleft(self._page(f"{club}/{board}"))
        message = topic, payload, acknowledge
        if kind == Topic.AVAILABILITY or not payload or not self._is_new(message):
            return None
        task = (
            self._forget_task(club, payload) if kind == Topic.FORGOTTEN else self._task(club, board, payload)
        )
        self._store_task(topic, task)
        if not self._stopping.is_set():
            self._note_known(message)
        return None

    def _is_new(self, message: Message) -> bool:
        return self._known.get(message[0]) != hashlib.sha256(message[1]).digest()

    def _note_known(self, message: Message) -> None:
        self._known[message[0]] = hashlib.sha256(message[1]).digest()
        if len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]

    def _store_task(self, topic: str, task: StoreTask | Problem) -> None:
        """Store; wait while the database is unavailable, and set aside what it refuses while it works."""
        tries = 0
        while not isinstance(task, Problem):
            done = task()
            if not isinstance(done, Problem):
                self.stored += done is True
                self.set_aside.pop(topic, None)
                return
            if done.code != "database":
                task = done
                continue
            words = "%s: %s; trying again"
            self._warnings.warn("database", words, topic, done.words)
            works = self._store.works()
            if works:
                tries += 1
            else:
                self._ask_again_at = time.monotonic()  # the broker may have dropped records in the meantime
            if tries >= TRIES:
                self._put_aside(topic, done.words)
                return
            if self._stopping.wait(RETRY_S / 10 if works else RETRY_S):
                return
        self._refuse(topic, task.words)

    def _refuse(self, topic: str, words: str) -> None:
        self.refused += 1
        club = topic.split("/")[1] if len(self._boards) < MOST_NAMED else ""
        self._warnings.warn(club, "%s was not stored: %s", topic, words)

    def _put_aside(self, topic: str, words: str) -> None:
        log.error("%s is set aside: %s", topic, words)
        if len(self.set_aside) < MOST_SET_ASIDE:
            self.set_aside[topic] = words

    def _task(self, club: str, board: str, payload: bytes) -> StoreTask | Problem:
        record = read_record(payload)
        return record if isinstance(record, Problem) else partial(self._store.take, club, board, record)

    def _forget_task(self, club: str, payload: bytes) -> StoreTask | Problem:
        try:
            players = _FORGOTTEN.validate_json(payload)["players"]
        except ValidationError as error:
            return Problem("malformed", f"it names no deleted players: {error.error_count()} errors")
        return partial(self._store.forget, club, players)


_RETAINED = (Topic.FORGOTTEN.value, Topic.FINISHED.value)


def _nothing() -> None:
    """Acknowledge nothing."""
