"""`scharten detect`: measure the dart detection on photographs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.words import chosen_language, words
from scharten.errors import SchartenError


def detect(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[SET]", help="Folder with rig.csv, throws.csv and pictures.")
    ] = None,
    *,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Measure the saved throws of this folder or ZIP file."),
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="List the events in sequences of frame_*.png of one camera, or in a film."
        ),
    ] = None,
    empty: Annotated[
        Path | None,
        typer.Option(help="With --events: the empty board; by default bounce_out/frame_00.png in DIR."),
    ] = None,
    cameras: Annotated[str, typer.Option(help="Which cameras to use, such as 0,2; all by default.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per throw on stdout.")] = False,
) -> None:
    """Find the dart of every throw in a set of photographs, and compare with truth.csv where there is one.

    Cameras are calibrated from the set's rig.csv: the empty board and one point in the double 20. The table goes
    to stderr: exact bed overall and per ring, sector right, undetected, in doubt, time per throw.
    """
    if sum(given is not None for given in (folder, replay, events)) != 1:
        raise SchartenError.coded("one_of_three")
    if replay is not None:
        run_replay(replay, as_json)
    elif events is not None:
        run_events(events, empty or events / "bounce_out" / "frame_00.png", as_json)
    elif folder is not None:
        run_detect(folder, cameras, as_json)


def run_replay(folder: Path, as_json: bool) -> None:
    """Measure saved throws; the truth is the bed that a person entered, if any."""
    from scharten.commands.detect_table import table
    from scharten.sensors.replays import replay

    results, truth, damaged = [], {}, []
    for saved in replay(folder):
        if isinstance(saved, SchartenError):
            damaged.append(saved.message)
            typer.echo(words("detect.left_out", why=saved.shown(chosen_language())), err=True)
            continue
        results.append(saved.measured)
        name = saved.measured.throw
        if saved.truth is not None:
            truth[name] = saved.truth
        if as_json:
            typer.echo(json.dumps(_line(name, saved.measured.dart)))
        else:
            line = _words(name, saved.truth, saved.measured.dart)
            typer.echo(f"{line}; {words('detect.then', then=saved.then)}")
    for text in table(results, truth) if results else ():
        typer.echo(text, err=True)
    if damaged:
        raise SchartenError.coded("throws_unreadable", count=len(damaged), folder=folder, why=damaged[0])


def run_events(folder: Path, empty: Path, as_json: bool) -> None:
    """Print the events that the state machine finds in each sequence."""
    from scharten.sensors.replays import watch_all

    for name, happened in watch_all(folder, empty):
        for event in happened:
            bed = str(event.dart.bed) if event.dart else None
            line = {"sequence": name, "event": event.kind.value, "at_ms": event.at_ms, "segment": bed}
            typer.echo(
                json.dumps({**line, "confidence": round(event.confidence, 4)})
                if as_json
                else f"{name:<16} {event.kind.value:<10} {bed or ''}"
            )
        if not happened:
            typer.echo(f"{name:<16} {words('detect.nothing')}", err=True)


def parse_cameras(text: str, known: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cameras that the option names, or all; a `SchartenError` shows the right form."""
    if not text:
        return known
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise SchartenError.coded("not_numbers", text=text)
    return tuple(sorted({int(part) for part in parts}))


def run_detect(folder: Path, cameras: str, as_json: bool) -> None:
    """Measure one set and print it."""
    from scharten.commands.detect_table import table
    from scharten.sensors.photo_sets import calibrated_cameras, measure, read_set

    photos = read_set(folder)
    calibrated = calibrated_cameras(photos, parse_cameras(cameras, tuple(sorted(photos.rig))))
    results = []
    for result in measure(photos, calibrated):
        results.append(result)
        dart = result.dart
        if as_json:
            typer.echo(json.dumps(_line(result.throw, dart)))
        else:
            typer.echo(_words(result.throw, photos.truth.get(result.throw), dart))
    for text in table(results, photos.truth):
        typer.echo(text, err=True)


def _line(throw: str, dart: object) -> dict[str, object]:
    from scharten.vision.detect.fuse import SeenDart

    seen = dart if isinstance(dart, SeenDart) else None
    return {
        "throw": throw,
        "segment": str(seen.bed) if seen else "MISS",
        "x_mm": round(seen.x_mm, 2) if seen else None,
        "y_mm": round(seen.y_mm, 2) if seen else None,
        "confidence": round(seen.confidence, 4) if seen else 0.0,
        "second": str(seen.second) if seen else None,
        "beds": [[str(bed), round(share, 4)] for bed, share in seen.beds] if seen else [],
        "wire_mm": round(seen.wire_mm, 2) if seen else None,
    }


def _words(throw: str, truth: str | None, dart: object) -> str:
    from scharten.vision.detect.fuse import SeenDart

    wanted = f" ({words('detect.truth', bed=truth)})" if truth else ""
    if not isinstance(dart, SeenDart):
        return f"{throw:<16} MISS{wanted}: {words('detect.no_dart')}"
    mark = "" if truth in (None, str(dart.bed)) else f"  <-- {words('detect.wrong')}"
    found = words(
        "detect.dart",
        bed=f"{dart.bed!s:<5}",
        confidence=f"{dart.confidence:.3f}",
        second=f"{dart.second!s:<5}",
        x=f"{dart.x_mm:7.1f}",
        y=f"{dart.y_mm:7.1f}",
        wire=f"{dart.wire_mm:4.1f}",
    )
    return f"{throw:<16} {found}{wanted}{mark}"
