"""What the boards' snapshots mean for the evening: which entries they give, and what is wished of which board. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scharten.tournament.entries import BeginGame, CallBoard, EnterResult, Entry
from scharten.tournament.model import Club, Pairing, Round, Season

AHEAD_MS = 120_000
"""By so much a board's clock may be behind the club's."""
FREE = ("setup", "finished")


@dataclass(frozen=True, slots=True)
class EndedGame:
    """A game that ended on a board, as its record on `finished/<slot>` says: White's and Black's key, the result."""

    players: tuple[object, object]
    started_ms: int
    result: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board as it was last heard: whether its referee is there and can play, its snapshot, its last games.

    `away`: for so long not there that nobody shall wait for it; `settled`: its last games have been heard, too.
    """

    name: str
    online: bool = False
    playable: bool = True
    state: Mapping[str, Any] = field(default_factory=dict)
    ended: Mapping[str, EndedGame] = field(default_factory=dict)
    away: bool = False
    settled: bool = True

    @property
    def match(self) -> str:
        """The game on it, "" for none."""
        return str(self.state.get("match", ""))

    @property
    def free(self) -> bool:
        """Whether a game could begin on it."""
        return self.online and self.playable and self.state.get("phase") in FREE

    @property
    def players(self) -> tuple[object, object]:
        """White's and Black's key, as far as the game on it says."""
        seats, players = self.state.get("seats") or {}, self.state.get("players") or {}
        by = {colour: players.get(seat) for seat, colour in seats.items()}
        return by.get("white"), by.get("black")


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """Something that a board is asked: `new_game`, `pause` or `resume`, for a pairing of a round."""

    type: str
    board: str
    number: int
    pairing: Pairing


@dataclass(frozen=True, slots=True)
class Plan:
    """What follows from the boards: entries for the club, then wishes for boards."""

    entries: tuple[Entry, ...] = ()
    wishes: tuple[BoardRequest, ...] = ()


def plan(club: Club, boards: Mapping[str, BoardView]) -> Plan:
    """What is to be entered first; when that is nothing, what is to be wished."""
    season = club.season
    if season is None or not season.rounds:
        return Plan()
    entries = tuple(_entries(club, season, boards))
    return Plan(entries) if entries else Plan(wishes=tuple(_wishes(club, season, boards)))


def _entries(club: Club, season: Season, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    known = {one.match for each in (*club.past, season) for _, one in each.pairings() if one.match}
    for drawn, one in season.pairings():
        view = boards.get(one.board) if one.board else None
        if view is not None and view.state:
            yield from _heard(drawn, one, view, known, last=drawn is season.rounds[-1])
    if club.open_evening:
        yield from _left(season.rounds[-1], boards)
        yield from _called(season.rounds[-1], boards)


def _heard(drawn: Round, one: Pairing, view: BoardView, known: set[str], *, last: bool) -> Iterator[Entry]:
    """What one board says of a pairing that it has, or had."""
    at: dict[str, Any] = {"number": drawn.number, "table": one.table}
    if one.match and view.match == one.match:
        result, seq = view.state.get("result"), int(view.state.get("seq", 0))
        if not one.by_hand and result != one.result and seq >= one.seq:
            told = {"type": "result", "result": result, "reason": view.state.get("reason"), "seq": seq}
            yield EnterResult.model_validate({**at, **told, "match": one.match})
    elif (over := view.ended.get(one.match or "")) is not None and over.result is not None:
        # It ended, and another began, while nobody listened.
        if not one.by_hand and over.result != one.result:
            told = {"type": "result", "result": over.result, "reason": over.reason, "seq": one.seq}
            yield EnterResult.model_validate({**at, **told, "match": one.match})
    elif one.result is None and last and (missed := _missed(drawn, one, view, known)):
        yield BeginGame(type="begin", match=missed, **at)
    elif one.result is None and last and view.settled and view.match and view.match not in known:
        # A game of an earlier pairing is what the board showed before it began this one.
        if _is_theirs(drawn, one, view):
            yield BeginGame(type="begin", match=view.match, **at)
        elif one.match:
            # Others play there now: these two are called anew.
            yield CallBoard(type="call", board=None, **at)


def _missed(drawn: Round, one: Pairing, view: BoardView, known: set[str]) -> str | None:
    """The game of a pairing that began and ended while nobody listened."""
    return next(
        (
            match
            for match, ended in view.ended.items()
            if match not in known
            and ended.result is not None
            and ended.players == (one.white, one.black)
            and ended.started_ms >= drawn.drawn_ms - AHEAD_MS
        ),
        None,
    )


def _is_theirs(drawn: Round, one: Pairing, view: BoardView) -> bool:
    """Whether the game on the board is the one of this pairing, although nobody told its id."""
    begun = int(view.state.get("started_ms", 0)) >= drawn.drawn_ms - AHEAD_MS
    return view.players == (one.white, one.black) and (begun or view.state.get("phase") not in FREE)


def _left(drawn: Round, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    """Whom a board called that has died since is called by another one."""
    for one in drawn.pairings:
        view = boards.get(one.board) if one.board else None
        if view is not None and view.away and one.match is None and one.result is None:
            at = {"number": drawn.number, "table": one.table}
            yield CallBoard.model_validate({"type": "call", "board": None, "left": view.name, **at})


def _called(drawn: Round, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    """Each pairing that waits gets a free board, in the order of tables and of the boards' names."""
    busy = {one.board for one in drawn.pairings if one.board and one.result is None}
    free = iter(sorted(name for name, view in boards.items() if view.free and name not in busy))
    for one in drawn.pairings:
        if one.result is None and one.board is None and not one.by_hand:
            board = next(free, None)
            if board is None:
                return
            yield CallBoard(type="call", number=drawn.number, table=one.table, board=board)


def _wishes(club: Club, season: Season, boards: Mapping[str, BoardView]) -> Iterator[BoardRequest]:
    drawn = season.rounds[-1]
    if not club.open_evening:
        return
    together = season.options.start == "together" and season.options.clock is not None
    for one in drawn.pairings:
        view = boards.get(one.board) if one.board else None
        if view is None or not view.online or one.result is not None:
            continue
        if one.match is None:
            yield BoardRequest("new_game", view.name, drawn.number, one)
        elif together and view.match == one.match and view.state.get("turns") == 0:
            phase = view.state.get("phase")
            if not drawn.started and phase == "turn":
                yield BoardRequest("pause", view.name, drawn.number, one)
            elif drawn.started and phase == "paused":
                yield BoardRequest("resume", view.name, drawn.number, one)
