"""`scharten perft`, `scharten moves` and `scharten status`: the rules of the board, asked from the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from scharten.errors import SchartenError
from scharten.games.scharten.attacks import scan
from scharten.games.scharten.board import Field
from scharten.games.scharten.moves import (
    Placement,
    legal_moves,
    legal_placements,
    move_text,
    placement_text,
    shared_move,
    turns_of,
)
from scharten.games.scharten.options import OptionsError, RuleOptions, make_options, parse_flags
from scharten.games.scharten.outcome import status as status_of
from scharten.games.scharten.position import (
    Position,
    PositionError,
    finished_by_fouls,
    kernel_state,
    parse_position,
)
from scharten.games.scharten.turns import perft as count_leaves

PositionArgument = Annotated[
    str | None, typer.Argument(metavar="POSITION", help="The position string, seven parts, in quotes.")
]
Loud = Annotated[
    bool,
    typer.Option(
        "--loud/--silent", help="Pieces are thrown (loud) or stand in the opening (silent, default)."
    ),
]
Zones = Annotated[
    str,
    typer.Option(
        help="Where darts may put pieces: half, half_with_o, home, or fields per side: 'white=a1,b1;black=a8,b8'."
    ),
]
Support = Annotated[str, typer.Option(help="What supporters give: field_value or count.")]
Protection = Annotated[
    str | None,
    typer.Option(help="Unmoved pieces: until_moved (default when loud) or off (default when silent)."),
]
DoubleStep = Annotated[str, typer.Option(help="Pawns that may go two fields: first_move or home_row.")]
BATCH_HELP = "Rows POSITION<TAB>OPTIONS{more}, further columns ignored; - reads standard input."


class Row(NamedTuple):
    """One line of a batch file."""

    number: int
    position: Position
    options: RuleOptions
    columns: list[str]


def register(app: typer.Typer) -> None:
    """Add the three commands."""
    _register_perft(app)
    _register_moves(app)
    _register_status(app)


def _register_perft(app: typer.Typer) -> None:
    @app.command()
    def perft(
        position: PositionArgument = None,
        depth: Annotated[int | None, typer.Argument(min=0, help="How many turns deep; 0 counts 1.")] = None,
        *,
        loud: Loud = False,
        zones: Zones = "half",
        support: Support = "field_value",
        protection: Protection = None,
        double_step: DoubleStep = "first_move",
        divide: Annotated[
            bool, typer.Option("--divide", help="Also the count below each first turn.")
        ] = False,
        batch: Annotated[
            str | None, typer.Option(metavar="FILE", help=BATCH_HELP.format(more="<TAB>DEPTH"))
        ] = None,
    ) -> None:
        """Count the positions after DEPTH turns: moves, and in a loud game placements; lost darts are not counted.

        scharten perft "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1" 2 --loud
        """
        if batch is not None:
            options = _options(loud, zones, support, protection, double_step)
            _alone(batch, position, depth, divide, options != RuleOptions())
            for row in _rows(batch, 3):
                state = kernel_state(row.position, row.options)
                typer.echo(count_leaves(state, _depth(row)))
                sys.stdout.flush()
            return
        if position is None or depth is None:
            raise SchartenError(
                "a position and a depth are needed", "Or --batch FILE; see scharten perft --help."
            )
        options = _options(loud, zones, support, protection, double_step)
        start = _position(position, options, playable=True)
        if divide:
            _divide(start, options, depth)
        else:
            typer.echo(count_leaves(kernel_state(start, options), depth))


def _register_moves(app: typer.Typer) -> None:
    @app.command()
    def moves(
        position: Annotated[str, typer.Argument(metavar="POSITION", help="The position string, in quotes.")],
        *,
        loud: Loud = False,
        zones: Zones = "half",
        support: Support = "field_value",
        protection: Protection = None,
        double_step: DoubleStep = "first_move",
    ) -> None:
        """List the legal turns in coordinates, sorted, one per line: e2e4, e7e8q, @c3 for a thrown piece."""
        options = _options(loud, zones, support, protection, double_step)
        start = _position(position, options, playable=True)
        texts = [move_text(move) for move in legal_moves(start, options)]
        texts += [placement_text(Placement(field)) for field in legal_placements(start, options)]
        for text in sorted(texts):
            typer.echo(text)


def _register_status(app: typer.Typer) -> None:
    @app.command()
    def status(
        position: PositionArgument = None,
        *,
        loud: Loud = False,
        zones: Zones = "half",
        support: Support = "field_value",
        protection: Protection = None,
        double_step: DoubleStep = "first_move",
        batch: Annotated[str | None, typer.Option(metavar="FILE", help=BATCH_HELP.format(more=""))] = None,
    ) -> None:
        """Say how the side to move stands: check, the numbers of moves and placements, and the state.

        The state is checkmate, stalemate, dead, must_throw or ongoing.
        """
        if batch is not None:
            options = _options(loud, zones, support, protection, double_step)
            _alone(batch, position, options != RuleOptions())
            for row in _rows(batch, 2):
                typer.echo(str(status_of(row.position, row.options)))
            return
        if position is None:
            raise SchartenError("a position is needed", "Or --batch FILE; see scharten status --help.")
        options = _options(loud, zones, support, protection, double_step)
        typer.echo(str(status_of(_position(position, options), options)))


def _options(loud: bool, zones: str, support: str, protection: str | None, double_step: str) -> RuleOptions:
    return _good_options(
        make_options(loud=loud, zones=zones, support=support, protection=protection, double_step=double_step)
    )


def _good_options(options: RuleOptions | OptionsError, where: str = "") -> RuleOptions:
    if isinstance(options, OptionsError):
        raise SchartenError(f"{where}{options.words}", options.cure)
    return options


def _position(text: str, options: RuleOptions, playable: bool = False, where: str = "") -> Position:
    found = parse_position(text, options)
    refusal = (
        found if isinstance(found, PositionError) else finished_by_fouls(found, options) if playable else None
    )
    if refusal is not None:
        raise SchartenError(f"{where}not a position: {refusal.words}", f"Look at the part {refusal.part}.")
    assert isinstance(found, Position)
    return found


def _alone(batch: str, *others: object) -> None:
    if any(others):
        raise SchartenError(
            "--batch takes position and options from its rows", f"Leave out the rest, or --batch {batch}."
        )


def _rows(batch: str, columns: int) -> Iterator[Row]:
    """The rows of a batch, read one at a time; SchartenError names the line that is wrong."""
    for number, line in enumerate(_lines(batch), start=1):
        if not line.strip():
            continue
        where = f"line {number}: "
        parts = line.rstrip("\r\n").split("\t")
        if len(parts) < columns:
            raise SchartenError(
                f"{where}{len(parts)} columns instead of {columns}",
                "Part the columns by tabs, not by spaces.",
            )
        options = _good_options(parse_flags(parts[1]), where)
        yield Row(number, _position(parts[0], options, columns == 3, where), options, parts)


def _lines(batch: str) -> Iterator[str]:
    try:
        if batch == "-":
            yield from sys.stdin
        else:
            with Path(batch).open(encoding="utf-8") as lines:
                yield from lines
    except OSError as error:
        raise SchartenError(f"cannot read {batch}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SchartenError(f"{batch} is not UTF-8 text: {error.reason}") from error


def _depth(row: Row) -> int:
    text = row.columns[2].strip()
    if not (text.isascii() and text.isdigit()):
        raise SchartenError(f"line {row.number}: the depth is a whole number, not '{row.columns[2]}'")
    return int(text)


def _divide(start: Position, options: RuleOptions, depth: int) -> None:
    """One line per first turn as soon as it is counted, then the sum."""
    if depth == 0:
        typer.echo("total 1")
        return
    state, turns = kernel_state(start, options), turns_of(start, options)
    after = {move_text(shared_move(*move)): state.after_move(*move) for move in turns.moves()}
    for at in scan(turns.placements()):
        after[placement_text(Placement(Field(at)))] = state.after_placement(at)
    total = 0
    for text in sorted(after):
        below = count_leaves(after[text], depth - 1)
        typer.echo(f"{text} {below}")
        total += below
    typer.echo(f"total {total}")
