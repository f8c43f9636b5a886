"""The command `scharten club`: its pages over TLS in a network, its commands, and the published table."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from lab.daemon_process import wait_for
from lab.ports import free_port
from scharten.display.hostnames import own_address

Json = dict[str, Any]


class Club:
    """Run `scharten club` with a broker that does not answer. A page with a link may send commands."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.log = folder / "club", folder / "club.log"
        broker = f"mqtt://127.0.0.1:{free_port()}"
        command = [sys.executable, "-m", "scharten", "club", "--data", str(self.folder), "--port", "0"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--broker", broker, *options], stdout=log, stderr=log, env={**os.environ}
            )
        until = time.monotonic() + 60  # without a pause: a test ends it as soon as it can be found
        while not self.running and self._process.poll() is None:
            assert time.monotonic() < until
        assert self._process.poll() is None, self.log.read_text()

    @property
    def running(self) -> Json:
        """Return the addresses of its pages, empty before it serves them."""
        path = self.folder / "club-running.json"
        return dict(json.loads(path.read_text())) if path.exists() else {}

    def secret(self, role: str) -> str:
        """Return a role's secret."""
        return str(json.loads((self.folder / "club-secrets.json").read_text())[role])

    def converse(self, role: str, *orders: Json, **hello: Any) -> list[str | None]:
        """Open a page with the role's secret and send commands; return the code of each answer, or of the refusal."""
        return asyncio.run(self._converse(role, orders, **hello))

    async def _converse(
        self, role: str, orders: tuple[Json, ...], trusted: ssl.SSLContext | None = None, url: str = ""
    ) -> list[str | None]:
        url = url or self.running["page"]
        codes: list[str | None] = []
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{url}/ws", headers={"Origin": url}, ssl=trusted or True) as socket,
        ):
            await socket.send_json({"v": 1, "role": role, "secret": self.secret(role)})
            first = await socket.receive_json()
            if first["topic"] == "refused":
                return [first["payload"]["code"]]
            for number, order in enumerate(orders):
                await socket.send_json({"topic": "command", "payload": {"v": 1, "id": str(number), **order}})
                while (message := await socket.receive_json())["topic"] != "answer":
                    pass
                codes.append(message["payload"]["code"])
        return codes

    def read(self, path: str) -> str:
        """Return a file of its pages."""

        async def get() -> str:
            async with aiohttp.ClientSession() as session, session.get(self.running["page"] + path) as answer:
                return await answer.text()

        return asyncio.run(get())

    def evening(self) -> Json:
        """Return the evening as every page gets it."""
        return dict(json.loads(self.read("/evening.json")))

    def end(self) -> int:
        """Send SIGTERM, as a service manager does."""
        self._process.terminate()
        return self._process.wait(40)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Club]]:
    """Start the command with options; it ends with the test."""
    made: list[Club] = []

    def started(*options: str) -> Club:
        made.append(Club(tmp_path, *options))
        return made[-1]

    yield started
    for club in made:
        club.end()


def begin(club: Club, names: tuple[str, ...], **options: object) -> list[str]:
    """Begin a season with these members present; return their keys."""
    orders: list[Json] = [{"type": "season", "name": "Autumn <1>", "options": {"system": "swiss", **options}}]
    orders += [{"type": "member", "name": name, "rating": 2000 - at} for at, name in enumerate(names)]
    assert club.converse("organiser", *orders) == [None] * len(orders)
    keys = {member["name"]: member["key"] for member in club.evening()["members"]}
    return [keys[name] for name in names]


def test_it_ends_well_as_soon_as_others_find_it(start: Callable[..., Club]) -> None:
    """SIGTERM right after its addresses are on disk: it ends with status 0 and takes them back."""
    club = start()
    assert club.end() == 0
    assert club.running == {}


