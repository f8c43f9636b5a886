"""The running evening: store entries of the organiser and the boards, and send requests to the boards."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import traceback
from collections.abc import Callable
from typing import Any

from scharten.club.boards import BoardRequest, BoardView, Plan, is_released, plan
from scharten.club.match.desk import MatchDesk, with_held
from scharten.club.match.entries import AnyMatchEntry
from scharten.club.next_pairs import NextPairs
from scharten.club.register import changed_members
from scharten.club.reports import MOST_BOARDS, BoardReports
from scharten.club.store import ClubStore
from scharten.contract.models import VERSION
from scharten.contract.roles import Account
from scharten.contract.topics import NAME, Topic, Topics
from scharten.display.board_topics import BoardTopics
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook
from scharten.system.log_limit import RateLimitedLog
from scharten.tournament.draw import Change, Draw, draw_again, draw_around, next_draw, what_changed
from scharten.tournament.entries import (
    BeginGame,
    CallBoard,
    CloseEvening,
    EnterMember,
    Entry,
    FixPair,
    PairText,
    PublishDraw,
    ReleaseBoard,
    RemoveMember,
    SetStartList,
    WithdrawRound,
)
from scharten.tournament.model import Club, MemberKey, Pairing, settled
from scharten.tournament.start import new_game

log = logging.getLogger(__name__)

REPEAT_S = 4.0
"""Repeat a request without effect after this time, with the same id."""
ROUND_S = 1.0
MOST_STEPS = 200
"""Most entries that one report may give in a row; more would be an endless loop."""


class ClubService:
    """One club on one broker; everything happens in one asyncio loop. `changed` is called after each change.

    `keep_game` receives the boards' records of finished games.
    """

    def __init__(
        self,
        store: ClubStore,
        broker: BrokerAddress,
        topics: Topics,
        changed: Callable[[], object],
        *,
        players: PlayerBook | None = None,
        keep_game: Callable[[Any], object] = lambda record: None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.store, self._changed, self.now_ms = store, changed, now_ms
        also = (f"+/{Topic.FINISHED}/+", f"+/answer/{Account.ORGANISER.value}")
        self.bridge = BoardTopics(broker, topics, self._deliver, self._link, all_boards=True, also=also)
        self._reports = BoardReports(keep_game)
        self._players, self._revision = players, -1
        self._gone: frozenset[str] = frozenset()
        self.changes: tuple[int, tuple[Change, ...]] = (0, ())
        """The number of the last round that was drawn again, and the changes."""
        self.match = MatchDesk(
            store.folder, self.bridge.publish, lambda key: self.club.name_of(MemberKey(key))
        )
        self._requested: dict[str, tuple[BoardRequest, float]] = {}
        self._next_pairs = NextPairs(self.bridge)
        self._warnings = RateLimitedLog(log)
        self._rounds: asyncio.Task[None] | None = None

    @property
    def boards(self) -> dict[str, BoardView]:
        """Return the boards that have reported, and those of the match with another club."""
        return with_held(self._views(), self.match)

    def _views(self) -> dict[str, BoardView]:
        return self._reports.views(connected=self.bridge.connected)

    @property
    def club(self) -> Club:
        """Return the club's present state."""
        return self.store.club

    def start(self) -> None:
        """Connect, and check the boards regularly; call it in the loop."""
        self._read_register()
        self.bridge.start()
        self._rounds = asyncio.get_running_loop().create_task(self._check_boards())

    async def stop(self) -> None:
        """Leave the broker and close the journal."""
        if self._rounds is not None:
            self._rounds.cancel()
        self._next_pairs.clear()
        await self.bridge.stop()
        self.store.close()

    # --- commands of the organiser ---

    def enter(self, entry: Entry) -> Problem | None:
        """Store an entry; return the reason if it is refused."""
        problem = self.store.take(entry, self.now_ms())
        if problem is None:
            self._advance()
            self._changed()
        return problem

    def enter_member(self, entry: EnterMember) -> Problem | None:
        """Store a member; another strength before round 1 moves them in the start list."""
        before = self.club.rating_of(MemberKey(entry.key))
        problem, season = self.enter(entry), self.club.season
        if problem or season is None or season.rounds or before == entry.rating:
            return problem
        return self.enter(SetStartList(type="start_list", keys=season.entrants)) if season.entrants else None

    def pair(self, number: int, *, despite_games: bool = False) -> Problem | None:
        """Draw and publish round `number`."""
        return self._publish(next_draw(self.club, number, despite_games=despite_games), redraw=False)

    def pair_again(self) -> Problem | None:
        """Draw the last round again for the members present now; games that have begun stay."""
        return self._publish(draw_again(self.club), redraw=True)

    def fix_pair(self, entry: FixPair) -> Problem | None:
        """Pair two members by hand; in the last round at once, in the next one when it is drawn."""
        season = self.club.season
        if season is None or not entry.fixed or entry.number != len(season.rounds):
            return self.enter(entry)
        found = draw_around(self.club, (MemberKey(entry.white), MemberKey(entry.black)))
        if isinstance(found, Problem):
            return found
        return self.enter(entry) or self._publish(found, redraw=True)

    def withdraw_round(self, entry: WithdrawRound) -> Problem | None:
        """Take the last round back; games without a turn end with it, so that a draw made too early can be undone."""
        season = self.club.season
        last = season.rounds[-1] if season and season.rounds else None
        begun = [pairing for pairing in last.pairings if settled(pairing)] if last else []
        if last is None or last.number != entry.number or not all(map(self._is_untouched, begun)):
            return self.enter(entry)
        for pairing in begun:
            released = ReleaseBoard.model_validate(
                {"type": "release", "board": pairing.board, "match": pairing.match}
            )
            if problem := self.store.take(released, self.now_ms()):
                return problem
        return self.enter(entry)

    def _is_untouched(self, pairing: Pairing) -> bool:
        """Return whether the game of a pairing is on its board, without a turn."""
        view = self.boards.get(pairing.board or "")
        if view is None or pairing.result is not None or pairing.match != view.match:
            return False
        return view.online and view.state.get("turns") == 0

    def close_evening(self, entry: CloseEvening) -> Problem | None:
        """Close the evening; refuse while pairs have no result and the entry does not say what becomes of them."""
        if (left := self.club.open_tonight()) and entry.open_pairs is None:
            words = f"{len(left)} games have no result"
            cure = "Send `open_pairs`: adjourn them or withdraw them."
            return Problem("open_pairs", words, {"count": len(left)}, cure)
        return self.enter(entry)

    def enter_match(self, entry: AnyMatchEntry) -> Problem | None:
        """Carry out what the organiser asks about the match with another club."""
        problem = self.match.enter(entry)
        if problem is None:
            self._advance()
            self._changed()
        return problem

    def _publish(self, found: Draw | Problem, *, redraw: bool) -> Problem | None:
        season = self.club.season
        if isinstance(found, Problem):
            return found
        assert season is not None
        old = season.rounds[-1] if redraw else None
        pairs = tuple(PairText(white=white, black=black) for white, black in found.pairs)
        number = season.next_round - redraw
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

    # --- from the boards ---

    def _deliver(self, topic: str, text: str) -> None:
        board, _, name = topic.partition("/")
        if not NAME.fullmatch(board) or not self._reports.has_place(board):
            return
        try:
            if name == f"answer/{Account.ORGANISER.value}":
                answer = json.loads(text)
                if self.match.answered(board, answer):
                    self._changed()
                else:
                    self._answered(board, answer)
                return
            self._store_report(board, name, json.loads(text))
            self._advance()
        except Exception:  # the reports of other boards follow
            self._distrust(board, traceback.format_exc())
        self._changed()

    def _store_report(self, board: str, name: str, payload: Any) -> None:
        if board not in self._reports.names:
            self._publish_gone(board)
        if problem := self._reports.store(board, name, payload):
            self._distrust(board, problem.words)

    def _distrust(self, board: str, words: str) -> None:
        """Ignore a board's report, and log the reason once a minute for each board."""
        self._warnings.warn(board if board in self._reports.names else "", "%s is ignored: %s", board, words)

    def _link(self, up: bool) -> None:
        self._reports.link(up)
        self._changed()

    def _answered(self, board: str, answer: Any) -> None:
        command_id = str(answer.get("id")) if isinstance(answer, dict) else ""
        request = self._requested.pop(command_id)[0] if command_id in self._requested else None
        if request is None or request.board != board or request.type != "new_game":
            return
        at = {"number": request.number, "table": request.pairing.table}
        pairing = self._pairing(request)
        if pairing is None or pairing.board != board or pairing.match is not None:
            return
        if answer.get("accepted") and isinstance(answer.get("match"), str):
            self.enter(BeginGame.model_validate({"type": "begin", "match": answer["match"], **at}))
        elif not answer.get("accepted"):
            words = str(answer.get("words"))[:300]
            self._warnings.warn(board, "%s refuses the game of table %d: %s", board, pairing.table, words)
            self.enter(CallBoard.model_validate({"type": "call", "board": None, **at}))

    def _pairing(self, request: BoardRequest) -> Pairing | None:
        season = self.club.season
        if season is None or len(season.rounds) < request.number:
            return None
        drawn = season.rounds[request.number - 1]
        return next((found for found in drawn.pairings if found.table == request.pairing.table), None)

    # --- consequences ---

    async def _check_boards(self) -> None:
        while True:
            await asyncio.sleep(ROUND_S)
            try:
                self._read_register()
                if self._advance():
                    self._changed()
                self.store.settle()
            except Exception:
                self._warnings.warn(
                    "evening", "an error in the evening; it continues\n%s", traceback.format_exc()
                )

    def _read_register(self) -> None:
        """Enter what changed in the register since the last look: new players, other names, deleted players."""
        if self._players is None or self._players.revision() == self._revision:
            return
        revision, gone = self._players.revision(), self._players.deleted()
        for entry in changed_members(self._players, self.club):
            self.enter(entry)
        self._forget(revision, gone)

    def _forget(self, revision: int, gone: frozenset[str]) -> None:
        """Remove players who were deleted from the register from the club, its file and the boards."""
        left = [key for key in self.club.members if key in gone]
        problems = [self.enter(RemoveMember(type="remove_member", key=key)) for key in left]
        if any(problems):
            return  # one of their games is still on: try again after it
        self.store.forget(gone)
        self.match.forget(gone)
        new, self._gone, self._revision = gone != self._gone, gone, revision
        for board in self._reports.names if new else ():
            self._publish_gone(board)

    def _publish_gone(self, board: str) -> None:
        if self._gone:
            payload = {"v": VERSION, "players": sorted(self._gone)}
            self.bridge.keep(f"{board}/{Topic.FORGOTTEN}/{Account.ORGANISER}", payload)

    def _advance(self) -> bool:
        """Enter the boards' reports and send the requests that follow; return whether anything was entered."""
        moved = self._look_at_match()
        for step in range(MOST_STEPS):
            found = self._plan()
            taken = [self.store.take(entry, self.now_ms()) is None for entry in found.entries]
            if not any(taken):
                for request in found.requests:
                    self._send(request)
                self._next_pairs.publish(self.club, self.boards)
                return moved or step > 0
        log.error("the boards and the club do not agree; the organiser decides by hand")
        return True

    def _look_at_match(self) -> bool:
        """Let the match with another club follow its boards; an error in it stays its own."""
        season = self.club.season
        called = [pairing for _, pairing in season.pairings()] if season and self.club.open_evening else []
        busy = [pairing.board for pairing in called if pairing.board and pairing.result is None]
        try:
            return self.match.look(self._views(), busy)
        except Exception:
            self._warnings.warn("match", "an error in the match\n%s", traceback.format_exc())
            return False

    def _plan(self) -> Plan:
        """Return the consequences of all boards' reports, without those of a board on which the rules raise."""
        boards = self.boards
        try:
            return plan(self.club, boards)
        except Exception:
            for name, view in boards.items():
                try:
                    plan(self.club, {name: view})
                except Exception:
                    self._distrust(name, traceback.format_exc(chain=False))
                    self._reports.drop(name)
        return plan(self.club, self.boards)

    def _send(self, request: BoardRequest) -> None:
        season = self.club.season
        assert season is not None
        drawn = season.rounds[request.number - 1]
        command_id = f"{drawn.drawn_ms}-{request.number}-{request.pairing.table}-{request.pairing.calls}-{request.type}"
        now = time.monotonic()
        if command_id in self._requested and now - self._requested[command_id][1] < REPEAT_S:
            return
        match = self.boards[request.board].match or None
        fields: dict[str, Any] = {"v": 2, "id": command_id, "type": request.type, "match": match}
        if request.type == "new_game":
            fields["abandon"] = is_released(self.club, self.boards[request.board])
            fields |= new_game(self.club, season, request.pairing)
        if self.bridge.publish(f"{request.board}/command/{Account.ORGANISER.value}", fields):
            self._requested[command_id] = request, now
        while len(self._requested) > 4 * MOST_BOARDS:
            del self._requested[next(iter(self._requested))]
