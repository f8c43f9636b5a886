"""`scharten archive` as a federation runs it: a centre with TLS, two clubs, the page, a deletion, the CSV export."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import pwd
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from archive.played import MOVES, RESIGNED, play, records
from browser.pages import Pages
from browser.test_archive import asked
from lab.daemon_process import wait_for
from lab.mosquitto import answers
from lab.ports import free_port
from lab.programs import program
from scharten.archive.server import ArchiveServer
from scharten.archive.store import ArchiveStore
from scharten.club_broker.federation import Centre
from scharten.club_broker.mosquitto_folder import write_centre
from scharten.display.web_server import Serving
from scharten.errors import Problem
from scharten.journal.records import read_record
from scharten.mqtt.address import BrokerAddress, account_at
from scharten.mqtt.client import MqttClient

pytestmark = pytest.mark.mosquitto
CLUBS = ("haarlem", "leiden")


@pytest.fixture
def centre(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A real Mosquitto with TLS, configured by `centre-config`: its port and its folder."""
    folder, port = tmp_path / "centre", free_port()
    tls = folder / "tls"
    write_centre(CLUBS, folder, ("127.0.0.1",), Centre(CLUBS, bind="127.0.0.1", port=port, tls=tls))
    conf = folder / "mosquitto.conf"  # with this user's rights, since other users may not read the keys
    conf.write_text(f"{conf.read_text()}user {pwd.getpwuid(os.getuid()).pw_name}\n")
    process = subprocess.Popen([program("mosquitto"), "-c", str(conf)], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: answers(port), 40, "the centre")
        yield port, folder
    finally:
        process.terminate()
        process.wait(40)


def account(centre: tuple[int, Path], name: str) -> BrokerAddress:
    """Return the address with an account, over TLS."""
    port, folder = centre
    return account_at(
        f"mqtts://{name}@127.0.0.1:{port}", folder / "tls" / "ca.pem", folder / "secrets" / name, name
    )


def command(centre: tuple[int, Path], database: Path) -> list[str]:
    """Run `scharten archive` at this centre."""
    port, folder = centre
    where = ["--broker", f"mqtts://archive@127.0.0.1:{port}", "--ca-file", str(folder / "tls" / "ca.pem")]
    how = ["--password-file", str(folder / "secrets" / "archive"), "--database", f"sqlite:///{database}"]
    return [sys.executable, "-m", "scharten", "archive", *where, *how, "--port", "0"]


