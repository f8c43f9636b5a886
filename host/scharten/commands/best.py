"""`scharten best` and `scharten solve`: the engine's turn in a position, and forced mates."""

from __future__ import annotations

import os
import random
import time
from typing import Annotated, Any

import typer

from scharten import config
from scharten.commands.aims import aim_text
from scharten.commands.options import (
    GameOption,
    LoudOption,
    OptionsText,
    PositionText,
    WhiteSitsAt,
    named_game,
)
from scharten.commands.words import accepted, chosen_language, words
from scharten.errors import SchartenError
from scharten.game.flags import parse_flags
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.words import ENGLISH


def best(
    position: PositionText,
    *,
    seconds: Annotated[float, typer.Option("--time", min=0.05, max=3600, help="Seconds to think.")] = 2.0,
    level: Annotated[
        int, typer.Option(min=1, max=10, help="The level, which sets scatter, error and depth.")
    ] = 10,
    loud: LoudOption = False,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    white_sits_at: WhiteSitsAt = 3,
) -> None:
    """Print the best turn: a move, or the aim of a dart, with value, depth and positions per second.

    Endgames are played by the tables, once `scharten tables build` has built them.

    scharten best "16q3/10kBK7/20/1b18 b - 17/17 0/0 0/0 40" --time 2
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take
    from scharten.opponent.table_files import TableFiles
    from scharten.play.player import Mind

    played, chosen, start = _read_question(game, options, loud, position)
    tables = TableFiles(config.data_folder() / "tables")
    gauss = random.Random().gauss
    mind = Mind(played, chosen, level, white_sits_at, gauss=gauss, tables=tables, divided_by=None)
    began = time.perf_counter()
    turn = mind.think(start, seconds, time.monotonic)
    took = time.perf_counter() - began
    if turn is None:
        raise SchartenError.coded("no_turn_left")
    typer.echo(turn.text)
    if described := _described(turn):
        typer.echo(described)
    rate = f"{mind.nodes / took:.0f}"
    typer.echo(words("best.speed", positions=mind.nodes, seconds=f"{took:.2f}", rate=rate), err=True)


def _described(turn: Any) -> str:
    """Return an `Intent` in words: where to aim, and the value of the position."""
    if chosen_language() == ENGLISH:
        return str(turn.words)
    parts = []
    if turn.aim is not None:
        from scharten.play.advice import ScoredAim

        aim = ScoredAim(turn.aim[0], turn.aim[1], 0.0, None).as_json()
        parts.append(aim_text(str(aim["bed"]), str(aim["part"])))
    if turn.value is not None:
        parts.append(words("best.value", value=f"{turn.value / 100:+.2f}"))
    return "; ".join(parts)


def solve(
    position: PositionText,
    *,
    mate: Annotated[int, typer.Option("--mate", min=1, max=6, help="The most moves until mate.")],
    options: OptionsText = "",
) -> None:
    """Print every first move that forces mate within --mate moves; exit status 1 if no move does.

    scharten solve "16q3/10kBK7/20/1b18 b - 17/17 0/0 0/0 40" --mate 3
    """
    from scharten.games.scharten.actions import move_of
    from scharten.play.mating import Mates

    _, _, start = _read_question(GAMES[0].key, options, False, position)
    keys = sorted(move_of(*turn).text for turn in Mates().keys(start, mate))
    if not keys:
        typer.echo(words("solve.none", moves=mate))
        raise typer.Exit(1)
    typer.echo(" ".join(keys))


def _read_question(key: str, given: str, loud: bool, text: str) -> tuple[AnyGame, GameOptions, Any]:
    game = named_game(key)
    options = accepted(parse_flags(f"{'--loud' if loud else ''} {given}".strip(), game.options_model))
    return game, options, accepted(game.read(text, options))
