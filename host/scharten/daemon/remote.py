"""Connect the host and the guest of a game between two boards with the daemon's parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scharten.contract.topics import Topics
from scharten.daemon.health import MachineHealth
from scharten.daemon.referee_loop import RefereeLoop
from scharten.daemon.sources import BoardSensors
from scharten.daemon.supervisor import Supervisor
from scharten.dartboard.link import LinkState
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Record
from scharten.match.inputs import Command, Input, Reading
from scharten.mqtt.client import MqttClient
from scharten.mqtt.intake import RemoteIntake
from scharten.mqtt.publisher import Publisher
from scharten.players.book import PlayerBook
from scharten.remote.club_requests import ClubRequests
from scharten.remote.control import RemoteControl
from scharten.remote.files import read_line
from scharten.remote.guest import RemoteGuest
from scharten.remote.guest_line import GuestParts
from scharten.remote.home import bring_home
from scharten.remote.host import RemoteHost
from scharten.remote.host_line import HostParts
from scharten.remote.pictures import FOLDER, RemoteThrows
from scharten.remote.settings import RemoteSection
from scharten.sensors.sensor import CAMERA


@dataclass(frozen=True, slots=True)
class RemoteSurroundings:
    """The daemon's parts that a game between two boards touches; `down` collects what stops them."""

    folder: Path
    journal: Path
    topics: Topics
    client: MqttClient
    publisher: Publisher
    requests: RemoteIntake
    referee: RefereeLoop
    sensors: BoardSensors
    health: MachineHealth
    supervisor: Supervisor
    now_ms: Callable[[], int]
    down: list[Callable[[], object]]


class RemotePlay:
    """The host and the guest of this machine; at most one of them plays."""

    def __init__(self, at: RemoteSurroundings, settings: RemoteSection) -> None:
        self._at, self._settings = at, settings
        self.host = RemoteHost(self._host_parts(), settings)
        self.guest = RemoteGuest(self._guest_parts())
        self.control = RemoteControl(self.host, self.guest, settings, RemoteThrows(at.folder / FOLDER))
        self._club = ClubRequests(at.requests, self.control, at.publisher.answer)
        at.referee.on_stored = self._on_stored

    def start(self) -> None:
        """Go on with what an earlier start began."""
        self.host.start()
        self.guest.start()
        self._club.worker.start()
        self._at.down.extend([self._club.stop, self.host.stop, self.guest.stop])
        for part in (self.host, self.guest, self._club):
            self._at.supervisor.watch_worker(part.worker, 60.0)

    def take(self, command: Command) -> bool:
        """Take a page's command: for the other host while the board plays there, else for the referee."""
        if not self.guest.away:
            return self._at.referee.take(command)
        self.guest.on_command(command)
        return True

    def _on_stored(self, record: Record, given: Input) -> None:
        if isinstance(given, Reading) and given.place and given.receipt is not None:
            self.host.acknowledge(given.receipt)
        elif isinstance(given, Reading):
            self.host.note(given)
        self.host.on_stored(record.match, record.body, record.events, record.digest, record.start)

    def _host_parts(self) -> HostParts:
        at = self._at
        return HostParts(
            folder=at.folder,
            journal=at.journal,
            topics=at.topics,
            publisher=at.publisher,
            take=at.referee.take,
            match=lambda: at.referee.match,
            go_back=at.referee.go_back,
            now_ms=at.now_ms,
            warn=at.health.set_warning,
        )

    def _guest_parts(self) -> GuestParts:
        at, topics = self._at, self._at.topics
        return GuestParts(
            folder=at.folder,
            settings=self._settings,
            match=lambda: at.referee.match,
            divert=at.sensors.divert,
            acknowledge=at.sensors.acknowledge,
            show=at.sensors.show,
            mute=self._mute,
            keep=lambda topic, payload: at.client.keep(f"{topics.root}/{topic}", payload),
            publish=lambda topic, payload: at.client.publish(f"{topics.root}/{topic}", payload),
            answer=at.publisher.answer,
            bring_home=lambda: at.referee.run_between(
                lambda journal: bring_home(at.folder, journal.append_game)
            ),
            registered=self._registered,
            cameras=CAMERA in at.sensors.source.kinds,
            sensors=self._sensor_states,
            now_ms=at.now_ms,
            warn=at.health.set_warning,
        )

    def _registered(self, name: str) -> str:
        """Return the id of the registered player with this name, "" for others."""
        book = PlayerBook(self._at.folder, self._at.journal.name, GAMES_BY_KEY)
        found = (player.id for player in book.players() if player.profile.name.lower() == name.lower())
        return next(found, "")

    def _mute(self, muted: bool) -> None:
        """Keep the own referee's publications back, or publish its state again."""
        self._at.publisher.muted = muted
        self._at.referee.publish_again = not muted

    def _sensor_states(self) -> list[tuple[str, str]]:
        sources = self._at.health.as_json()["sources"]
        return [(str(source["name"])[:32], str(source["state"])[:32]) for source in sources[:8]]


def newest_line(folder: Path, stored: LinkState | None) -> LinkState | None:
    """Return the board's last line that this journal or another host's has."""
    elsewhere = read_line(folder)
    if elsewhere is None or (
        stored is not None and stored.session == elsewhere[0] and stored.stored >= elsewhere[1]
    ):
        return stored
    if stored is not None and stored.session != elsewhere[0]:
        return stored
    dropped = stored.dropped if stored is not None else 0
    return LinkState(elsewhere[0], elsewhere[1], dropped)
