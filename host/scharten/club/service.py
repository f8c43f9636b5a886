"""The evening as it runs: entries from the organiser and from the boards into the journal, wishes to the boards."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scharten.club.boards import BoardView, Wish, plan
from scharten.club.store import ClubStore
from scharten.contract.roles import Account
from scharten.contract.topics import NAME, Topics
from scharten.display.bridge import Bridge
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.tournament.draw import Change, Draw, draw, draw_again, what_changed
from scharten.tournament.entries import BeginGame, CallBoard, Entry, PairText, PublishDraw
from scharten.tournament.model import Club, Pairing
from scharten.tournament.start import new_game

log = logging.getLogger(__name__)

MOST_BOARDS = 64
AGAIN_S = 4.0
"""A wish that nothing came of is sent again, with the same id."""
ROUND_S = 1.0
MOST_STEPS = 200
"""Entries that one look at the boards may give, one after the other; more would be an endless turn."""


class ClubService:
    """One club on one broker; everything happens in one asyncio loop. `changed` is called after each change."""

    def __init__(
        self,
        store: ClubStore,
        broker: BrokerAddress,
        topics: Topics,
        changed: Callable[[], object],
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.store, self._changed, self.now_ms = store, changed, now_ms
        answers = (f"+/answer/{Account.ORGANISER.value}",)
        self.bridge = Bridge(broker, topics, self._deliver, self._link, all_boards=True, also=answers)
        self.boards: dict[str, BoardView] = {}
        self.changes: tuple[int, tuple[Change, ...]] = (0, ())
        """The number of the last round that was drawn again, and what that changed."""
        self._wished: dict[str, tuple[Wish, float]] = {}
        self._rounds: asyncio.Task[None] | None = None

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

    def pair_by_hand(self, pairs: list[tuple[str, str]]) -> Problem | None:
        """Publish a round whose pairs a person chose."""
        season = self.club.season
        number = season.next_round if season else 1
        texts = tuple(PairText(white=white, black=black) for white, black in pairs)
        return self.enter(PublishDraw(type="draw", number=number, pairs=texts))

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
        if not NAME.fullmatch(board) or (board not in self.boards and len(self.boards) >= MOST_BOARDS):
            return
        if name == f"answer/{Account.ORGANISER.value}":
            self._answered(board, json.loads(text))
            return
        self._seen(board, name, json.loads(text))
        self._go_on()
        self._changed()

    def _seen(self, board: str, name: str, payload: Any) -> None:
        view = self.boards.get(board, BoardView(board))
        if name == "availability":
            view = replace(view, online=payload == "online")
        elif name == "health" and isinstance(payload, dict):
            view = replace(view, playable=payload.get("playable") is not False)
        elif name == "state" and isinstance(payload, dict):
            view = replace(view, state=payload)
        self.boards[board] = view

    def _link(self, up: bool) -> None:
        if not up:
            # What the boards said last still holds; who is there is not known until the broker is back.
            self.boards = {name: replace(view, online=False) for name, view in self.boards.items()}
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

    def _pairing(self, wish: Wish) -> Pairing | None:
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
                if self._go_on():
                    self._changed()
            except Exception:
                log.exception("the evening goes on after an error")

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

    def _wish(self, wish: Wish) -> None:
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
