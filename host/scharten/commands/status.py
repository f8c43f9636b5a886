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
from scharten.commands.words import chosen_language, refusal
from scharten.errors import Problem
from scharten.games import GAMES
from scharten.games.sheet_words import result_words
from scharten.words import source_text, text, texts


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
        raise refusal(found, f"{folder}: ")
    report = {
        "running": True,
        **(running_file(folder) or {}),
        **{str(name): payload for name, payload in found.items()},
    }
    report["playable"] = found.get(Topic.AVAILABILITY) == "online" and _playable(found.get(Topic.HEALTH))
    language = chosen_language(settings.web.language)
    typer.echo(json.dumps(report, ensure_ascii=False) if as_json else "\n".join(_lines(report, language)))
    return 0 if report["playable"] else 1


def _playable(health: Any) -> bool:
    return isinstance(health, dict) and health.get("playable") is True


def _lines(report: dict[str, Any], language: str) -> Iterator[str]:
    def words(key: str, **args: object) -> str:
        return text(language, f"command.status.{key}", **args).rstrip()

    health, position = report.get("health") or {}, report.get("state") or {}
    about = [report["board"]]
    about += [words("version", version=health["version"])] if "version" in health else []
    about += [words("process", pid=report["pid"])] if "pid" in report else []
    yield words("plays", page=report.get("page", report["web"]), about=", ".join(about))
    if report.get("availability") != "online":
        yield words("offline")
    if health.get("playable") is False:
        notice = f"notice.{health.get('reason_code')}"
        known = notice in texts(language)
        reason = text(language, notice) if known else health.get("reason")
        cure = text(language, f"{notice}.todo") if known else health.get("cure") or ""
        yield words("stopped", reason=reason, cure=cure)
    yield words("game", **_of_game(position, language)) if position.get("match") else words("no_game")
    for source in health.get("sources", []):
        name, state = source["name"], source["state"]
        parts = [text(language, f"status.source.{name}"), text(language, f"status.state.{state}")]
        yield ": ".join(filter(None, (*parts, source_text(language, source))))
    for notice in health.get("notices", []):
        key = f"notice.{notice['code']}"
        yield f"! {text(language, key) if key in texts(language) else notice['words']}"


def _of_game(state: dict[str, Any], language: str) -> dict[str, object]:
    names, side = state.get("names") or {}, str(state.get("side"))
    white, black = (names.get(side) or text(language, f"side.{side}") for side in ("white", "black"))
    if state.get("result"):
        stands = f"{state['result']} ({result_words(state['result'], str(state.get('reason')), language)})"
    else:
        mover = names.get(side) or text(language, f"side.{side}")
        stands = text(language, f"phase.{state.get('phase')}", side=mover)
    return {
        "match": state["match"],
        "game": text(language, f"game.{(state.get('game') or {}).get('key')}"),
        "kind": text(language, f"kind.{state.get('kind')}"),
        "players": f"{white} - {black}",
        "turns": state.get("turns"),
        "stands": stands,
    }
