"""`run --lan` with and without TLS, through an address of the network: who gets in as the arbiter."""

import asyncio
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from lab.daemon_process import FAST, DaemonProcess, wait_for
from scharten import config
from scharten.display.hostnames import names_of, own_address
from scharten.errors import SchartenError
from scharten.system.tls import ensure_tls

Start = Callable[..., DaemonProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a daemon for the network, with further keys of [web], and wait until it has printed its links."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address that others could reach")
    made = []

    def started(web: str, *options: str) -> DaemonProcess:
        daemon = DaemonProcess(tmp_path / f"data{len(made)}", FAST.replace("[web]", f"[web]\n{web}"))
        daemon.terminal = True
        made.append(daemon.start("--lan", *options))
        assert "127.0.0.1" not in daemon.running["web"]
        wait_for(lambda: "Mosquitto" in daemon.log.read_text(errors="replace"), 40, "the links")
        return daemon

    yield started
    for daemon in made:
        daemon.end()


def greeting(
    daemon: DaemonProcess,
    role: str,
    trusted: ssl.SSLContext | None = None,
    secret: str | None = None,
    host: str = "",
) -> Any:
    """Return the server's greeting to a page with the role's secret or another one, from the network or through
    `host`."""
    web, secret = daemon.running["web"], secret if secret is not None else daemon.secrets[role]
    web = f"http://{host}:{web.rpartition(':')[2]}" if host else web

    async def page() -> Any:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{web}/ws", headers={"Origin": web}, ssl=trusted or True) as opened,
        ):
            await opened.send_json({"v": 1, "role": role, "secret": secret})
            return await opened.receive_json()

    return asyncio.run(page())


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_the_arbiter_connects_over_tls(start: Start) -> None:
    """The link is printed. A page that trusts the daemon's authority connects; one that does not, and TLS 1.1, are
    refused."""
    daemon = start("tls = true")
    web = daemon.running["web"]
    assert web.startswith("https://")
    reported = daemon.log.read_text()
    assert (
        f"{web}/?role=arbiter#{daemon.secrets['arbiter']}\n" in reported and "Encrypted with TLS" in reported
    )
    authority = daemon.folder / "tls" / "ca.pem"
    assert (daemon.folder / "tls" / "ca.key").stat().st_mode & 0o077 == 0
    assert (daemon.folder / "tls" / "server.key").stat().st_mode & 0o077 == 0
    welcome = greeting(daemon, "arbiter", ssl.create_default_context(cafile=authority))
    assert (welcome["topic"], welcome["payload"]["role"]) == ("welcome", "arbiter")
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        greeting(daemon, "arbiter")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises(aiohttp.ClientConnectorError):
        greeting(daemon, "arbiter", old)


@pytest.mark.long
def test_a_configured_certificate_is_served(start: Start, tmp_path: Path) -> None:
    """`[web] tls = { cert, key }` serves that certificate, and the arbiter connects over it."""
    address = own_address()
    assert address is not None
    files = ensure_tls(tmp_path / "ours", (address,))
    daemon = start(f"tls = {{ cert = {str(files.certificate)!r}, key = {str(files.key)!r} }}")
    trusted = ssl.create_default_context(cafile=tmp_path / "ours" / "ca.pem")
    assert greeting(daemon, "arbiter", trusted)["topic"] == "welcome"
    assert not (daemon.folder / "tls").exists()


@pytest.mark.long
def test_the_arbiter_without_tls_needs_a_setting(start: Start) -> None:
    """Without TLS the arbiter is refused and the table connects; `arbiter_without_tls` admits the arbiter.
    `--new-links` revokes earlier links."""
    closed = start("tls = false")
    assert closed.secrets["arbiter"] not in closed.log.read_text()
    assert greeting(closed, "arbiter") == {"topic": "refused", "payload": {"code": "needs_tls"}}
    assert greeting(closed, "table")["topic"] == "welcome"
    # A bookmark on this machine still works; a page from the network needs the secret.
    assert greeting(closed, "table", secret="", host="127.0.0.1")["topic"] == "welcome"
    assert greeting(closed, "arbiter", secret="", host="127.0.0.1")["payload"] == {"code": "wrong_secret"}
    assert greeting(closed, "table", secret="")["payload"] == {"code": "wrong_secret"}
    opened = start("arbiter_without_tls = true", "--new-links")
    assert f"role=arbiter#{opened.secrets['arbiter']}\n" in opened.log.read_text()
    assert greeting(opened, "arbiter")["topic"] == "welcome"
    before = opened.secrets
    assert opened.stop() == 0
    opened.start("--lan", "--new-links")
    assert opened.running["pid"]
    kept = {account for account, secret in opened.secrets.items() if before[account] == secret}
    assert kept == {"host", "lamps", "organiser", "web", "simulator"}
    assert greeting(opened, "table", secret=before["table"])["payload"] == {"code": "wrong_secret"}
    assert greeting(opened, "table")["topic"] == "welcome"


