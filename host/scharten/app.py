"""The only place where everything is wired together: broker, journal, referee, sources, publisher, display."""

from __future__ import annotations

import logging
import secrets as chance
import signal
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from scharten import __version__
from scharten.config import JOURNAL, Certificate, Config
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topic, Topics
from scharten.dartboard.link import LinkState
from scharten.errors import SchartenError
from scharten.health import Health
from scharten.journal.journal import Journal, JournalReader, set_aside
from scharten.journal.replay import going_on
from scharten.match.inputs import Input, Restarted
from scharten.match.referee import new_match
from scharten.match.settings import Game, MatchSettings
from scharten.match.state import Match
from scharten.mqtt import secrets
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url, tls_context
from scharten.mqtt.check import check_broker
from scharten.mqtt.command_intake import CommandIntake
from scharten.mqtt.discovery import announce
from scharten.mqtt.embedded import listening
from scharten.mqtt.link import BrokerLink, LinkStatus, Will
from scharten.mqtt.publisher import OFFLINE, Publisher
from scharten.referee_loop import Desk
from scharten.running import StageTrace, now_ms, write_running
from scharten.sensors.kinds import KINDS
from scharten.sensors.sensor import CAMERA, CameraSettings, Setup
from scharten.systemd import Notifier

log = logging.getLogger(__name__)

SWITCH_S = 0.0005
"""Threads hand one dart on: the default of 5 ms for each busy thread would be most of its way."""
ROUND_S = 2.0
"""How often the daemon looks after its parts."""
FIRST_STATE_S = 0.5
"""How long a start waits for the broker before it goes on with boards and pages."""
STALLED_S = 5.0
"""A referee that is silent for longer is stuck: the watchdog then has the daemon started anew."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a start is asked for: configuration, folder, where the page is served and how."""

    config: Config
    folder: Path
    host: str
    port: int
    open_roles: tuple[str, ...] = ("table", "seat1", "seat2")
    new_journal: bool = False
    new_links: bool = False
    trace: Path | None = None


def settings_of(config: Config) -> MatchSettings:
    """What the referee is told: the board and the configured game, what depends on the source filled in."""
    options = config.options(config.game_key).model_dump(
        mode="json", exclude={"clock_side"}, exclude_none=True
    )
    known = Game.model_validate(options)
    board = config.board
    return MatchSettings(board=board.id, white_sits_at=board.white_sits_at, game=known)


