"""Turn the boards' snapshots into entries for the evening and requests for boards. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scharten.tournament.entries import BeginGame, CallBoard, EnterResult, Entry
from scharten.tournament.model import Club, Pairing, Round, Season

AHEAD_MS = 120_000
"""The most that a board's clock may lag behind the club's."""
FREE = ("setup", "finished")


@dataclass(frozen=True, slots=True)
class EndedGame:
    """A finished game, from its record on `finished/<slot>`: White's and Black's keys, and the result."""

    players: tuple[object, object]
    started_ms: int
    result: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class BoardView:
    """The newest reports of a board: whether its referee is online and can play, its snapshot, its last games.

    `away`: offline for so long that nobody waits for it. `settled`: the records of its last games have arrived too.
    `held`: a match with another club needs it.
    """

    name: str
    online: bool = False
    playable: bool = True
    state: Mapping[str, Any] = field(default_factory=dict)
    ended: Mapping[str, EndedGame] = field(default_factory=dict)
    away: bool = False
    settled: bool = True
    held: bool = False

    @property
    def match(self) -> str:
        """Return the id of its game, "" without a game."""
        return str(self.state.get("match", ""))

    @property
    def free(self) -> bool:
        """Return whether a game could begin on it."""
        return self.online and self.playable and not self.held and self.state.get("phase") in FREE

    @property
    def players(self) -> tuple[object, object]:
        """Return White's and Black's keys, None where the game does not name them."""
        seats, players = self.state.get("seats") or {}, self.state.get("players") or {}
        by = {colour: players.get(seat) for seat, colour in seats.items()}
        return by.get("white"), by.get("black")


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """A command for a board: `new_game`, `pause` or `resume`, for a pairing of a round."""

    type: str
    board: str
    number: int
    pairing: Pairing


@dataclass(frozen=True, slots=True)
class Plan:
    """The consequences of the boards' reports: entries for the club, or requests for boards."""

    entries: tuple[Entry, ...] = ()
    requests: tuple[BoardRequest, ...] = ()


def plan(club: Club, boards: Mapping[str, BoardView]) -> Plan:
    """Return the entries that the boards' reports give; if there are none, the requests for boards."""
    season = club.season
    if season is None or not season.rounds:
        return Plan()
    entries = tuple(_entries(club, season, boards))
    return Plan(entries) if entries else Plan(requests=tuple(_requests(club, season, boards)))


