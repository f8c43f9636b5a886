"""Real brokers, alone and as clusters: what the doctor says of each, and a game while a node is killed."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.mosquitto import answers
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.fitness import Trial, trials

START_S = 180.0
PATIENCE_S = 150.0
"""Whoever waits longer for an answer has gone home."""
MOVES = 6
"""So many moves before a node is killed, and as many after it."""
SETTLED_S = 3.0
"""A NATS cluster takes seconds for each subscription; what is said before goes to nobody."""
SECRET = "bench-of-brokers"
CONFIG = """
[game]
settle_ms = 0
[broker]
url = "mqtt://127.0.0.1:{port}"
credentials = "{credentials}"
[web]
port = 0
"""
ERLANG_LIBRARIES = "/usr/lib/x86_64-linux-gnu"


@dataclass
class Node:
    """One node of a broker: its MQTT port and its process, which leads a group of its own."""

    port: int
    process: subprocess.Popen[bytes]

    def listens(self) -> bool:
        """Whether it listens; `AssertionError` when it has ended instead."""
        assert self.process.poll() is None, "it has ended"
        return answers(self.port)

    def kill(self) -> None:
        """SIGKILL, as a power cut does it."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@dataclass
class Running:
    """A broker that listens."""

    nodes: list[Node] = field(default_factory=list)
    helpers: list[Node] = field(default_factory=list)
    login: Credentials | None = None

    def address(self, place: int) -> BrokerAddress:
        """Of one node."""
        return BrokerAddress("127.0.0.1", self.nodes[place].port).for_account(self.login)


@dataclass(frozen=True)
class Kind:
    """One broker: its program and Debian package, and how a number of nodes is started in a folder."""

    name: str
    program: str
    package: str
    start: Callable[[Path, Running, int], None]
    nodes: int = 1
    settings: str = ""
    """What its configuration must have besides."""

    @property
    def there(self) -> bool:
        """Whether it is installed."""
        return bool(shutil.which(self.program, path=f"{os.environ['PATH']}:/usr/sbin"))


def run(only: str) -> int:
    """Print what each does; 1 when one that is installed did not start, or a known verdict has changed."""
    wrong = 0
    for kind in (one for one in KINDS if not only or one.name.lower().startswith(only.lower())):
        print(f"\n{kind.name}, {_nodes(kind.nodes)}{kind.settings and f', {kind.settings}'}", flush=True)
        if not kind.there:
            print(f"  not installed: apt-get install --no-install-recommends {kind.package}")
            continue
        try:
            with running(kind) as broker:
                tell(broker)
        except AssertionError as error:
            print(f"  did not start: {error}")
            wrong += 1
    return int(wrong > 0)


def tell(broker: Running) -> None:
    """Print the trials on one node, from node to node, and the game."""
    for trial in all_trials(broker):
        print(f"  ✓ {trial.what}" if trial.works else f"  ✗ {trial.what}\n      → {trial.breaks}", flush=True)


def all_trials(broker: Running) -> Iterator[Trial]:
    """On one node; of a cluster also from node to node, and a game in which the player's node is killed."""
    yield from trials(broker.address(0))
    if len(broker.nodes) > 1:
        for one in trials(broker.address(0), node=broker.address(1)):
            yield Trial(f"from node to node: {one.what}", one.works, one.breaks)
        yield killed_in_a_game(broker)


def killed_in_a_game(broker: Running) -> Trial:
    """The host at the first node, a player at the second, which is killed: the player goes on at another."""
    what = "a game of which the player's node is killed"
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for account in ("host", "web", "simulator", "table"):
            (folder / "secrets").mkdir(exist_ok=True)
            (folder / "secrets" / account).write_text(f"{SECRET}\n")
            (folder / "secrets" / account).chmod(0o600)
        config = CONFIG.format(port=broker.nodes[0].port, credentials=folder / "secrets")
        daemon = DaemonProcess(folder / "data", config).start()
        try:
            _ = daemon.running
            slowest = _play(broker.nodes[1].port, first=True)
            broker.nodes[1].kill()
            died = time.monotonic()
            other = broker.nodes[2 % len(broker.nodes)]
            slowest = max(slowest, _play(other.port, first=False))
            took = time.monotonic() - died
        except AssertionError as error:
            return Trial(what, False, str(error).partition("; the last state")[0])
        finally:
            daemon.end()
    words = (
        f"all {2 * MOVES} moves played, the slowest in {slowest:.1f} s, those after the kill in {took:.1f} s"
    )
    return Trial(f"{what}: {words}", True, "")


