"""`scharten opponent`: the computer at a seat, a client of the board like any other."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from scharten import config
from scharten.contract.roles import Account
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.sensors.simulator.endpoint import Endpoint, endpoint_of_file
from scharten.system.log_limit import start_log
from scharten.system.secrets import load_or_make

log = logging.getLogger(__name__)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("opponent")(opponent)


def opponent(
    *,
    seat: Annotated[str, typer.Option(help="seat1 or seat2.")] = "seat2",
    level: Annotated[int, typer.Option(min=1, max=10, help="1 (a first evening) to 10.")] = 5,
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder of the daemon that runs on this machine.")
    ] = None,
    endpoint: Annotated[
        Path | None,
        typer.Option(help="JSON file with host, port, username, password, prefix, club, board instead."),
    ] = None,
    ready: Annotated[
        bool, typer.Option(hidden=True, help="Load everything, then read seat, level and endpoint as a line.")
    ] = False,
    parent: Annotated[int, typer.Option(hidden=True, help="End when this parent process has ended.")] = 0,
) -> None:
    """Play a seat: think, throw with the scatter of the level, answer draws, resign.

    The daemon starts this when the computer has a seat in a new game. By hand it plays a seat of the game that is
    on, until Ctrl-C.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take
    from scharten.opponent.client import Opponent  # the search and NumPy are slow to load
    from scharten.opponent.table_files import TableFiles

    start_log(style="%(asctime)s %(levelname)s %(message)s")
    if parent:
        os.nice(10)  # the referee goes first
    if ready:
        task = json.loads(sys.stdin.readline() or "null")
        if task is None:
            return  # the daemon ended
        seat, level, endpoint = task["seat"], task["level"], Path(task["endpoint"])
    log.info("process %d plays %s at level %d", os.getpid(), seat, level)
    if seat not in ("seat1", "seat2"):
        raise SchartenError(f"there is no seat {seat!r}", "Choose seat1 or seat2.")
    found = endpoint_of_file(endpoint) if endpoint else _of_daemon(data or config.data_folder(), seat)
    if found is None:
        raise SchartenError(f"{endpoint} does not say where the broker is", "Give the right file.")
    topics = Topics(found.prefix, found.club, found.board)
    tables = TableFiles((data or config.data_folder()) / "tables")
    gc.freeze()  # what was loaded stays: looking through it for garbage would make turns late
    player = Opponent(found.address, topics, seat, level, tables=tables)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: player.stop())
    player.run(lambda: not parent or os.getppid() == parent)


def _of_daemon(folder: Path, seat: str) -> Endpoint:
    """Where the daemon of this data folder serves, and the seat's account there."""
    try:
        running = json.loads((folder / "running.json").read_text())
    except (OSError, ValueError) as error:
        raise SchartenError(f"no daemon runs on the data folder {folder}", "Start `scharten run`.") from error
    account = Account(seat)
    return Endpoint(
        **running["broker"],
        **{name: running[name] for name in ("prefix", "club", "board")},
        username=account.value,
        password=load_or_make(folder / "secrets.json")[account],
    )
