"""The match of this club: its file, the organiser's entries, and requests to the boards and their answers."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from scharten.club.boards import BoardView
from scharten.club.match.entries import (
    AcceptMatch,
    AnyMatchEntry,
    AskAgain,
    BeginMatch,
    EndMatch,
    EnterMatchResult,
    SetMatchBoard,
)
from scharten.club.match.model import (
    ClubMatch,
    ClubRole,
    Table,
    answered,
    assigned,
    order_of,
    read_invitation,
    reported,
)
from scharten.contract.remote import RequestType, remote_request
from scharten.contract.topics import Topic
from scharten.errors import Problem
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)

FILE = "club-match.json"
REPEAT_S = 5.0
"""Send a request without an answer again after this time, with the same id; a join may wait for the network."""
LOOK_S = 3.0
"""How often each board is asked how its line is."""
REFUSED_S = 10.0
"""After a refusal ask the board again after this time: its own game may be over by then."""
LARGEST = 1 << 20


class Send(Protocol):
    """Publish on a board's topic; False without a connection."""

    def __call__(self, topic: str, payload: dict[str, Any]) -> bool: ...


class MatchDesk:
    """At most one match at a time. `name_of` gives the name of a member, "" for a key that nobody has."""

    def __init__(self, folder: Path, send: Send, name_of: Callable[[str], str]) -> None:
        self._path, self._send, self._name_of = folder / FILE, send, name_of
        self.match = _read(self._path)
        self._sent: dict[str, tuple[float, str, Table, RequestType]] = {}
        """By id: when a request was sent, to which board, for which table as it was, and its kind."""
        self._not_before: dict[int, float] = {}
        """By table: when its board may be asked again after a refusal."""

    def holds(self, board: str) -> bool:
        """Whether the match needs this board, so that no pair of the evening is called to it."""
        return self.match is not None and board in self.match.boards()

    # --- the organiser ---

    def enter(self, entry: AnyMatchEntry) -> Problem | None:
        """Carry out an entry; return why it is refused."""
        match entry:
            case BeginMatch():
                return self._begin(entry)
            case AcceptMatch():
                return self._accept(entry)
        match = self.match
        if match is None:
            return Problem("no_match", "no match is on", cure="Invite a club, or accept an invitation.")
        if isinstance(entry, EndMatch):
            for waiting in match.tables:
                self._give_back(match, waiting)
            return self._keep(match.model_copy(update={"over": True}))
        table = match.table(entry.number)
        if table is None:
            return Problem("malformed", "the match has no such table")
        match entry:
            case EnterMatchResult():
                by_hand = entry.result is not None
                return self._keep(match.with_table(table.number, result=entry.result, by_hand=by_hand))
            case SetMatchBoard() if table.offered or table.match:
                return Problem("table_asked", "this table has its board", cure="Begin the table again first.")
            case SetMatchBoard():
                return self._keep(match.with_table(table.number, board=entry.board, trouble=""))
            case AskAgain() if table.match:
                return Problem("table_began", "the game of this table has begun", cure="Enter its result.")
            case AskAgain():
                self._give_back(match, table)
                self._not_before.pop(table.number, None)
                fresh = {"link": None, "until_ms": 0, "joined": False, "trouble": "", "line": ""}
                return self._keep(match.with_table(table.number, attempt=table.attempt + 1, **fresh))

    def _begin(self, entry: BeginMatch) -> Problem | None:
        if self.match is not None and not self.match.over:
            return _still_on()
        if len(set(entry.players)) < len(entry.players):
            return Problem("match_twice", "a player stands at two tables", cure="Choose another player.")
        colours: tuple[ClubRole, ClubRole] = (
            ("home", "visitors") if entry.first == "white" else ("visitors", "home")
        )
        tables = tuple(
            Table(
                number=number,
                white=colours[(number - 1) % 2],
                home=self._name_of(key),
                key=key,
            )
            for number, key in enumerate(entry.players, 1)
        )
        return self._keep(
            ClubMatch(
                id=secrets.token_hex(8),
                role="home",
                home=entry.home,
                visitors=entry.visitors,
                game=entry.game,
                tables=tables,
            )
        )

    def _accept(self, entry: AcceptMatch) -> Problem | None:
        found = read_invitation(entry.text)
        if isinstance(found, Problem):
            return found
        home, visitors, offered = found
        if len(set(entry.players.values())) < len(entry.players):
            return Problem("match_twice", "a player stands at two tables", cure="Choose another player.")
        tables = tuple(self._seated(table, entry.players.get(str(table.number))) for table in offered)
        match = self.match
        if match is None or match.over:
            return self._keep(
                ClubMatch(
                    id=secrets.token_hex(8),
                    role="visitors",
                    home=home,
                    visitors=visitors,
                    tables=tables,
                )
            )
        if match.role != "visitors" or (match.home, match.visitors) != (home, visitors):
            return _still_on()
        for table in tables:
            known = match.table(table.number)
            if known is None:
                match = match.model_copy(update={"tables": (*match.tables, table)})
            elif not known.joined and known.open:
                given = {"link": table.link, "trouble": "", "attempt": known.attempt + 1}
                player = {"key": table.key, "visitors": table.visitors} if table.key else {}
                match = match.with_table(table.number, **given, **player)
        return self._keep(match)

    def _seated(self, table: Table, key: str | None) -> Table:
        if key is None:
            return table
        return table.model_copy(update={"key": key, "visitors": self._name_of(key) or table.visitors})

    def _give_back(self, match: ClubMatch, table: Table) -> None:
        """End the invitation or the line of a table without a result."""
        if table.board and table.open and table.offered and not match.over:
            kind: RequestType = "withdraw" if match.role == "home" else "leave"
            self._request(match, table, kind)

    def forget(self, keys: Iterable[str]) -> None:
        """Remove the names of players who were deleted from the register."""
        gone, match = set(keys), self.match
        for table in match.tables if match else ():
            if match is not None and table.key in gone:
                match = match.with_table(table.number, key=None, **{match.role: "?"})
        if match is not None and match != self.match:
            self._keep(match)

    # --- the boards ---

    def look(self, boards: Mapping[str, BoardView], busy: Iterable[str]) -> bool:
        """Follow the boards' reports and send what is due; return whether the match changed. `busy`: called boards."""
        match = self.match
        if match is None or match.over:
            return False
        taken = set(busy)
        free = (name for name, view in sorted(boards.items()) if view.free and name not in taken)
        new = assigned(reported(match, _results(match, boards)), free)
        problem = self._keep(new) if new != match else None
        for table in new.tables:
            view = boards.get(table.board or "")
            if table.open and view is not None and view.online:
                self._ask(new, table)
        return new != match and problem is None

    def _ask(self, match: ClubMatch, table: Table) -> None:
        if time.monotonic() < self._not_before.get(table.number, 0.0):
            return
        if table.offered:
            self._request(match, table, "status", LOOK_S)
        elif match.role == "home" and table.trouble != "ended":
            order = {"order": order_of(match, table), "by": match.home, "seat": "seat2"}
            self._request(match, table, "invite", REPEAT_S, **order)
        elif match.role == "visitors" and table.link:
            fields = {"link": table.link, "name": table.visitors, "player": table.key}
            self._request(match, table, "join", REPEAT_S, **fields)

    def _request(
        self, match: ClubMatch, table: Table, kind: RequestType, again_s: float = 0.0, **fields: Any
    ) -> None:
        now = time.monotonic()
        turn = f"-{int(now / LOOK_S)}" if kind == "status" else ""
        command_id = f"{match.id}-{table.number}-{kind}-{table.attempt}{turn}"
        if command_id in self._sent and now - self._sent[command_id][0] < again_s:
            return
        message = remote_request(command_id, kind, **fields)
        board = table.board or ""
        if self._send(f"{board}/{Topic.REMOTE.value}", message):
            self._sent[command_id] = now, board, table, kind
        while len(self._sent) > 256:
            del self._sent[next(iter(self._sent))]

    def answered(self, board: str, answer: Any) -> bool:
        """Take a board's answer; False if it answers no request of the match. `ValidationError`: it is refused."""
        command_id = str(answer.get("id")) if isinstance(answer, dict) else ""
        sent = self._sent.get(command_id)
        if sent is None or sent[1] != board or self.match is None:
            return False
        _, _, asked, kind = sent
        number, line = asked.number, answer.get("remote")
        table = self.match.table(number)
        stale = table is None or (table.board, table.attempt) != (board, asked.attempt)
        if stale or not command_id.startswith(self.match.id):
            return True
        new = answered(
            self.match,
            number,
            kind,
            accepted=answer.get("accepted") is True,
            code=str(answer.get("code")),
            line=line if isinstance(line, dict) else {},
        )
        if new != self.match:
            self._keep(new)
        if (table := new.table(number)) is not None and table.trouble:
            self._not_before[number] = time.monotonic() + REFUSED_S
        return True

    def _keep(self, match: ClubMatch) -> Problem | None:
        try:
            write_private(self._path, match.model_dump_json())
        except OSError as error:
            return Problem("disk", f"the match cannot be stored: {error.strerror or error}")
        self.match = match
        return None


def _still_on() -> Problem:
    return Problem("match_on", "a match is on already", cure="End it first.")


def _results(match: ClubMatch, boards: Mapping[str, BoardView]) -> dict[int, Any]:
    """Return the result of each table whose game its board shows, or has shown lately."""
    found = {}
    for table in match.tables:
        view = boards.get(table.board or "")
        if view is None or not table.match:
            continue
        if view.match == table.match:
            found[table.number] = view.state.get("result")
        elif (ended := view.ended.get(table.match)) is not None and ended.result is not None:
            found[table.number] = ended.result
    return found


def with_held(boards: Mapping[str, BoardView], desk: MatchDesk) -> dict[str, BoardView]:
    """Return the boards, with those that the match needs marked as held."""
    return {name: replace(view, held=desk.holds(name)) for name, view in boards.items()}


def _read(path: Path) -> ClubMatch | None:
    try:
        with path.open("rb") as file:
            return ClubMatch.model_validate_json(file.read(LARGEST))
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        log.error("%s cannot be read, and no match is on: %s", path, str(error).splitlines()[0])
        return None
