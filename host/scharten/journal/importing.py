"""Import score sheets and PGN as games of the journal: play their turns with the referee.

The result is a game like any other: it replays, and shows what the sheet shows. Each refusal names the line.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scharten.dartboard.beds import ALL_BEDS, Bed, parse_bed
from scharten.dartboard.profile import Contact
from scharten.errors import Problem, detail
from scharten.game.basics import Action, LostDart, Move, Pass, Reason, Side
from scharten.games import GAMES_BY_KEY
from scharten.games.chess import Chess
from scharten.games.draw_sheet import AGAIN, check_draw
from scharten.games.pgn import games_of_pgn, read_pgn
from scharten.games.sheet import ScoreSheet, SheetTurn, wrong
from scharten.games.sheet_read import read_sheet
from scharten.games.sheet_words import UNFINISHED
from scharten.match.dart import Dart
from scharten.match.events import Answered, Event
from scharten.match.inputs import Command, Input, Reading, Role
from scharten.match.orders import ORDERS
from scharten.match.phase_table import InputKind, Ruling, ruling
from scharten.match.referee import begun_by, step
from scharten.match.settings import EDITION, MatchSettings, Start
from scharten.match.state import Match, begin, clock_settings
from scharten.match.white import Seat

PlayedInput = tuple[Input, Match, tuple[Event, ...]]
"""An input with the match and the events after it."""
_DATE: Final = re.compile(r"(\d{4}|\?*)(?:\.(\d\d?|\?*))?(?:\.(\d\d?|\?*))?", re.ASCII)
_TIME: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?", re.ASCII)
_NAMES: Final = {"White": 40, "Black": 40, "Event": 80}
"""The most characters of a name."""
_OUR_HEADER: Final = re.compile(r'^[^\S\n]*\[\s*(Game|Language)\s+"', re.MULTILINE)
_PGN_HEADER: Final = re.compile(
    r'^[^\S\n]*\[\s*(?:Site|Round|Variant|FEN|SetUp|ECO|Opening|Termination|Annotator|(?:White|Black)Elo)\s+"',
    re.MULTILINE,
)
_WON: Final = ((Side.WHITE, "1-0"), (Side.BLACK, "0-1"))


@dataclass(frozen=True)
class Imported:
    """A game that was read: its inputs, and in `remarks` what differs from the paper, by language."""

    inputs: tuple[PlayedInput, ...]
    remarks: tuple[Mapping[str, str], ...] = ()

    @property
    def match(self) -> Match:
        """The finished game."""
        return self.inputs[-1][1]


def import_games(text: str, *, game: str = "", imported_at_ms: int = 0) -> tuple[Imported, ...] | Problem:
    """Play every game of a score sheet or a PGN file, or return the first error.

    `game` is the game of a paper whose headers name none. A paper without a date gets that of its import.
    """
    found: list[Imported] = []
    papers = _papers(text, game)
    for number, (paper, sheet) in enumerate(papers, start=1):
        done = sheet if isinstance(sheet, Problem) else _play(sheet, paper, imported_at_ms)
        if isinstance(done, Problem):
            if len(papers) == 1:
                return done
            return done.within("of_games", number=number, total=len(papers))
        found.append(done)
    return tuple(found)


def _papers(text: str, game: str) -> list[tuple[str, ScoreSheet | Problem]]:
    """Return the text of each game and its sheet; the headers tell a PGN from a score sheet."""
    ours = _OUR_HEADER.search(text)
    if ours or not (_PGN_HEADER.search(text) or isinstance(GAMES_BY_KEY.get(game), Chess)):
        named = f'[Game "{game}"]\n{text}' if game and not (ours and ours[1] == "Game") else text
        return [(text, read_sheet(named))]
    papers = list(games_of_pgn(text)) or [text]
    return [(paper, read_pgn(paper, game)) for paper in papers]


def _play(sheet: ScoreSheet, paper: str, imported_at_ms: int) -> Imported | Problem:
    """Return every input of a sheet's finished game, beginning with the order that starts it."""
    headers = dict(sheet.headers)
    if sheet.result == UNFINISHED:
        return wrong("result", "unfinished", _last(sheet))
    remarks: list[Mapping[str, str]] = []
    digest = hashlib.sha256(paper.encode()).hexdigest()
    start = _start(sheet, headers, digest, imported_at_ms, remarks)
    if isinstance(start, Problem):
        return start
    seat = _Arbiter.begin(start)
    done = seat.draw(headers) or seat.set_up(sheet)
    for entry in sheet.entries:
        done = done or seat.turn(entry)
    done = done or seat.end(sheet)
    return done or Imported(tuple(seat.given), tuple(remarks))


def _last(sheet: ScoreSheet) -> int:
    return sheet.entries[-1].line if sheet.entries else 1


