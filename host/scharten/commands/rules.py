"""`scharten perft`, `moves`, `status` and `answer`: the rules of a game, asked from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from scharten.commands.options import (
    BATCH_HELP,
    DoubleStep,
    GameOption,
    LoudOption,
    OptionalPosition,
    OptionsText,
    PositionText,
    ProtectionOption,
    Support,
    Zones,
    named_game,
)
from scharten.commands.words import accepted, words
from scharten.errors import SchartenError
from scharten.game.basics import Action, Drop, move_from_text
from scharten.game.flags import flag_value, flags_of, parse_flags, read_options
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES, GAMES_BY_KEY


class BatchRow(NamedTuple):
    """One line of a batch file: a game, a position of it, its options, and the columns."""

    number: int
    game: AnyGame
    position: Any
    options: GameOptions
    columns: list[str]


class Asked(NamedTuple):
    """The game and the options that the command line names; `plain` if it names no options."""

    game: AnyGame
    options: GameOptions
    plain: bool


def perft(
    position: OptionalPosition = None,
    depth: Annotated[int | None, typer.Argument(min=0, help="How many turns deep; 0 counts 1.")] = None,
    *,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    loud: LoudOption = False,
    zones: Zones = None,
    support: Support = None,
    protection: ProtectionOption = None,
    double_step: DoubleStep = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also the count below each first turn.")] = False,
    batch: Annotated[
        str | None, typer.Option(metavar="FILE", help=BATCH_HELP.format(more="<TAB>DEPTH"))
    ] = None,
) -> None:
    """Count the positions after DEPTH turns: moves, and in a loud game placements; lost darts are not counted.

    scharten perft "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1" 2 --loud
    """
    asked = game_and_options(game, options, loud, zones, support, protection, double_step)
    if batch is not None:
        check_alone(batch, position, depth, divide, not asked.plain)
        for row in read_rows(batch, 3, asked.game):
            typer.echo(asked.game.count(row.position, row.options, _depth(row, row.columns[3])))
            sys.stdout.flush()
        return
    if position is None or depth is None:
        raise SchartenError.coded("position_and_depth")
    start = read_position(asked.game, position, asked.options)
    if divide:
        _divide(asked, start, depth)
    else:
        typer.echo(asked.game.count(start, asked.options, depth))


def moves(
    position: PositionText,
    *,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    loud: LoudOption = False,
    zones: Zones = None,
    support: Support = None,
    protection: ProtectionOption = None,
    double_step: DoubleStep = None,
) -> None:
    """List the legal turns in coordinates, sorted, one per line: e2e4, e7e8q, @c3 for a thrown piece."""
    asked = game_and_options(game, options, loud, zones, support, protection, double_step)
    start = read_position(asked.game, position, asked.options)
    for text in sorted(_turns(asked, start)):
        typer.echo(text)


def answer(
    batch: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Rows GAME<TAB>POSITION<TAB>OPTIONS<TAB>WHAT (depth, `status`, `draw`); - reads standard input.",
        ),
    ],
) -> None:
    """Answer the rows of a file about any game, one line each.

    How many turns there are to a depth, how a position stands, or which opening throws draw.
    """
    for number, columns in _columns(batch, 4):
        what = columns[3].strip()
        if what == "draw":
            typer.echo(_draw(number, columns))
            continue
        row = _row(number, columns, 4)
        if what == "status":
            typer.echo(row.game.status(row.position, row.options))
        else:
            typer.echo(row.game.count(row.position, row.options, _depth(row, what)))
        sys.stdout.flush()


def _draw(number: int, columns: list[str]) -> str:
    """Draw the opening of a row of throws; SchartenError names the wrong line."""
    where = f"line {number}: "
    game = _game(columns[0], number)
    if game.draws is None:
        raise SchartenError.coded("opening_fixed", line=number, game=game.key)
    return accepted(game.draws.answer(columns[1].strip(), columns[2].strip()), where)


def game_and_options(key: str, text: str, loud: bool, *values: str | None) -> Asked:
    """Read the flags; SchartenError for a flag or value that the game does not have."""
    game = _game(key)
    model, names = game.options_model, ("zones", "support", "protection", "double_step")
    chosen = {name: given for name, given in zip(names, values, strict=True) if given is not None}
    if not chosen:
        options = accepted(parse_flags(f"{'--loud' if loud else ''} {text}", model))
        return Asked(game, options, not loud and not text)
    flags = flags_of(model)
    for name in chosen:
        if name not in flags.values():
            raise SchartenError.coded(
                "no_such_option", option=f"--{name.replace('_', '-')}", known=tuple(flags)
            )
    before = accepted(parse_flags(f"{'--loud' if loud else ''} {text}", model)).model_dump(mode="json")
    given = {name: flag_value(model, name, value) for name, value in chosen.items()}
    return Asked(game, accepted(read_options(model, {**before, **given})), False)


def _game(key: str, line: int = 0) -> AnyGame:
    if line and key not in GAMES_BY_KEY:
        raise SchartenError.coded("no_such_game_in", line=line, game=key, known=tuple(GAMES_BY_KEY))
    return named_game(key)


def read_position(
    game: AnyGame, text: str, options: GameOptions, *, finished: bool = False, where: str = ""
) -> Any:
    return accepted(game.read(text, options, finished=finished), f"{where}{words('moves.not_a_position')}")


def _turns(asked: Asked, start: Any) -> dict[str, Action]:
    """Every legal turn by its coordinates."""
    here = asked.game.situation(start, asked.options)
    turns: dict[str, Action] = {text: move_from_text(text) for text in here.moves}
    turns.update((drop.text, drop) for drop in map(Drop, here.drops))
    return turns if here.forced is None else {here.forced.text: here.forced}


def check_alone(batch: str, *others: object) -> None:
    if any(others):
        raise SchartenError.coded("batch_alone", batch=batch)


def read_rows(batch: str, columns: int, game: AnyGame) -> Iterator[BatchRow]:
    """The rows of a batch of this game, read one at a time; SchartenError names the line that is wrong."""
    for number, parts in _columns(batch, columns):
        yield _row(number, [game.key, *parts], columns + 1)


def _row(number: int, parts: list[str], columns: int) -> BatchRow:
    """A row of game, position, options and what is asked; one that asks for a state may be of a finished game."""
    where = f"line {number}: "
    game = _game(parts[0], number)
    options = accepted(parse_flags(parts[2], game.options_model), where)
    finished = columns == 3 or parts[columns - 1].strip() == "status"
    position = read_position(game, parts[1], options, finished=finished, where=where)
    return BatchRow(number, game, position, options, parts)


def _columns(batch: str, columns: int) -> Iterator[tuple[int, list[str]]]:
    """The lines of a batch with their numbers, in columns; empty lines are left out."""
    for number, line in enumerate(_lines(batch), start=1):
        if not line.strip():
            continue
        parts = line.rstrip("\r\n").split("\t")
        if len(parts) < columns:
            raise SchartenError.coded("too_few_columns", line=number, found=len(parts), columns=columns)
        yield number, parts


def _lines(batch: str) -> Iterator[str]:
    try:
        if batch == "-":
            yield from sys.stdin
        else:
            with Path(batch).open(encoding="utf-8") as lines:
                yield from lines
    except OSError as error:
        raise SchartenError.coded("unreadable", path=batch, why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise SchartenError.coded("not_utf8", path=batch, why=error.reason) from error


def _depth(row: BatchRow, text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise SchartenError.coded("not_a_depth", line=row.number, text=text)
    return int(text)


def _divide(asked: Asked, start: Any, depth: int) -> None:
    """One line per first turn as soon as it is counted, then the sum."""
    if depth == 0:
        typer.echo("total 1")
        return
    total = 0
    for text, action in sorted(_turns(asked, start).items()):
        played = accepted(asked.game.play(start, action, asked.options), f"{text}: ")
        below = asked.game.count(played.position, asked.options, depth - 1)
        typer.echo(f"{text} {below}")
        total += below
    typer.echo(f"total {total}")
