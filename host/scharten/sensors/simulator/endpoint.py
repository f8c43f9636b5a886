"""Throws over MQTT: the simulated board's ear at the broker. It publishes nothing."""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scharten.contract.messages import parse_throw
from scharten.contract.topics import Topic, Topics
from scharten.errors import Problem, SchartenError
from scharten.sensors.simulator.script import AtPoint, Plain

_LOG = logging.getLogger(__name__)
_RETRY_S = 0.5


class Endpoint(BaseModel):
    """Where the broker is and who we are there: the keys of the file given as `--endpoint`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    port: int = Field(1883, ge=1, le=65535)
    username: str | None = None
    password: str | None = None
    prefix: str = Field("scharten", pattern=r"^[a-z0-9_-]{1,32}$")
    club: str = Field("home", pattern=r"^[a-z0-9_-]{1,32}$")
    board: str = Field("board1", pattern=r"^[a-z0-9_-]{1,32}$")


def endpoint_of_url(url: str, prefix: str, club: str, board: str) -> Endpoint:
    """The endpoint of `mqtt://[user:password@]host[:port]`; anything else is a `SchartenError`."""
    try:
        parts = urlsplit(url)
        if parts.scheme != "mqtt" or not parts.hostname or parts.path.strip("/"):
            raise ValueError
        return Endpoint(
            host=parts.hostname,
            port=parts.port or 1883,
            username=parts.username,
            password=parts.password,
            prefix=prefix,
            club=club,
            board=board,
        )
    except ValueError as error:
        raise SchartenError(
            f"{url!r} with prefix {prefix!r}, club {club!r} and board {board!r} is no broker for throws",
            "Write --broker mqtt://host:1883; prefix, club and board are 1 to 32 of a-z, 0-9, _ and -.",
        ) from error


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
    """Listens for throws in a thread of its own and hands each to `throw`, connecting anew for ever."""

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
        while not self._stop.is_set():
            endpoint = self.where()
            if endpoint is not None:
                with contextlib.suppress(OSError, ValueError):  # no broker there: try again
                    self._listen(endpoint)
            self._stop.wait(_RETRY_S)

    def _listen(self, endpoint: Endpoint) -> None:
        topic = Topics(endpoint.prefix, endpoint.club, endpoint.board).of(Topic.THROW)
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, f"simulator-{secrets.token_hex(6)}", protocol=mqtt.MQTTv311
        )
        if endpoint.username is not None:
            client.username_pw_set(endpoint.username, endpoint.password)
        client.on_socket_open = _no_delay
        client.on_message = self._on_message

        def on_connect(c: mqtt.Client, _u: object, _f: object, reason: Any, _p: object) -> None:
            if reason.is_failure:
                _LOG.warning("the broker at %s:%d refuses: %s", endpoint.host, endpoint.port, reason)
            else:
                c.subscribe(topic, qos=1)

        client.on_connect = on_connect
        client.connect(endpoint.host, endpoint.port, keepalive=5)
        while not self._stop.is_set() and client.loop(timeout=0.5) == mqtt.MQTT_ERR_SUCCESS:
            pass
        client.disconnect()

    def _on_message(self, _client: mqtt.Client, _user: object, message: mqtt.MQTTMessage) -> None:
        if message.retain:
            return  # a throw of another day
        throw = parse_throw(bytes(message.payload))
        if isinstance(throw, Problem):
            _LOG.warning("a throw was not understood: %s", throw)
        elif throw.bounce_out:
            self.throw(Plain.BOUNCE_OUT)
        elif throw.x_mm is not None and throw.y_mm is not None:
            self.throw(AtPoint(throw.x_mm, throw.y_mm))


def _no_delay(_client: mqtt.Client, _user: object, sock: Any) -> None:
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


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
