"""`scharten opponent`: the computer at a seat, a client of the board like any other."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten import config
from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.sensors.simulator.endpoint import endpoint_of_file
from scharten.setup.running_daemon import running_endpoint
from scharten.system.log_limit import start_log

log = logging.getLogger(__name__)


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
    engine: Annotated[
        str, typer.Option(help="Let this chess engine choose the moves; `scharten doctor` lists them.")
    ] = "",
    strength: Annotated[
        int | None, typer.Option(help="The engine's strength, in its range; without it, its full strength.")
    ] = None,
    hand: Annotated[
        float | None,
        typer.Option(min=3, max=150, help="Scatter of its darts in mm; without it, that of the level."),
    ] = None,
    shape: Annotated[
        str,
        typer.Option(hidden=True, help="Five figures of that hand as JSON: deviations, correlation, offset."),
    ] = "null",
    config_file: Annotated[
        Path | None, typer.Option("--config", help="Configuration that names the engines.")
    ] = None,
    ready: Annotated[
        bool, typer.Option(hidden=True, help="Load everything, then read the options as a line.")
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
    from scharten.play.scatter import hand_from
    from scharten.play.throwing import bed_shares

    start_log(style="%(asctime)s %(levelname)s %(message)s")
    if parent:
        os.nice(10)  # the referee goes first
    figures = json.loads(shape)
    if ready:
        bed_shares()
        task = json.loads(sys.stdin.readline() or "null")
        if task is None:
            return  # the daemon ended
        seat, level, endpoint = task["seat"], task["level"], Path(task["endpoint"])
        engine, strength, hand, figures = (task[name] for name in ("engine", "strength", "hand", "shape"))
    log.info("process %d plays %s at level %d", os.getpid(), seat, level)
    if seat not in ("seat1", "seat2"):
        raise SchartenError.coded("no_such_seat", seat=seat)
    folder = data or config.data_folder()
    found = endpoint_of_file(endpoint) if endpoint else running_endpoint(folder, Account(seat))
    if found is None:
        code = "endpoint_broker" if endpoint else "no_daemon_runs"
        raise SchartenError.coded(code, path=endpoint, folder=folder)
    tables = TableFiles(folder / "tables")
    gc.freeze()  # what was loaded stays: looking through it for garbage would make turns late
    with _mind(engine, strength, config.find(config_file, folder)) as make_mind:
        make = make_mind if hand is None else partial(make_mind, hand=hand_from(hand, figures))
        player = Opponent(found.address, found.topics, seat, level, tables=tables, make_mind=make)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: player.stop())
        player.run(lambda: not parent or os.getppid() == parent)


@contextmanager
def _mind(name: str, strength: int | None, file: Path | None) -> Iterator[Callable[..., Any]]:
    """Give the built-in player, or the one of an engine, which runs meanwhile; its fault ends this process."""
    from scharten.opponent.engine_mind import EngineMind
    from scharten.opponent.engines import offered
    from scharten.opponent.processes import ENGINE_FAILED
    from scharten.opponent.uci import EngineProblem, UciEngine
    from scharten.play.player import Mind

    if not name:
        yield Mind
        return
    engines = offered(config.load(file).opponent)
    if name not in engines:
        log.error("there is no engine %s; `scharten doctor` lists them", name)
        raise typer.Exit(ENGINE_FAILED)
    try:
        with UciEngine(engines[name]) as engine:
            if strength is not None:
                engine.limit_strength(strength)
            yield partial(EngineMind, engine=engine)
    except EngineProblem as problem:
        log.error("%s: %s", name, problem)
        raise typer.Exit(ENGINE_FAILED) from problem
