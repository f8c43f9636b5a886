"""The real daemon in a folder of its own, and an MQTT peer that plays with it as any device does.

Benchmarks, fault injection and the tests of the whole daemon all use it.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from scharten.mqtt.network_thread import stop_thread

State = dict[str, Any]
NO_TABLES = "[opponent]\ntables = false\n"
"""Without tables: building them takes minutes of CPU, which only their own test needs."""
FAST = """
[game]
settle_ms = 0
arming = "auto"
[broker]
port = 0
[web]
port = 0
"""


class DaemonProcess:
    """`scharten run` as a process: `kill` sends SIGKILL, `stop` SIGTERM, `start` continues with the same folder."""

    def __init__(
        self,
        folder: Path,
        config: str = FAST,
        environment: dict[str, str] | None = None,
        python: str = sys.executable,
    ) -> None:
        self.folder, self.python = folder, python
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "test.toml"
        self.config.write_text(config if "[opponent]" in config else f"{config}\n{NO_TABLES}")
        self.environment = {**os.environ, **(environment or {})}
        self.process: subprocess.Popen[bytes] | None = None
        self.log = folder / "daemon.log"
        self.program = ["-m", "scharten"]
        self.terminal = False
        """Whether its output is a terminal, which is then copied into the log."""

    def start(self, *arguments: str) -> DaemonProcess:
        """Start `scharten run` in this folder, with further arguments."""
        command = [self.python, *self.program, "run", "--no-browser"]
        command += ["--config", str(self.config), "--data", str(self.folder), *arguments]
        with self.log.open("ab") as log:
            output = self._open_terminal() if self.terminal else os.dup(log.fileno())
            self.process = subprocess.Popen(command, stdout=output, stderr=log, env=self.environment)
            os.close(output)
        return self

    def _open_terminal(self) -> int:
        """Open a terminal; a thread copies its output into the log."""
        master, slave = os.openpty()

        def copy() -> None:
            with suppress(OSError), os.fdopen(master, "rb", 0) as printed, self.log.open("ab", 0) as log:
                while some := printed.read(4096):  # ends with OSError when no process holds the terminal
                    log.write(some.replace(b"\r\n", b"\n"))

        threading.Thread(target=copy, daemon=True).start()
        return slave

    @property
    def running(self) -> dict[str, Any]:
        """The daemon's own data, such as its addresses, once it plays."""
        assert self.process is not None

        def ours() -> dict[str, Any] | None:
            assert self.process is not None
            assert self.process.poll() is None, f"the daemon ended:\n{self.log.read_text()}"
            found = reported(self.folder)
            return found if found is not None and found["pid"] == self.process.pid else None

        return dict(wait_for(ours, 90, "the daemon to play"))

    @property
    def secrets(self) -> dict[str, str]:
        """The role secrets of this folder."""
        return dict(json.loads((self.folder / "secrets.json").read_text()))

    def kill(self) -> None:
        """Send SIGKILL, as sudden as a power cut."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Send SIGTERM, as systemd does; return the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)

    def end(self) -> None:
        """Kill everything that still runs in this folder, including the simulated board."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
        end_board(self.folder)

    def peer(self, role: str = "table", running: dict[str, Any] | None = None) -> Peer:
        """Return an MQTT client with the account of a role; `running` is from a daemon that another process started."""
        running = running or self.running
        broker = running["broker"]
        root = f"{running['prefix']}/{running['club']}/{running['board']}"
        return Peer(broker["host"], broker["port"], root, role, self.secrets.get(role))


def end_board(folder: Path) -> None:
    """Kill this folder's simulated board, which otherwise waits ten minutes for the next daemon."""
    try:
        os.kill(int((folder / "simulator.pid").read_text()), signal.SIGKILL)
    except (OSError, ValueError):
        return


def reported(folder: Path) -> dict[str, Any] | None:
    """Return the contents of this folder's running.json, None before the daemon plays."""
    try:
        return dict(json.loads((folder / "running.json").read_text()))
    except (OSError, ValueError):
        return None


