"""The daemon: the only place that connects its parts (broker, journal, referee, sensors, page)."""

from __future__ import annotations

import logging
import secrets as chance
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from scharten import __version__
from scharten.config import JOURNAL
from scharten.contract.roles import Account
from scharten.contract.topics import Topic, Topics
from scharten.daemon.announcer import Announcer
from scharten.daemon.checks import open_journal, start_checks, stored_line
from scharten.daemon.companions import GameSurroundings, start_adviser, start_computers, start_lamps
from scharten.daemon.finished import FinishedGames
from scharten.daemon.health import MachineHealth
from scharten.daemon.logins import LINKED, BrokerLogins, load_secrets
from scharten.daemon.options import DaemonOptions, settings_of
from scharten.daemon.periodic import start_periodic_work
from scharten.daemon.process_restart import (
    GRACE_S,
    STOP_S,
    ProcessRestart,
    restart_process,
    restarted_before,
    within,
)
from scharten.daemon.referee_loop import RefereeLoop, no_trace
from scharten.daemon.rounds import Rounds
from scharten.daemon.running import StageTrace, SteadyClock, program_date_ms, write_running
from scharten.daemon.sources import BoardSensors, LookedAt, camera_pictures
from scharten.daemon.supervisor import Supervisor
from scharten.daemon.systemd import MainThread, Notifier
from scharten.display.context import Context, DaemonControl, DaemonParts, RemoteControl, Roles
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.homes.home_assistant import announce_home_assistant
from scharten.journal.journal import Journal
from scharten.journal.refused import RefusedJournal
from scharten.match.inputs import Command, Restarted
from scharten.match.referee import new_match
from scharten.match.seats.throwers import may_throw
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.mqtt.client import ConnectionState, ConnectionStatus, MqttClient, Will
from scharten.mqtt.intake import CommandIntake, LightIntake, RemoteIntake, ThrowIntake
from scharten.mqtt.publisher import OFFLINE, AvailabilityKeeper, Publisher
from scharten.opponent.engines import EngineList, unknown_engine
from scharten.players.book import PlayerBook
from scharten.sensors.kinds import reading_names
from scharten.sensors.sensor import SensorSetup
from scharten.store.files import set_aside
from scharten.system.loop_thread import LoopThread, RestartedServer
from scharten.system.newer import find_newer

log = logging.getLogger(__name__)

SWITCH_S = 0.0005
"""A dart passes several threads: the default of 5 ms for each busy one would be most of its latency."""
FIRST_STATE_S = 0.5
"""How long a start waits for the broker before it starts boards and pages."""


