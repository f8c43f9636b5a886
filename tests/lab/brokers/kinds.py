"""The tested brokers, each with the accounts of one board, and how to start it in its own folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.brokers import accounts
from lab.brokers.process import Node, Running, started
from lab.daemon_process import wait_for
from lab.mosquitto import answers
from lab.ports import free_ports
from lab.programs import program
from scharten.club_broker.fitness import TrialClient

START_S = 180.0
ERLANG_LIBRARIES = "/usr/lib/x86_64-linux-gnu"
CALM = ("+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+S", "2:2")
"""Erlang's schedulers would otherwise keep a core busy while waiting."""
PATH = f"{os.environ['PATH']}:/usr/sbin"


@dataclass(frozen=True)
class Kind:
    """One broker: its program, its Debian package, the number of nodes, and the function that starts them."""

    name: str
    program: str
    package: str
    start: Callable[[Path, Running, int], None]
    nodes: int = 1
    settings: str = ""
    """More settings that its configuration needs."""

    @property
    def installed(self) -> bool:
        """Return whether the broker is installed."""
        return bool(shutil.which(self.program, path=PATH))

    @property
    def title(self) -> str:
        """Return its name with the installed version."""
        question = ["dpkg-query", "-W", "-f=${Version}", self.package]
        reported = subprocess.run(question, capture_output=True, text=True).stdout
        return f"{self.name} {reported.partition('-')[0]}".strip()


@contextmanager
def running(kind: Kind) -> Iterator[Running]:
    """Run the broker in its own folder until the block ends. Raises `AssertionError` if it does not listen."""
    broker = Running()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        stack.callback(broker.end)
        kind.start(folder, broker, kind.nodes)
        for node in broker.nodes:
            wait_for(node.listens, START_S, f"{kind.name} at port {node.port}")
        for place in range(kind.nodes):
            wait_for(lambda at=place: _lets_in(broker, at), START_S, f"{kind.name} to let somebody in")  # type: ignore[misc]
        yield broker


def _lets_in(broker: Running, place: int) -> bool:
    """Return whether the broker accepts the doctor: a cluster that has just started keeps its first clients waiting."""
    client = TrialClient(broker.address(place), five=False)
    client.close()
    return client.connected


def _mosquitto(folder: Path, broker: Running, _nodes: int) -> None:
    (port,) = free_ports(1)
    broker.nodes.append(
        started(folder, port, [program("mosquitto"), "-c", str(accounts.mosquitto(folder, port))])
    )


def _rabbitmq(folder: Path, broker: Running, _nodes: int) -> None:
    port, distribution, names = free_ports(3)
    (folder / "definitions.json").write_text(accounts.rabbitmq())
    (folder / "rabbitmq.conf").write_text(
        f"listeners.tcp = none\nmqtt.listeners.tcp.1 = 127.0.0.1:{port}\nmqtt.allow_anonymous = false\n"
        f"load_definitions = {folder / 'definitions.json'}\n"
    )
    (folder / "plugins").write_text("[rabbitmq_mqtt].\n")
    places = {"CONFIG_FILE": "rabbitmq.conf", "MNESIA_BASE": "mnesia", "LOG_BASE": "logs"}
    environment = {f"RABBITMQ_{name}": str(folder / place) for name, place in places.items()} | {
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_NODENAME": f"rabbit{port}@localhost",
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": " ".join(CALM),
        "HOME": str(folder),
        **_names(names),
    }
    script = next(Path("/usr/lib/rabbitmq/lib").glob("*/sbin/rabbitmq-server"))
    broker.helpers.append(_name_server(folder, names))
    broker.nodes.append(started(folder, port, [str(script)], environment))


def _nats(folder: Path, broker: Running, nodes: int) -> None:
    for port, conf in accounts.nats(folder, free_ports(3 * nodes)):
        broker.nodes.append(started(folder, port, ["/usr/sbin/nats-server", "-c", str(conf)]))
    log = folder / "log"
    wait_for(
        lambda: "Self is new JetStream cluster metadata leader" in log.read_text(),
        START_S,
        "a leader of NATS",
    )


