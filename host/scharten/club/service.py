"""The evening as it runs: entries from the organiser and from the boards into the journal, wishes to the boards."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from scharten.club.boards import BoardRequest, BoardView, EndedGame, plan
from scharten.club.store import ClubStore
from scharten.contract.models import VERSION
from scharten.contract.roles import Account
from scharten.contract.topics import FINISHED_SLOTS, NAME, Topic, Topics
from scharten.display.board_topics import BoardTopics
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.tournament.draw import Change, Draw, draw, draw_again, what_changed
from scharten.tournament.entries import BeginGame, CallBoard, Entry, PairText, PublishDraw, RemoveMember
from scharten.tournament.model import Club, Pairing
from scharten.tournament.start import new_game

log = logging.getLogger(__name__)

MOST_BOARDS = 64
AGAIN_S = 4.0
"""A wish that nothing came of is sent again, with the same id."""
ROUND_S = 1.0
MOST_STEPS = 200
"""Entries that one look at the boards may give, one after the other; more would be an endless turn."""


AWAY_S = 20.0
"""A board that is not there for so long is called no longer."""
SETTLED_S = 2.0
"""After so long all that stands on the broker of a board has come, also what ended before the last game."""


class GoneMembers(Protocol):
    """Who knows which players were deleted (`club.register.Register`, `players.book.PlayerBook`)."""

    def gone(self) -> frozenset[str]:
        """Their keys."""
        ...

    def written(self) -> int:
        """Another number once anything was written."""
        ...


@dataclass(slots=True)
class _BoardHeard:
    """A board as it was heard: the time (monotonic) of the first word of this connection, and since when it is away."""

    view: BoardView
    since: float
    offline: float | None
    records: dict[str, tuple[str, EndedGame]] = field(default_factory=dict)


class ClubService:
    """One club on one broker; everything happens in one asyncio loop. `changed` is called after each change."""

    def __init__(
        self,
        store: ClubStore,
        broker: BrokerAddress,
        topics: Topics,
        changed: Callable[[], object],
        *,
        players: GoneMembers | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.store, self._changed, self.now_ms = store, changed, now_ms
        also = (f"+/{Topic.FINISHED}/+", f"+/answer/{Account.ORGANISER.value}")
        self.bridge = BoardTopics(broker, topics, self._deliver, self._link, all_boards=True, also=also)
        self._heard: dict[str, _BoardHeard] = {}
        self._players, self._written = players, -1
        self._gone: frozenset[str] = frozenset()
        self.changes: tuple[int, tuple[Change, ...]] = (0, ())
        """The number of the last round that was drawn again, and what that changed."""
        self._wished: dict[str, tuple[BoardRequest, float]] = {}
        self._rounds: asyncio.Task[None] | None = None

    @property
    def boards(self) -> dict[str, BoardView]:
        """Every board that was heard."""
        now, connected = time.monotonic(), self.bridge.connected
        return {
            name: replace(
                one.view,
                away=connected and one.offline is not None and now - one.offline > AWAY_S,
                settled=now - one.since > SETTLED_S,
            )
            for name, one in self._heard.items()
        }

    @property
    def club(self) -> Club:
        """The club as it stands."""
        return self.store.club

    def start(self) -> None:
        """Connect, and look after the boards from now on; in the loop."""
        self.bridge.start()
        self._rounds = asyncio.get_running_loop().create_task(self._look_around())

    async def stop(self) -> None:
        """Leave the broker and close the journal."""
        if self._rounds is not None:
            self._rounds.cancel()
        await self.bridge.stop()
        self.store.close()

    # --- what the organiser does ---

    def enter(self, entry: Entry) -> Problem | None:
        """One entry; the reason if it is refused."""
        problem = self.store.take(entry, self.now_ms())
        if problem is None:
            self._go_on()
            self._changed()
        return problem

    def pair(self) -> Problem | None:
        """Draw and publish the next round."""
        return self._publish(draw(self.club), again=False)

    def pair_again(self) -> Problem | None:
        """Draw the last round anew for who is present now; games that were begun stay."""
        return self._publish(draw_again(self.club), again=True)

    def _publish(self, found: Draw | Problem, *, again: bool) -> Problem | None:
        season = self.club.season
        if isinstance(found, Problem):
            return found
        assert season is not None
        old = season.rounds[-1] if again else None
        pairs = tuple(PairText(white=white, black=black) for white, black in found.pairs)
        number = season.next_round - again
        if old is not None:
            self.changes = number, what_changed(old, found)
        return self.enter(
            PublishDraw(
                type="draw",
                number=number,
                pairs=pairs,
                unpaired={str(key): why for key, why in found.unpaired.items()},
            )
        )

    # --- what the boards say ---

    def _deliver(self, topic: str, text: str) -> None:
        board, _, name = topic.partition("/")
        if not NAME.fullmatch(board) or (board not in self._heard and len(self._heard) >= MOST_BOARDS):
            return
        if name == f"answer/{Account.ORGANISER.value}":
            self._answered(board, json.loads(text))
            return
        self._seen(board, name, json.loads(text))
        self._go_on()
        self._changed()

    def _seen(self, board: str, name: str, payload: Any) -> None:
        if board not in self._heard:
            now = time.monotonic()
            self._heard[board] = _BoardHeard(BoardView(board), now, now)
            self._tell_gone(board)
        one = self._heard[board]
        if name == "availability":
            one.view = replace(one.view, online=payload == "online")
            one.offline = None if one.view.online else one.offline or time.monotonic()
        elif name == "health" and isinstance(payload, dict):
            one.view = replace(one.view, playable=payload.get("playable") is not False)
        elif name == "state" and isinstance(payload, dict):
            one.view = replace(one.view, state=payload)
        elif name in _SLOTS and isinstance(payload, dict):
            one.records[name] = _ended(payload)
            one.view = replace(one.view, ended=dict(one.records.values()))

    def _link(self, up: bool) -> None:
        for one in self._heard.values():
            # What the boards said last still holds; who is there is not known until the broker is back.
            one.view = replace(one.view, online=one.view.online and up)
            one.since, one.offline = time.monotonic(), None if one.view.online else time.monotonic()
        self._changed()

    def _answered(self, board: str, answer: Any) -> None:
        told = str(answer.get("id")) if isinstance(answer, dict) else ""
        wish = self._wished.pop(told)[0] if told in self._wished else None
        if wish is None or wish.board != board or wish.type != "new_game":
            return
        at = {"number": wish.number, "table": wish.pairing.table}
        one = self._pairing(wish)
        if one is None or one.board != board or one.match is not None:
            return
        if answer.get("accepted") and isinstance(answer.get("match"), str):
            self.enter(BeginGame.model_validate({"type": "begin", "match": answer["match"], **at}))
        elif not answer.get("accepted"):
            log.warning("%s refuses the game of table %d: %s", board, one.table, answer.get("words"))
            self.enter(CallBoard.model_validate({"type": "call", "board": None, **at}))

    def _pairing(self, wish: BoardRequest) -> Pairing | None:
        season = self.club.season
        if season is None or len(season.rounds) < wish.number:
            return None
        drawn = season.rounds[wish.number - 1]
        return next((one for one in drawn.pairings if one.table == wish.pairing.table), None)

    # --- what follows ---

    async def _look_around(self) -> None:
        while True:
            await asyncio.sleep(ROUND_S)
            try:
                self._forget()
                if self._go_on():
                    self._changed()
            except Exception:
                log.exception("the evening goes on after an error")

    def _forget(self) -> None:
        """Whoever was deleted from the register, on the page or by a command, leaves club, file and boards."""
        if self._players is None or self._players.written() == self._written:
            return
        written, gone = self._players.written(), self._players.gone()
        left = [key for key in self.club.members if key in gone]
        problems = [self.enter(RemoveMember(type="remove_member", key=key)) for key in left]
        if any(problems):
            return  # a game of theirs goes on: after it
        self.store.forget(gone)
        new, self._gone, self._written = gone != self._gone, gone, written
        for board in self._heard if new else ():
            self._tell_gone(board)

    def _tell_gone(self, board: str) -> None:
        if self._gone:
            told = {"v": VERSION, "players": sorted(self._gone)}
            self.bridge.keep(f"{board}/{Topic.FORGOTTEN}/{Account.ORGANISER}", told)

    def _go_on(self) -> bool:
        """Enter what the boards say and wish what follows; whether anything was entered."""
        for step in range(MOST_STEPS):
            found = plan(self.club, self.boards)
            taken = [self.store.take(entry, self.now_ms()) is None for entry in found.entries]
            if not any(taken):
                for wish in found.wishes:
                    self._wish(wish)
                return step > 0
        log.error("the boards and the club do not agree; the organiser decides by hand")
        return True

    def _wish(self, wish: BoardRequest) -> None:
        season = self.club.season
        assert season is not None
        drawn = season.rounds[wish.number - 1]
        told = f"{drawn.drawn_ms}-{wish.number}-{wish.pairing.table}-{wish.pairing.calls}-{wish.type}"
        now = time.monotonic()
        if told in self._wished and now - self._wished[told][1] < AGAIN_S:
            return
        match = self.boards[wish.board].match or None
        fields: dict[str, Any] = {"v": 2, "id": told, "type": wish.type, "match": match}
        if wish.type == "new_game":
            fields |= new_game(self.club, season, wish.pairing)
        if self.bridge.publish(f"{wish.board}/command/{Account.ORGANISER.value}", fields):
            self._wished[told] = wish, now
        while len(self._wished) > 4 * MOST_BOARDS:
            del self._wished[next(iter(self._wished))]


_SLOTS = tuple(f"{Topic.FINISHED}/{slot}" for slot in range(FINISHED_SLOTS))


def _ended(record: dict[str, Any]) -> tuple[str, EndedGame]:
    """What an evening needs of the record of a finished game."""
    first, second = (*(record.get("players") or ()), None, None)[:2]
    seat = (record.get("start") or {}).get("white")
    players = (second, first) if seat == "seat2" else (first, second)
    told = EndedGame(players, int(record.get("started_ms", 0)), record.get("result"), record.get("reason"))
    return str(record.get("match", "")), told
