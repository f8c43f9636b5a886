"""`make openings`: levels play each other, and docs/knowledge.md gets the figures of their games, with intervals.

The games are those of `lab.self_play`: a few processes play them at low priority and store each, within the time
limit. A stopped run continues, and the same file gives the same document.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products are slower with threads

import numpy as np
import typer

from lab.self_play import EVERY, MOST_TURNS, SCATTERS, SCHARTEN, SITS, STRENGTHS, Row, play_on
from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import FIELDS, THROWS, Field, bed_of, field_name
from scharten.games.scharten.game import SCHARTEN as GAME
from scharten.games.scharten.position import Position

OUT: Final = Path(__file__).parents[2] / "docs" / "knowledge.md"
NORMAL: Final = 1.96
FIRST: Final = 5
UNDATED: Final = "2026-11-27"
"""The latest day of a game from before games were stored with their date."""
FEW: Final = 20
"""Games below which a figure is left out."""
RESAMPLES: Final = 200
RINGS: Final = {"D": "doubles", "F": "outer singles", "T": "trebles", "L": "inner singles"}
SET: Final = 40.0
"""The total value of a side's knights, bishops, rooks and queens, which sets the unit."""
PIECES: Final = ("pawn", "knight", "bishop", "rook", "queen")
_BY_BED: Final = {str(bed_of(field, SITS)): int(field) for field in FIELDS}


