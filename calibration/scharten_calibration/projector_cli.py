"""The command `scharten-calibrate projector`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.errors import SchartenError
from scharten_calibration.camera_cli import pair
from scharten_calibration.words import words

_HELP = """Find where a projector's light falls on the board, and how long after a message it changes.

Calibrate the cameras first. Open the page with ?role=table&view=light on the projector, in full screen (F), take the
darts out, and run this: stripes go over the board for about a minute. The map is judged at places that were not fitted
and refused above 2 mm. The page keeps it; K on the page, and four corners by hand, stay for boards without cameras.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("projector", help=_HELP)(projector)


def projector(
    *,
    rig: Annotated[Path, typer.Option("--cameras", help="The file of calibrated cameras.")] = Path(
        "cameras.toml"
    ),
    page: Annotated[str, typer.Option(help="Where the page is served.")] = "http://127.0.0.1:8765",
    secret_file: Annotated[
        Path | None,
        typer.Option(help="A file with the table's secret, where the page is not this machine's."),
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep the cameras' pictures in this folder.")] = None,
    send: Annotated[
        bool, typer.Option("--send", help="Only give the page the map that was found before.")
    ] = False,
    patterns: Annotated[Path | None, typer.Option(help="Only write the patterns into this folder.")] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Fit from pictures of them in this folder, named as --keep names them."),
    ] = None,
    size: Annotated[
        str, typer.Option(help="The projector's size for --patterns and --pictures.")
    ] = "1280x800",
) -> None:
    """See _HELP."""
    from scharten_calibration.projector import fit_pictures, run_projector, write_patterns
    from scharten_calibration.projector import send as send_map

    width, height = (int(side) for side in pair(size, "x", "--size", words("form.size", example="1280x800")))
    if not (64 <= width <= 8192 and 64 <= height <= 8192):
        raise SchartenError.coded("projector_size", size=size)
    secret = _secret(secret_file) if secret_file else None
    if patterns is not None:
        write_patterns(patterns, (width, height), typer.echo)
    elif pictures is not None:
        fit_pictures(rig.absolute(), pictures, (width, height), typer.echo)
    elif send:
        send_map(rig.absolute(), page, secret, typer.echo)
    else:
        run_projector(rig.absolute(), page, secret, typer.echo, keep)


def _secret(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("secret_unread", path=path, why=error) from error
