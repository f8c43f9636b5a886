"""`scharten detect`: a folder of photographs, dart by dart, and how well it went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from scharten.errors import SchartenError


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command("detect")(detect)


def detect(
    folder: Annotated[
        Path, typer.Argument(metavar="SET", help="Folder with rig.csv, throws.csv and pictures.")
    ],
    *,
    cameras: Annotated[str, typer.Option(help="Which cameras to use, such as 0,2; all by default.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per throw on stdout.")] = False,
) -> None:
    """Find the dart of every throw in a set of photographs, and compare with truth.csv where there is one.

    Cameras are calibrated from the set's rig.csv: the empty board and one point in the double 20. The table goes
    to stderr: exact bed overall and per ring, sector right, undetected, in doubt, time per throw.
    """
    run_detect(folder, cameras, as_json)


def parse_cameras(text: str, known: tuple[int, ...]) -> tuple[int, ...]:
    """The cameras that the option names, or all; a SchartenError says what the option looks like."""
    if not text:
        return known
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise SchartenError(f"--cameras {text!r} is not a list of numbers", "Write it like --cameras 0,2.")
    return tuple(sorted({int(part) for part in parts}))


def run_detect(folder: Path, cameras: str, as_json: bool) -> None:
    """Measure one set and print it."""
    from scharten.bench.vision_sets import measure, open_eyes, read_set, table

    photos = read_set(folder)
    eyes = open_eyes(photos, parse_cameras(cameras, tuple(sorted(photos.rig))))
    results = []
    for result in measure(photos, eyes):
        results.append(result)
        dart = result.dart
        if as_json:
            line = {
                "throw": result.throw,
                "segment": str(dart.bed) if dart else "MISS",
                "x_mm": round(dart.x_mm, 2) if dart else None,
                "y_mm": round(dart.y_mm, 2) if dart else None,
                "confidence": round(dart.confidence, 4) if dart else 0.0,
                "second": str(dart.second) if dart else None,
                "wire_mm": round(dart.wire_mm, 2) if dart else None,
            }
            typer.echo(json.dumps(line))
        else:
            typer.echo(_words(result.throw, photos.truth.get(result.throw), dart))
    for text in table(results, photos.truth):
        typer.echo(text, err=True)


def _words(throw: str, truth: str | None, dart: object) -> str:
    from scharten.vision.fuse import Dart

    wanted = f" (truth {truth})" if truth else ""
    if not isinstance(dart, Dart):
        return f"{throw:<16} MISS{wanted}: nothing new was seen"
    mark = "" if truth in (None, str(dart.bed)) else "  <-- wrong"
    return (
        f"{throw:<16} {dart.bed!s:<5} {dart.confidence:.3f}, else {dart.second!s:<5} at {dart.x_mm:7.1f} "
        f"{dart.y_mm:7.1f} mm, {dart.wire_mm:4.1f} mm from a wire{wanted}{mark}"
    )
