"""The benchmarks of cameras and of a board with cameras, on photographs and on rendered scenes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DARTS = Path("../shared/darts")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (vision, one_camera, eyes, both, scenes, rooms, light):
        app.command()(command)


def vision(
    darts: Annotated[Path, typer.Option(help="Folder with the sets of photographs.")] = DARTS,
    scale: Annotated[
        float,
        typer.Option(
            min=0.5, max=3.0, help="Make the pictures larger first: 1.6 is 1280x960, 2.4 1920x1440."
        ),
    ] = 1.0,
) -> None:
    """Real darts in photographs with three, two and one camera: exact beds, doubts and time beside their aims."""
    from lab.vision import run

    raise typer.Exit(run(darts, scale))


def one_camera(
    darts: Annotated[Path, typer.Option(help="Folder with the sets of photographs.")] = DARTS,
    rooms: Annotated[int, typer.Option(min=1, max=10_000, help="Rendered rooms of three darts.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other rooms.")] = 2026,
    show: Annotated[bool, typer.Option(help="Print each dart that is sure and wrong.")] = False,
) -> None:
    """Darts that one camera sees alone, on photographs of other rigs and in rendered rooms: sure, asked, wrong."""
    from lab.one_camera import run

    raise typer.Exit(run(darts, rooms, seed, show))


def eyes(
    darts: Annotated[Path, typer.Option(help="Folder with the sets of photographs.")] = DARTS,
    throws: Annotated[int, typer.Option(min=1, max=60, help="Throws of each fault.")] = 60,
    only: Annotated[str, typer.Option(help="Only faults whose name holds this.")] = "",
    show: Annotated[bool, typer.Option(help="Print each throw that is not reported right.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other places and faults.")] = 0,
) -> None:
    """Faults of light, hands, insects and cameras laid over real throws, in the cameras' own loop."""
    from lab.eyes.run import run

    raise typer.Exit(run(darts, throws, only, show, seed))


def both(
    darts: Annotated[int, typer.Option(min=10, max=1_000_000, help="Throws.")] = 2000,
    visits: Annotated[
        int, typer.Option(min=6, help="Rendered visits of three throws that are measured.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other scenes and faults.")] = 2026,
    scenes: Annotated[
        Path | None, typer.Option(help="Where measured scenes are kept: read if it is there, else written.")
    ] = None,
    live: Annotated[
        int, typer.Option(min=0, help="Instead: this many throws, scenes and firmware live on one clock.")
    ] = 0,
    hangs: Annotated[
        int, typer.Option(min=0, help="Instead: what cameras make of this many darts that hang in another.")
    ] = 0,
    chip: Annotated[
        str, typer.Option(help="mega2560, uno, pico; core is the same C without a chip, in no time.")
    ] = "mega2560",
    show: Annotated[
        bool, typer.Option(help="Print each throw that is asked about, wrong or not reported.")
    ] = False,
) -> None:
    """A board and cameras as one sensor, and each alone: stuck and ghost contacts, wires, bounce-outs, covered cameras.

    Aims: none sure and wrong, at most 2 % asked, a dart on which both agree not later than by the board alone.
    """
    from lab.both.hangs import run_hangs
    from lab.both.live import run_live
    from lab.both.run import run

    if hangs:
        raise typer.Exit(run_hangs(hangs, seed))
    raise typer.Exit(run_live(live, seed) if live else run(darts, visits, seed, scenes, chip, show))


def scenes(
    darts: Annotated[int, typer.Option(min=0, max=1_000_000, help="Darts.")] = 2000,
    events: Annotated[int, typer.Option(min=0, max=100_000, help="Sequences.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other scenes.")] = 2026,
    show: Annotated[int, typer.Option(min=0, help="Wrong darts to print one by one.")] = 0,
) -> None:
    """Darts in rendered pictures with exact truth, sequences of frames, and the live loop's frame rate.

    Darts come in visits of three, uniform over the board, seen by three cameras that are calibrated again every
    20 visits. For a quick look: --darts 60 --events 10.
    """
    from lab.scenes.run import run

    raise typer.Exit(run(darts, events, seed, show))


def rooms(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Rooms.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other rooms.")] = 2026,
) -> None:
    """Calibration in rendered rooms: boards of five colours, 2,500 to 9,000 K, 360x320 to 2560x1440 pixels."""
    from lab.scenes.rooms import run

    raise typer.Exit(run(count, seed))


def light(
    changes: Annotated[int, typer.Option(min=2, max=100_000, help="Changes of the projected light.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other scenes.")] = 2026,
    cameras: Annotated[int, typer.Option(min=1, max=3, help="Cameras of each rig.")] = 2,
    throws: Annotated[
        int, typer.Option(min=0, help="Instead: this many throws judged from still pictures, lit and not.")
    ] = 0,
) -> None:
    """Projected light that changes over rendered boards, 30 to 150 ms after its message, in rolling bands.

    Aims: no dart and no takeout informed of any change; darts between changes found at most 0.5 % less often.
    """
    from lab.scenes.lights import run
    from lab.scenes.lit_throws import run as judge

    raise typer.Exit(judge(throws, seed, cameras) if throws else run(changes, seed, cameras))
