"""The daemon, and the only place where its parts are wired together: broker, journal, referee, sensors, page."""

from __future__ import annotations

import logging
import secrets as chance
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from scharten import __version__
from scharten.checks import open_journal, report_journal, start_checks
from scharten.config import JOURNAL
from scharten.contract.roles import Account
from scharten.contract.topics import Topic, Topics
from scharten.daemon_options import DaemonOptions, settings_of
from scharten.dartboard.link import LinkState
from scharten.errors import SchartenError
from scharten.finished import FinishedGames
from scharten.games import GAMES_BY_KEY
from scharten.health import MachineHealth
from scharten.homes.home_assistant import tell_home_assistant
from scharten.homes.process import start_homes
from scharten.journal.files import set_aside
from scharten.journal.journal import Journal
from scharten.journal.refused import RefusedJournal
from scharten.logins import LINKED, BrokerLogins, load_secrets
from scharten.match.inputs import Restarted
from scharten.match.referee import new_match
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import Match
from scharten.mqtt.client import ConnectionStatus, MqttClient, Will
from scharten.mqtt.command_intake import CommandIntake
from scharten.mqtt.light import LightIntake
from scharten.mqtt.publisher import OFFLINE, AvailabilityKeeper, Publisher
from scharten.opponent.adviser import Adviser
from scharten.opponent.processes import ComputerPlayers
from scharten.players.book import PlayerBook
from scharten.referee_loop import RefereeLoop
from scharten.running import StageTrace, SteadyClock, write_running
from scharten.sensors.kinds import names
from scharten.setup.config_file import ConfigFile
from scharten.sources import LookedAt, start_sensors
from scharten.systemd import Notifier, Stopping

log = logging.getLogger(__name__)

SWITCH_S = 0.0005
"""Threads hand one dart on: the default of 5 ms for each busy thread would be most of its way."""
RESTART_S = 0.3
FIRST_STATE_S = 0.5
"""How long a start waits for the broker before it goes on with boards and pages."""