class House:
    """The daemon: `start` brings everything up in the order in which things need each other, `stop` takes it down."""

    def __init__(self, wish: Wish) -> None:
        self.wish, self.config = wish, wish.config
        self.topics = Topics(self.config.broker.prefix, self.config.broker.club, self.config.board.id)
        self.health = Health(self.config.source.kind, now_ms())
        self.secrets: dict[Account, str] = {}
        self._down: list[Callable[[], object]] = []
        self._stopping = threading.Event()
        self._for_good = False
        self._full = threading.Event()  # set: what no longer fits is dropped
        self._rounds: list[Callable[[], object]] = []
        self._address: BrokerAddress
        self.url = ""
        self.desk: Desk

    @property
    def arbiter_needs_tls(self) -> bool:
        """Outside this machine the arbiter's secret crosses a network: only encrypted, unless configured."""
        return not self.wish.open_roles and not self.config.web.arbiter_without_tls

    @property
    def page(self) -> str:
        """Where people open the page: behind a proxy that is not where it is served."""
        return next(iter(self.config.web.origins), self.url)

    def start(self) -> None:
        """Bring everything up; what fails is a `SchartenError`, and what was up already is taken down."""
        sys.setswitchinterval(SWITCH_S)
        folder = self.wish.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SchartenError(
                f"{folder} cannot be the data folder: {error.strerror}.", "Choose another with --data."
            ) from error
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self) -> None:
        settings = settings_of(self.config)
        journal, match = self._journal(settings)
        path = self.wish.folder / "secrets.json"
        self.secrets = secrets.renew(path, LINKED) if self.wish.new_links else secrets.load_or_make(path)
        address = self._address = self._broker()
        link = self._link(address)
        publisher = Publisher(link, self.topics)
        trace = StageTrace(self.wish.trace) if self.wish.trace else None
        self.desk = Desk(
            match,
            journal,
            publisher,
            now_ms,
            settings=settings,
            health=self.health,
            trace=trace.note if trace else None,
        )
        if self.config.broker.discovery:
            announce(link, self.topics, __version__)
        self.health.changed = lambda: publisher.publish_health(self.health.told())
        CommandIntake(
            link, self.topics, emit=self.desk.take, answer=publisher.answer, now_ms=now_ms, seed=_seed
        )
        if match.id:
            self.desk.take(Restarted(now_ms()))
        self.desk.publish_all()
        self.health.changed()
        link.start()
        self.desk.start()
        until = time.monotonic() + FIRST_STATE_S
        while not link.status.connected and time.monotonic() < until:
            time.sleep(0.005)  # the first state goes out before slower parts take the processor
        self._down.append(lambda: link.stop((self.topics.of(Topic.AVAILABILITY), OFFLINE)))
        self._down.append(self.desk.stop)
        setup = self._setup(_heard(journal), self._endpoint(address))
        self._sensor(setup)
        self._serve(address, self._kept_throws(setup.cameras))
        self._tell_where(address)
        self._look_around(journal)

    def run(self, ready: Callable[[House], None]) -> None:
        """Play until SIGINT or SIGTERM; tells systemd that the daemon is ready and that the referee is alive."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked_to_stop)
        notifier = Notifier()
        self.start()
        told = self._in_a_line()
        notifier.ready(told)
        ready(self)
        beats, seen, rounded = -1, time.monotonic(), 0.0
        while not self._stopping.wait(min(1.0, notifier.watchdog_s / 4 or 1.0)):
            if time.monotonic() - rounded > ROUND_S:
                rounded = time.monotonic()
                for look in self._rounds:
                    look()
            if self.desk.beats != beats:
                beats, seen = self.desk.beats, time.monotonic()
            if time.monotonic() - seen < min(STALLED_S, notifier.watchdog_s / 2 or STALLED_S):
                notifier.alive()
            if told != self._in_a_line():
                told = self._in_a_line()
                notifier.status(told)
        notifier.stopping()
        self.stop()

    def _in_a_line(self) -> str:
        """What `systemctl status` shows."""
        trouble = self.desk.trouble
        return f"play stands still: {trouble.message}" if trouble else f"plays at {self.url}"

    def _asked_to_stop(self, number: int, _frame: object) -> None:
        self._for_good = number == signal.SIGINT  # Ctrl-C ends the evening; SIGTERM may be a restart
        self._stopping.set()

    def stop(self) -> None:
        """Take everything down, the last first; one part that fails does not keep the others up."""
        while self._down:
            part = self._down.pop()
            try:
                part()
            except Exception:
                log.exception("while stopping")

    # --- the parts, in the order in which they start ---

    def _journal(self, settings: MatchSettings) -> tuple[Journal, Match]:
        path = self.wish.folder / JOURNAL
        if self.wish.new_journal and (kept := set_aside(path)):
            log.warning("the old journal is kept as %s", kept)
        match = None
        if path.exists():
            reader = JournalReader(path)
            try:
                match = going_on(reader, self.health.observe)
            finally:
                reader.close()
            self.health.forget_source()
        journal = Journal(path)
        self._down.append(journal.close)
        return journal, match if match and match.id else new_match(settings)

    def _broker(self) -> BrokerAddress:
        config = self.config.broker
        if config.url != "embedded":
            return parse_url(config.url, Path(config.ca_file) if config.ca_file else None)
        thread = listening(
            Accounts(self.secrets), Acl(self.topics), config.port, "port" in config.model_fields_set
        )
        self._down.append(thread.stop)
        return BrokerAddress("127.0.0.1", thread.broker.port)

    def _account(self, account: Account) -> Credentials | None:
        config = self.config.broker
        if config.url == "embedded":
            return Credentials(account.value, self.secrets[account])
        return secrets.stored_login(config.credentials, self.topics.board, account)

    def _link(self, address: BrokerAddress) -> BrokerLink:
        def told(status: LinkStatus) -> None:
            self.health.set_part("broker", {"connected": status.connected, "words": status.words})

        will = Will(self.topics.of(Topic.AVAILABILITY), OFFLINE)
        return BrokerLink(
            address,
            self._account(Account.HOST),
            name="host",
            will=will,
            on_status=told,
            see_retained=True,
        )

    def _setup(self, stored: LinkState | None, endpoint: Mapping[str, object]) -> Setup:
        source, folder = self.config.source, self.wish.folder
        cameras = CameraSettings(data=str(folder), replays="replays", **source.camera.model_dump())
        return Setup(
            folder=folder,
            profile=self.config.board.profile,
            port=source.serial.port,
            baud=source.serial.baud,
            granboard=source.granboard,
            cameras=cameras,
            emit=self._take,
            report=self.health.set_part,
            now_ms=now_ms,
            stored=stored,
            endpoint=endpoint,
        )

    def _sensor(self, setup: Setup) -> None:
        self.desk.sensor = sensor = KINDS[self.config.source.kind](setup)
        self._down.append(lambda: sensor.stop(for_good=self._for_good))
        self._down.append(self._full.set)
        sensor.start()
        self._rounds.append(sensor.look_after)

    def _take(self, given: Input) -> None:
        """Hand an input to the referee; the sensor waits as long as its inbox is full."""
        while not self.desk.take(given, wait_s=1.0) and not self._full.is_set():
            pass

    def _kept_throws(self, cameras: CameraSettings) -> Callable[[], Mapping[str, bytes]]:
        """With cameras: let the match's events say what a kept throw was; gives the last pictures by name."""
        if self.config.source.kind != CAMERA:
            return dict
        from scharten.sensors.kept_throws import LastPictures, Truths  # noqa: PLC0415  (brings OpenCV, slow to load)

        self.desk.subscribers.append(Truths(Path(cameras.data) / cameras.replays).hear)
        return LastPictures(cameras)

    def _serve(self, address: BrokerAddress, pictures: Callable[[], Mapping[str, bytes]]) -> None:
        account = self._account(Account.WEB)
        name, password = (account.username, account.password) if account else (None, None)
        # The page's server is slow to load: the first state is out before it.
        from scharten.display.server import DisplayServer  # noqa: PLC0415
        from scharten.display.thread import DisplayThread  # noqa: PLC0415

        display = DisplayServer(
            self.wish.host,
            self.wish.port,
            (address.host, address.port, name, password, tls_context(address)),
            self.topics,
            role_secrets={account.value: self.secrets[account] for account in LINKED},
            open_roles=self.wish.open_roles,
            origins=self.config.web.origins,
            simulated=self.config.source.kind == "simulated",
            white_sits_at=self.config.board.white_sits_at,
            tls_only_roles=(Account.ARBITER.value,) if self.arbiter_needs_tls else (),
            ssl_context=self._certificate(),
            pictures=pictures,
            diagnostics=lambda: {"config": self.config.model_dump(mode="json")},
        )
        thread = DisplayThread(display)
        thread.start()
        self.url = display.url
        self._down.append(thread.stop)

    def _certificate(self) -> ssl.SSLContext | None:
        from scharten.display.thread import server_context  # noqa: PLC0415  (with the page's server)

        web = self.config.web
        if isinstance(web.tls, Certificate):
            return server_context(Path(web.tls.cert), Path(web.tls.key) if web.tls.key else None)
        if not web.tls:
            return None
        from scharten.display.hostnames import names_of  # noqa: PLC0415  (with it)
        from scharten.mqtt.tls import ensure_tls  # noqa: PLC0415  (cryptography is slow to load, and rarely needed)

        names = ("127.0.0.1", "localhost", *names_of(self.wish.host))
        files = ensure_tls(self.wish.folder / "tls", tuple(dict.fromkeys(names)))
        return server_context(files.certificate, files.key)

    def _endpoint(self, address: BrokerAddress) -> dict[str, object]:
        account = self._account(Account.SIMULATOR)
        where = {"host": address.host, "port": address.port}
        login = {"username": account.username, "password": account.password} if account else {}
        return {**where, **asdict(self.topics), **login}

    def _tell_where(self, address: BrokerAddress) -> None:
        broker = {"host": address.host, "port": address.port}
        told = {
            "web": self.url,
            "page": self.page,
            "broker": broker,
            **asdict(self.topics),
        }
        self._down.append(write_running(self.wish.folder, told))

    def _look_around(self, journal: Journal) -> None:
        """Find out beside the game whether strangers could command; look after what needs looking after."""

        def check() -> None:
            found = check_broker(self._address, self._account(Account.HOST), self.topics)
            if found.closed is False:
                log.warning(found.words)
                self.health.set_warnings(found.words)

        threading.Thread(target=check, name="broker-check", daemon=True).start()
        size = {"path": journal.path.name}
        self._rounds.append(
            lambda: self.health.set_part("journal", {**size, "bytes": journal.bytes_on_disk()})
        )
        self._rounds.append(
            lambda: self.health.set_part("desk", {"inputs": self.desk.inputs, "waiting": self.desk.waiting})
        )


LINKED = (Account.TABLE, Account.SEAT1, Account.SEAT2, Account.ARBITER)
"""The roles that people open a page as with a secret."""


def _heard(journal: Journal) -> LinkState | None:
    """What the journal holds of the board's line: none of it is to be taken, or told, a second time."""
    if journal.line is None:
        return None
    session, stored = journal.line
    known, total = journal.dropped or (session, 0)
    return LinkState(session, stored, total if known == session else 0)


def _seed() -> int:
    return chance.randbits(32)