def test_a_service_log_has_no_secret(start: Callable[..., Club]) -> None:
    """Into a pipe, as in a service's log, it prints the command that shows the links, but no link."""
    club = start()
    wait_for(lambda: "scharten links" in club.log.read_text(), 40, "the pointer")
    assert club.end() == 0
    printed = club.log.read_text()
    assert f"--data {club.folder}" in printed
    assert not any(club.secret(role) in printed for role in ("organiser", "member"))


@pytest.mark.long
def test_over_a_network_with_tls_the_organiser_gets_in(start: Callable[..., Club]) -> None:
    """`--lan --tls`: a page that trusts the folder's authority may act as organiser. Without `--tls` only
    this machine may."""
    if own_address() is None:
        pytest.skip("this machine has no address that others could reach")
    season = {"type": "season", "name": "Autumn", "options": {"system": "swiss"}}
    club = start("--lan", "--tls")
    page = club.running["page"]
    assert page.startswith("https://")
    assert "127.0.0.1" not in page
    trusted = ssl.create_default_context(cafile=club.folder / "tls" / "ca.pem")
    assert club.converse("organiser", season, trusted=trusted) == [None]
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        club.converse("organiser", season)
    assert (club.folder / "tls" / "ca.key").stat().st_mode & 0o077 == 0
    assert club.end() == 0
    plain = start("--lan")
    assert plain.running["page"].startswith("http://")
    assert plain.converse("organiser", season) == ["needs_tls"]
    assert plain.converse("member") == []
    assert plain.converse("organiser", season, url=plain.running["here"]) == [None]


def test_pairs_byes_and_bans_by_command(start: Callable[..., Club]) -> None:
    """The page's commands set start list, byes, bans and manual pairs; a member's phone may request only a bye."""
    club = start()
    keys = begin(club, ("Anna", "Bram", "Carla", "Dirk", "Eva", "Frits"))
    anna, bram, carla, dirk, eva, frits = keys
    orders: list[Json] = [
        {"type": "start_list", "keys": keys},
        {"type": "member", "key": frits, "rating": 2500},
        {"type": "forbid", "first": anna, "second": bram},
        {"type": "evening", "date": "2026-11-20"},
        *({"type": "presence", "key": key, "said": "here"} for key in keys),
        {"type": "fix", "number": 1, "white": bram, "black": carla},
    ]
    assert club.converse("organiser", *orders) == [None] * len(orders)
    assert [row["name"] for row in club.evening()["start_list"]][:2] == ["Frits", "Anna"]
    assert club.read("/evening/start.csv").splitlines()[:2] == ["number,name,rating", "1,Frits,2500"]
    bye: Json = {"type": "bye", "key": eva, "number": 2}
    fix: Json = {"type": "fix", "number": 1, "white": anna, "black": dirk}
    assert club.converse("member", bye, fix) == [None, "not_allowed"]
    assert club.converse("organiser", {"type": "pair", "number": 1}) == [None]
    view = club.evening()
    assert pairs(view)[0] >= {(bram, carla)}
    assert [(row["name"], row["number"]) for row in view["asked"]] == [("Eva", 2)]
    assert [row["names"] for row in view["forbidden"]] == [sorted_names(view, anna, bram)]
    other = next(
        key for key in (anna, dirk, eva, frits) if (anna, key) not in free(pairs(view)[0]) and key != anna
    )
    moved: Json = {"type": "fix", "number": 1, "white": other, "black": anna}
    assert club.converse("organiser", moved) == [None]
    now = pairs(club.evening())[0]
    assert now >= {(bram, carla), (other, anna)}
    assert club.converse("organiser", {**moved, "white": bram}, {**moved, "black": other}) == [
        "forbidden",
        "same_member",
    ]
    results = [{"type": "result", "number": 1, "table": table, "result": "1-0"} for table in (1, 2, 3)]
    assert club.converse("organiser", *results, {"type": "pair", "number": 2}) == [None] * 4
    last = club.evening()["rounds"][-1]
    assert [(row["key"], row["why"]) for row in last["unpaired"] if row["key"] == eva] == [(eva, "excused")]


