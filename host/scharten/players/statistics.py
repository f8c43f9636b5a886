"""The figures of one player and of all, counted from the darts and games of the tables. Pure; all results are JSON."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scharten.dartboard.beds import Bed, parse_bed
from scharten.game.basics import MutableJson
from scharten.match.orders import Exercise
from scharten.players.darts import FOR_WHITE, DartHistory, PlayedGame, ThrownDart, beds_of
from scharten.players.scatter import Observation, estimate

MOST_POINTS: Final = 2000
"""The most of the newest darts that a heat map shows by their millimetres."""
WON: Final = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "½-½": (0.5, 0.5), "0-0": (0.0, 0.0), "½-0": (0.5, 0.0),
              "0-½": (0.0, 0.5)}  # fmt: skip
NamesById = Mapping[str, Mapping[str, object]]
"""The register as JSON by id."""


def observation(dart: ThrownDart) -> Observation:
    """Turn a dart into an observation for the estimate."""
    bed = parse_bed(dart.bed)
    at = None if dart.x_mm is None or dart.y_mm is None else (dart.x_mm, dart.y_mm)
    return Observation(() if bed is None else (bed,), at, beds_of(dart.aims))


def scatter_of(darts: Iterable[ThrownDart]) -> MutableJson:
    """Return the scatter with its interval."""
    return estimate(map(observation, darts)).as_json()


def statistics(history: DartHistory) -> MutableJson:
    """Return the figures of these darts, of one player or of all."""
    darts = [dart for _, dart in history.darts]
    counted = [dart for dart in darts if dart.purpose != FOR_WHITE]
    beds = Counter(dart.bed for dart in darts if dart.bed)
    return {
        "darts": _share(counted),
        "lost": dict(Counter(dart.foul for dart in counted if dart.foul).most_common()),
        "rings": _rings(counted),
        "beds": dict(beds.most_common()),
        "hottest": max(beds.values(), default=0),
        "points": [[dart.x_mm, dart.y_mm] for dart in darts[-MOST_POINTS:] if dart.x_mm is not None],
        "scatter": scatter_of(darts),
        "months": _months(darts),
        "purposes": {
            purpose: _share([dart for dart in darts if dart.purpose == purpose])
            for purpose in sorted({dart.purpose for dart in counted})
        },
    }


def player_statistics(player: str, history: DartHistory, names: NamesById) -> MutableJson:
    """Return a player's figures: darts, games, results by opponent, personal bests."""
    own = [game for game in history.games if player in game.players]
    return {
        **statistics(history),
        "games": [_game(game, player, names) for game in reversed(own)],
        "against": _against(own, player, names),
        "bests": _bests(player, history, own),
    }


def _share(darts: Sequence[ThrownDart]) -> MutableJson:
    placed = sum(dart.placed for dart in darts)
    rate = round(100 * placed / len(darts)) if darts else 0
    return {"thrown": len(darts), "placed": placed, "lost": len(darts) - placed, "rate": rate}


def _ring(bed: Bed | None) -> str:
    return "unknown" if bed is None else bed.kind.name.lower()


def _rings(darts: Sequence[ThrownDart]) -> MutableJson:
    """Return the numbers of darts and of placed darts by ring."""
    by_ring: dict[str, list[ThrownDart]] = {}
    for dart in darts:
        by_ring.setdefault(_ring(parse_bed(dart.bed)), []).append(dart)
    return {ring: _share(found) for ring, found in sorted(by_ring.items(), key=lambda entry: -len(entry[1]))}


def _months(darts: Sequence[ThrownDart]) -> list[MutableJson]:
    """Return the scatter of each month, the oldest first."""
    by_month: dict[str, list[ThrownDart]] = {}
    for dart in darts:
        by_month.setdefault(month_of(dart.at_ms), []).append(dart)
    return [{"month": month, **scatter_of(found)} for month, found in sorted(by_month.items())]


