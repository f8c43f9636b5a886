"""One register for board and club, also read during the evening; a change of one detail leaves the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scharten.club.server import ClubServer
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.display.web_server import Serving
from scharten.games import GAMES_BY_KEY
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook

SECRETS = {"organiser": "o", "member": "m"}


@pytest.fixture
def club(tmp_path: Path) -> Iterator[ClubServer]:
    """A club's server without a port, with one member of known strength and limit."""
    at = BrokerAddress("127.0.0.1", 1), Topics("s", "h", "c")
    book = PlayerBook(tmp_path, "scharten.sqlite3", GAMES_BY_KEY)
    store = ClubStore(tmp_path / "club.sqlite3")
    server = ClubServer(store, book, at, Serving("127.0.0.1", 0), SECRETS, ("organiser",))
    order(server, name="Anna", rating=1800, foul_limit=5)
    yield server
    store.close()


def order(server: ClubServer, **fields: object) -> None:
    """Save a member from the organiser's page."""
    assert server._carry_out("organiser", {"type": "member", **fields}) is None


def described(server: ClubServer) -> list[tuple[str, int, int | None]]:
    """Return name, strength and limit of every member."""
    return [
        (member.name, member.rating, member.foul_limit) for member in server.service.club.members.values()
    ]


def test_a_change_of_one_detail_leaves_the_others(club: ClubServer) -> None:
    """Strength, limit and name change one at a time."""
    (key,) = club.service.club.members
    for change, expected in (
        ({"rating": 1900}, ("Anna", 1900, 5)),
        ({"foul_limit": 4}, ("Anna", 1900, 4)),
        ({"name": "Anna V"}, ("Anna V", 1900, 4)),
        ({"foul_limit": None}, ("Anna V", 1900, None)),
    ):
        order(club, key=key, **change)
        assert described(club) == [expected]


def test_the_register_is_read_while_the_evening_runs(club: ClubServer) -> None:
    """A player renamed elsewhere keeps strength and limit here; new players appear and deleted ones go."""
    (key,) = club.service.club.members
    another = PlayerBook(club._book._folder, "scharten.sqlite3", GAMES_BY_KEY)
    another.save({"name": "Anna de Vries"}, key)
    club.service._read_register()
    assert described(club) == [("Anna de Vries", 1800, 5)]
    another.save({"name": "Bram"})
    club.service._read_register()
    assert described(club) == [("Anna de Vries", 1800, 5), ("Bram", 0, None)]
    another.delete(key)
    club.service._read_register()
    assert described(club) == [("Bram", 0, None)]


@pytest.mark.parametrize("language", ["nl", None])
def test_a_change_here_keeps_the_profile(club: ClubServer, language: str | None) -> None:
    """Initials and language chosen at a board, or left out there, survive a new strength."""
    (key,) = club.service.club.members
    club._book.save({"name": "Anna", "initials": "AX", "language": language}, key)
    club.service._read_register()
    order(club, key=key, rating=2000)
    (player,) = club._book.players()
    assert (player.profile.initials, player.profile.language) == ("AX", language)


def test_the_organisers_secret_is_never_sent_in_the_clear(club: ClubServer) -> None:
    """Another machine needs TLS for the organiser's role; this machine, and members, do not."""
    access = club._web.access
    assert access.refusal("organiser", "o", "192.168.1.20", False) == "needs_tls"
    assert access.refusal("organiser", "o", "192.168.1.20", True) is None
    assert access.refusal("organiser", "o", "127.0.0.1", False) is None
    assert access.refusal("member", "m", "192.168.1.20", False) is None
