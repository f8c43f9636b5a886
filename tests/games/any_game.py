"""Short questions to the games on squares, and boards drawn in tests, so that they read like the page of rules."""

from __future__ import annotations

from typing import Any

from scharten.errors import Problem
from scharten.game.basics import Action, Foul, LostDart, Move, Pass, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Played
from scharten.games import GAMES
from scharten.games.loud import SquareOptions

BY_KEY: dict[str, AnyGame] = {game.key: game for game in GAMES}
SQUARES = tuple(game for game in GAMES if game.key != "scharten")


def options(game: AnyGame, **chosen: object) -> SquareOptions:
    """The options of a game with these chosen."""
    found = game.options_model(**chosen)
    assert isinstance(found, SquareOptions)
    return found


def drawn(board: str, rest: str) -> str:
    """A position text from a drawn board: `.` a free field, `_` none, White in capitals; row numbers are optional."""
    rows = []
    for line in board.strip().splitlines():
        signs = [sign for sign in line.split() if not sign.isdigit()]
        if len(signs) < 7:
            raise ValueError(f"no row: {line}")
        text = ""
        for sign in signs:
            if sign == "." and text and text[-1].isdigit():
                text = text[:-1] + str(int(text[-1]) + 1)
            else:
                text += "1" if sign == "." else sign
        rows.append(text)
    return f"{'/'.join(rows)} {rest}"


def stand(game: AnyGame, text: str, chosen: GameOptions) -> Any:
    """The position of a text that must be good."""
    found = game.read(text, chosen)
    assert not isinstance(found, Problem), found.words
    return found


def action(text: str) -> Action:
    """`e2e4` or `--`."""
    return Pass() if text == "--" else move_from_text(text)


def play(game: AnyGame, position: Any, turns: str, chosen: GameOptions) -> Played[Any]:
    """Play these turns, all of them legal, and return the last one's outcome."""
    played: Played[Any] = Played(position)
    for text in turns.split():
        found = game.play(played.position, action(text), chosen)
        assert not isinstance(found, Problem), f"{text}: {found.words}"
        played = found
    return played


def refused(game: AnyGame, position: Any, text: str, chosen: GameOptions) -> Problem:
    """Why this turn is not legal."""
    found = game.play(position, action(text), chosen)
    assert isinstance(found, Problem), f"{text} is legal"
    return found


def goals(game: AnyGame, position: Any, origin: str, chosen: GameOptions) -> set[str]:
    """Where the man on `origin` may go."""
    return {move[2:4] for move in game.situation(position, chosen).moves if move[:2] == origin}


def state(game: AnyGame, position: Any, chosen: GameOptions) -> str:
    """The state in a word."""
    return game.status(position, chosen).rpartition("state=")[2]


def successors(game: AnyGame, position: Any, chosen: GameOptions) -> list[Action]:
    """Every turn that the referee could be given: moves, lost darts for those that need one, a forced pass."""
    found = game.situation(position, chosen)
    if found.forced is not None:
        return [found.forced]
    moves: list[Move] = [move_from_text(text) for text in found.moves]
    lost = [LostDart(Foul.WRONG_COLOUR, move, "F1") for move in moves if move.text in found.needs_dart]
    return [*moves, *lost]