def _play(port: int, *, first: bool) -> float:
    """Some moves of a player who comes to this node; the longest that a move took."""
    peer, slowest = Peer("127.0.0.1", port, "scharten/home/board1", "table", SECRET), 0.0
    try:
        peer.wait(
            lambda one: "phase" in one,
            PATIENCE_S,
            f"the first state at {'the second' if first else 'another'} node",
        )
        if first:
            time.sleep(SETTLED_S)
            peer.new_game(kind="silent", game="chess", options={"white_by": "agreed"})
        state = peer.wait(
            lambda one: one["turns"] >= (0 if first else MOVES), PATIENCE_S, "the state at another node"
        )
        goal = state["turns"] + MOVES
        while state["turns"] < goal:
            began = time.monotonic()
            move = sorted(state["moves"])[state["turns"] % len(state["moves"])]
            _told(peer, state, move)
            turns = state["turns"]
            state = peer.wait(lambda one, n=turns: one["turns"] > n, PATIENCE_S, "the next state")  # type: ignore[misc]
            slowest = max(slowest, time.monotonic() - began)
    finally:
        peer.close()
    return slowest


def _told(peer: Peer, state: State, move: str) -> None:
    """Play a move as somebody at a screen does: again, with the same id, while nobody answers."""
    told, began = secrets.token_hex(8), time.monotonic()
    while True:
        try:
            answer = peer.ask("move", id=told, move=move, side=state["side"], seq=state["seq"], seconds=5)
        except AssertionError:
            assert time.monotonic() - began < PATIENCE_S, f"no answer to a move in {PATIENCE_S:.0f} s"
            continue
        assert answer["accepted"] or answer["code"] == "stale", answer
        return


@contextmanager
def running(kind: Kind) -> Iterator[Running]:
    """The broker until the block ends, in a folder of its own; `AssertionError` when it does not listen."""
    broker = Running()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        stack.callback(_end, broker)
        kind.start(folder, broker, kind.nodes)
        for node in broker.nodes:
            wait_for(node.listens, START_S, f"{kind.name} at port {node.port}")
        yield broker


def _end(broker: Running) -> None:
    for node in (*broker.nodes, *broker.helpers):
        node.kill()


def _mosquitto(folder: Path, broker: Running, _nodes: int) -> None:
    (port,) = free_ports(1)
    (folder / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") or "mosquitto"
    broker.nodes.append(_process(folder, port, [program, "-c", str(folder / "mosquitto.conf")]))


def _rabbitmq(folder: Path, broker: Running, _nodes: int) -> None:
    port, distribution, names = free_ports(3)
    (folder / "rabbitmq.conf").write_text(
        f"listeners.tcp = none\nmqtt.listeners.tcp.1 = 127.0.0.1:{port}\nmqtt.allow_anonymous = true\n"
    )
    (folder / "plugins").write_text("[rabbitmq_mqtt].\n")
    places = {"CONFIG_FILE": "rabbitmq.conf", "MNESIA_BASE": "mnesia", "LOG_BASE": "logs"}
    environment = {f"RABBITMQ_{name}": str(folder / place) for name, place in places.items()} | {
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_NODENAME": f"rabbit{port}@localhost",
        "RABBITMQ_DIST_PORT": str(distribution),
        "HOME": str(folder),
        **_names(names),
    }
    script = next(Path("/usr/lib/rabbitmq/lib").glob("*/sbin/rabbitmq-server"))
    broker.helpers.append(_name_server(folder, names))
    broker.nodes.append(_process(folder, port, [str(script)], environment))


def _nats(folder: Path, broker: Running, nodes: int) -> None:
    ports = free_ports(3 * nodes)
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[2::3])
    for number in range(nodes):
        mqtt, client, route = ports[3 * number : 3 * number + 3]
        conf = folder / f"nats{number}.conf"
        conf.write_text(
            f"""listen: "127.0.0.1:{client}"
server_name: "node{number}"
jetstream {{ store_dir: "{folder}/store{number}", max_memory_store: 64MB, max_file_store: 512MB }}
cluster {{ name: "scharten", listen: "127.0.0.1:{route}", routes: [{routes}] }}
mqtt {{ listen: "127.0.0.1:{mqtt}", stream_replicas: {nodes} }}
"""
        )
        broker.nodes.append(_process(folder, mqtt, ["/usr/sbin/nats-server", "-c", str(conf)]))
    log = folder / "log"
    wait_for(
        lambda: "Self is new JetStream cluster metadata leader" in log.read_text(),
        START_S,
        "a leader of NATS",
    )


