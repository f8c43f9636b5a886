"""Options that several commands have: the same name, the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.errors import SchartenError
from scharten.game.protocol import AnyGame
from scharten.games import GAMES, GAMES_BY_KEY

DataFolder = Annotated[
    Path | None, typer.Option("--data", help="The data folder: journal, players, secrets.")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="Configuration; else scharten.toml in the data folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]
PasswordFile = Annotated[
    Path | None, typer.Option(help="File whose first line is the password of the broker's account.")
]
CaFile = Annotated[Path | None, typer.Option(help="Certificate that signs the broker's, for mqtts.")]
Prefix = Annotated[str, typer.Option(help="First part of the topics (broker.prefix).")]
ClubOption = Annotated[str, typer.Option("--club", help="Second part of the topics (broker.club).")]
PositionText = Annotated[
    str, typer.Argument(metavar="POSITION", help="The position string, all its parts, in quotes.")
]
GameOption = Annotated[str, typer.Option("--game", help=f"One of {', '.join(game.key for game in GAMES)}.")]
OptionsText = Annotated[
    str, typer.Option("--options", help="A game's options as a batch has them, such as '--loud --king-on d'.")
]
LoudOption = Annotated[
    bool,
    typer.Option(
        "--loud/--silent", help="Pieces are thrown (loud) or stand in the opening (silent, default)."
    ),
]


def _seat_of_white(number: int) -> int:
    if number not in (3, 20):
        raise typer.BadParameter("White sits at the 3 or at the 20.")
    return number


WhiteSitsAt = Annotated[
    int, typer.Option(help="3 or 20: the number in front of White.", callback=_seat_of_white)
]
PageHost = Annotated[str, typer.Option(help="Address to serve the pages at.")]
PagePort = Annotated[int, typer.Option(min=0, max=65535, help="Port of the pages; 0 takes a free one.")]

OptionalPosition = Annotated[
    str | None, typer.Argument(metavar="POSITION", help="The position string, all its parts, in quotes.")
]
Zones = Annotated[
    str | None,
    typer.Option(
        help="Where darts may put pieces: half (default), half_with_o, home, "
        "or fields per side: 'white=a1,b1;black=a8,b8'."
    ),
]
Support = Annotated[str | None, typer.Option(help="What supporters give: field_value (default) or count.")]
ProtectionOption = Annotated[
    str | None,
    typer.Option(help="Unmoved pieces: until_moved (default when loud) or off (default when silent)."),
]
DoubleStep = Annotated[
    str | None, typer.Option(help="Pawns that may go two fields: first_move (default) or home_row.")
]


def named_game(key: str) -> AnyGame:
    """Return the game of `--game`; a `SchartenError` lists the keys that exist."""
    if key not in GAMES_BY_KEY:
        raise SchartenError.coded("no_such_game", game=key, known=tuple(GAMES_BY_KEY))
    return GAMES_BY_KEY[key]


BATCH_HELP = "Rows POSITION<TAB>OPTIONS{more}, further columns ignored; - reads standard input."
