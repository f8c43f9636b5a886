"""A second, slow generator for Shakti, written from games.md 5 alone: it shares no table and no code with the first.

Tiles are a set of (file, row), men a dict; every move is played, and judged by looking along all lines again.
"""

from __future__ import annotations

from dataclasses import dataclass

Spot = tuple[int, int]
DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


@dataclass
class Game:
    """Tiles, men by letter (upper case White), and who is to move."""

    tiles: frozenset[Spot]
    men: dict[Spot, str]
    white: bool


def read(text: str) -> Game:
    """The first two parts of a position text."""
    pieces, side = text.split()[:2]
    tiles, men = set(), {}
    for down, row in enumerate(pieces.split("/")):
        file = 0
        for sign in row:
            many = int(sign) if sign.isdigit() else 1
            if sign != "_":
                tiles |= {(file + more, 6 - down) for more in range(many)}
            if sign.isalpha():
                men[file, 6 - down] = sign
            file += many
    return Game(frozenset(tiles), men, side == "w")


def name(spot: Spot) -> str:
    """`d4`."""
    return f"{'abcdefg'[spot[0]]}{spot[1] + 1}"


def _along(tiles: frozenset[Spot], start: Spot, direction: Spot) -> list[Spot]:
    """The tiles in one direction, nearest first."""
    spots = [(start[0] + far * direction[0], start[1] + far * direction[1]) for far in range(1, 7)]
    return [spot for spot in spots if spot in tiles]


def _seen(tiles: frozenset[Spot], start: Spot) -> set[Spot]:
    return {ahead[0] for direction in DIRECTIONS if (ahead := _along(tiles, start, direction))}


def _king(game: Game, white: bool) -> Spot:
    return next(spot for spot, letter in game.men.items() if letter == ("K" if white else "k"))


def checked(game: Game, white: bool) -> bool:
    """Whether an enemy warrior sees this side's king."""
    king, warrior = _king(game, white), "w" if white else "W"
    return any(king in _seen(game.tiles, spot) for spot, letter in game.men.items() if letter == warrior)


def _fair(game: Game, white: bool) -> bool:
    """Whether this side may have moved like that."""
    return not checked(game, white) and _king(game, False) not in _seen(game.tiles, _king(game, True))


def _played(game: Game, start: Spot, to: Spot, gone: Spot | None = None) -> Game:
    men = {spot: letter for spot, letter in game.men.items() if spot not in (start, to)}
    men[to] = game.men[start]
    return Game(game.tiles - {gone} if gone else game.tiles, men, not game.white)


def legal(game: Game) -> dict[str, Game]:
    """Every legal move with what comes after."""
    king, check = _king(game, game.white), checked(game, game.white)
    found = {}
    for start, letter in game.men.items():
        if letter.isupper() is not game.white:
            continue
        for direction in DIRECTIONS:
            ahead = _along(game.tiles, start, direction)
            tries: list[tuple[Spot, Spot | None]] = []
            if start == king and check:
                beside = (start[0] + direction[0], start[1] + direction[1])
                if beside in game.tiles and game.men.get(beside) in (None, "w" if game.white else "W"):
                    tries = [(beside, None)]
            elif ahead and ahead[0] not in game.men:
                tries = [(ahead[0], None)]
                if start != king and len(ahead) > 1 and ahead[1] not in game.men:
                    tries.append((ahead[1], ahead[0]))
            for to, gone in tries:
                stepped = _played(game, start, to, gone)
                if _fair(stepped, game.white):
                    found[name(start) + name(to)] = stepped
    return found


def turns(game: Game) -> tuple[str, dict[str, Game]]:
    """The state as `status` has it, and every turn (`--` a pass) with what comes after."""
    if not any(letter in "Ww" for letter in game.men.values()):
        return "dead", {}
    moves = legal(game)
    if moves:
        return "ongoing", moves
    if checked(game, game.white):
        return "checkmate", {}
    over = Game(game.tiles, game.men, not game.white)
    return ("must_pass", {"--": over}) if legal(over) else ("blocked", {})


def perft(game: Game, depth: int) -> int:
    """The leaves after `depth` turns."""
    if depth == 0:
        return 1
    return sum(perft(turn, depth - 1) for turn in turns(game)[1].values())
