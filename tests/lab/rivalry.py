"""Benchmarks of the computer against players other than its levels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lab.kept import Extent, Kept, StopAfter


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("loud-rule")(loud_rule)
    app.command()(ladder)
    app.command()(engines)


def loud_rule(
    games: Annotated[int, typer.Option(min=2, help="Games of each level.")] = 200,
    levels: Annotated[str, typer.Option(help="Levels with a comma.")] = "3,4,5,6,7,8,9,10",
    divided_by: Annotated[float, typer.Option(min=1, help="Each level thinks by so much less.")] = 1.0,
    processes: Annotated[int, typer.Option(min=1, help="Games played side by side.")] = 1,
    file: Kept = Path("build/loud-rule.jsonl"),
    stop_after: StopAfter = 1e9,
) -> None:
    """Loud play against the rule "throw unless in check or at the last dart" with the same hand (60 % from level 3)."""
    from lab.loud_rule import run

    extent = Extent(games, stop_after, processes)
    raise typer.Exit(run(file, tuple(int(level) for level in levels.split(",")), divided_by, extent))


def ladder(
    games: Annotated[int, typer.Option(min=1, help="Games, each opening from either side.")] = 40,
    level: Annotated[int, typer.Option(min=1, max=10, help="Our level.")] = 10,
    depth: Annotated[int, typer.Option(min=1, max=6, help="The plain engine's depth.")] = 4,
    processes: Annotated[int, typer.Option(min=1, help="Games played side by side.")] = 1,
    file: Kept = Path("build/ladder.jsonl"),
    stop_after: StopAfter = 1e9,
) -> None:
    """Silent Scharten against a plain alpha-beta in machine code (65 %), within 2 s a turn. Needs gcc."""
    from lab.ladder import run

    raise typer.Exit(run(file, level, depth, Extent(games, stop_after, processes)))


def engines(
    games: Annotated[int, typer.Option(min=1, help="Games of silent chess.")] = 4,
    elo: Annotated[int, typer.Option(min=1350, max=2850, help="Stockfish's UCI_Elo.")] = 1350,
    level: Annotated[int, typer.Option(min=1, max=10, help="Our level.")] = 10,
) -> None:
    """Chess: a level of ours against Stockfish at an Elo (half of the points)."""
    from lab.engines import run

    raise typer.Exit(run(level, elo, games))