def month_of(t_ms: int) -> str:
    """Return the month as `2026-11`, in the machine's time zone."""
    return f"{datetime.datetime.fromtimestamp(t_ms / 1000).astimezone():%Y-%m}"


def points(game: PlayedGame, player: str) -> float | None:
    """Return the player's points, None for a game without a result."""
    if game.result is None or game.result not in WON:
        return None
    return WON[game.result][game.players.index(player)]


def _other(game: PlayedGame, player: str) -> tuple[str, str]:
    """Return the opponent's id and name."""
    other = 1 - game.players.index(player)
    return game.players[other], game.names[other]


def _named(id_: str, name: str, names: NamesById) -> MutableJson:
    known = names.get(id_)
    if known is None:
        return {"id": None, "name": name}
    return {"id": None, "gone": True} if known.get("gone") else {"id": id_, "name": known["name"]}


def _game(game: PlayedGame, player: str, names: NamesById) -> MutableJson:
    side = "white" if game.players[0] == player else "black"
    head = {"match": game.match, "started_ms": game.started_ms, "game": game.game, "kind": game.kind}
    rest = {"result": game.result, "reason": game.reason, "turns": game.turns, "points": points(game, player)}
    return {**head, "side": side, "against": _named(*_other(game, player), names), **rest}


def _against(games: Sequence[PlayedGame], player: str, names: NamesById) -> list[MutableJson]:
    """Return games won, drawn and lost against each registered player, the most frequent opponent first."""
    found: dict[str, list[float]] = {}
    for game in games:
        other, result = _other(game, player)[0], points(game, player)
        if result is not None and other and other != player:
            found.setdefault(other, []).append(result)
    return [
        {**_named(other, "", names), "won": results.count(1.0), "drawn": results.count(0.5),
         "lost": results.count(0.0)}
        for other, results in sorted(found.items(), key=lambda entry: -len(entry[1]))
    ]  # fmt: skip


def _bests(player: str, history: DartHistory, own: Sequence[PlayedGame]) -> MutableJson:
    """Return the longest runs of placed darts and wins, the quickest win, the longest game without a lost dart."""
    run = longest(dart.placed for _, dart in history.darts if dart.purpose != FOR_WHITE)
    wins = [game for game in own if points(game, player) == 1.0]
    by_match: dict[str, list[ThrownDart]] = {}
    for match, dart in history.darts:
        if dart.purpose != FOR_WHITE:
            by_match.setdefault(match, []).append(dart)
    clean = [len(darts) for darts in by_match.values() if all(dart.placed for dart in darts)]
    practice = {
        exercise.value: longest(dart.placed for _, dart in history.darts if dart.purpose == exercise)
        for exercise in Exercise
        if any(dart.purpose == exercise for _, dart in history.darts)
    }
    quickest = min(wins, key=lambda game: game.turns, default=None)
    return {
        "placed_in_a_row": run,
        "won_in_a_row": longest(points(game, player) == 1.0 for game in own if game.result),
        "quickest_win": None if quickest is None else {"match": quickest.match, "turns": quickest.turns},
        "practice": practice,
        "darts_without_loss": max(clean, default=0),
    }


def longest(flags: Iterable[bool]) -> int:
    """Return the length of the longest run of true values."""
    best = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        best = max(best, run)
    return best


CSV_HEAD: Final = ("match", "number", "at_ms", "player", "purpose", "bed", "x_mm", "y_mm", "placed", "foul",
                   "aims")  # fmt: skip


def csv_rows(history: DartHistory) -> Iterable[tuple[object, ...]]:
    """Yield every dart as a row under `CSV_HEAD`; `aims` are the possible target beds, separated by spaces."""
    for match, dart in history.darts:
        head = (match, dart.number, dart.at_ms, dart.player, dart.purpose, dart.bed, dart.x_mm, dart.y_mm)
        yield (*head, int(dart.placed), dart.foul, " ".join(map(str, beds_of(dart.aims))))
