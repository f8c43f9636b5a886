"""A broker's load: one snapshot to one display, to a hall of displays, and to 200 on a club's Mosquitto.

As in the daemon, broker and host share a process; the displays run in another one (`python -m lab.broker`).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from lab import ENVIRONMENT
from lab.figures import commit, percentile
from lab.mosquitto import mosquitto
from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topic, Topics
from scharten.daemon.app import SWITCH_S
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import MqttClient
from scharten.system.loop_thread import LoopThread
from scharten.system.secrets import new_secret

TOPICS = Topics("scharten", "home", "bench")
STATE = TOPICS.path(Topic.STATE)


@dataclass(frozen=True)
class Load:
    """The number of displays, the snapshots a second, their bytes, and the aims in ms, None without one."""

    displays: int
    per_second: float
    size: int
    p50_ms: float | None = None
    p99_ms: float | None = None
    broker: str = "embedded"


def run(count: int, displays: int) -> int:
    """Print each load's percentiles beside its target; return 0 if all targets are met."""
    print(f"{platform.machine()}, Python {platform.python_version()}, commit {commit()}")
    sys.setswitchinterval(SWITCH_S)
    met = True
    club = Load(200, 4, 4000, None, 250.0, "Mosquitto")
    item = Load(1, 100, 2000, 0.9, 2.0)
    beside = replace(item, p50_ms=None, p99_ms=None, broker="Mosquitto")
    for load in (item, beside, Load(displays, 10, 10_000, None, 100.0), club):
        values = measure(load, count if load is not club else max(10, count // 10))
        p50, p99 = percentile(values, 50), percentile(values, 99)
        aims = f"aim {load.p50_ms or '-'} / {load.p99_ms or '-'} ms"
        what = f"{load.broker}: {load.displays} displays, {load.per_second:.0f} snapshots of {load.size} bytes a second"
        busy = f"{os.getloadavg()[0]:.1f} processes wanted this machine's {os.cpu_count()} cores"
        print(f"  {what}: p50 {p50:.2f} ms, p99 {p99:.2f} ms; {aims}; {len(values)} samples; {busy}")
        met = met and p50 <= (load.p50_ms or p50) and p99 <= (load.p99_ms or p99)
    return 0 if met else 1


def measure(load: Load, count: int) -> list[float]:
    """Return the ms from `keep` in the host to each display, for `count` snapshots."""
    if load.broker != "embedded":
        with mosquitto() as port:
            return _measured(port, None, load, count)
    secret = new_secret()
    thread = LoopThread(EmbeddedBroker(Accounts({Account.HOST: secret}), Acl(TOPICS), port=0), "broker")
    thread.start()
    try:
        return _measured(thread.server.port, Credentials(Account.HOST.value, secret), load, count)
    finally:
        thread.stop()


def _measured(port: int, host: Credentials | None, load: Load, count: int) -> list[float]:
    client = MqttClient(BrokerAddress("127.0.0.1", port, account=host))
    command = [sys.executable, "-m", "lab.broker", str(port), str(load.displays)]
    watchers = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        client.start()
        assert watchers.stdout is not None
        if watchers.stdout.readline() != "ready\n":
            raise SchartenError(
                "the displays of the benchmark did not connect", "Is the machine busy? Try again."
            )
        for _ in range(count):
            client.keep(STATE, f"{time.monotonic_ns()} ".encode().ljust(load.size, b"x"))
            time.sleep(1 / load.per_second)
        client.keep(STATE, b"end")
        return [float(load) for load in json.loads(watchers.communicate(timeout=60)[0])]
    finally:
        watchers.kill()
        watchers.wait()
        client.stop()


def watch(port: int, displays: int) -> list[float]:
    """Run anonymous displays that record when each snapshot arrives, until the snapshot "end"."""
    taken: list[float] = []
    ready, ended = threading.Semaphore(0), threading.Semaphore(0)

    def came(_client: object, _user: object, message: object) -> None:
        moment = time.monotonic_ns()
        payload: bytes = getattr(message, "payload", b"")
        if payload == b"end":
            ended.release()
        else:
            taken.append((moment - int(payload.partition(b" ")[0])) / 1e6)

    for _ in range(displays):
        client = Client(CallbackAPIVersion.VERSION2)
        client.on_message = came
        client.on_connect = lambda client, *_: client.subscribe(STATE, 1) and None
        client.on_subscribe = lambda *_: ready.release()
        client.connect("127.0.0.1", port)
        client.loop_start()
    for _ in range(displays):
        ready.acquire(timeout=10)
    print("ready", flush=True)
    for _ in range(displays):
        ended.acquire(timeout=120)
    return taken


if __name__ == "__main__":
    print(json.dumps(watch(int(sys.argv[1]), int(sys.argv[2]))))