class Daemon:
    """Every part of a running board, started in the order in which they need each other and stopped in reverse."""

    def __init__(self, options: DaemonOptions) -> None:
        self.options, self.config = options, options.config
        self.topics = Topics(self.config.broker.prefix, self.config.broker.club, self.config.board.id)
        self._clock = SteadyClock()
        self.health = MachineHealth(names(self.config.source.kinds), self._clock.now_ms())
        self.secrets: dict[Account, str] = {}
        self._down: list[Callable[[], object]] = []
        self._stopping = Stopping()
        self._seen = SeenCommands()
        self._for_good = False
        self.put_back: Callable[[], object] | None = None
        self._date_told = False
        self._rounds: list[Callable[[], object]] = []
        self._logins: BrokerLogins
        warn = partial(self.health.set_warning, "players")
        self._players = PlayerBook(options.folder, JOURNAL, GAMES_BY_KEY, warn)
        self.url, self.port = "", self.options.port
        self.referee: RefereeLoop
        self._light: LightIntake

    @property
    def arbiter_needs_tls(self) -> bool:
        """Whether the arbiter's secret may cross the network only encrypted."""
        return not self.options.here_only and not self.config.web.arbiter_without_tls

    @property
    def page(self) -> str:
        """Where people open the page; behind a proxy that is another address than the one that serves it."""
        return next(iter(self.config.web.origins), self.url)

    def start(self) -> None:
        """Bring every part up; if one fails with a `SchartenError`, those that were up already are stopped."""
        sys.setswitchinterval(SWITCH_S)
        folder = self.options.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SchartenError(
                f"{folder} cannot be the data folder: {error.strerror}.", "Choose another with --data."
            ) from error
        try:
            self._start()
        except OSError as error:
            self.stop()
            where = error.filename or "while starting"
            words = f"{folder} cannot be used: {error.strerror or error} ({where})."
            raise SchartenError(
                words, "Make room on the disk, or choose another folder with --data."
            ) from error
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        settings = settings_of(self.config)
        journal, match = self._journal(settings)
        self.secrets = load_secrets(self.options.folder / "secrets.json", self.options.new_links)
        logins = self._logins = BrokerLogins(self.config.broker, self.topics, self.secrets)
        if stop := logins.start():
            self._down.append(stop)
        client = self._client()
        availability = AvailabilityKeeper(client, self.topics, self._another_host)
        publisher = Publisher(client, self.topics)
        trace = StageTrace(self.options.trace).note if self.options.trace else None
        self.referee = RefereeLoop(
            match,
            journal,
            publisher,
            self._clock.now_ms,
            settings=settings,
            health=self.health,
            seen=self._seen,
            trace=trace,
        )
        tell_home_assistant(client, self.topics, __version__, self.config.homes)
        self.health.changed = lambda: publisher.publish_health(self.health.told())
        CommandIntake(
            client,
            self.topics,
            emit=self.referee.take,
            answer=publisher.answer,
            now_ms=self._clock.now_ms,
            seed=_seed,
        )
        self._light = LightIntake(client, self.topics)
        finished = FinishedGames(
            self.options.folder / JOURNAL, self.topics, client, self._players, self._hide
        )
        self._say_first_state(match, journal, client)
        self._down.append(availability.leave)
        self.referee.subscribers.append(finished.hear)
        self._down.append(finished.stop)
        self._down.append(self.referee.stop)
        self._serve(self._sensors(journal))
        self._tell_where()
        self._computers()
        self._adviser(publisher)
        self._homes()
        self._look_around(journal)
        finished.start()
        self._rounds.append(finished.look_after)

    def _say_first_state(self, match: Match, journal: Journal | RefusedJournal, client: MqttClient) -> None:
        """Start the referee and let its state out, before slower parts take the processor."""
        if any(match.start.players):
            self._hide(self._players.gone())
        if not match.id:
            self.referee.publish_all()
        if isinstance(journal, RefusedJournal):
            self.referee.stand_still(journal.error)
        self.health.changed()
        client.start()
        # A game that goes on is paused before anybody sees it.
        self.referee.start(Restarted(self._clock.now_ms()) if match.id else None)
        until = time.monotonic() + FIRST_STATE_S
        while not client.status.connected and time.monotonic() < until:
            time.sleep(0.005)

    def run(self, ready: Callable[[Daemon], None]) -> None:
        """Play until SIGINT or SIGTERM, or until a page has saved other settings: `put_back` then undoes them.

        Tells systemd that the daemon is ready and that the referee is alive.
        """
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked_to_stop)
        notifier = Notifier()
        self.start()
        notifier.ready(self._status())
        ready(self)
        notifier.watch(self._stopping, lambda: self.referee.beats, self._status, self._rounds)
        if self.put_back is None:
            notifier.stopping()  # who is started again in this process is not stopping: systemd would end it
        self.stop()

    def _status(self) -> str:
        """What `systemctl status` shows."""
        trouble = self.referee.trouble
        return f"play stands still: {trouble.message}" if trouble else f"plays at {self.url}"

    def _asked_to_stop(self, number: int, _frame: object) -> None:
        self.put_back = None
        self._for_good = number == signal.SIGINT  # Ctrl-C ends the evening; SIGTERM may be a restart
        self._stopping.ask()

    def _restart(self, put_back: Callable[[], object]) -> None:
        """End, to be started again with what the configuration says now; the game goes on from the journal."""
        self.put_back = put_back
        threading.Timer(RESTART_S, self._stopping.ask).start()  # the page still reads its answer

    def stop(self) -> None:
        """Stop the parts, the last first; one that fails does not keep the others running."""
        while self._down:
            part = self._down.pop()
            try:
                part()
            except Exception:
                log.exception("while stopping")

    # --- the parts, in the order in which they start ---

    def _journal(self, settings: MatchSettings) -> tuple[Journal | RefusedJournal, Match]:
        path = self.options.folder / JOURNAL
        if self.options.new_journal and (kept := set_aside(path)):
            log.warning("the old journal is kept as %s", kept)
        journal, match = open_journal(path, self.health, self._seen)
        self._down.append(journal.close)
        return journal, match if match and match.id else new_match(settings, GAMES_BY_KEY)

    def _client(self) -> MqttClient:
        def told(status: ConnectionStatus) -> None:
            self.health.set_part("broker", {"connected": status.connected, "words": status.words})

        will = Will(self.topics.of(Topic.AVAILABILITY), OFFLINE)
        return MqttClient(self._logins.of(Account.HOST), name="host", will=will, on_status=told)

    def _another_host(self, there: bool) -> None:
        words = (
            f"another daemon serves {self.topics.root} on this broker: stop one, or give it another board.id"
        )
        if there:
            log.warning(words)
        self.health.set_warning("another_host", words if there else None)

    def _hide(self, gone: frozenset[str]) -> None:
        self.referee.gone = gone

    def _sensors(self, journal: Journal | RefusedJournal) -> LookedAt:
        """What reads the board, and the pictures and throws of cameras for people to look at."""
        started = start_sensors(
            self.config,
            self.options.folder,
            self.referee,
            report=self.health.set_part,
            now_ms=self._clock.now_ms,
            stored=_stored_line(journal),
            endpoint=self._logins.endpoint(Account.SIMULATOR),
            on_light=self._light.listeners.append,
            warn=self.health.set_warning,
        )
        self._down.append(lambda: started.stop(for_good=self._for_good))
        self._rounds.append(started.sensor.look_after)
        return started.looked_at

    def _serve(self, looked_at: LookedAt) -> None:
        from scharten.page_server import start_page  # noqa: PLC0415  (slow to load: the first state is out before it)
        from scharten.setup.machine import Machine, setup_door  # noqa: PLC0415  (the same)

        options, setup = self.options, None
        if options.file is not None:
            file, table = ConfigFile(options.file), Account.TABLE
            machine = Machine(
                *(options.folder, file, self.config, self._release, self._restart), failed=options.failed
            )
            setup = setup_door(machine, self.secrets[table], table.value in options.open_roles)
        served = start_page(
            self.config,
            self.topics,
            (options.host, options.port),
            broker=self._logins.of(Account.WEB),
            secrets={account.value: self.secrets[account] for account in LINKED},
            open_roles=options.open_roles,
            folder=options.folder,
            arbiter_needs_tls=self.arbiter_needs_tls,
            pictures=looked_at.pictures,
            throws=looked_at.throws,
            now_ms=self._clock.now_ms,
            players=self._players,
            setup=setup,
        )
        self.url, self.port = served.url, served.port
        self._down.append(served.stop)

    def _release(self) -> None:
        """Let the board's port go: whoever maps the board needs it."""
        if self.referee.sensor is not None:
            self.referee.sensor.stop(for_good=False)

    def _computers(self) -> None:
        """The computer's processes: they come and go with the seats that the match says it plays."""
        players = ComputerPlayers(
            self.options.folder,
            lambda seat: self._logins.endpoint(Account(seat)),
            lambda: self.referee.match,
            self.health.set_warning,
            partial(self.health.set_part, "computers"),
        )
        self.referee.subscribers.append(players.hear)
        self._logins.denied.append(players.hear_denied)
        self._down.append(players.stop)
        players.start()

    def _adviser(self, publisher: Publisher) -> None:
        """Whoever is asked where to aim."""
        warn = partial(self.health.set_warning, "advice")
        adviser = Adviser(lambda: self.referee.match, self._players.scatter, publisher.publish_advice, warn)
        self.referee.subscribers.append(adviser.hear)
        self._down.append(adviser.stop)
        adviser.start()

    def _homes(self) -> None:
        """Lamps and webhooks, in a process of their own."""
        folder, endpoint = self.options.folder, self._logins.endpoint(Account.LAMPS)
        if process := start_homes(folder, self.config.homes, endpoint, self.health.set_warning):
            self._down.append(process.stop)
            self._rounds.append(process.look_after)

    def _look_at_the_date(self) -> None:
        words = self._clock.look(self.referee.match.under_way)
        if words and not self._date_told:
            log.warning(words)
        self._date_told = bool(words)
        self.health.set_warning("date", words)

    def _tell_where(self) -> None:
        address = self._logins.address
        broker = {"host": address.host, "port": address.port}
        told = {"web": self.url, "page": self.page, "broker": broker, **asdict(self.topics)}
        self._down.append(write_running(self.options.folder, told))

    def _look_around(self, journal: Journal | RefusedJournal) -> None:
        """Check in the background what takes long; report on journal, date and queue now and then."""
        start_checks(self._logins.of(Account.HOST), self.topics, journal, self.health)
        self._rounds.append(lambda: report_journal(journal, self.health))
        self._rounds.append(self._look_at_the_date)
        self._rounds.append(
            lambda: self.health.set_part(
                "referee", {"inputs": self.referee.inputs, "waiting": self.referee.waiting}
            )
        )


def _stored_line(journal: Journal | RefusedJournal) -> LinkState | None:
    """The last line of the board that the journal holds: it and those before it are not taken a second time."""
    if journal.line is None:
        return None
    session, stored = journal.line
    known, total = journal.dropped or (session, 0)
    return LinkState(session, stored, total if known == session else 0)


def _seed() -> int:
    return chance.randbits(128)
