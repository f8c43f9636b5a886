"""`scharten handicap`: the foul limits that give two throwers the same chance to lose by lost darts."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from scharten.commands.options import AsJson, GameOption, OptionsText, WhiteSitsAt
from scharten.commands.words import refusal
from scharten.errors import Problem, SchartenError
from scharten.game.flags import parse_flags
from scharten.games import GAMES, GAMES_BY_KEY


def handicap(
    white: Annotated[float, typer.Argument(min=1, max=200, help="White's scatter in mm.")],
    black: Annotated[float, typer.Argument(min=1, max=200, help="Black's scatter in mm.")],
    *,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    white_sits_at: WhiteSitsAt = 3,
    as_json: AsJson = False,
) -> None:
    """Print even foul limits for two throwers, and each side's risk to lose by lost darts, from simulated games.

    scharten handicap 20 45
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take
    from scharten.players.handicap import RUNS
    from scharten.players.handicap import handicap as even_limits

    played = GAMES_BY_KEY.get(game)
    if played is None:
        raise SchartenError.coded("no_such_game", game=game, known=tuple(GAMES_BY_KEY))
    chosen = parse_flags(f"--loud {options}", played.options_model)
    if isinstance(chosen, Problem):
        raise refusal(chosen)
    with typer.progressbar(length=2 * RUNS, label="simulated games", file=sys.stderr) as progress:
        found = even_limits(played, chosen, (white, black), white_sits_at, lambda: progress.update(1))
    if isinstance(found, Problem):
        raise refusal(found)
    shown = found.as_json()
    if as_json:
        typer.echo(json.dumps(shown))
        return
    for side, limit in shown["limits"].items():
        typer.echo(f"{side}: foul limit {limit}, loses by lost darts in {shown['risk'][side]:.1f} %")