@pytest.mark.long
def test_a_federation_keeps_its_games(centre: tuple[int, Path], tmp_path: Path, pages: Pages) -> None:
    """Two clubs push over TLS. The page searches and verifies, a deleted player is gone, and the CSV has both."""
    drawn = [*MOVES, {"type": "set_result", "result": "½-½"}]
    finished = {
        "haarlem": records(play(tmp_path / "one", *RESIGNED)),
        "leiden": records(play(tmp_path / "two", *drawn)),
    }
    clients = {club: MqttClient(account(centre, f"club-{club}")) for club in CLUBS}
    for club, client in clients.items():
        client.keep(f"scharten/{club}/board1/finished/0", finished[club][0])
        client.start()
    database = tmp_path / "archive.sqlite3"
    process = subprocess.Popen(command(centre, database), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[4].removesuffix("/archive")
        wait_for(
            lambda: len(json.loads(asked(f"{url}/archive/search.json")[1])["games"]) == 2, 60, "two games"
        )
        _searched(pages, url)
        clients["haarlem"].keep("scharten/haarlem/board1/forgotten/host", b'{"v": 2, "players": ["key1"]}')
        wait_for(lambda: "Anna" not in asked(f"{url}/archive/search.json?club=haarlem")[1], 60, "no name")
        assert len(json.loads(asked(f"{url}/archive/search.json?player=Anna")[1])["games"]) == 1
    finally:
        process.terminate()
        process.wait(40)
        for client in clients.values():
            client.stop()
    assert process.returncode == 0
    _exported(centre, database, tmp_path / "games.csv")


def test_older_games_follow_page_by_page(
    tmp_path: Path, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The button below the newest games fetches more, each game once, and disappears with the last page."""
    for module in ("store", "server"):
        monkeypatch.setattr(f"scharten.archive.{module}.MOST_FOUND", 2)
    record = read_record(records(play(tmp_path / "one", *RESIGNED))[0])
    assert not isinstance(record, Problem)
    with closing(ArchiveStore(f"sqlite:///{tmp_path / 'archive.sqlite3'}")) as store:
        store.take_all([("haarlem", f"board{number}", record) for number in range(5)])
        server = ArchiveServer(store, Serving("127.0.0.1", 0))
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(40)
        try:
            page = pages.open(f"{server.url}/archive?lang=en")
            older, games = page.locator("#archive-older"), page.locator("li a .when")
            for count in (2, 4):
                expect(games).to_have_count(count)
                older.click()
            expect(games).to_have_count(5)
            expect(older).to_have_count(0)
            for number in range(5):
                expect(games.filter(has_text=f"board{number} ")).to_have_count(1)
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(40)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)


@pytest.mark.long
def test_the_club_speaks_over_tls(centre: tuple[int, Path], tmp_path: Path) -> None:
    """`scharten club` connects to an mqtts address with the authority's certificate, and refuses without it."""
    port, folder = centre
    start = [
        sys.executable,
        "-m",
        "scharten",
        "club",
        "--port",
        "0",
        "--broker",
        f"mqtts://archive@127.0.0.1:{port}",
    ]
    start += ["--password-file", str(folder / "secrets" / "archive")]
    for more, trusted in ((["--ca-file", str(folder / "tls" / "ca.pem")], True), ([], False)):
        log = tmp_path / f"log-{trusted}"
        with log.open("w") as error:
            data = ["--data", str(tmp_path / f"club-{trusted}")]
            process = subprocess.Popen(
                [*start, *more, *data], stdout=subprocess.PIPE, stderr=error, text=True
            )
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[5].removesuffix("/club;")
            if trusted:
                wait_for(
                    lambda at=url: json.loads(asked(f"{at}/evening.json")[1])["broker"], 60, "the broker"
                )
            else:
                wait_for(lambda at=log: "is not trusted" in at.read_text(), 60, "the refusal")
                assert json.loads(asked(f"{url}/evening.json")[1])["broker"] is False
        finally:
            process.terminate()
            process.wait(40)


def _searched(pages: Pages, url: str) -> None:
    page = pages.open(f"{url}/archive?lang=en")
    games = page.locator(".archive-list li a")
    expect(games).to_have_count(2)
    page.locator("#search-club").select_option("leiden")
    expect(games).to_have_count(1)
    games.click()
    expect(page.locator(".verified")).to_contain_text("the game matches its digest (leiden, board1)")
    page.locator("#search-club").select_option("")
    page.get_by_text("Games with this position").click()
    expect(games).to_have_count(2)
    page.locator("#search-player").fill("nobody")
    expect(games).to_have_count(0)
    expect(page.locator(".archive-list li")).to_have_text("No game found.")
    page.locator("#search-player").fill("bram")
    page.locator("#search-to").fill("1970-01-01")
    expect(games).to_have_count(0)
    page.locator("#search-to").fill("1970-01-02")
    expect(games).to_have_count(2)


def _exported(centre: tuple[int, Path], database: Path, file: Path) -> None:
    wrote = subprocess.run([*command(centre, database), "--csv", str(file)], capture_output=True, text=True)
    assert wrote.stdout.startswith("2 games written"), wrote.stderr
    with file.open(encoding="utf-8", newline="") as opened:
        haarlem, leiden = sorted(csv.DictReader(opened), key=lambda row: row["club"])
    columns = ("club", "white", "black", "result", "turns")
    assert [haarlem[name] for name in columns] == ["haarlem", "", "Bram", "1-0", "2"]
    assert [leiden[name] for name in columns] == ["leiden", "Anna", "Bram", "½-½", "2"]
    assert [len(json.loads(row["record"])["inputs"]) for row in (haarlem, leiden)] == [4, 4]
