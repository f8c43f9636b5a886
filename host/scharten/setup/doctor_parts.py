"""The checks of what is outside this program: broker, certificate, board and cameras."""

from __future__ import annotations

import datetime
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from scharten.config import Certificate, Config
from scharten.contract.roles import Account
from scharten.contract.topics import Topics
from scharten.mqtt.address import BrokerAddress, parse_url
from scharten.sensors.profiles import load_profile
from scharten.setup.finding import Cure, Finding, bad, good, warns

SOON = datetime.timedelta(days=30)
PORTS, CAMERAS = Path("/dev/serial/by-id"), Path("/dev/v4l/by-id")


def answers(host: str, port: int) -> bool:
    """Whether something listens there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _broker(settings: Config, folder: Path) -> Iterator[Finding]:
    if settings.broker.url == "embedded":
        yield good("broker_own")
        return
    ca_file = settings.broker.ca_file
    address = parse_url(settings.broker.url, Path(ca_file) if ca_file else None)
    where = {"host": address.host, "port": address.port}
    if not answers(address.host, address.port):
        yield bad("broker_silent", **where)
        return
    yield good("broker", **where)
    yield _open_door(settings, address)


def _open_door(settings: Config, address: BrokerAddress) -> Finding:
    from scharten.mqtt.check import check_broker  # noqa: PLC0415  (brings MQTT)
    from scharten.mqtt.secrets import stored_login  # noqa: PLC0415

    broker = settings.broker
    host = stored_login(broker.credentials, settings.board.id, Account.HOST)
    found = check_broker(address.for_account(host), Topics(broker.prefix, broker.club, settings.board.id))
    weight = {True: good, False: bad, None: warns}[found.closed]
    return weight("broker_rights", words=found.words)


def _certificate(settings: Config, folder: Path) -> Iterator[Finding]:
    tls = settings.web.tls
    if not tls:
        yield good("tls_off")
        return
    path = Path(tls.cert) if isinstance(tls, Certificate) else folder / "tls" / "server.pem"
    if not path.exists() and not isinstance(tls, Certificate):
        yield good("tls_first")
        return
    until = certificate_ends(path)
    cure = None if isinstance(tls, Certificate) else Cure.NEW_CERTIFICATE
    now, day = datetime.datetime.now(datetime.UTC), f"{until:%Y-%m-%d}"
    if until <= now:
        yield bad("tls_ended", cure, until=day)
    elif until <= now + SOON:
        yield warns("tls_ends", cure, until=day)
    else:
        yield good("tls", until=day)


def certificate_ends(path: Path) -> datetime.datetime:
    """The end of a certificate in a PEM file; `SchartenError` when it cannot be used."""
    from cryptography import x509  # noqa: PLC0415  (slow to load, and rarely needed)

    from scharten.errors import SchartenError  # noqa: PLC0415

    try:
        return x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as error:
        raise SchartenError(
            f"The certificate {path} cannot be used: {error}", "Correct [web] tls."
        ) from error


def _source(settings: Config, folder: Path) -> Iterator[Finding]:
    source = settings.source
    if {"simulated", "serial"} & set(source.kinds):
        profile = load_profile(settings.board.profile, folder)
        yield good("profile", name=profile.name, contacts=len(profile.beds))
    if source.kinds != ("serial",):
        yield good("source", kind=" + ".join(source.kinds))
    if "serial" not in source.kinds:
        return
    port = Path(source.serial.port)
    if not port.exists():
        yield bad("port_missing", port=port, seen=", ".join(map(str, sorted(PORTS.glob("*")))) or "–")
    elif os.access(port, os.R_OK | os.W_OK):
        yield good("port", port=port)
    else:
        yield bad("port_closed", port=port)


def _cameras(settings: Config, folder: Path) -> Iterator[Finding]:
    seen = sorted(CAMERAS.glob("*-index0"))
    if "camera" not in settings.source.kinds:
        yield good("cameras_unused", count=len(seen))
        return
    for device in settings.source.camera.devices:
        path = Path(f"/dev/video{device}") if device.isdigit() else Path(device)
        if "://" in device:
            yield good("camera_address", camera=f"{device.partition('://')[0]}://…")
        elif not path.exists():
            yield bad("camera_missing", camera=path, seen=", ".join(map(str, seen)) or "–")
        elif os.access(path, os.R_OK):
            yield good("camera", camera=path)
        else:
            yield bad("camera_closed", camera=path)


def _calibration(settings: Config, folder: Path) -> Iterator[Finding]:
    from scharten.sensors.rig_files import find_rig, matched  # noqa: PLC0415  (brings OpenCV)

    camera = settings.source.camera
    if "camera" in settings.source.kinds:
        rig = matched(find_rig(camera.calibration, folder), tuple(camera.devices))
        yield good("calibration", path=rig.path, count=len(rig.cameras))


SOURCE_CHECKS = (_broker, _certificate, _source, _cameras, _calibration)