class Peer:
    """A role's client at the broker: stores the newest state, sends commands with the `seq` it saw, waits for
    answers."""

    def __init__(
        self,
        host: str,
        port: int,
        root: str,
        role: str,
        secret: str | None,
        username: str = "",
        topics: Sequence[str] = ("#",),
    ) -> None:
        self.root, self.role, self._topics = root, role, topics
        self.states: list[State] = []
        self.received_ns = 0
        self.answers: dict[str, State] = {}
        self.hits: list[State] = []
        self.last: dict[str, State] = {}
        self._news = threading.Condition()
        self._subscribed = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
        if secret is not None:
            self._client.username_pw_set(username or role, secret)
        self._client.on_message = self._on_message
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.reconnect_delay_set(0.05, 0.2)  # type: ignore[arg-type]
        self._client.on_socket_open = _no_delay
        self._client.connect(host, port, keepalive=5)
        self._client.loop_start()

    @property
    def state(self) -> State:
        """The newest state, empty before the first."""
        return self.states[-1] if self.states else {}

    @property
    def source(self) -> str:
        """The state of the source of darts, "" before the host has published it."""
        with self._news:
            sources = self.last.get("health", {}).get("sources", [])
            return str(sources[0]["state"]) if sources else ""

    def wait(self, true_of: Callable[[State], bool], seconds: float = 40, what: str = "a state") -> State:
        """Wait for a state, the present one included, that fulfils the condition; return it."""
        deadline = time.monotonic() + seconds
        with self._news:
            while not (self.state and true_of(self.state)):
                left = deadline - time.monotonic()
                assert left > 0, f"waited {seconds} s for {what}; the last state: {self.state}"
                self._news.wait(left)
            return self.state

    def send_command(self, kind: str, /, **fields: Any) -> str:
        """Send a command without waiting; return its id."""
        command_id = fields.pop("id", None) or secrets.token_hex(8)
        body = {"v": 1, "id": command_id, "type": kind, "match": self.state.get("match"), **fields}
        body.setdefault("seq", self.state.get("seq"))
        self.publish(f"command/{self.role}", json.dumps(body))
        return str(command_id)

    def ask(self, kind: str, /, seconds: float = 40, **fields: Any) -> State:
        """Send a command and return its answer, after the broker has confirmed the subscription to answers."""
        assert self._subscribed.wait(seconds), f"the broker gave no subscription within {seconds} s"
        command_id = self.send_command(kind, **fields)
        deadline = time.monotonic() + seconds
        with self._news:
            while command_id not in self.answers:
                left = deadline - time.monotonic()
                assert left > 0, f"no answer to {kind} within {seconds} s"
                self._news.wait(left)
            return self.answers[command_id]

    def new_game(self, seconds: float = 40, /, **fields: Any) -> State:
        """Start a game and return its first state."""
        before = self.state.get("match")
        answer = self.ask("new_game", seconds, abandon=True, **fields)
        assert answer["accepted"], answer
        return self.wait(
            lambda state: state["match"] != before and state["phase"] == "turn", seconds, "a new game"
        )

    def throw(self, **fields: Any) -> None:
        """Throw a dart at the simulated board."""
        self.publish("simulator/throw", json.dumps({"v": 1, **fields}))

    def publish(self, topic: str, payload: str | bytes, retain: bool = False) -> None:
        """Publish below the board's root and wait until the broker has it."""
        self._client.publish(f"{self.root}/{topic}", payload, qos=1, retain=retain).wait_for_publish(5)

    def forget(self) -> None:
        """Keep only the newest of the received messages, so that a long run needs no more memory than a short one."""
        with self._news:
            del self.states[:-1], self.hits[:-1]
            self.answers.clear()

    def close(self) -> None:
        """Disconnect from the broker."""
        self._client.disconnect()
        stop_thread(self._client)

    def _on_connect(self, _client: Client, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        self._subscribed.clear()
        self._subscribe()

    def _subscribe(self) -> None:
        self._client.subscribe([(f"{self.root}/{topic}", 1) for topic in self._topics])

    def _on_subscribe(self, _client: Client, _data: Any, _mid: int, codes: Any, _properties: Any) -> None:
        """Subscribe again if refused: a cluster refuses while it chooses a leader."""
        if any(code.is_failure for code in codes):
            threading.Timer(1.0, self._subscribe).start()
        else:
            self._subscribed.set()

    def _on_message(self, _client: object, _data: object, message: Any) -> None:
        moment = time.monotonic_ns()
        topic = message.topic.removeprefix(self.root + "/")
        try:
            payload = json.loads(message.payload)
        except ValueError:
            payload = {"text": message.payload.decode("utf-8", "replace")}
        with self._news:
            self.last[topic] = payload
            if topic == "state":
                self.received_ns = moment
                self.states.append(payload)
            elif topic.startswith("answer/"):
                self.answers[payload["id"]] = payload
            elif topic == "hits":
                self.hits.append(payload)
            self._news.notify_all()


def _no_delay(_client: Client, _data: Any, sock: Any) -> None:
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def wait_for(found: Callable[[], Any], seconds: float, what: str) -> Any:
    """Call `found` every 20 ms until it returns something true; return that."""
    deadline = time.monotonic() + seconds
    while True:
        value = found()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.02)