def _start(
    sheet: ScoreSheet,
    headers: dict[str, str],
    digest: str,
    imported_at_ms: int,
    remarks: list[Mapping[str, str]],
) -> Start | Problem:
    """Return the start of the game: names, time, and the draw of its opening."""
    began = _began(headers, imported_at_ms, remarks)
    if isinstance(began, Problem):
        return began
    names = {name: _name(headers.get(name, ""), limit, remarks) for name, limit in _NAMES.items()}
    if "OpeningBy" in headers:
        number = check_draw(headers)
        if isinstance(number, Problem):
            return wrong("header", "cause", 1, what=number)
    board, match = headers.get("Board", ""), headers.get("Match", "")
    played: dict[str, Any] = {"arming": "auto", "settle_ms": 0, "white_by": "agreed"}
    if isinstance(clock_settings(sheet.options), Problem):
        played["clock"] = None
        remarks.append(detail("clock_left_out"))
    sealed = headers.get("OpeningBy") in ("lot", "darts")
    return Start(
        settings=MatchSettings(
            board=board if re.fullmatch(r"[a-z0-9_-]{1,32}", board) else "board1",
            white_sits_at=20 if headers.get("WhiteSitsAt") == "20" else 3,
            event=names["Event"],
            game=sheet.game.key,
        ),
        edition=EDITION,
        id=match if re.fullmatch(r"[0-9a-f]{12}", match) else digest[:12],
        t_ms=began,
        game=sheet.game.key,
        options=sheet.options.model_copy(update=played).model_dump(mode="json"),
        white=Seat.SEAT1,
        names=(names["White"], names["Black"]),
        draw_seed=(headers["OpeningSeed"] if sealed else digest[:32]) if "OpeningBy" in headers else "",
    )


def _name(text: str, limit: int, remarks: list[Mapping[str, str]]) -> str:
    """Return a name, cut to what a game can store; `?` is no name."""
    if len(text) > limit:
        remarks.append(detail("name_cut", name=text[:limit], limit=limit))
    return "" if text == "?" else text[:limit].rstrip()


