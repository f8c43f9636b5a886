"""From what a person writes on the command line to a broker's address."""

from __future__ import annotations

import ssl
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scharten.display.bridge import BrokerAddress
from scharten.errors import SchartenError

PORTS = {"mqtt": 1883, "mqtts": 8883}


def broker_address(url: str, password_file: Path | None = None, ca_file: Path | None = None) -> BrokerAddress:
    """The address in `mqtt://[user[:password]@]host[:port]`; `SchartenError` says what is wrong, without secrets."""
    wrong = SchartenError(
        "The broker's address is not understood.", "Write mqtt://host:1883 or mqtts://host:8883."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:  # such as a bracket that is not closed, or a port that is no number
        raise wrong from error
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise wrong
    password = unquote(parts.password) if parts.password else None
    if password_file is not None:
        password = _first_line(password_file)
    tls = None
    if parts.scheme == "mqtts":
        try:
            tls = ssl.create_default_context(cafile=str(ca_file) if ca_file else None)
        except OSError as error:
            raise SchartenError(
                f"The certificate {ca_file} cannot be read: {error}.", "Check --ca-file."
            ) from error
    user = unquote(parts.username) if parts.username else None
    return BrokerAddress(parts.hostname, port or PORTS[parts.scheme], user, password, tls)


def _first_line(path: Path) -> str:
    try:
        return path.read_text().splitlines()[0].strip()
    except (OSError, UnicodeDecodeError, IndexError) as error:
        raise SchartenError(
            f"No password could be read from {path}.", "Put it on the first line of that file."
        ) from error