def mean(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of points with its 95 % interval, within 0 and 1."""
    middle = sum(values) / len(values)
    spread = sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
    reach = NORMAL * (spread / len(values)) ** 0.5
    return middle, max(0.0, middle - reach), min(1.0, middle + reach)


def share(hits: int, count: int) -> tuple[float, float, float]:
    """Return a share with its 95 % interval (Wilson 1927)."""
    p, z = hits / count, NORMAL**2 / count
    middle = (p + z / 2) / (1 + z)
    reach = NORMAL * (p * (1 - p) / count + z / 4 / count) ** 0.5 / (1 + z)
    return p, max(0.0, middle - reach), min(1.0, middle + reach)


def percent(figure: tuple[float, float, float]) -> str:
    """Write a figure as percent with its interval."""
    return f"{100 * figure[0]:.0f} % ({100 * figure[1]:.0f} to {100 * figure[2]:.0f})"


def advantage(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield White's share of the points by game, kind and scatter, over games with hands and levels of equal chance."""
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        if row["mm"] is None or row["mm"][0] == row["mm"][1]:
            mm = "-" if row["mm"] is None else f"{row['mm'][0]:.0f} mm"
            found[row["game"], row["kind"], mm].append(row["points"])
    for (game, kind, mm), points in sorted(found.items(), key=lambda item: (item[0][0] != SCHARTEN, item[0])):
        if len(points) >= FEW:
            yield game.replace("_", " "), kind, mm, str(len(points)), percent(mean(points))


def fogling(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield, by the thrower's scatter in loud Scharten: darts, the lost share, and the chance to lose by fogling."""
    games, lost, darts, missed = Counter[float](), Counter[float](), Counter[float](), Counter[float]()
    for row in rows:
        if row["game"] != SCHARTEN or row["mm"] is None:
            continue
        for side, (word, mm) in enumerate(zip(("white", "black"), row["mm"], strict=True)):
            games[mm] += 1
            lost[mm] += row["end"] == "fogling" and row["points"] == side
            thrown = [text for thrower, _, text in row["throws"] if thrower == word]
            darts[mm] += len(thrown)
            missed[mm] += thrown.count("@-")
    for mm in SCATTERS:
        if games[mm] >= FEW:
            by_dart, by_game_ = share(missed[mm], darts[mm]), share(lost[mm], games[mm])
            yield f"{mm:.0f} mm", str(games[mm]), str(darts[mm]), percent(by_dart), percent(by_game_)


def first_throws(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield, by scatter and ring, the aims of the first five pieces, and the points of those games."""
    found: dict[tuple[float, int, str], list[tuple[str, bool, float]]] = defaultdict(list)
    for row in rows:
        if row["game"] != SCHARTEN or row["mm"] is None:
            continue
        for side, word in enumerate(("white", "black")):
            placed = 0
            for bed, text in ((bed, text) for thrower, bed, text in row["throws"] if thrower == word):
                if placed < FIRST and bed in _BY_BED:
                    points = row["points"] if side == 0 else 1 - row["points"]
                    key = (row["mm"][side], placed + 1, RINGS[bed[0]])
                    found[key].append((_seen(bed, side), text != "@-", points))
                placed += text != "@-"
    for (mm, piece, ring), throws in sorted(found.items()):
        if len(throws) >= FEW:
            field = Counter(name for name, _, _ in throws).most_common(1)[0][0]
            hit = share(sum(placed for _, placed, _ in throws), len(throws))
            points = mean([value for _, _, value in throws])
            yield f"{mm:.0f} mm", str(piece), ring, field, str(len(throws)), percent(hit), percent(points)


def _seen(bed: str, side: int) -> str:
    """Return the field of a bed as White sees it: Black's view is the board turned by half a circle."""
    ring, sector = divmod(_BY_BED[bed], 20)
    return str(field_name(Field(ring * 20 + (sector + 10 * side) % 20)))


def worths(rows: list[Row]) -> Iterator[tuple[str, ...]]:
    """Yield the value of each piece, fitted to the results, silent and loud, with a bootstrap interval."""
    for kind in Kind:
        own = [row for row in rows if row["game"] == SCHARTEN and row["kind"] == kind.value]
        x, points, game = _counts(own, kind)
        games = np.unique(game)
        if len(games) < FEW:
            continue
        counts = 1 / by_game_size(game)
        chance = np.random.default_rng(1)
        whole = _worth(x, points, counts)
        samples = []
        for _ in range(RESAMPLES):
            times = np.bincount(chance.choice(len(games), len(games)), minlength=len(games))
            samples.append(_worth(x, points, counts * times[np.searchsorted(games, game)]))
        low, high = np.percentile(np.array(samples), (2.5, 97.5), axis=0)
        for place, name in enumerate(PIECES):
            figure = f"{whole[place]:.1f} ({low[place]:.1f} to {high[place]:.1f})"
            yield kind.value, name, str(len(games)), figure


def by_game_size(game: Any) -> Any:
    """Return for each row the number of rows of its game."""
    _, place = np.unique(game, return_inverse=True)
    return np.bincount(place)[place]


def _counts(rows: list[Row], kind: Kind) -> tuple[Any, Any, Any]:
    """Return White's pieces minus Black's by kind of piece, once all are thrown; White's points; the game."""
    options = GAMES_BY_KEY[SCHARTEN].options_model(kind=kind)
    x, points, game = [], [], []
    for row in rows:
        for text in row["rows"]:
            position = GAME.read(text, options)
            assert not isinstance(position, Problem) and isinstance(position, Position)
            if sum(position.placed) == 2 * THROWS:
                white, black = position.sets
                x.append([white[code].bit_count() - black[code].bit_count() for code in range(len(PIECES))])
                points.append(row["points"])
                game.append(row["number"])
    return np.array(x, float), np.array(points), np.array(game)


def _worth(x: Any, points: Any, counts: Any) -> Any:
    """Return the values of `PIECES` by a logistic fit, in units in which two of each except pawns add up to `SET`."""
    weight, hold = np.array([0.2, 0.6, 0.6, 1.0, 1.8]), 0.5
    prior = weight.copy()
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(x @ weight, -30, 30)))
        slope = x.T @ (counts * (points - chance)) - hold * (weight - prior)
        curve = (x.T * (counts * chance * (1 - chance))) @ x + hold * np.eye(len(weight))
        weight = weight + np.linalg.solve(curve, slope)
    return weight * SET / max(2 * weight[1:].sum(), 0.1)


def document(rows: list[Row]) -> str:
    """Return the document."""
    ends = Counter(str(row["end"]) for row in rows).most_common()
    ended = ", ".join(f"{end.replace('_', ' ')} {count}" for end, count in ends)
    millimetres = ", ".join(f"{mm:.0f}" for mm in SCATTERS)
    levels = " and ".join(str(level) for level in STRENGTHS)
    until = max(row.get("date", UNDATED) for row in rows)
    return f"""# Knowledge: figures from games of levels

`make openings ARGS=--games={len(rows)}` made this page; do not edit it. It holds {len(rows)} games of levels
{levels} against each other, in all five games, silent and loud, with hands of {millimetres} mm. Each figure has its
95 % interval in brackets. A figure from fewer than {FEW} games is left out.

The games were played until {until}. A level that has changed since plays others: `make openings` continues its file of
games, and without that file it plays all of them again.

Games ended by: {ended}.

These levels search one turn and then captures, while pieces are to come too (at a board they look three turns ahead
then). The figures hold for such players; strong ones may find otherwise. A player resigns when it judges three turns
in a row to be lost; a third repetition, a draw that may be claimed, and {MOST_TURNS} turns are draws.

## White's advantage

White's share of the points, both players with the same hand. Levels are drawn by chance for each side.

{_table(("game", "kind", "hand", "games", "White's points"), advantage(rows))}

## Fogling

Loud Scharten, by the hand of the thrower: how many of the darts that place a piece are lost, and how often a player
loses the game by fogling (three lost darts in a row).

{_table(("hand", "games", "darts", "lost darts", "games lost by fogling"), fogling(rows))}

## The first five pieces

The first five pieces are pawns. For each ring at which a hand aims: the field aimed at most (as White sees the board;
Black's turned by half a circle), the number of darts, how many place the piece anywhere, and the thrower's points in
those games.

{_table(("hand", "piece", "ring", "field", "darts", "placed", "points"), first_throws(rows))}

## What the pieces are worth

Scharten: a logistic fit of the result to the pieces on the board, in every {EVERY}th position after all pieces were
thrown. The unit is such that two knights, bishops, rooks and queens together are worth {SET:.0f}, as in chess. The
fit is held weakly to common values.

{_table(("kind", "piece", "games", "worth"), worths(rows))}
"""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, or a sentence if too few games were played."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return "Too few games yet."
    return "\n".join((f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines))


def main(
    games: Annotated[int, typer.Option(min=1, help="Games of all kinds together.")] = 5000,
    minutes: Annotated[float, typer.Option(min=0, help="Play no longer than this; 0 only writes.")] = 120.0,
    file: Annotated[Path, typer.Option(help="Keeps each game.")] = Path("build/self-play.jsonl"),
    processes: Annotated[int, typer.Option(min=1, help="Processes, at low priority.")] = os.cpu_count() or 1,
    out: Annotated[Path, typer.Option(help="The document.")] = OUT,
) -> None:
    """Play games of levels against each other, and write the document."""
    played = play_on(file, games, minutes * 60, processes)
    rows = [played[number] for number in sorted(played) if number < games]
    out.write_text(document(rows), encoding="utf-8")
    typer.echo(f"{out}: {len(rows)} of {games} games")


if __name__ == "__main__":
    typer.run(main)
