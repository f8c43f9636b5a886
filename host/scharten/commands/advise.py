"""`scharten advise`: where a thrower of a known scatter should aim."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

import typer
from pydantic import ValidationError

from scharten.commands.aims import aim_text
from scharten.commands.options import GameOption, OptionsText, PositionText, WhiteSitsAt, named_game
from scharten.commands.words import accepted, chosen_language, words
from scharten.errors import Problem, SchartenError
from scharten.game.options import GameOptions
from scharten.games import GAMES
from scharten.words import ENGLISH

T = TypeVar("T", bound=GameOptions)


def advise(
    position: PositionText,
    *,
    scatter: Annotated[
        float, typer.Option(min=1, max=200, help="Standard deviation of the darts, in mm.")
    ] = 30.0,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    options_json: Annotated[str, typer.Option(help="The options as JSON instead.")] = "",
    move: Annotated[str, typer.Option(help="In games on squares: the move that needs the dart.")] = "",
    seconds: Annotated[float, typer.Option("--time", min=0.05, max=60, help="Seconds to think.")] = 1.0,
    white_sits_at: WhiteSitsAt = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print the payload of the topic `advice`.")] = False,
) -> None:
    """Print the safest aim, the best aim and the cheapest fields.

    scharten advise "4K15/20/20/14k5 w - 0/0 0/0 0/0 1" --scatter 35
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take
    from scharten.game.basics import move_from_text
    from scharten.play.advice import advise as compute_advice

    played = named_game(game)
    chosen = accepted(_chosen(played.options_model, options, options_json))
    start = accepted(played.read(position, chosen))
    until = time.monotonic() + seconds
    found = compute_advice(
        played,
        start,
        chosen,
        scatter,
        white_sits_at=white_sits_at,
        over=lambda: time.monotonic() >= until,
        move=move_from_text(move) if move else None,
    )
    shown = accepted(found).as_json()
    typer.echo(json.dumps(shown) if as_json else "\n".join(_lines(shown)))


def _lines(shown: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each of the two aims, then for each of the cheapest fields."""
    for name in ("safe", "best"):
        aim = shown[name]
        value = "" if aim["value"] is None else words("advise.value", value=f"{aim['value']:+.2f}")
        at = aim["words"] if chosen_language() == ENGLISH else aim_text(aim["bed"], aim["part"])
        point = f"{aim['x_mm']:.0f},{aim['y_mm']:.0f}"
        yield words(f"advise.{name}", aim=at, point=point, chance=f"{aim['placed']:.0%}") + value
    for field in shown["fields"][:8]:
        chances = words("advise.field", chance=f"{field['hit']:5.1%}", cost=f"{field['cost']:.2f}")
        yield f"  {field['field']:3} {field['bed']:4} {chances}"


def _chosen(model: type[T], options: str, as_json: str) -> T | Problem:
    """Read the options from flags, or from JSON; a `SchartenError` names what is wrong with the JSON."""
    from scharten.game.flags import parse_flags

    if not as_json:
        return parse_flags(f"--loud {options}", model)
    try:
        return model.model_validate_json(as_json)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'JSON'}: {fault['msg']}" for fault in error.errors()
        )
        raise SchartenError.coded("options_json", why=faults) from error
