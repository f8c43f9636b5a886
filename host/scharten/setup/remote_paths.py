"""`scharten doctor --remote LINK`: the ways to the host of an invitation, and why a way does not work.

An invitation that is only looked at is not used up.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.remote.asking import Asking
from scharten.remote.invitation import Link, read_link
from scharten.remote.meeting import meeting_place, own_meeting_place
from scharten.remote.settings import RemoteSection
from scharten.setup.finding import Finding, bad, good, warns

CONNECT_S = 5.0


def remote_paths(text: str, settings: RemoteSection) -> Iterator[Finding]:
    """Try each way to the host of this invitation: direct, a club's broker, a centre."""
    link = read_link(text)
    if isinstance(link, Problem):
        yield bad("remote_link")
        return
    own = own_meeting_place(settings)
    if link.meets:
        place = meeting_place(link, settings)
        yield warns("remote_direct_unknown", place=_named(place))
        yield _by_meeting(link, place, settings)
        return
    yield _direct(link, settings)
    if own is None:
        yield warns("remote_meeting_none")
        return
    yield _by_meeting(Link(own.host, own.port, link.letters, link.fingerprint, meets=True), own, settings)


def _direct(link: Link, settings: RemoteSection) -> Finding:
    where = {"host": link.host, "port": link.port}
    try:
        socket.create_connection((link.host, link.port), CONNECT_S).close()
    except socket.gaierror:
        return bad("remote_name", **where)
    except ConnectionRefusedError:
        return bad("remote_closed", **where)
    except TimeoutError:
        return bad("remote_dropped", **where)
    except OSError as error:
        return bad("remote_no_route", reason=error.strerror or str(error), **where)
    found, took_ms = _offer(link, settings)
    if found is None:
        return good("remote_direct", ms=took_ms, **where)
    codes = {"forged": "remote_certificate", "refused": "remote_letters", "unreachable": "remote_not_ours"}
    return bad(codes.get(found.code, "remote_silent"), **where)


def _by_meeting(link: Link, place: BrokerAddress, settings: RemoteSection) -> Finding:
    kind = "remote_club" if place.account is not None else "remote_centre"
    found, took_ms = _offer(link, settings)
    where = {"place": _named(place)}
    if found is None:
        return good(kind, ms=took_ms, **where)
    if found.code == "no_meeting":
        return bad(f"{kind}_down", reason=found.words, **where)
    codes = {"forged": "certificate", "refused": "letters", "not_met": "nobody"}
    return bad(f"remote_meeting_{codes.get(found.code, 'silent')}", **where)


def _offer(link: Link, settings: RemoteSection) -> tuple[Problem | None, int]:
    asking, began = Asking(link, settings), time.monotonic()
    try:
        found = asking.ask()
    finally:
        asking.close()
    return found, round(1000 * (time.monotonic() - began))


def _named(place: BrokerAddress) -> str:
    return f"{place.host}:{place.port}"
