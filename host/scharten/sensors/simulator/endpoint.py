"""Throws over MQTT: the simulated board's ear at the broker. It publishes nothing."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scharten.contract.messages import parse_throw
from scharten.contract.topics import Topic, Topics
from scharten.errors import Problem, SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url
from scharten.mqtt.client import MqttClient
from scharten.sensors.simulator.script import AtPoint, Plain

_LOG = logging.getLogger(__name__)
_RETRY_S = 0.5


class Endpoint(BaseModel):
    """Where the broker is and who we are there: the keys of the file given as `--endpoint`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    port: int = Field(1883, ge=1, le=65535)
    tls: bool = False
    ca_file: Path | None = None
    username: str | None = None
    password: str | None = None
    prefix: str = Field("scharten", pattern=r"^[a-z0-9_-]{1,32}$")
    club: str = Field("home", pattern=r"^[a-z0-9_-]{1,32}$")
    board: str = Field("board1", pattern=r"^[a-z0-9_-]{1,32}$")

    @property
    def address(self) -> BrokerAddress:
        """The broker, with the account."""
        account = Credentials(self.username, self.password) if self.username else None
        return BrokerAddress(self.host, self.port, self.tls, self.ca_file, account)

    @property
    def topics(self) -> Topics:
        """The topics of the board."""
        return Topics(self.prefix, self.club, self.board)


def endpoint_of_url(url: str, prefix: str, club: str, board: str) -> Endpoint:
    """The endpoint of a broker's URL; a wrong one, or a wrong name, is a `SchartenError`."""
    address = parse_url(url)
    account = address.account
    try:
        return Endpoint(
            host=address.host,
            port=address.port,
            tls=address.tls,
            username=account.username if account else None,
            password=account.password if account else None,
            prefix=prefix,
            club=club,
            board=board,
        )
    except ValidationError as error:
        raise SchartenError.coded("not_topics", prefix=prefix, club=club, board=board) from error


def endpoint_of_file(path: Path) -> Endpoint | None:
    """The endpoint in the file as it is now; None (and a line in the log) while it is absent or wrong."""
    try:
        return Endpoint.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        _LOG.warning("%s cannot be used: %s", path, error)
        return None


@dataclass
class ThrowListener:
    """Listens for throws in a thread of its own and hands each to `throw`, connecting again for ever."""

    where: Callable[[], Endpoint | None]
    throw: Callable[[AtPoint | Plain], None]

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="throws", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End, within a second or so."""
        self._stop.set()
        self._thread.join(2)

    def _run(self) -> None:
        client: MqttClient | None = None
        now: Endpoint | None = None
        while not self._stop.is_set():
            # The set-up may have renamed the board while the broker stayed: read the file again.
            found = self.where()
            if found is not None and found != now:
                if client is not None:
                    client.stop()
                client, now = self._listening(found), found
            self._stop.wait(_RETRY_S)
        if client is not None:
            client.stop()

    def _listening(self, endpoint: Endpoint) -> MqttClient | None:
        try:
            client = MqttClient(endpoint.address, name="simulator")
        except SchartenError as error:
            _LOG.warning("throws cannot be heard: %s", error)
            return None
        client.subscribe(endpoint.topics.path(Topic.THROW), self._on_throw)
        client.start()
        return client

    def _on_throw(self, _topic: str, payload: bytes, retained: bool) -> None:
        if retained:
            return  # a throw of another day
        throw = parse_throw(payload)
        if isinstance(throw, Problem):
            _LOG.warning("a throw was not understood: %s", throw)
        elif throw.bounce_out:
            self.throw(Plain.BOUNCE_OUT)
        elif throw.x_mm is not None and throw.y_mm is not None:
            self.throw(AtPoint(throw.x_mm, throw.y_mm))


def listener(
    broker: str | None,
    file: Path | None,
    throw: Callable[[AtPoint | Plain], None],
    *,
    prefix: str,
    club: str,
    board: str,
) -> ThrowListener | None:
    """A listener for a broker's URL, or for the file with all of it (which wins); None if neither is given."""
    if file is not None:
        return ThrowListener(lambda: endpoint_of_file(file), throw)
    if broker is not None:
        fixed = endpoint_of_url(broker, prefix, club, board)
        return ThrowListener(lambda: fixed, throw)
    return None
