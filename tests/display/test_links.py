"""Links for phones: who may hand out which, with codes that hold the whole address."""

from __future__ import annotations

from scharten.display.links import links

SECRETS = {"seat1": "one", "seat2": "two", "table": "both", "arbiter": "all"}


def test_a_role_hands_out_no_more_than_it_may_do_itself() -> None:
    """The table gives seats and looking, the arbiter the table too, a seat and a display nothing."""
    given = links("table", "http://192.168.1.9:8080", SECRETS, ())
    assert [one["role"] for one in given["links"]] == ["seat1", "seat2", "display"]
    assert given["links"][0]["url"] == "http://192.168.1.9:8080/?role=seat1#one"
    assert given["links"][2]["url"] == "http://192.168.1.9:8080/?role=display"
    assert all(one["qr"].startswith("data:image/svg+xml") for one in given["links"])
    roles = [one["role"] for one in links("arbiter", "http://192.168.1.9:8080", SECRETS, ())["links"]]
    assert "table" in roles and "arbiter" not in roles
    for role in ("seat1", "seat2", "display"):
        assert links(role, "http://192.168.1.9:8080", SECRETS, ())["links"] == []


def test_a_server_of_this_machine_only_says_so() -> None:
    """No phone reaches 127.0.0.1: the page says how to open the board instead."""
    for host in ("127.0.0.1", "localhost", "[::1]"):
        for role in ("table", "display"):
            assert links(role, f"http://{host}:8080", SECRETS, ()) == {"v": 1, "local": True, "links": []}


def test_a_role_without_secret_has_a_link_only_where_it_is_open() -> None:
    """A seat that does not exist here is not offered."""
    assert [one["role"] for one in links("table", "http://10.0.0.2:1", {}, ())["links"]] == ["display"]
    open_here = links("table", "http://10.0.0.2:1", {}, ("seat1",))["links"]
    assert open_here[0]["url"] == "http://10.0.0.2:1/?role=seat1"
