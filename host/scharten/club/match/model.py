"""A match between two clubs as a value, and what each answer and report changes. Pure.

Each club has its own copy: the home club's service invites at its boards, the visiting club's service accepts. Nothing
passes between the services but the text of the invitation. Both read results from their own boards, which show one
game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.game.options import ClockRequest, Closed
from scharten.game.plain_text import plain
from scharten.match.orders import PlayerName
from scharten.tournament.entries import BoardName, MemberName, PairingResult, PlayerKey
from scharten.tournament.model import RESULTS

MOST_TABLES = 32
ClubRole = Literal["home", "visitors"]
TableNumber = Annotated[int, Field(ge=1, le=MOST_TABLES)]
Link = Annotated[str, Field(max_length=400, pattern=r"^scharten(-meet)?://[^\s]+$")]


class MatchGame(Closed):
    """The game of every table."""

    game: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")] = "scharten"
    kind: Annotated[Kind, Field(strict=False)] = Kind.LOUD
    clock: ClockRequest | None = None


class Table(Closed):
    """One game of the match.

    `key` is our player in our register, `link` its invitation, `attempt` counts requests, `line` is the state of the
    line between the two boards, `until_ms` names our invitation among those of the board, `trouble` is the code of the
    last refusal.
    """

    number: TableNumber
    white: ClubRole
    home: PlayerName = ""
    visitors: PlayerName = ""
    key: PlayerKey | None = None
    board: BoardName | None = None
    link: Link | None = None
    attempt: Annotated[int, Field(ge=0)] = 0
    joined: bool = False
    until_ms: int = 0
    line: Annotated[str, Field(max_length=20)] = ""
    match: Annotated[str, Field(max_length=64)] = ""
    result: PairingResult | None = None
    by_hand: bool = False
    trouble: Annotated[str, Field(max_length=40)] = ""

    @property
    def open(self) -> bool:
        """Whether the table needs its board: it has no result yet."""
        return self.result is None

    @property
    def offered(self) -> bool:
        """Whether the board has the invitation, or has accepted it."""
        return self.joined or (self.until_ms > 0 and self.link is not None)

    def points(self, club: ClubRole) -> float | None:
        """Return the points of a club at this table, None without a result."""
        if self.result is None:
            return None
        white, black = RESULTS[self.result]
        return float(white if club == self.white else black)


class ClubMatch(Closed):
    """`role` is this club's; `over` once the organiser ended it."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    role: ClubRole
    home: MemberName
    visitors: MemberName
    game: MatchGame = MatchGame()
    tables: Annotated[tuple[Table, ...], Field(max_length=MOST_TABLES, strict=False)]
    over: bool = False

    def table(self, number: int) -> Table | None:
        """Return the table with this number."""
        return next((table for table in self.tables if table.number == number), None)

    def with_table(self, number: int, **changes: Any) -> ClubMatch:
        """Return the match with changes at one table; `ValidationError` for what a table cannot hold."""
        tables = tuple(
            Table.model_validate({**dict(table), **changes}) if table.number == number else table
            for table in self.tables
        )
        return self.model_copy(update={"tables": tables})

    def score(self, club: ClubRole) -> float:
        """Return the points of a club so far."""
        return sum(table.points(club) or 0.0 for table in self.tables)

    def boards(self) -> Iterator[str]:
        """Yield the boards that the match holds."""
        if not self.over:
            yield from (table.board for table in self.tables if table.board and table.open)


def order_of(match: ClubMatch, table: Table) -> dict[str, Any]:
    """Return the fields of the `new_game` to which the home club invites: its own player sits at seat 1."""
    ours, theirs = ("white", "black") if table.white == "home" else ("black", "white")
    clock = match.game.clock
    return {
        "game": match.game.game,
        "kind": match.game.kind.value,
        "options": {"white_by": "agreed"},
        "seats": {"seat1": ours, "seat2": theirs},
        "names": {"seat1": table.home, "seat2": table.visitors},
        "players": {"seat1": table.key},
        "clock": clock.model_dump(mode="json", exclude_none=True) if clock else None,
    }


FOR_GOOD = ("refused", "forged", "bad_link", "version")
"""Refusals after which a link is good for nothing: the visitors need a new one."""


