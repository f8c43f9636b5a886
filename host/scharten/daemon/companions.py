"""Start the companions of a game: computer players, the adviser, endgame tables, lamps and webhooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scharten.contract.roles import Account
from scharten.daemon.announcer import Announcer
from scharten.daemon.health import MachineHealth
from scharten.daemon.logins import BrokerLogins
from scharten.daemon.referee_loop import RefereeLoop
from scharten.daemon.rounds import Rounds
from scharten.daemon.supervisor import Supervisor
from scharten.homes.process import start_homes
from scharten.homes.settings import HomesSection
from scharten.mqtt.publisher import Publisher
from scharten.opponent.adviser import Adviser
from scharten.opponent.processes import ComputerPlayers
from scharten.opponent.settings import OpponentSection
from scharten.opponent.table_builder import TableBuilder
from scharten.players.book import PlayerBook

SLOW_PART_S = 60.0
"""Patience with parts that wait for processes and disks."""


@dataclass(frozen=True, slots=True)
class GameSurroundings:
    """The parts that companions need; `down` collects the functions that stop them."""

    folder: Path
    logins: BrokerLogins
    referee: RefereeLoop
    announcer: Announcer
    health: MachineHealth
    supervisor: Supervisor
    rounds: Rounds
    down: list[Callable[[], object]]
    config_file: Path | None


def start_computers(
    at: GameSurroundings, settings: OpponentSection, book: PlayerBook
) -> Callable[[], object]:
    """Start the computer's processes, one for each seat that the match gives it; return how to prepare one.

    Missing endgame tables are built at idle priority.
    """
    if settings.tables:
        builder = TableBuilder(at.folder)
        at.down.append(builder.stop)
        at.rounds.calls.append(builder.look_after)
    players = ComputerPlayers(
        at.folder,
        lambda seat: at.logins.endpoint(Account(seat)),
        lambda: at.referee.match,
        at.health.set_warning,
        partial(at.health.set_part, "computers"),
        at.config_file,
        book.stand_in_refused,
        book.hand,
    )
    at.announcer.listeners.append(players.on_event)
    at.logins.denied.append(players.on_denied)
    at.down.append(players.stop)
    players.start()
    at.supervisor.watch_worker(players.worker, SLOW_PART_S)
    return players.prepare


def start_adviser(at: GameSurroundings, publisher: Publisher, book: PlayerBook) -> Callable[[], object]:
    """Start the adviser, which answers where to aim; return how to prepare its process."""
    warn = partial(at.health.set_warning, "advice")
    adviser = Adviser(lambda: at.referee.match, book.scatter, publisher.publish_advice, warn)
    at.announcer.listeners.append(adviser.on_event)
    at.down.append(adviser.stop)
    adviser.start()
    at.supervisor.watch_worker(adviser.worker, SLOW_PART_S)
    return adviser.prepare


def start_lamps(at: GameSurroundings, settings: HomesSection) -> None:
    """Start lamps and webhooks, in a process of their own."""
    endpoint = at.logins.endpoint(Account.LAMPS)
    if process := start_homes(at.folder, settings, endpoint, at.health.set_warning):
        at.down.append(process.stop)
        at.rounds.calls.append(process.look_after)