def pairs(view: Json) -> list[set[tuple[str, str]]]:
    """Return the pairs of each round."""
    return [{(pair["white"], pair["black"]) for pair in drawn["pairings"]} for drawn in view["rounds"]]


def free(drawn: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs in both directions."""
    return drawn | {(black, white) for white, black in drawn}


def sorted_names(view: Json, *keys: str) -> list[str]:
    """Return the names of members in the order of their keys."""
    names = {member["key"]: member["name"] for member in view["members"]}
    return [names[key] for key in sorted(keys)]


class Cells(HTMLParser):
    """Read the cells of a page's tables and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.scripts, self.language, self._inside = 0, "", False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count scripts, and open a cell."""
        self.scripts += tag == "script"
        self._inside = tag in ("td", "h1", "h2")
        self.language = dict(attrs).get("lang") or self.language

    def handle_data(self, data: str) -> None:
        """Record the text of a cell."""
        if self._inside:
            self.cells.append(data)
        self._inside = False


@pytest.mark.long
def test_the_table_is_published_as_one_page(start: Callable[..., Club], tmp_path: Path) -> None:
    """`club.publish` in the configuration publishes start list and ranking with Keizer's values, in the
    club's language."""
    folder = tmp_path / "web"
    (tmp_path / "club").mkdir()
    (tmp_path / "club" / "scharten.toml").write_text(
        f'[club]\npublish = "{folder}"\n[web]\nlanguage = "nl"\n'
    )
    club = start()
    page = folder / "index.html"
    keys = begin(club, ("Anna", "Bram & Co", "Carla"), system="keizer")
    assert club.converse("organiser", {"type": "start_list", "keys": keys}) == [None]
    wait_for(lambda: "Carla" in page.read_text(), 40, "the start list")
    found = Cells(page.read_text())
    assert (found.language, found.scripts) == ("nl", 0)
    assert found.cells == ["Autumn <1>", "Deelnemerslijst", "1", "Anna", "2000", "2", "Bram & Co", "1999", "3",
        "Carla", "1998"]  # fmt: skip
    modes = [path.stat().st_mode & 0o777 for path in (folder, page)]
    assert modes == [0o755, 0o644], "a web server reads both"
    orders: list[Json] = [
        {"type": "evening", "date": "2026-11-20"},
        *({"type": "presence", "key": key, "said": "here"} for key in keys),
        {"type": "pair", "number": 1},
        {"type": "result", "number": 1, "table": 1, "result": "½-½"},
    ]
    assert club.converse("organiser", *orders) == [None] * len(orders)
    wait_for(lambda: "½-½" in page.read_text(), 40, "the result")
    cells = Cells(page.read_text()).cells
    table = club.evening()["table"]
    rows = [cells[at : at + 7] for at in range(2, 2 + 7 * 3, 7)]
    assert rows == [
        [str(row["place"]), row["name"], f"{row['points']:g}", str(row["value"]), str(row["counted"]),
            f"{row['game_points']:g}", f"{row['wins']} / {row['draws']} / {row['losses']}"]
        for row in table
    ]  # fmt: skip
    assert cells[23] == "Ronde 1"
    assert list(folder.iterdir()) == [page], "no draft is left behind"


@pytest.mark.long
def test_a_folder_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path) -> None:
    """With a file in place of the `--publish` folder the service does not start, and one line gives the cure."""
    (tmp_path / "file").write_text("")
    command = [
        sys.executable,
        "-m",
        "scharten",
        "club",
        "--data",
        str(tmp_path / "data"),
        "--publish",
        str(tmp_path / "file"),
    ]
    ended = subprocess.run(
        [*command, "--broker", "mqtt://127.0.0.1:1"], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1
    assert "cannot be written" in ended.stderr + ended.stdout
    assert "--publish" in ended.stderr + ended.stdout