def _began(headers: dict[str, str], imported_at_ms: int, remarks: list[Mapping[str, str]]) -> int | Problem:
    """Return the start in Unix ms: an unknown year is that of the import, an unknown month or day the first."""
    written = headers.get("Date", "????.??.??")
    date, time = _DATE.fullmatch(written), _TIME.fullmatch(headers.get("Time", "0:00"))
    try:
        if date and time and not date[1].strip("?"):
            remarks.append(detail("date_import"))
            return imported_at_ms
        if date and time:
            known = [(part or "").strip("?") for part in date.groups()]
            year, month, day = (int(part or 1) for part in known)
            if not all(known):
                remarks.append(detail("date_first", written=written, date=f"{year:04}.{month:02}.{day:02}"))
            return int(datetime.datetime(year, month, day, int(time[1]), int(time[2])).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        pass
    return wrong("header", "date", 1)


@dataclass
class _Arbiter:
    """Plays a sheet's game with the referee, at the times of the sheet."""

    match: Match
    given: list[PlayedInput]
    due_ms: int = 0
    now_ms: int = 0
    asked: Iterator[int] = field(default_factory=lambda: iter(range(1, 10**9)))

    @classmethod
    def begin(cls, start: Start) -> _Arbiter:
        """The game at its beginning."""
        order = {"v": 2, "id": "import-0", "type": "new_game", "game": start.game}
        first = Command(start.t_ms, Role.ARBITER, ORDERS.validate_json(json.dumps(order)), seed=0)
        match = begun_by(begin(start, GAMES_BY_KEY), first)
        return cls(match, [(first, match, ())], start.t_ms, start.t_ms)

    def draw(self, headers: dict[str, str]) -> Problem | None:
        """Throw the dice or darts of the opening again, as the header lists them."""
        by = headers.get("OpeningBy")
        throws = headers.get("OpeningThrows", "").split() if by in ("dice", "darts") else []
        for shown in throws:
            if shown == AGAIN and by == "darts":
                self._order("delete_dart")
            elif shown == AGAIN:
                self._order("take_back", turns=1)
            elif by == "dice":
                self._order("die", value=int(shown))
            elif bed := parse_bed(shown):
                self._dart(bed)
        return None

    def set_up(self, sheet: ScoreSheet) -> Problem | None:
        """Set up the sheet's first position if it differs from the present one."""
        text = sheet.game.situation(sheet.start, sheet.options).text
        if self.match.situation.text == text:
            return None
        refused = self._order("set_position", position=text)
        return wrong("position", "cause", 1, what=refused) if refused else None

    def turn(self, entry: SheetTurn) -> Problem | None:
        """Play a turn: the draw offer made with it, the move, its dart."""
        before = len(self.match.turns)
        self.due_ms += (entry.spent_s or 0) * 1000
        action, side = entry.action, self.match.side
        if isinstance(action, Pass):  # the referee has entered it
            return None
        standing = self.match.draw_offer
        if (entry.draw_offer and standing is side.other) or (standing is side and not entry.draw_offer):
            self._order("answer_draw", side=standing.other.word, accept=False)
        if entry.draw_offer and standing is not side:
            self._order("offer_draw", side=side.word)
        refused = self._played(entry)
        turns = self.match.turns
        if refused is None and len(turns) > before and turns[before].action.text == action.text:
            return None
        due = f"{turns[before].number if len(turns) > before else self.match.situation.number}."
        where = due if side is Side.WHITE else f"{due}.."
        if refused:
            return wrong("turn", "cause", entry.line, where, what=refused)
        return wrong("turn", "other_outcome", entry.line, where, action=action.text)

    def _played(self, entry: SheetTurn) -> Problem | None:
        action = entry.action
        bed = parse_bed(entry.bed) if entry.bed else None
        aim = action if isinstance(action, Move) else action.aim if isinstance(action, LostDart) else None
        needs_dart = aim is not None and aim.text in self.match.situation.needs_dart
        refused = self._order("move", move=aim.text) if aim else None
        if refused or (isinstance(action, Move) and not needs_dart):
            return refused
        if isinstance(action, LostDart):
            return self._dart(bed) if bed and self._loses(bed) else self._miss()  # it hit that bed and fell
        found = [bed] if bed else ALL_BEDS
        hit = next((bed for bed in found if self._effect(bed) == action), None)
        if hit is None:
            reason = "bed_does_not" if entry.bed else "no_bed_does"
            return Problem.reasoned("bed", reason, bed=entry.bed, action=action.text)
        return self._dart(hit)

    def _miss(self) -> Problem | None:
        """Lose a dart without a bed; unannounced, the order would ask first."""
        asks = ruling(self.match.phase, InputKind.MISS) is Ruling.ASK_LOST
        return (self._order("announce_throw") if asks else None) or self._order("miss")

    def _loses(self, bed: Bed) -> bool:
        return isinstance(self._effect(bed), LostDart)

    def _effect(self, bed: Bed) -> Action | None:
        """The action of a dart in this bed."""
        throws, match = self.match.game.throws, self.match
        if throws is None:
            return None
        sits = match.start.settings.white_sits_at
        return throws.effect(match.position, match.options, bed, sits, aim=match.aim).action

    def end(self, sheet: ScoreSheet) -> Problem | None:
        """End the game as the sheet states, if its last turn did not end it."""
        result, reason = sheet.result, sheet.reason
        if self.match.result is None:
            self._end_by(result, reason)
        if self.match.result == result and reason in (None, self.match.reason):
            return None
        stated = f"{result} ({reason})" if reason else result
        if self.match.result is None:
            return wrong("result", "goes_on", _last(sheet), stated=stated)
        came = f"{self.match.result} ({self.match.reason})"
        return wrong("result", "leads_elsewhere", _last(sheet), stated=stated, came=came)

    def _end_by(self, result: str, reason: str | None) -> None:
        """Give the orders that end a game for this reason; a game that ended by itself has none."""
        losers = [side for side in Side if (side, result) not in _WON]
        match reason:
            case Reason.RESIGNATION:
                self._first_that_ends([("resign", {"side": side.word}) for side in losers], result)
            case Reason.AGREEMENT:
                if self.match.draw_offer is None:
                    self._order("offer_draw", side=self.match.side.word)
                self._order("answer_draw", side=self.match.side.word, accept=True)
            case Reason.FLAG:
                self._order("set_clock", **{f"{side.word}_ms": 0 for side in losers})
                self._first_that_ends([("claim_flag", {"side": side.other.word}) for side in losers], result)
            case None | Reason.ARBITER:
                self._order("set_result", result=result)
            case Reason.REPETITION | Reason.FIFTY_MOVES | Reason.SEVENTY_MOVES:
                moves: list[dict[str, str]] = [{}, *({"move": move} for move in self.match.situation.moves)]
                self._first_that_ends([("claim_draw", {"rule": reason, **move}) for move in moves], result)

    def _first_that_ends(self, orders: list[tuple[str, dict[str, Any]]], result: str) -> None:
        """Give the first of these orders that leads to the result; undo the others."""
        for name, fields in orders:
            match, kept, now = self.match, len(self.given), self.now_ms
            self._order(name, **fields)
            if self.match.result == result:
                return
            self.match, self.now_ms = match, now
            del self.given[kept:]

    def _order(self, name: str, **fields: Any) -> Problem | None:
        body = {"v": 2, "id": f"import-{next(self.asked)}", "match": self.match.id, "seq": self.match.seq}
        order = ORDERS.validate_json(json.dumps({**body, "type": name, **fields}))
        events = self._give(Command(self._time(), Role.ARBITER, order, seed=0))
        answered: Any = next(event.body for event in events if isinstance(event, Answered))
        return (
            None if answered["accepted"] else Problem(answered["code"], answered["words"], answered["args"])
        )

    def _dart(self, bed: Bed) -> Problem | None:
        at = self._time()
        self._give(Reading(at, at, "sheet", Dart(((bed, 1.0),), contact=Contact(0, 0))))
        return None

    def _give(self, given: Input) -> tuple[Event, ...]:
        self.match, events = step(self.match, given)
        self.given.append((given, self.match, events))
        return events

    def _time(self) -> int:
        self.now_ms = max(self.now_ms + 1, self.due_ms)
        return self.now_ms