def _ejabberd(folder: Path, broker: Running, nodes: int) -> None:
    *ports, names = free_ports(nodes + 1)
    broker.helpers.append(_name_server(folder, names))
    for number, port in enumerate(ports):
        (own := folder / f"node{number}").mkdir()
        (own / "ejabberd.yml").write_text(
            f"""hosts: [localhost]
loglevel: warning
listen: [{{port: {port}, ip: "127.0.0.1", module: mod_mqtt, backlog: 1000}}]
auth_method: [internal]
modules: {{mod_mqtt: {accounts.ejabberd()}}}
"""
        )
        environment = {
            "ERL_LIBS": ERLANG_LIBRARIES,
            "EJABBERD_CONFIG_PATH": str(own / "ejabberd.yml"),
            "EJABBERD_LOG_PATH": str(own / "log"),
        }
        command = [*_erl(f"e{number}@localhost"), "-mnesia", "dir", f'"{own}/mnesia"', "-s", "ejabberd"]
        broker.nodes.append(started(own, port, command, environment | {"HOME": str(own), **_names(names)}))
    _clustered(folder, names, nodes)


CLUSTER = """
Up = fun Again(N) ->
  Here = rpc:call(N, application, which_applications, []),
  case is_list(Here) andalso lists:keymember(ejabberd, 1, Here) of true -> ok; _ -> timer:sleep(100), Again(N) end
end,
[Up(N) || N <- [NODES]],
[ok = rpc:call(N, ejabberd_cluster, join, [hd([NODES])]) || N <- tl([NODES])],
[Up(N) || N <- [NODES]],
[ok = rpc:call(hd([NODES]), ejabberd_auth, try_register, [N, <<"localhost">>, P]) || {N, P} <- [ACCOUNTS]],
io:format("ready"), halt().
"""
"""A node that joins before it has fully started waits for itself."""


def _clustered(folder: Path, names: int, nodes: int) -> None:
    """Join ejabberd's nodes into a cluster, and create its accounts."""
    item = ", ".join(f'{{<<"{name}">>, <<"{word}">>}}' for name, word in accounts.PASSWORDS.items())
    places = ", ".join(f"e{number}@localhost" for number in range(nodes))
    code = CLUSTER.replace("NODES", places).replace("ACCOUNTS", item)
    environment = {**os.environ, "HOME": str(folder), "ERL_LIBS": ERLANG_LIBRARIES, **_names(names)}
    command = [*_erl("asker@localhost"), "-eval", code]
    reported = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=START_S)
    assert reported.stdout == "ready", f"ejabberd's cluster: {reported.stdout}{reported.stderr}"


def _erl(name: str) -> list[str]:
    return ["erl", *CALM, "-noinput", "-sname", name, "-setcookie", "scharten-bench"]


def _names(port: int) -> dict[str, str]:
    """Return the settings with which Erlang's nodes find each other."""
    return {"ERL_EPMD_PORT": str(port), "ERL_EPMD_ADDRESS": "127.0.0.1"}


def _name_server(folder: Path, port: int) -> Node:
    node = started(folder, port, ["epmd", "-address", "127.0.0.1", "-port", str(port)])
    wait_for(lambda: answers(port), START_S, "Erlang's name server")
    return node


MOSQUITTO = Kind("Mosquitto", "mosquitto", "mosquitto", _mosquitto)
RABBITMQ = Kind("RabbitMQ", "rabbitmq-server", "rabbitmq-server", _rabbitmq)
NATS = Kind("NATS", "nats-server", "nats-server", _nats, 3, "mqtt { stream_replicas: 3 }")
EJABBERD = Kind("ejabberd", "ejabberdctl", "ejabberd", _ejabberd, 2)
KINDS = (MOSQUITTO, RABBITMQ, NATS, EJABBERD)