def _entries(club: Club, season: Season, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    known = {
        pairing.match for played in (*club.past, season) for _, pairing in played.pairings() if pairing.match
    }.union(club.released.values())
    for drawn, pairing in season.pairings():
        view = boards.get(pairing.board) if pairing.board else None
        if view is not None and view.state:
            yield from _reported(drawn, pairing, view, known)
    if club.open_evening:
        yield from _abandoned(club, boards)
        yield from _calls(club, boards)


def _reported(drawn: Round, pairing: Pairing, view: BoardView, known: set[str]) -> Iterator[Entry]:
    """Yield the entries from a board's report of its present or earlier pairing."""
    at: dict[str, Any] = {"number": drawn.number, "table": pairing.table}
    if pairing.match and view.match == pairing.match:
        result, seq = view.state.get("result"), int(view.state.get("seq", 0))
        if not pairing.by_hand and result != pairing.result and seq >= pairing.seq:
            report = {"type": "result", "result": result, "reason": view.state.get("reason"), "seq": seq}
            yield EnterResult.model_validate({**at, **report, "match": pairing.match})
    elif (over := view.ended.get(pairing.match or "")) is not None and over.result is not None:
        # The game ended, and another began, while the service was away.
        if not pairing.by_hand and over.result != pairing.result:
            report = {"type": "result", "result": over.result, "reason": over.reason, "seq": pairing.seq}
            yield EnterResult.model_validate({**at, **report, "match": pairing.match})
    elif pairing.result is None and (missed := _missed(drawn, pairing, view, known)):
        yield BeginGame(type="begin", match=missed, **at)
    elif pairing.result is None and view.settled and view.match and view.match not in known:
        # Before it begins this pairing, the board still shows the game of an earlier pairing.
        if _is_theirs(drawn, pairing, view):
            yield BeginGame(type="begin", match=view.match, **at)
        elif pairing.match:
            # Others play there now: call these two to another board.
            yield CallBoard(type="call", board=None, **at)


def _missed(drawn: Round, pairing: Pairing, view: BoardView, known: set[str]) -> str | None:
    """Return the game of a pairing that began and ended while the service was away."""
    return next(
        (
            match
            for match, ended in view.ended.items()
            if match not in known
            and ended.result is not None
            and ended.players == (pairing.white, pairing.black)
            and ended.started_ms >= drawn.drawn_ms - AHEAD_MS
        ),
        None,
    )


def _is_theirs(drawn: Round, pairing: Pairing, view: BoardView) -> bool:
    """Return whether the game on the board belongs to this pairing, although no answer named its id."""
    begun = int(view.state.get("started_ms", 0)) >= drawn.drawn_ms - AHEAD_MS
    return view.players == (pairing.white, pairing.black) and (begun or view.state.get("phase") not in FREE)


def _waiting(club: Club) -> list[tuple[Round, Pairing]]:
    """Return the pairings that may be called this evening, the oldest first: tonight's, and adjourned ones."""
    season = club.season
    if season is None:
        return []
    tonight = len(season.evenings) - 1
    return [
        (drawn, pairing)
        for drawn, pairing in season.pairings()
        if pairing.result is None and (pairing.adjourned or drawn.evening == tonight)
    ]


def _abandoned(club: Club, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    """Withdraw calls before the game began: of boards that went away, and of members who are not present."""
    here = set(club.present)
    for drawn, pairing in _waiting(club):
        if pairing.board is None or pairing.match is not None:
            continue
        view = boards.get(pairing.board)
        at = {"type": "call", "number": drawn.number, "table": pairing.table, "board": None}
        if not pairing.players <= here:
            yield CallBoard.model_validate(at)
        elif view is not None and view.away:
            yield CallBoard.model_validate({**at, "left": view.name})


def _calls(club: Club, boards: Mapping[str, BoardView]) -> Iterator[Entry]:
    """Call pairings whose members are present and free to free boards, in the order of rounds, tables and names."""
    waiting, here = _waiting(club), set(club.present)
    called = [pairing for _, pairing in waiting if pairing.board]
    busy = {pairing.board for pairing in called}
    playing = {key for pairing in called for key in pairing.players}
    free = iter(sorted(name for name, view in boards.items() if _usable(club, view) and name not in busy))
    for drawn, pairing in waiting:
        if pairing.board or pairing.by_hand or not pairing.players <= here - playing:
            continue
        board = next(free, None)
        if board is None:
            return
        playing |= pairing.players
        yield CallBoard(type="call", number=drawn.number, table=pairing.table, board=board)


def next_pairs(club: Club, boards: Mapping[str, BoardView]) -> dict[str, tuple[Round, Pairing]]:
    """Return the next pairing of each board that could begin one, by the board's name, with its round.

    The pairing that was called there; else, in the order of calls, one that waits for a player. The pairings whose
    members are all present come first.
    """
    if not club.open_evening:
        return {}
    waiting, here = _waiting(club), set(club.present)
    found = {pairing.board: (drawn, pairing) for drawn, pairing in waiting if pairing.board}
    left = [waits for waits in waiting if not waits[1].board]
    left.sort(key=lambda waits: not waits[1].players <= here)
    free = sorted(name for name, view in boards.items() if _usable(club, view) and name not in found)
    called = {name: waits for name, waits in found.items() if name in boards and waits[1].match is None}
    return called | dict(zip(free, left, strict=False))


def _usable(club: Club, view: BoardView) -> bool:
    """Return whether a game can begin on a board; a game that the organiser ended does not hold it."""
    return view.free or (view.online and view.playable and not view.held and is_released(club, view))


def is_released(club: Club, view: BoardView) -> bool:
    """Return whether the organiser ended the game that the board still shows."""
    return view.match != "" and club.released.get(view.name) == view.match


def _requests(club: Club, season: Season, boards: Mapping[str, BoardView]) -> Iterator[BoardRequest]:
    if not club.open_evening:
        return
    together = season.options.start == "together" and season.options.clock is not None
    for drawn, pairing in _waiting(club):
        view = boards.get(pairing.board) if pairing.board else None
        if view is None or not view.online:
            continue
        if pairing.match is None:
            yield BoardRequest("new_game", view.name, drawn.number, pairing)
        elif together and view.match == pairing.match and view.state.get("turns") == 0:
            phase = view.state.get("phase")
            if not drawn.started and phase == "turn":
                yield BoardRequest("pause", view.name, drawn.number, pairing)
            elif drawn.started and phase == "paused":
                yield BoardRequest("resume", view.name, drawn.number, pairing)
