"""The darts of a game, from its replay: place, effect and possible aims of each.

Pure: the input is the steps of a stored match. Darts of guests and of the computer are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scharten.dartboard.beds import ALL_BEDS, MISS, Bed, readings
from scharten.game.basics import Foul, LostDart, Side
from scharten.journal.replay import ReplayedInput
from scharten.match.dart import Dart
from scharten.match.inputs import Command, Reading
from scharten.match.orders import Exercise, PracticeDart
from scharten.match.state import Match, PlayedTurn
from scharten.match.white import Seat

TO_PLACE: Final = "place"
FOR_A_MOVE: Final = "move"
FOR_WHITE: Final = "white"
OFF_TARGET: Final = "off_target"
FIRST_PRACTICE: Final = 1_000_000
"""Practice darts are numbered by their journal rows from here on, after the darts of any game."""


@dataclass(frozen=True, slots=True)
class ThrownDart:
    """One dart of a registered player.

    `purpose`: `place`, `move`, `white` (the throw for White) or the exercise of a practice. `bed` is "" if unknown.
    Millimetres are known if cameras saw the dart and nobody corrected its bed. `foul` is why it was lost, "" if it was
    not. `aims` are the possible target beds, as bits of their indices in `ALL_BEDS`; 0: the bull.
    """

    player: str
    number: int
    at_ms: int
    purpose: str
    bed: str
    x_mm: float | None
    y_mm: float | None
    foul: str
    aims: int

    @property
    def placed(self) -> bool:
        """Whether it had the intended effect."""
        return not self.foul and self.purpose != FOR_WHITE


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The summary of one game; players and names, White first."""

    match: str
    started_ms: int
    ended_ms: int
    game: str
    kind: str
    players: tuple[str, str]
    names: tuple[str, str]
    result: str | None
    reason: str | None
    turns: int
    options: dict[str, object]


@dataclass(frozen=True, slots=True)
class DartHistory:
    """The darts of one player or of all players as (match, dart), and all games."""

    darts: Sequence[tuple[str, ThrownDart]]
    games: Sequence[PlayedGame]


def collect(
    match_id: str, steps: Iterable[ReplayedInput]
) -> tuple[PlayedGame, tuple[ThrownDart, ...]] | None:
    """Return the game and its players' darts; None if neither a game nor a practice began."""
    last: Match | None = None
    times: dict[str, int] = {}
    computers: dict[str, bool] = {}
    ended = 0
    practised: list[ThrownDart] = []
    for done in steps:
        match = done.match
        _note_practised(last, done, practised)
        known = len(last.turns) if last is not None else 0
        if len(match.turns) != known or (match.turns and last and match.turns[-1] is not last.turns[-1]):
            _note(match, done.given.t_ms, times, computers)
        if last is None or match.result != last.result:
            ended = done.given.t_ms
        last = match
    if last is None or not (last.id or practised):
        return None
    darts = (*_for_white(last), *_thrown(last, times, computers), *practised)
    return _game(match_id, last, ended), darts


def _note_practised(before: Match | None, done: ReplayedInput, practised: list[ThrownDart]) -> None:
    """Note the practice dart that this step counted or corrected, if a registered player threw it."""
    was, now = before.practice if before else None, done.match.practice
    if was is None or now is None or not was.player or now == was:
        return
    given = done.given
    at: tuple[float | None, float | None] = (None, None)
    if isinstance(given, Reading) and isinstance(given.what, Dart):
        bed, at = str(given.what.beds[0][0]), (given.what.x_mm, given.what.y_mm)
    elif isinstance(given, Command) and isinstance(given.order, PracticeDart):
        bed = given.order.bed
    else:
        return
    if now.corrected and practised:
        practised.pop()
    due = now.before or was
    aims = (
        sum(1 << ALL_BEDS.index(target) for target in due.targets)
        if was.exercise is not Exercise.WARM_UP
        else 0
    )
    foul = "" if now.hit > due.hit else OFF_TARGET
    practised.append(
        ThrownDart(was.player, FIRST_PRACTICE + done.n, given.t_ms, was.exercise.value, bed, *at, foul, aims)
    )


