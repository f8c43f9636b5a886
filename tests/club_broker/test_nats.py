"""`scharten broker-config --for nats`: the files by their structure, and a real server where it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lab.daemon_process import wait_for
from lab.mosquitto import answers
from lab.ports import free_ports
from lab.programs import program
from scharten.club_broker.fitness import TrialClient
from scharten.club_broker.mosquitto_folder import ClubPlan
from scharten.club_broker.nats import NatsClub, NatsNode, nats_text
from scharten.club_broker.nats_folder import write_nats
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """`scharten broker-config --for nats` with these options."""
    line = [sys.executable, "-m", "scharten", "broker-config", "--for", "nats", *words]
    return subprocess.run(line, capture_output=True, text=True)


def read(path: Path) -> dict[str, Any]:
    """A configuration; only its owner may read it, because it holds passwords."""
    assert path.stat().st_mode & 0o077 == 0
    head, text = path.read_text().split("\n", 1)
    assert head.startswith("# Made by")
    return dict(json.loads(text))


def test_one_server_has_each_account_with_its_rights(tmp_path: Path) -> None:
    """From the command line: accounts, secrets and permissions as the contract's table has them; nobody may do all."""
    done = command("--boards", "board1,board2", "--out", str(tmp_path), "--port", "2883")
    assert done.returncode == 0, done.stderr
    conf = read(tmp_path / "nats-node1.conf")
    assert '[board]\n     id = "board1"\n     [broker]' in done.stdout
    assert conf["mqtt"] == {"listen": "0.0.0.0:2883", "stream_replicas": 1, "max_ack_pending": 100}
    assert "cluster" not in conf
    assert conf["listen"].startswith("127.0.0.1:"), "NATS's own protocol stays on the machine"
    users = {user["user"]: user for user in conf["authorization"]["users"]}
    secrets = {path.name: path.read_text().strip() for path in (tmp_path / "secrets").iterdir()}
    assert {name: user["password"] for name, user in users.items()} == secrets
    assert len(users) == 2 * (len(Account) - 2) + 3
    assert not any(secret in done.stdout for secret in secrets.values())
    seat = users["board2-seat1"]["permissions"]
    grant = Acl(Topics("scharten", "home", "board2")).grant(Account.SEAT1)
    assert seat["publish"]["allow"] == [topic.replace("/", ".") for topic in grant.writes]
    assert "scharten.home.board2.state" in seat["subscribe"]["allow"]
    assert not any("board1" in subject for subject in seat["subscribe"]["allow"])
    assert "scharten.home.*.state" in users["organiser"]["permissions"]["subscribe"]["allow"]
    assert users["display"]["permissions"]["publish"] == {"deny": [">"]}
    assert "scharten.*.*.finished.*" in users["archive"]["permissions"]["subscribe"]["allow"]
    everything = [
        subject
        for user in users.values()
        for rights in user["permissions"].values()
        for subject in rights.get("allow", ())
    ]
    assert ">" not in everything
    assert not any(subject.startswith(("$MQTT", ">")) for user in users.values()
                   for subject in user["permissions"]["publish"].get("allow", ()))  # fmt: skip


@pytest.mark.long
def test_a_cluster_keeps_retained_messages_on_each_node(tmp_path: Path) -> None:
    """Three nodes that route to each other with a secret of their own; run again with more boards, secrets stay."""
    hosts = ("a.local", "b.local", "c.local")
    words = ("--nodes", ",".join(hosts), "--tls", "club.local", "--anonymous-display", "--out", str(tmp_path))
    assert command("--boards", "board1", *words).returncode == 0
    first = (tmp_path / "secrets" / "board1-host").read_text()
    done = command("--boards", "board1,board2", *words)
    assert (tmp_path / "secrets" / "board1-host").read_text() == first
    routes = (tmp_path / "secrets" / "nats-routes").read_text().strip()
    names = set()
    for number, host in enumerate(hosts, 1):
        conf = read(tmp_path / f"nats-node{number}.conf")
        names.add(conf["server_name"])
        assert conf["mqtt"]["stream_replicas"] == 3
        assert conf["mqtt"]["no_auth_user"] == "display"
        assert conf["mqtt"]["listen"] == "0.0.0.0:8883"
        assert conf["mqtt"]["tls"] == {
            "cert_file": str(tmp_path / "tls/server.pem"),
            "key_file": str(tmp_path / "tls/server.key"),
        }
        assert conf["cluster"]["routes"] == [f"nats://nats-routes:{routes}@{other}:6222" for other in hosts]
        assert conf["cluster"]["authorization"] == {"user": "nats-routes", "password": routes}
        assert f"{host}: install -o nats -m 600 nats-node{number}.conf /etc/nats-server.conf" in done.stdout
    commands = [line for line in done.stdout.splitlines() if "mqtts://" in line and "scharten " in line]
    assert len(commands) == 2
    assert all("--ca-file tls/ca.pem" in line for line in commands), "the club's own authority is named"
    assert len(names) == 3


