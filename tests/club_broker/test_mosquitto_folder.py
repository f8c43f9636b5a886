"""`scharten broker-config`, with a real Mosquitto that reads what it wrote."""

import datetime
import os
import shlex
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from broker.client import Client
from broker.running import Running, running_mosquitto
from lab.daemon_process import wait_for
from lab.ports import free_port
from lab.programs import program
from scharten.club_broker.check import check_broker
from scharten.club_broker.mosquitto import ClubBroker, acl_text, conf_text, username
from scharten.club_broker.mosquitto_folder import ClubPlan, write_club
from scharten.contract.roles import Account
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import ConnectionState, MqttClient
from scharten.system import tls
from scharten.system.tls import ensure_tls

DEPLOY = Path(__file__).parents[2] / "deploy"


def logins(folder: Path, board: str) -> dict[Account, tuple[str | None, str | None]]:
    return {
        item: (username(board, item), (folder / "secrets" / username(board, item)).read_text().strip())
        for item in Account
    }


@pytest.mark.long
def test_the_command_writes_what_mosquitto_starts_with(tmp_path: Path) -> None:
    """From the command line to a running broker in which every account of both boards can log in, and nobody else."""
    mosquitto, port, out = program("mosquitto"), free_port(), tmp_path / "club"
    words = f"--boards board1,board2 --bind 127.0.0.1 --port {port}".split()
    output = subprocess.run(
        [sys.executable, "-m", "scharten", "broker-config", *words, "--out", str(out)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "credentials" in output and "without --tls" in output.lower() and 'id = "board1"' in output
    assert all(path.stat().st_mode & 0o077 == 0 for path in (out / "secrets").iterdir())
    both = {board: logins(out, board) for board in ("board1", "board2")}
    assert not any(secret and secret in output for item in both.values() for _, secret in item.values())
    with running_mosquitto(mosquitto, out / "mosquitto.conf", out, port):
        for board in both.values():
            running = Running("mosquitto", port, board, house_port=port + 1)
            for account in Account:
                with Client(running, account) as client:
                    assert client.code == 0, account
            with Client(running, Account.HOST, password="wrong") as client:
                assert client.code
            with Client(running, None) as client:
                assert client.code


def test_the_printed_steps_install_it(tmp_path: Path) -> None:
    """Followed to the letter, they give a running broker; secrets and the authority's key stay behind."""
    mosquitto, port = program("mosquitto"), free_port()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "scharten"
        plan = ClubPlan(("board1",), bind="127.0.0.1", port=port, tls_hosts=("127.0.0.1",), installed_at=home)
        guide = write_club(plan, tmp_path)
        steps = [line.strip() for line in guide.splitlines() if line.strip().startswith("install ")]
        Path(place).chmod(0o755)
        for step in steps:
            # Only root may give files away; another user runs Mosquitto as itself.
            mine = step if os.getuid() == 0 else step.replace("-o mosquitto ", "")
            subprocess.run(shlex.split(mine), check=True)
        found = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
        assert found == [
            "acl",
            "mosquitto.conf",
            "passwords",
            "tls/ca.pem",
            "tls/server.key",
            "tls/server.pem",
        ]
        process = subprocess.Popen([mosquitto, "-c", str(home / "mosquitto.conf")], stderr=subprocess.DEVNULL)
        name, secret = logins(tmp_path, "board1")[Account.HOST]
        address = BrokerAddress("127.0.0.1", port, True, tmp_path / "tls/ca.pem")
        link = MqttClient(address.for_account(Credentials(name or "", secret or "")))
        try:
            link.start()
            wait_for(lambda: link.status.connected, 40, "the connection")
        finally:
            link.stop()
            process.terminate()
            process.wait()


def test_running_it_again_keeps_secrets_unless_new_ones_are_wanted(tmp_path: Path) -> None:
    """A third board does not lock out the first two."""
    write_club(ClubPlan(("board1",)), tmp_path)
    first = logins(tmp_path, "board1")
    write_club(ClubPlan(("board1", "board2")), tmp_path)
    assert logins(tmp_path, "board1") == first
    write_club(ClubPlan(("board1", "board2")), tmp_path, new_secrets=True)
    assert all(logins(tmp_path, "board1")[item] != first[item] for item in Account)


@pytest.mark.parametrize(
    "plan",
    [
        ClubPlan(("Board",)),
        ClubPlan(("a/b",)),
        ClubPlan(("a\nuser root",)),
        ClubPlan(("",)),
        ClubPlan(("x" * 33,)),
        ClubPlan(("a", "a")),
        ClubPlan(("a",), prefix="#"),
        ClubPlan(("a",), club="+"),
        ClubPlan(("a",), bind="0.0.0.0\nallow_anonymous true"),
    ],
)
def test_a_name_that_could_widen_the_acl_is_refused(plan: ClubPlan, tmp_path: Path) -> None:
    """Refused with the rule, before any file is written."""
    with pytest.raises(SchartenError):
        write_club(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tls_is_verified(tmp_path: Path) -> None:
    """With the club's authority the host connects; without it, or under another name, it does not and says why."""
    mosquitto, port = program("mosquitto"), free_port()
    write_club(
        ClubPlan(("board1",), bind="127.0.0.1", port=port, tls_hosts=("127.0.0.1", "club.local")), tmp_path
    )
    assert all((tmp_path / "tls" / name).stat().st_mode & 0o077 == 0 for name in ("ca.key", "server.key"))
    name, secret = logins(tmp_path, "board1")[Account.HOST]
    files = ensure_tls(tmp_path / "tls", ["127.0.0.1"])
    for path in (tmp_path / "tls").iterdir():
        path.chmod(0o644)
    with running_mosquitto(mosquitto, tmp_path / "mosquitto.conf", tmp_path, port):
        for host, ca, state in (
            ("127.0.0.1", files.ca, ConnectionState.CONNECTED),
            ("127.0.0.1", None, ConnectionState.NOT_TRUSTED),
            ("localhost", files.ca, ConnectionState.NOT_TRUSTED),
        ):
            link = MqttClient(BrokerAddress(host, port, True, ca, Credentials(name or "", secret or "")))
            link.start()
            for _ in range(500):
                if link.status.state is not ConnectionState.CONNECTING:
                    break
                link._stopping.wait(0.01)
            assert link.status.state is state, link.status
            link.stop()


def test_an_authority_stays_and_a_certificate_is_renewed_when_it_must(tmp_path: Path) -> None:
    """The same hosts: the same certificate; a new host, or one month left: a new one by the same authority."""
    first = ensure_tls(tmp_path, ["club.local"])
    ca, certificate = first.ca.read_bytes(), first.certificate.read_bytes()
    assert ensure_tls(tmp_path, ["club.local"]).certificate.read_bytes() == certificate
    wider = ensure_tls(tmp_path, ["club.local", "10.0.0.1"]).certificate.read_bytes()
    assert wider != certificate
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=380)
    assert ensure_tls(tmp_path, ["club.local"], later).certificate.read_bytes() != wider
    assert first.ca.read_bytes() == ca
    for hosts in ([], ["a b"], ["*"]):
        with pytest.raises(SchartenError):
            ensure_tls(tmp_path, hosts)
    first.ca.write_text("no certificate")
    with pytest.raises(SchartenError, match="Move that folder away"):
        ensure_tls(tmp_path, ["club.local"])


def test_the_authority_signs_the_clubs_names_and_no_others(tmp_path: Path) -> None:
    """Asked for another name it says so; and a certificate that a thief of its key makes for a bank is believed by no
    device that trusts it, while one for a private address is."""
    files = ensure_tls(tmp_path, ["club.example", "10.0.0.1"])
    ensure_tls(tmp_path, ["board2.club.example", "192.168.7.7", "pi.local"])
    for name in ("bank.example", "8.8.8.8", "notclub.example"):
        with pytest.raises(SchartenError, match="may not sign"):
            ensure_tls(tmp_path, [name])
    for name, believed in (("192.168.7.8", True), ("bank.example", False), ("8.8.8.8", False)):
        assert handshake(stolen(tmp_path, name), files.ca, name) is believed, name


def stolen(folder: Path, name: str) -> ssl.SSLContext:
    """A server with a certificate for a name, signed with the authority's key past our own check."""
    authority, key = (
        x509.load_pem_x509_certificate((folder / "ca.pem").read_bytes()),
        ec.generate_private_key(ec.SECP256R1()),
    )
    authority_key = serialization.load_pem_private_key((folder / "ca.key").read_bytes(), None)
    made = tls._certificate(
        key, tls._names([name]), authority, authority_key, datetime.datetime.now(datetime.UTC)
    )  # type: ignore[arg-type]
    both = folder / "stolen.pem"
    both.write_bytes(made.public_bytes(serialization.Encoding.PEM) + tls._pem(key).encode())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return context


def handshake(server: ssl.SSLContext, ca: Path, name: str) -> bool:
    """Whether a client that trusts the authority believes the server to be `name`."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context(cafile=ca).wrap_bio(to_client, to_server, server_hostname=name)
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(5):
        for end in (client, serving):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError:
                return False
    return True


def test_the_example_in_deploy_is_what_the_command_writes() -> None:
    """deploy/mosquitto.conf and deploy/mosquitto.acl cannot fall behind the table of roles."""
    home = Path("/etc/mosquitto/scharten")
    club = ClubBroker(("board1", "board2"), bind="0.0.0.0", house_bind="0.0.0.0", anonymous_display=True)
    assert (DEPLOY / "mosquitto.conf").read_text() == conf_text(club, home / "passwords", home / "acl")
    assert (DEPLOY / "mosquitto.acl").read_text() == acl_text(club)


def test_the_check_finds_an_open_broker_open_and_a_closed_one_closed(
    running: Running, tmp_path: Path
) -> None:
    """A Mosquitto without ACL is found open, in words with the cure; ours and the club's are closed."""
    topics = Topics("scharten", "home", "board1")
    name, secret = running.logins[Account.HOST]
    host = Credentials(name or "", secret or "")
    found = check_broker(BrokerAddress("127.0.0.1", running.port, account=host), topics, within_s=20.0)
    assert found.closed is True, found
    if running.kind == "mosquitto":
        port = free_port()
        conf = tmp_path / "open" / "open.conf"
        conf.parent.mkdir()
        conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
        with running_mosquitto(program("mosquitto"), conf, conf.parent, port):
            found = check_broker(BrokerAddress("127.0.0.1", port), topics, within_s=20.0, silent_s=20.0)
            assert found.closed is False and "broker-config" in found.words
        found = check_broker(BrokerAddress("127.0.0.1", port), topics)
        assert found.closed is None and "no broker answers" in found.words