def _note(match: Match, t_ms: int, times: dict[str, int], computers: dict[str, bool]) -> None:
    """Note the times of new turns, and whether the computer made them."""
    for turn in reversed(match.turns):
        if turn.chain in times:
            return
        times[turn.chain] = t_ms
        computers[turn.chain] = bool(match.computers[0 if match.side_of(Seat.SEAT1) is turn.side else 1])


def _game(match_id: str, match: Match, ended: int) -> PlayedGame:
    return PlayedGame(
        match=match_id,
        started_ms=match.start.t_ms,
        ended_ms=ended if match.result else 0,
        game=match.game.key,
        kind=match.options.kind.value,
        players=(match.player_of(Side.WHITE), match.player_of(Side.BLACK)),
        names=(match.name_of(Side.WHITE), match.name_of(Side.BLACK)),
        result=match.result,
        reason=match.reason,
        turns=len(match.turns),
        options=match.options.model_dump(mode="json", exclude_defaults=True),
    )


def _for_white(match: Match) -> Iterable[ThrownDart]:
    """Yield the darts at the bull before the game."""
    for index, dart in enumerate(match.toss.darts):
        player = match.start.players[index % 2]
        if player and not match.start.computers[index % 2]:
            yield ThrownDart(player, index, match.start.t_ms, FOR_WHITE, str(dart.bed), None, None, "", 0)


def _thrown(match: Match, times: dict[str, int], computers: dict[str, bool]) -> Iterable[ThrownDart]:
    first = len(match.toss.darts)
    for number, turn in enumerate(match.turns):
        player = match.player_of(turn.side)
        if not turn.thrown or not player or computers.get(turn.chain):
            continue
        x_mm, y_mm = _millimetres(turn)
        yield ThrownDart(
            player=player,
            number=first + number,
            at_ms=times.get(turn.chain, match.start.t_ms),
            purpose=FOR_A_MOVE if turn.aim is not None else TO_PLACE,
            bed=_bed(turn),
            x_mm=x_mm,
            y_mm=y_mm,
            foul=turn.foul or "",
            aims=_aims(match, turn),
        )


def _bed(turn: PlayedTurn) -> str:
    """Return the bed that counted; a dart that was declared lost counts as a miss."""
    if turn.bed is not None:
        return str(turn.bed)
    return str(MISS) if turn.foul in (Foul.DECLARED, Foul.OFF_BOARD) else ""


def _millimetres(turn: PlayedTurn) -> tuple[float | None, float | None]:
    """Return the dart's place, if it is known and lies in the bed that counted."""
    dart = turn.dart
    if dart is None or dart.x_mm is None or dart.y_mm is None or not dart.beds or turn.bed is None:
        return None, None
    return (dart.x_mm, dart.y_mm) if turn.bed in readings(dart.beds[0][0]) else (None, None)


def _aims(match: Match, turn: PlayedTurn) -> int:
    """Return every bed with the intended effect, as bits."""
    throws, bits = match.game.throws, 0
    if throws is None:
        return 0
    sits = match.start.settings.white_sits_at
    for index, bed in enumerate(ALL_BEDS):
        found = throws.effect(turn.before.position, match.options, bed, sits, aim=turn.aim, side=turn.side)
        if not isinstance(found.action, LostDart):
            bits |= 1 << index
    return bits


def beds_of(bits: int) -> tuple[Bed, ...]:
    """Return the beds of these bits."""
    return tuple(bed for index, bed in enumerate(ALL_BEDS) if bits >> index & 1)


def as_row(dart: ThrownDart) -> tuple[Any, ...]:
    """Return a dart as a row of the table, its bits as a hexadecimal number."""
    head = (dart.player, dart.number, dart.at_ms, dart.purpose, dart.bed, dart.x_mm, dart.y_mm, dart.foul)
    return (*head, f"{dart.aims:x}")


def from_row(row: tuple[Any, ...]) -> ThrownDart:
    """Return the dart of a row."""
    return ThrownDart(*[*row[:8], int(row[8], 16)])
