"""Links for phones: the links that each role hands out, with QR codes of the whole address."""

from __future__ import annotations

from scharten.display.context import Roles
from scharten.display.features.links import links

SECRETS = Roles({"seat1": "one", "seat2": "two", "table": "both", "arbiter": "all"})


def test_a_role_hands_out_only_its_own_rights() -> None:
    """The table gives seats and displays, the arbiter the table too, a display only displays, a seat nothing."""
    given = links("table", "http://192.168.1.9:8080", SECRETS)
    assert [link["role"] for link in given["links"]] == ["seat1", "seat2", "display"]
    assert given["links"][0]["url"] == "http://192.168.1.9:8080/?role=seat1#one"
    assert given["links"][2]["url"] == "http://192.168.1.9:8080/?role=display"
    assert all(link["qr"].startswith("data:image/svg+xml") for link in given["links"])
    roles = [link["role"] for link in links("arbiter", "http://192.168.1.9:8080", SECRETS)["links"]]
    assert "table" in roles and "arbiter" not in roles
    looking = links("display", "http://192.168.1.9:8080", SECRETS)["links"]
    assert [link["url"] for link in looking] == ["http://192.168.1.9:8080/?role=display"]
    for role in ("seat1", "seat2"):
        assert links(role, "http://192.168.1.9:8080", SECRETS)["links"] == []


def test_a_server_of_this_machine_only_reports_it() -> None:
    """On 127.0.0.1, which no phone reaches, there are no links, and `local` is true."""
    for host in ("127.0.0.1", "localhost", "[::1]"):
        for role in ("table", "display"):
            assert links(role, f"http://{host}:8080", SECRETS) == {"v": 1, "local": True, "links": []}


def test_a_role_without_a_secret_has_a_link_only_if_open() -> None:
    """A seat that is neither open nor has a secret gets no link."""
    assert [link["role"] for link in links("table", "http://10.0.0.2:1", Roles())["links"]] == ["display"]
    open_here = links("table", "http://10.0.0.2:1", Roles(open=("seat1",)))["links"]
    assert open_here[0]["url"] == "http://10.0.0.2:1/?role=seat1"