class Daemon:
    """All parts of a running board, started in the order of their dependencies and stopped in reverse."""

    def __init__(self, options: DaemonOptions) -> None:
        self.options, self.config = options, options.config
        self.topics = Topics(self.config.broker.prefix, self.config.broker.club, self.config.board.id)
        self._clock = SteadyClock()
        self.health = MachineHealth(reading_names(self.config.source.kinds), self._clock.now_ms())
        self.supervisor = Supervisor(partial(self.health.set_part, "parts"), self._clock.now_ms)
        self.rounds = Rounds(self.supervisor.note)
        self.secrets: dict[Account, str] = {}
        self._down: list[Callable[[], object]] = []
        self._prepare: dict[str, Callable[[], object]] = {}
        self._main = MainThread()
        self._seen = SeenCommands()
        self._before = ProcessRestart()
        warn = partial(self.health.set_warning, "players")
        self._players = PlayerBook(options.folder, JOURNAL, GAMES_BY_KEY, warn)
        self.url, self.port = "", self.options.port
        self.logins: BrokerLogins
        self.client: MqttClient
        self.announcer: Announcer
        self.referee: RefereeLoop
        self.sensors: BoardSensors
        self._take: Callable[[Command], bool]
        self._remote: RemoteControl | None = None

    @property
    def arbiter_needs_tls(self) -> bool:
        """Whether the arbiter's secret must be encrypted on the network."""
        return not self.options.here_only and not self.config.web.arbiter_without_tls

    @property
    def page(self) -> str:
        """The address that people open; behind a proxy it differs from `url`."""
        return next(iter(self.config.web.origins), self.url)

    def start(self) -> None:
        """Start every part; stop them again if one fails with a `SchartenError`."""
        sys.setswitchinterval(SWITCH_S)
        folder = self.options.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SchartenError.coded("no_data_folder_made", folder=folder, why=error.strerror) from error
        try:
            self._start()
        except OSError as error:
            self.stop()
            where = error.filename or "while starting"
            why = error.strerror or error
            raise SchartenError.coded("data_folder_unusable", folder=folder, why=why, where=where) from error
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        settings = settings_of(self.config)
        self._before = restarted_before()
        journal, match = self._journal(settings)
        self.secrets = load_secrets(self.options.folder / "secrets.json", self.options.new_links)
        self._start_broker()
        client = self.client = self._make_client()
        self.availability = AvailabilityKeeper(client, self.topics, self._another_host)
        publisher = Publisher(client, self.topics)
        self._make_referee(match, journal, publisher, settings)
        announce_home_assistant(client, self.topics, __version__, self.config.homes, self.config.web.language)
        self.health.publish = publisher.publish_health
        CommandIntake(
            client,
            self.topics,
            emit=lambda command: self._take(command),  # noqa: PLW0108  (`_take` may change)
            publish=publisher.answer,
            refusal=partial(unknown_engine, settings=self.config.opponent),
            now_ms=self._clock.now_ms,
            seed=lambda: chance.randbits(128),
        )
        light = LightIntake(client, self.topics)
        ThrowIntake(client, self.topics, self._is_due, self._note_throw)
        self._requests = RemoteIntake(client, self.topics)
        finished = FinishedGames(
            self.options.folder / JOURNAL, self.topics, client, self._players, self._hide
        )
        self._publish_first_state(match, journal)
        self._down += [self.availability.leave, finished.stop, self.announcer.stop, self.referee.stop]
        self._start_sensors(journal, light, publisher)
        looked_at = camera_pictures(self.config.source, self.options.folder, self.announcer, self.health)
        self._serve_page(looked_at)
        self._write_where()
        at = GameSurroundings(
            *(self.options.folder, self.logins, self.referee, self.announcer),
            *(self.health, self.supervisor, self.rounds, self._down),
            self.options.file if self.options.file and self.options.file.is_file() else None,
        )
        self._prepare["computer"] = start_computers(at, self.config.opponent, self._players)
        self._prepare["adviser"] = start_adviser(at, publisher, self._players)
        start_lamps(at, self.config.homes)
        start_periodic_work(at, journal, finished, self._clock, self.config.backup.folder)
        start_checks(self.logins.address_for(Account.HOST), self.topics, journal, self.health)

    def _publish_first_state(self, match: Match, journal: Journal | RefusedJournal) -> None:
        """Start the referee and publish its state, before slower parts take the processor."""
        if any(match.start.players):
            self._hide(self._players.deleted())
        self.announcer.start()
        if not match.id:
            self.referee.publish_all()
        if isinstance(journal, RefusedJournal):
            self.referee.stand_still(journal.error)
        self.health.changed()
        self.client.start()
        # A resumed game is paused before its state is published.
        self._clock.not_before(max(match.now_ms, program_date_ms()))
        self.referee.start(Restarted(self._clock.now_ms()) if match.id else None)
        until = time.monotonic() + FIRST_STATE_S
        while not self.client.status.connected and time.monotonic() < until:
            time.sleep(0.005)
        if self._before.reason:
            self.supervisor.note("process", self._before.reason, "process_restarted")
        self.supervisor.watch("referee", lambda: self.referee.worker, self.referee.restart, vital=True)
        self.supervisor.watch("publisher", lambda: self.client.worker, self.client.start)
        self.supervisor.watch_worker(self.announcer.worker)

    # --- running ---

    def run(self, ready: Callable[[Daemon], None]) -> None:
        """Play until SIGINT or SIGTERM, or until a page saves other settings, which `put_back` undoes.

        Tells systemd that the daemon is ready and that the referee is alive.
        """
        self._main.catch_signals()
        notifier = Notifier()
        self.start()
        notifier.ready(self._status())
        ready(self)
        with self.supervisor.thread_ends():
            check = partial(self._check_parts, notifier)
            notifier.watch(self._main.stopping, lambda: self.referee.worker.beats, self._status, check)
        if self.put_back is None:
            notifier.stopping()  # a restart within this process is no stop: systemd would kill it
        else:
            notifier.restarting()
        self.stop()

    @property
    def put_back(self) -> Callable[[], object] | None:
        """The function that undoes newly saved settings; None unless the daemon restarts with them."""
        return self._main.put_back

    def _check_parts(self, notifier: Notifier) -> None:
        """Let the supervisor check the parts; restart the process if it gives a reason."""
        if (reason := self.supervisor.check()) is None:
            return
        log.error("play is impossible: %s", reason)
        self.health.set_stopped(reason)
        self.availability.go_offline()
        restart = self._before.next_restart(reason, self._clock.now_ms(), self.logins.address.port)
        if self._main.wait(max(GRACE_S, restart.wait_s), notifier.alive):
            notifier.restarting()
            within(STOP_S, self.stop)
            restart_process(restart, self.port)

    def _status(self) -> str:
        """Return the line for `systemctl status`."""
        trouble = self.referee.trouble
        return f"play stands still: {trouble.message}" if trouble else f"plays at {self.url}"

    def stop(self) -> None:
        """Stop the parts in reverse order; a failure does not keep the others running."""
        while self._down:
            part = self._down.pop()
            try:
                part()
            except Exception:
                log.exception("while stopping")

    # --- the parts, in the order in which they start ---

    def _journal(self, settings: MatchSettings) -> tuple[Journal | RefusedJournal, Match]:
        path = self.options.folder / JOURNAL
        if self.options.new_journal and (saved := set_aside(path)):
            log.warning("the old journal is kept as %s", saved)
        journal, match = open_journal(path, self.health, self._seen)
        self._down.append(journal.close)
        return journal, match if match and match.id else new_match(settings, GAMES_BY_KEY)

    def _start_broker(self) -> None:
        self.logins = BrokerLogins(self.config.broker, self.topics, self.secrets)
        if (broker := self.logins.start(self._before.broker_port)) is not None:
            self._down.append(broker.stop)
            self.supervisor.watch("broker", lambda: broker.thread, broker.restart)

    def _make_client(self) -> MqttClient:
        def on_status(status: ConnectionStatus) -> None:
            self.health.set_part("broker", {"connected": status.connected, "words": status.words})
            if status.state is ConnectionState.LOST:
                self.supervisor.note("publisher", status.words, "restarted")

        will = Will(self.topics.path(Topic.AVAILABILITY), OFFLINE)
        return MqttClient(self.logins.address_for(Account.HOST), name="host", will=will, on_status=on_status)

    def _make_referee(
        self,
        match: Match,
        journal: Journal | RefusedJournal,
        publisher: Publisher,
        settings: MatchSettings,
    ) -> None:
        announcer = self.announcer = Announcer(
            publisher, lambda name, error: self._note("announcer", error, name)
        )
        announcer.observers.append(self.health.observe)
        announcer.readers.append(self.health.read)
        self.referee = RefereeLoop(
            match,
            journal,
            publisher,
            announcer,
            self._clock.now_ms,
            settings=settings,
            seen=self._seen,
            trace=StageTrace(self.options.trace).note if self.options.trace else no_trace,
        )
        self._take = self.referee.take
        self.referee.on_trouble = self.health.set_trouble
        self.referee.on_fault = self.supervisor.note

    def _note(self, part: str, error: Exception, where: str) -> None:
        self.supervisor.note(part, f"{where}: {type(error).__name__}: {error}")

    def _another_host(self, found: bool) -> None:
        words = (
            f"another daemon serves {self.topics.root} on this broker: stop one, or give it another board.id"
        )
        if found:
            log.warning(words)
        self.health.set_warning("another_host", words if found else None)

    def _is_due(self, seat: str) -> bool:
        return may_throw(self.referee.match, Seat(seat))

    def _note_throw(self, seat: str, due: bool) -> None:
        words = f"{seat} threw on the simulated board out of turn: the dart was dropped"
        self.health.set_warning(f"throw_{seat}", None if due else words)

    def _hide(self, gone: frozenset[str]) -> None:
        self.referee.deleted_players = gone

    def _start_sensors(
        self, journal: Journal | RefusedJournal, light: LightIntake, publisher: Publisher
    ) -> None:
        from scharten.daemon.remote import newest_line  # noqa: PLC0415  (slow to load: after the first state)

        setup = SensorSetup(
            folder=self.options.folder,
            profile=self.config.board.profile,
            emit=self.referee.take,
            report=self.health.set_part,
            now_ms=self._clock.now_ms,
            endpoint=self.logins.endpoint(Account.SIMULATOR),
            on_light=light.listeners.append,
        )
        stored = lambda: newest_line(self.options.folder, stored_line(journal))  # noqa: E731
        sensors = self.sensors = BoardSensors(setup, self.config.source, self.referee, stored)
        self._start_remote(publisher)
        sensors.start()
        self._down.append(lambda: sensors.stop(for_good=self._main.for_good))
        self.rounds.calls.append(sensors.look_after)
        self.announcer.listeners.append(sensors.on_event)
        self.supervisor.watch("sensors", lambda: sensors, sensors.restart)

    def _start_remote(self, publisher: Publisher) -> None:
        from scharten.daemon.remote import RemotePlay, RemoteSurroundings  # noqa: PLC0415  (the same)

        folder = self.options.folder
        at = RemoteSurroundings(
            *(folder, folder / JOURNAL, self.topics, self.client, publisher, self._requests, self.referee),
            *(self.sensors, self.health, self.supervisor, self._clock.now_ms, self._down),
        )
        remote = RemotePlay(at, self.config.remote)
        self._take, self._remote = remote.take, remote.control
        remote.start()  # before the sensors, whose first dart may be another host's

    def _serve_page(self, looked_at: LookedAt) -> None:
        from scharten.daemon.page_server import start_page  # noqa: PLC0415  (slow to load: after the first state)

        def serve() -> LoopThread[Any]:
            context = self._page_context(looked_at)
            return start_page(self.config, self.options.folder, self.options.host, self.port, context)

        page = RestartedServer(serve(), serve)
        self.url, self.port = page.thread.server.url, page.thread.server.port
        self._down.append(page.stop)
        self.supervisor.watch("page", lambda: page.thread, page.restart)

    def _page_context(self, looked_at: LookedAt) -> Context:
        """Return what the features of the page need."""
        config, options = self.config, self.options
        control = None
        if options.file is not None:
            paths = options.folder, options.file
            control = DaemonControl(*paths, config, self.sensors.release, self._main.restart, options.failed)
        return Context(
            self.logins.address_for(Account.WEB),
            self.topics,
            Roles(
                {account.value: self.secrets[account] for account in LINKED},
                options.open_roles,
                (Account.ARBITER.value,) if self.arbiter_needs_tls else (),
                open_here=options.open_here,
            ),
            club=config.board.club,
            simulated="simulated" in config.source.kinds,
            white_sits_at=config.board.white_sits_at,
            follow_delay_s=config.web.follow_delay_s,
            now_ms=self._clock.now_ms,
            daemon=DaemonParts(
                options.folder / JOURNAL,
                self._players,
                looked_at.pictures,
                looked_at.throws,
                lambda: {"config": config.model_dump(mode="json")},
                control,
                self._remote,
                self._prepare,
                EngineList(config.opponent).as_json,
                partial(find_newer, config.update.file),
            ),
        )

    def _write_where(self) -> None:
        """Write this daemon's addresses for tools of the same user."""
        address = self.logins.address
        broker = {"host": address.host, "port": address.port}
        where = {"web": self.url, "page": self.page, "broker": broker, **asdict(self.topics)}
        self._down.append(write_running(self.options.folder, where))
