"""`scharten handicap`: the foul limits that give two throwers the same chance to lose by lost darts."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer

from scharten.commands.options import AsJson, GameOption, OptionsText, WhiteSitsAt, named_game
from scharten.commands.words import accepted, chosen_language, words
from scharten.game.flags import parse_flags
from scharten.games import GAMES
from scharten.words import text


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

    Both throw at the surest point: in Scharten in every turn, in the other games whenever they can capture. A player
    who moves more often risks less.

    scharten handicap 20 45
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take
    from scharten.players.handicap import RUNS
    from scharten.players.handicap import handicap as even_limits

    played = named_game(game)
    chosen = accepted(parse_flags(f"--loud {options}", played.options_model))
    with typer.progressbar(length=2 * RUNS, label=words("handicap.progress"), file=sys.stderr) as progress:
        found = even_limits(played, chosen, (white, black), white_sits_at, lambda: progress.update(1))
    shown = accepted(found).as_json()
    if as_json:
        typer.echo(json.dumps(shown))
        return
    for side, limit in shown["limits"].items():
        typer.echo(
            words(
                "handicap.limit",
                side=text(chosen_language(), f"side.{side}"),
                limit=limit,
                risk=f"{shown['risk'][side]:.1f}",
            )
        )
