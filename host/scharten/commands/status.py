"""`scharten status`: how the running daemon stands, or how the side to move of a position stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten.commands.options import (
    BATCH_HELP,
    DataFolder,
    DoubleStep,
    GameOption,
    LoudOption,
    OptionalPosition,
    OptionsText,
    ProtectionOption,
    Support,
    Zones,
)
from scharten.errors import Problem, SchartenError
from scharten.games import GAMES


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)


def status(
    position: OptionalPosition = None,
    *,
    data: DataFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the daemon's status as JSON.")] = False,
    game: GameOption = GAMES[0].key,
    options: OptionsText = "",
    loud: LoudOption = False,
    zones: Zones = None,
    support: Support = None,
    protection: ProtectionOption = None,
    double_step: DoubleStep = None,
    batch: Annotated[str | None, typer.Option(metavar="FILE", help=BATCH_HELP.format(more=""))] = None,
) -> None:
    """Report the running daemon: its page, its board, the game, and what is wrong.

    Exit status 0 when a game can be played. With a POSITION or --batch, print how the side to move stands: check,
    the numbers of moves and placements, and the state (checkmate, stalemate, dead, must_throw or ongoing).
    """
    if position is None and batch is None:
        raise typer.Exit(_report_daemon(data, as_json))
    from scharten.commands.rules import check_alone, game_and_options, read_position, read_rows

    asked = game_and_options(game, options, loud, zones, support, protection, double_step)
    if batch is not None:
        check_alone(batch, position, not asked.plain)
        for row in read_rows(batch, 2, asked.game):
            typer.echo(asked.game.status(row.position, row.options))
        return
    start = read_position(asked.game, str(position), asked.options, finished=True)
    typer.echo(asked.game.status(start, asked.options))


def _report_daemon(data: Path | None, as_json: bool) -> int:
    from scharten import config
    from scharten.contract.topics import Topic
    from scharten.setup.running_daemon import retained, running_file

    folder = data or config.data_folder()
    settings = config.load(config.find(None, folder))
    found = retained(settings, folder, (Topic.AVAILABILITY, Topic.STATE, Topic.HEALTH))
    if isinstance(found, Problem):
        if as_json:
            typer.echo(json.dumps({"running": False, "reason": found.words}))
            return 1
        raise SchartenError(f"{folder}: {found.words}.", found.cure)
    report = {
        "running": True,
        **(running_file(folder) or {}),
        **{str(name): payload for name, payload in found.items()},
    }
    report["playable"] = found.get(Topic.AVAILABILITY) == "online" and _playable(found.get(Topic.HEALTH))
    typer.echo(json.dumps(report, ensure_ascii=False) if as_json else "\n".join(_lines(report)))
    return 0 if report["playable"] else 1


def _playable(health: Any) -> bool:
    return isinstance(health, dict) and health.get("playable") is True


def _lines(report: dict[str, Any]) -> Iterator[str]:
    health, state = report.get("health") or {}, report.get("state") or {}
    process = f", process {report['pid']}" if "pid" in report else ""
    version = f", version {health['version']}" if "version" in health else ""
    yield f"Scharten plays at {report.get('page', report['web'])}/ ({report['board']}{version}{process})."
    if report.get("availability") != "online":
        yield "✗ The referee is not online."
    if health.get("playable") is False:
        yield f"✗ Play is not possible: {health.get('reason')}. {health.get('cure') or ''}".rstrip()
    yield _game_line(state)
    for source in health.get("sources", []):
        yield f"{source['name']}: {source['state']}{': ' + source['detail'] if source.get('detail') else ''}"
    for warning in health.get("warnings", []):
        yield f"! {warning}"


def _game_line(state: dict[str, Any]) -> str:
    if not state.get("match"):
        return "No game has begun."
    names, game = state.get("names") or {}, state.get("game") or {}
    players = f"{names.get('white') or 'White'} - {names.get('black') or 'Black'}"
    about = f"{game.get('key')}, {state.get('kind')}, {players}, {state.get('turns')} turns"
    line = f"Game {state['match']}: {about}"
    if state.get("result"):
        return f"{line}, {state['result']} ({state.get('reason')})."
    return f"{line}, {str(state.get('side')).capitalize()} to move, phase {state.get('phase')}."