def _ejabberd(folder: Path, broker: Running, nodes: int) -> None:
    *ports, names = free_ports(nodes + 1)
    broker.login = Credentials("table", SECRET)
    for number, port in enumerate(ports):
        (own := folder / f"node{number}").mkdir()
        (own / "ejabberd.yml").write_text(
            f"""hosts: [localhost]
loglevel: warning
listen: [{{port: {port}, ip: "127.0.0.1", module: mod_mqtt, backlog: 1000}}]
auth_method: [anonymous]
anonymous_protocol: both
allow_multiple_connections: true
modules: {{mod_mqtt: {{access_publish: {{"#": [{{allow: all}}]}}, access_subscribe: {{"#": [{{allow: all}}]}}}}}}
"""
        )
        environment = {
            "ERL_LIBS": ERLANG_LIBRARIES,
            "EJABBERD_CONFIG_PATH": str(own / "ejabberd.yml"),
            "EJABBERD_LOG_PATH": str(own / "log"),
        }
        command = [*_erl(f"e{number}@localhost"), "-mnesia", "dir", f'"{own}/mnesia"', "-s", "ejabberd"]
        if not number:
            broker.helpers.append(_name_server(folder, names))
        node = _process(own, port, command, environment | {"HOME": str(own), **_names(names)})
        broker.nodes.append(node)
        wait_for(node.listens, START_S, f"ejabberd at port {port}")
        if number:
            _ask(folder, names, f"rpc:call(e{number}@localhost, ejabberd_cluster, join, [e0@localhost])")
            wait_for(node.listens, START_S, "ejabberd after joining")


def _ask(folder: Path, names: int, question: str) -> None:
    """Have an Erlang node answer, and wait for it."""
    code = f'io:format("~p~n", [{question}]), halt().'
    environment = {**os.environ, "HOME": str(folder), "ERL_LIBS": ERLANG_LIBRARIES, **_names(names)}
    told = subprocess.run(
        [*_erl("asker@localhost"), "-eval", code], env=environment, capture_output=True, text=True
    )
    assert told.stdout.strip() == "ok", f"{question}: {told.stdout}{told.stderr}"


def _erl(name: str) -> list[str]:
    return ["erl", "-noinput", "-sname", name, "-setcookie", "scharten-bench"]


def _names(port: int) -> dict[str, str]:
    """Where Erlang's nodes find each other."""
    return {"ERL_EPMD_PORT": str(port), "ERL_EPMD_ADDRESS": "127.0.0.1"}


def _name_server(folder: Path, port: int) -> Node:
    node = _process(folder, port, ["epmd", "-address", "127.0.0.1", "-port", str(port)])
    wait_for(lambda: answers(port), START_S, "Erlang's name server")
    return node


def _process(
    folder: Path, port: int, command: Sequence[str], environment: dict[str, str] | None = None
) -> Node:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
    return Node(port, process)


def free_ports(count: int) -> list[int]:
    """Ports on which nobody listens just now."""
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(server.getsockname()[1]) for server in servers]


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"a cluster of {count} nodes on this machine"


MOSQUITTO = Kind("Mosquitto", "mosquitto", "mosquitto", _mosquitto)
NATS = Kind("NATS", "nats-server", "nats-server", _nats, 3, "mqtt { stream_replicas: 3 }")
KINDS = (
    MOSQUITTO,
    Kind("RabbitMQ", "rabbitmq-server", "rabbitmq-server", _rabbitmq),
    NATS,
    Kind("ejabberd", "ejabberdctl", "ejabberd", _ejabberd, 2),
)