def answered(
    match: ClubMatch, number: int, kind: str, *, accepted: bool, code: str, line: Mapping[str, Any]
) -> ClubMatch:
    """Return the match after a board's answer to a request; `line` is the state of its line.

    `ValidationError` if the board answers what a table cannot hold, such as a link that is none.
    """
    table = match.table(number)
    if table is None:
        return match
    if kind in ("invite", "join") and not accepted:
        link = None if kind == "invite" or code in FOR_GOOD else table.link
        return match.with_table(number, trouble=code[:40], attempt=table.attempt + 1, link=link)
    if kind == "invite":
        offered = {"link": str(line.get("link") or ""), "until_ms": _int(line.get("until_ms"))}
        return match.with_table(number, trouble="", line="invited", **offered)
    if kind == "join":
        return match.with_table(number, trouble="", joined=True)
    return _looked(match, table, line) if kind == "status" and accepted else match


def _looked(match: ClubMatch, table: Table, line: Mapping[str, Any]) -> ClubMatch:
    """Return the match after the board said how its line is."""
    if not table.offered:
        return match
    at = "host" if match.role == "home" else "guest"
    ours = line.get("side") == at and (at == "guest" or _int(line.get("until_ms")) == table.until_ms)
    state = str(line.get("state"))[:20] if ours else "none"
    if state == "none" and not table.match:
        # The invitation lapsed, was withdrawn, or somebody else used it: the organiser decides.
        dropped = {"link": None, "until_ms": 0} if at == "host" else {"joined": False, "link": None}
        return match.with_table(table.number, trouble="ended", line="", attempt=table.attempt + 1, **dropped)
    game = str(line.get("match") or "")[:64] if ours else ""
    guest = plain(str(line.get("name") or "")[:40]) if ours and at == "host" else ""
    visitors = guest or table.visitors
    return match.with_table(table.number, line=state, match=table.match or game, visitors=visitors)


def reported(match: ClubMatch, results: Mapping[int, PairingResult | None]) -> ClubMatch:
    """Return the match with the results, by table, that the boards show; a result by hand stays."""
    for table in match.tables:
        if table.number in results and not table.by_hand and results[table.number] != table.result:
            match = match.with_table(table.number, result=results[table.number])
    return match


def assigned(match: ClubMatch, free: Iterable[str]) -> ClubMatch:
    """Give each table without a board the next free one."""
    held = set(match.boards())
    left = (board for board in free if board not in held)
    for table in match.tables:
        if table.open and table.board is None and (board := next(left, None)) is not None:
            match = match.with_table(table.number, board=board)
    return match


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


# --- the text that the home club sends to the visitors ---

_HEAD = "SCHARTEN MATCH"
_CLUBS = re.compile(rf"{_HEAD}: ([^|:]{{1,40}}) - ([^|:]{{1,40}}) \|")
_NAME = r"([^|]{1,42})"
_TABLE = re.compile(rf"\| (\d{{1,2}}) \| (white|black) \|{_NAME}\|{_NAME}\| (scharten\S{{1,390}})")


def invitation_text(match: ClubMatch) -> str:
    """Return the lines that the visitors paste: the clubs, and number, colour, players and link of each table."""
    lines = [f"{_HEAD}: {_plain(match.home)} - {_plain(match.visitors)}"]
    for table in match.tables:
        if table.link and table.open:
            colour = "black" if table.white == "home" else "white"
            names = _plain(table.home), _plain(table.visitors)
            lines.append(" | ".join((f"| {table.number}", colour, *names, table.link)))
    return "\n".join(lines)


def _plain(name: str) -> str:
    """Return a name without what separates the parts of a line."""
    return re.sub(r"\s+-\s+|[|:]", "-", name)


def read_invitation(text: str) -> tuple[str, str, tuple[Table, ...]] | Problem:
    """Read a pasted invitation: the two clubs and the tables. Breaks, quotes and words that a mail adds are ignored."""
    line = re.sub(r"[\s>]+", " ", text)
    clubs, found = _CLUBS.search(line), {}
    for number, colour, home, visitors, link in _TABLE.findall(line):
        white = "visitors" if colour == "white" else "home"
        names = {"home": home.strip(), "visitors": visitors.strip()}
        fields = {"number": int(number), "white": white, "link": link, **names}
        with suppress(ValidationError):
            found[int(number)] = Table.model_validate(fields)
    if clubs is None or not found:
        words = "this is not the invitation to a match"
        return Problem("bad_match", words, cure=f"Copy the whole text that begins with {_HEAD}.")
    return clubs[1].strip(), clubs[2].strip(), tuple(found[number] for number in sorted(found))
