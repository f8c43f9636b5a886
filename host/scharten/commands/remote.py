"""`scharten invite` and `scharten guest`: a game between two boards, through the running daemon."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten import config
from scharten.commands.words import chosen_language, confirmed, refusal, words
from scharten.contract.roles import Account
from scharten.errors import Problem, SchartenError
from scharten.setup.running_daemon import running_file
from scharten.system.secrets import load_or_make
from scharten.words import ENGLISH, text

TIMEOUT_S = 40.0
_DATA = typer.Option("--data", help="The data folder of the daemon.")


def invite(
    *,
    data: Annotated[Path | None, _DATA] = None,
    game: Annotated[str | None, typer.Option(help="The game; else the configured one.")] = None,
    kind: Annotated[str | None, typer.Option(help="loud or silent.")] = None,
    minutes: Annotated[int | None, typer.Option(min=1, max=600, help="Minutes for each player.")] = None,
    seat: Annotated[str, typer.Option(help="The seat that is offered.")] = "seat2",
    name: Annotated[str, typer.Option(help="The name under which you invite.")] = "",
    in_lobby: Annotated[
        bool, typer.Option("--lobby", help="Show the invitation in the lobby of `remote.meeting`.")
    ] = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the invitation back.")] = False,
) -> None:
    """Invite somebody to play at another board, and print the link and the letters."""
    folder = data or config.data_folder()
    if withdraw:
        ask(folder, {"type": "withdraw"})
        typer.echo(words("invite.withdrawn"))
        return
    order: dict[str, Any] = {key: value for key, value in (("game", game), ("kind", kind)) if value}
    if minutes:
        order["clock"] = {"stages": [{"moves": None, "minutes": minutes}], "increment_s": 0}
    body = {"type": "invite", "seat": seat, "order": order, "by": name, "lobby": in_lobby}
    status = ask(folder, body)["status"]
    typer.echo(f"{status['link']}\n")
    if in_lobby:
        typer.echo(f"  {words('invite.lobby')}")
    typer.echo(f"  {words('invite.letters', letters=status['letters'], address=status['address'])}")
    typer.echo(f"  {words('invite.hour')}")


def guest(
    link: Annotated[str, typer.Argument(help="The invitation: the link, or host:port/LETTERS.")] = "",
    *,
    data: Annotated[Path | None, _DATA] = None,
    name: Annotated[str, typer.Option(help="Your name on the score sheet.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Accept without a question.")] = False,
    leave: Annotated[
        bool, typer.Option("--leave", help="Take the board back; the game can go on later.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the game that you left.")] = False,
) -> None:
    """Play at your own board a game of another host."""
    folder = data or config.data_folder()
    if leave or resume:
        ask(folder, {"type": "leave" if leave else "resume"})
        typer.echo(words("guest.left" if leave else "guest.resumed"))
        return
    if not link:
        raise SchartenError.coded("no_invitation")
    offer = ask(folder, {"type": "ask", "link": link})["offer"]
    by = offer["by"] or words("guest.somebody")
    typer.echo(words("guest.offer", by=by, host=offer["host"], **_game_words(offer)))
    clock = offer["clock"]
    shown = json.dumps(clock) if clock else words("guest.none")
    rated = words("guest.yes" if offer["rated"] else "guest.no")
    typer.echo(f"  {words('guest.terms', clock=shown, rated=rated)}")
    typer.echo(f"  {words('guest.sends_pictures' if offer['cameras'] else 'guest.sends')}")
    if not yes and not confirmed(words("guest.play")):
        return
    ask(folder, {"type": "accept", "name": name})
    typer.echo(words("guest.plays"))


def lobby(*, data: Annotated[Path | None, _DATA] = None) -> None:
    """List who waits for an opponent at the configured meeting place (`remote.meeting`)."""
    offer = ask(data or config.data_folder(), {"type": "lobby"})["offer"]
    for entry in offer["entries"]:
        clock = words("lobby.clock" if entry["clock"] else "lobby.no_clock")
        rated = words("lobby.rated") if entry["rated"] else ""
        named = _game_words(entry)
        typer.echo(
            f"{entry['by'] or words('guest.somebody')}: {named['game']} ({named['kind']}), {clock}{rated}"
        )
        typer.echo(f"  scharten guest '{entry['link']}'")
    if not offer["entries"]:
        typer.echo(words("lobby.empty"))


def _game_words(offer: Mapping[str, Any]) -> dict[str, str]:
    """Return the game and its kind by name; in English by the keys that other programs read."""
    game, kind, language = str(offer["game"]), str(offer["kind"]), chosen_language()
    if language == ENGLISH:
        return {"game": game, "kind": kind}
    return {"game": text(language, f"game.{game}"), "kind": text(language, f"kind.{kind}")}


def centre(
    *,
    data: Annotated[Path | None, typer.Option("--data", help="The folder of its certificate.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "0.0.0.0",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: a free one.")] = 8885,
) -> None:
    """Run a centre, where hosts and guests meet without an open port of their own.

    It carries encrypted connections, which it cannot read, and a lobby. Hosts name it in `remote.meeting`.
    """
    import signal
    import threading

    from scharten.remote.centre import Centre
    from scharten.system.log_limit import start_log
    from scharten.system.loop_thread import LoopThread

    folder = data or config.data_folder() / "centre"
    folder.mkdir(parents=True, exist_ok=True)
    start_log()
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopping.set())
    thread = LoopThread(Centre(folder, host, port), "centre")
    thread.start()
    typer.echo(words("centre.listens", address=f"mqtts://NAME:{thread.server.port}"))
    stopping.wait()
    thread.stop()


def ask(folder: Path, body: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request to the daemon of this data folder; a refusal is a `SchartenError`."""
    running = running_file(folder)
    if running is None:
        raise SchartenError.coded("no_daemon_runs", folder=folder)
    secret = load_or_make(folder / "secrets.json")[Account.ARBITER]
    request = urllib.request.Request(
        f"{running['web']}/remote",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            answered: dict[str, Any] = json.loads(response.read())
    except (OSError, ValueError) as error:
        raise SchartenError.coded("daemon_silent", address=running["web"], why=error) from error
    if not answered.get("accepted"):
        raise refusal(Problem(answered["code"], answered["words"], answered.get("args") or {}))
    return answered