@pytest.mark.parametrize(
    ("plan", "hosts"),
    [
        (ClubPlan(("a.b",)), ()),
        (ClubPlan(("a", "a")), ()),
        (ClubPlan(("a",), prefix="#"), ()),
        (ClubPlan(("a",)), ("a.local", "b.local")),
        (ClubPlan(("a",)), ("a.local", "a.local", "b.local")),
        (ClubPlan(("a",)), ("a.local", "b local", "c.local")),
        (ClubPlan(("a",), bind='0.0.0.0"'), ()),
        (ClubPlan(("a",), house_bind="127.0.0.1"), ()),
        (ClubPlan(("a",), bridge=BrokerAddress("centre", 1883)), ()),
    ],
)
def test_a_plan_that_nats_cannot_have_is_refused(
    plan: ClubPlan, hosts: tuple[str, ...], tmp_path: Path
) -> None:
    """Refused with the reason, before any file is written."""
    with pytest.raises(SchartenError):
        write_nats(plan, hosts, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nodes_are_for_nats(tmp_path: Path) -> None:
    """Mosquitto has no cluster: the command says so."""
    line = [sys.executable, "-m", "scharten", "broker-config", "--boards", "a", "--nodes", "a.local"]
    done = subprocess.run([*line, "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "--for nats" in done.stdout + done.stderr


@pytest.mark.trial
def test_a_real_server_serves_a_whole_club(tmp_path: Path) -> None:
    """Two boards: the club's service gets every board's retained state by wildcard, and a board only its own."""
    server = program("nats-server")
    mqtt, routes, clients = free_ports(3)
    club = NatsClub(("board1", "board2"), (NatsNode("node1", "127.0.0.1", "127.0.0.1", mqtt, routes, clients),),
                    anonymous_display=True)  # fmt: skip
    secrets = {name: f"secret-of-{name}" for name in club.accounts()}
    conf = tmp_path / "nats.conf"
    conf.write_text(nats_text(club, club.nodes[0], secrets, tmp_path / "store"))
    subprocess.run([server, "-t", "-c", str(conf)], check=True, capture_output=True)
    process = subprocess.Popen([server, "-c", str(conf)], stderr=subprocess.DEVNULL)

    def client(name: str) -> TrialClient:
        account = Credentials(name, secrets[name]) if name else None
        return TrialClient(BrokerAddress("127.0.0.1", mqtt, account=account), five=False)

    try:
        wait_for(lambda: answers(mqtt), 60, "NATS")
        for board in ("board1", "board2"):
            host = client(f"{board}-host")
            assert host.publish(f"scharten/home/{board}/state", board.encode(), retain=True)
            host.close()
        for name, topic, expected in (
            ("organiser", "scharten/home/+/state", {b"board1", b"board2"}),
            ("archive", "scharten/+/+/state", {b"board1", b"board2"}),
            ("", "scharten/home/+/state", {b"board1", b"board2"}),
            ("board1-seat1", "scharten/home/board1/state", {b"board1"}),
        ):
            reader = client(name)
            assert reader.subscribe(topic), name
            found = {reader.came.get(timeout=40)[1] for _ in expected}
            assert found == expected, name
            reader.close()
        other = client("board1-seat1")
        assert not other.subscribe("scharten/home/board2/command/seat1")
        other.close()
    finally:
        process.terminate()
        process.wait()