@pytest.mark.long
def test_no_role_is_open_behind_a_proxy(tmp_path: Path) -> None:
    """With `[web] origins` all clients seem local, so the table needs its secret. Links name the proxy's address;
    both addresses work."""
    public = "https://club.example"
    daemon = DaemonProcess(tmp_path / "data", FAST.replace("[web]", f'[web]\norigins = ["{public}"]')).start()
    try:
        web = daemon.running["web"]
        assert web.startswith("http://127.0.0.1:")
        shown = subprocess.run(
            [sys.executable, "-m", "scharten", "links", "--data", str(daemon.folder)],
            capture_output=True,
            text=True,
        ).stdout
        assert f"{public}/?role=table#{daemon.secrets['table']}" in shown

        async def greetings() -> list[Any]:
            found: list[Any] = []
            async with aiohttp.ClientSession() as session:
                for origin, host in ((web, web), (public, public), (public, web)):
                    headers = {"Origin": origin, "Host": host.partition("//")[2]}
                    async with session.ws_connect(f"{web}/ws", headers=headers) as page:
                        await page.send_json({"v": 1, "role": "table"})
                        found.append((await page.receive_json())["payload"])
            return found

        assert asyncio.run(greetings()) == [{"code": "wrong_secret"}] * 3
        assert greeting(daemon, "table")["topic"] == "welcome"
        assert greeting(daemon, "arbiter")["topic"] == "welcome"
    finally:
        daemon.end()


@pytest.mark.long
def test_on_a_shared_machine_the_table_needs_its_secret(tmp_path: Path) -> None:
    """With `[web] shared_machine` only the display is open, and the arbiter needs no TLS on this machine."""
    daemon = DaemonProcess(tmp_path / "data", FAST.replace("[web]", "[web]\nshared_machine = true")).start()
    try:
        for role in ("table", "seat1", "seat2", "arbiter"):
            assert greeting(daemon, role, secret="wrong")["payload"] == {"code": "wrong_secret"}, role
            assert greeting(daemon, role)["topic"] == "welcome", role
    finally:
        daemon.end()


@pytest.mark.parametrize(
    "origin", ["club.example", "https://club.example/", "https://u@club.example", "ftp://x", ""]
)
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    """A path, an account or a missing scheme in `[web] origins` would never match: the error names the key and an
    example."""
    with pytest.raises(SchartenError, match=r"web\.origins.*https://club\.example, without a path"):
        config.parse(f'[web]\norigins = ["{origin}"]\n')


@pytest.mark.long
def test_the_page_on_all_addresses_accepts_only_its_own_names(tmp_path: Path) -> None:
    """With `[web] host = "0.0.0.0"` the links name the network address. It, 127.0.0.1 and the machine's name work;
    others get 421."""
    daemon = DaemonProcess(
        tmp_path / "data", FAST.replace("[web]", '[web]\nhost = "0.0.0.0"\ntls = true')
    ).start()
    try:
        web = daemon.running["web"]
        port = web.rpartition(":")[2]
        trusted = ssl.create_default_context(cafile=daemon.folder / "tls" / "ca.pem")
        hosts = (
            web.partition("//")[2],
            f"127.0.0.1:{port}",
            f"{names_of('')[-1]}:{port}",
            f"evil.example:{port}",
        )

        async def statuses() -> list[int]:
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as session:
                found = []
                for host in hosts:
                    async with session.get(f"{web}/", headers={"Host": host}) as answer:
                        found.append(answer.status)
                return found

        assert asyncio.run(statuses()) == [200, 200, 200, 421]
        assert (names_of("192.0.2.7"), own_address()) == (
            ("192.0.2.7",),
            web.split("/")[2].rpartition(":")[0],
        )
        assert greeting(daemon, "arbiter", trusted)["topic"] == "welcome"
    finally:
        daemon.end()
