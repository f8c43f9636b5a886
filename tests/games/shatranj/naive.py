"""A second, slow generator for Shatranj, written from games.md 4 alone: it shares no table and no code with the first.

The board is a dict from (file, row) to a letter, upper case White; legality is judged by playing the move and asking
of every enemy man whether it could capture the king.
"""

from __future__ import annotations

from dataclasses import dataclass

Spot = tuple[int, int]
JUMPS = {
    "K": [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)],
    "G": [(1, 1), (1, -1), (-1, 1), (-1, -1)],
    "E": [(2, 2), (2, -2), (-2, 2), (-2, -2)],
    "N": [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)],
}


@dataclass
class Game:
    """A board of letters and who is to move."""

    board: dict[Spot, str]
    white: bool
    swaps: bool = False


def read(text: str, *, swaps: bool = False) -> Game:
    """The first two parts of a position text."""
    pieces, side = text.split()[:2]
    board = {}
    for down, row in enumerate(pieces.split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                board[file, 7 - down] = sign
                file += 1
    return Game(board, side == "w", swaps)


def name(spot: Spot) -> str:
    """`e4`."""
    return f"{'abcdefgh'[spot[0]]}{spot[1] + 1}"


def _ours(letter: str | None, white: bool) -> bool:
    return letter is not None and letter.isupper() is white


def _reached(board: dict[Spot, str], start: Spot) -> set[Spot]:
    """Where the man on `start` may go, his king not considered."""
    letter = board[start]
    white, (x, y) = letter.isupper(), start
    found = set()
    if letter.upper() == "P":
        up = y + (1 if white else -1)
        if (x, up) not in board:
            found.add((x, up))
        found |= {to for to in ((x - 1, up), (x + 1, up)) if to in board and not _ours(board[to], white)}
    elif letter.upper() == "R":
        for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            for far in range(1, 8):
                to = (x + far * a, y + far * b)
                found.add(to)
                if to in board:
                    break
    else:
        found = {(x + a, y + b) for a, b in JUMPS[letter.upper()]}
    inside = {(a, b) for a, b in found if 0 <= a < 8 and 0 <= b < 8}
    return {to for to in inside if not _ours(board.get(to), white)}


def checked(board: dict[Spot, str], white: bool) -> bool:
    """Whether this side's king could be captured."""
    king = next(spot for spot, letter in board.items() if letter == ("K" if white else "k"))
    return any(
        king in _reached(board, spot) for spot, letter in board.items() if letter.isupper() is not white
    )


def _played(game: Game, start: Spot, to: Spot) -> Game:
    board = dict(game.board)
    mover = board.pop(start)
    if _ours(board.get(to), game.white):
        board[start] = board[to]
    elif mover in "Pp" and to[1] in (0, 7):
        # Only forwards: a pawn on its own first row got there by a swap or was set up, and came from nowhere.
        mover = "G" if game.white else "g"
    board[to] = mover
    return Game(board, not game.white, game.swaps)


def _legal(game: Game) -> dict[str, Game]:
    found = {}
    for start, letter in game.board.items():
        if letter.isupper() is game.white:
            for to in _reached(game.board, start):
                stepped = _played(game, start, to)
                if not checked(stepped.board, game.white):
                    found[name(start) + name(to)] = stepped
    return found


def _swaps(game: Game) -> dict[str, Game]:
    king = next(spot for spot, letter in game.board.items() if letter == ("K" if game.white else "k"))
    last = 7 if game.white else 0
    found = {}
    for spot, letter in game.board.items():
        if letter.isupper() is game.white and spot != king and not (letter in "Pp" and king[1] == last):
            stepped = _played(game, king, spot)
            if not checked(stepped.board, game.white):
                found[name(king) + name(spot)] = stepped
    return found


def turns(game: Game) -> tuple[str, dict[str, Game]]:
    """The state as `status` has it, and every turn with what comes after; no turns in a finished game."""
    moves = _legal(game)
    check = checked(game.board, game.white)
    own = [letter for letter in game.board.values() if letter.isupper() is game.white]
    men = {
        spot
        for spot, letter in game.board.items()
        if letter.isupper() is not game.white and letter not in "Kk"
    }
    if check and not moves:
        return "checkmate", {}
    if len(own) == 1 and not men:
        return "both_bare", {}
    if not men:
        return "bare_king", {}
    if len(own) == 1:
        takes = len(men) == 1 and any(move[2:] == name(next(iter(men))) for move in moves)
        return ("bared", moves) if takes else ("bare_king", {})
    if moves:
        return "ongoing", moves
    swaps = _swaps(game) if game.swaps else {}
    return ("must_swap", swaps) if swaps else ("stalemate", {})


def perft(game: Game, depth: int) -> int:
    """The leaves after `depth` turns."""
    if depth == 0:
        return 1
    return sum(perft(turn, depth - 1) for turn in turns(game)[1].values())
