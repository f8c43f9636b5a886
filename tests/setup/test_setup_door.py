"""The set-up over a page's socket at the real daemon: rights, refusals, and the game that continues."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from lab.daemon_process import DaemonProcess, wait_for
from lab.scripted_game import board_listens
from lab.supervisor import Supervisor
from scharten.setup.config_file import ConfigFile
from scharten.setup.first_start import first_start

FIRST = "# by a person\n[web]\nport = 0 # any\n"


def ask(
    url: str, *requests: dict[str, Any], role: str = "table", secret: str | None = None
) -> list[dict[str, Any]]:
    """Send requests as a page; return its welcome, then the answers."""

    async def asked() -> list[dict[str, Any]]:
        async with aiohttp.ClientSession() as session, session.ws_connect(
            f"{url.replace('http', 'ws')}/ws", origin=url, max_msg_size=0
        ) as socket:  # fmt: skip
            await socket.send_json({"v": 1, "role": role, "secret": secret})
            for number, request in enumerate(requests):
                await socket.send_json({"topic": "setup", "payload": {"v": 1, "id": f"w{number}", **request}})
            answers: dict[str, dict[str, Any]] = {}
            while len(answers) <= len(requests):
                came = await socket.receive(40)
                if came.type is not aiohttp.WSMsgType.TEXT:
                    raise aiohttp.ClientError("the daemon starts again")
                message = json.loads(came.data)
                if message["topic"] in ("welcome", "answer"):
                    answers[message["payload"].get("id", "welcome")] = message["payload"]
        return [answers["welcome"], *(answers[f"w{number}"] for number in range(len(requests)))]

    return asyncio.run(asked())


def save(url: str, **changes: object) -> dict[str, Any]:
    """Save as the page does, with the digest of the file that it read."""
    digest = ask(url, {"type": "look"})[1]["file"]["digest"]
    given = {key.replace("__", "."): value for key, value in changes.items()}
    return ask(url, {"type": "save", "changes": given, "digest": digest})[1]


@pytest.fixture(scope="module")
def systemd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    """The service manager that started the daemon."""
    supervisor = Supervisor(tmp_path_factory.mktemp("systemd"))
    yield supervisor
    supervisor.end()


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory, systemd: Supervisor) -> Iterator[DaemonProcess]:
    """A daemon before its set-up."""
    process = DaemonProcess(tmp_path_factory.mktemp("new"), FIRST, systemd.environment).start()
    yield process
    process.end()


@pytest.mark.long
def test_only_the_table_and_the_arbiter_may(new: DaemonProcess) -> None:
    """A display and a seat get no set-up and are refused; the arbiter with its secret is answered."""
    url = new.running["web"]
    for role in ("display", "seat1"):
        welcome, refused = ask(url, {"type": "look"}, role=role)
        assert welcome["setup"] is None and refused["code"] == "not_allowed"
    welcome, found = ask(url, {"type": "look"}, role="arbiter", secret=new.secrets["arbiter"])
    assert (
        welcome["setup"] == {"first": first_start(new.folder, ConfigFile(new.config))}
        and found["now"]["source.kind"] == "simulated"
    )
    many = ask(url, *[{"type": "check"}] * 12)[1:]
    assert {answer["code"] for answer in many if not answer["accepted"]} == {"busy"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("refused", "code"),
    [
        ({"type": "rm"}, "malformed"),
        ({"type": "hello", "port": "/etc/passwd"}, "malformed"),
        ({"type": "hello", "port": "/dev/ttyNONE"}, "trouble"),
        ({"type": "hello", "port": "/dev/../etc/passwd"}, "malformed"),
        ({"type": "hello", "port": "/dev/fd/0"}, "malformed"),
        ({"type": "hello", "port": "/dev/full"}, "malformed"),
        ({"type": "picture", "device": "/etc/passwd"}, "no_such_camera"),
        ({"type": "picture", "device": "file:///etc/passwd"}, "no_such_camera"),
        ({"type": "point", "device": "x", "x": 1, "y": "2"}, "malformed"),
        ({"type": "wires", "device": "x", "points": [[1, 2], [3, "4"]]}, "malformed"),
        ({"type": "wires", "device": "x", "points": "1234"}, "malformed"),
        ({"type": "wires", "device": "x", "points": [[1, 2]] * 4}, "no_picture"),
        ({"type": "map", "port": "/dev/ttyUSB0", "name": "../x"}, "malformed"),
        ({"type": "map", "port": "/dev/ttyUSB0", "name": "cameras"}, "name_taken"),
        ({"type": "map", "port": "/dev/../tmp/x", "name": "mine"}, "malformed"),
        ({"type": "save", "changes": {"source.serial.port": "/dev/../etc/passwd"}}, "wrong_value"),
        ({"type": "map_word", "word": "take"}, "no_mapping"),
        ({"type": "cure", "cure": "format"}, "malformed"),
        ({"type": "save", "changes": []}, "malformed"),
        ({"type": "save", "changes": {"web.port": 80}}, "not_here"),
        ({"type": "save", "changes": {"broker.club": "The Bull!"}}, "wrong_value"),
        ({"type": "save", "changes": {"board.white_sits_at": True}}, "wrong_value"),
        ({"type": "save", "changes": {"source.camera.devices": ["/etc/passwd"]}}, "no_such_camera"),
        ({"type": "save", "changes": {"source.kind": "serial"}}, "changed_meanwhile"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_and_changes_nothing(
    new: DaemonProcess, refused: dict[str, Any], code: str
) -> None:
    """Each answer has its code and message, and the file stays unchanged."""
    before = new.config.read_text()
    answer = ask(new.running["web"], refused)[1]
    assert (answer["accepted"], answer["code"]) == (False, code) and answer["words"]
    assert new.config.read_text() == before


def test_settings_that_would_not_start_are_refused(new: DaemonProcess) -> None:
    """No port, a missing profile or library and cameras without a calibration are refused, and nothing changes."""
    url, before = new.running["web"], new.config.read_text()
    assert "names no port" in save(url, source__kind="serial")["words"]
    assert "unheard" in save(url, board__profile="unheard")["words"]
    kept = new.folder / "recordings"
    kept.mkdir()
    (kept / "board.png").write_bytes(b"no picture")
    camera = str(kept / "board.png")
    assert ask(url, {"type": "look"})[1]["cameras"] == [{"device": camera, "recorded": True}]
    assert "is not a picture" in ask(url, {"type": "picture", "device": camera})[1]["words"]
    refused = save(url, source__kind="camera", source__camera__devices=[camera])
    assert "no calibration of cameras" in refused["words"]
    refused = save(url, source__kind="granboard", board__profile="granboard")
    assert refused["code"] == "no_bluetooth"  # the library is an extra that no test installs
    assert new.config.read_text() == before


@pytest.mark.long
def test_a_saved_setting_holds_and_the_game_continues(new: DaemonProcess, systemd: Supervisor) -> None:
    """The file keeps the user's text, the daemon restarts by itself on the same port, and the game stays."""
    url, pid = new.running["web"], new.running["pid"]
    started = wait_for(lambda: systemd.times_sent("READY=1"), 40, "systemd to hear that it is ready")
    new.config.write_text(FIRST)
    table = new.peer()
    board_listens(table)
    game = table.new_game()
    table.close()
    answer = save(url, board__club="De Bulle", web__language="nl", board__id="cellar")
    assert answer["saved"] and answer["secret"] == new.secrets["table"]
    wait_for(lambda: "cellar" in (new.folder / "running.json").read_text(errors="replace")
             if (new.folder / "running.json").exists() else False, 40, "the new board's name")  # fmt: skip
    assert new.config.read_text() == (
        '# by a person\n[web]\nport = 0 # any\nlanguage = "nl"\n\n[board]\nclub = "De Bulle"\nid = "cellar"\n'
    )
    assert (new.running["web"], new.running["pid"]) == (url, pid)
    peer = new.peer()
    state = peer.wait(lambda state: state["phase"] == "paused", what="the same game, paused")
    assert (state["match"], state["paused_from"]) == (game["match"], game["phase"])
    peer.close()
    welcome = ask(url)[0]
    assert welcome["setup"] == {"first": False} and welcome["club"] == "De Bulle"
    with urllib.request.urlopen(url, timeout=40) as page:
        assert b'<html data-language="nl"' in page.read()
    wait_for(
        lambda: systemd.times_sent("READY=1") == started + 1, 40, "systemd to hear that it is ready again"
    )
    assert not systemd.times_sent("STOPPING=1")


@pytest.mark.long
def test_settings_that_do_not_start_are_reverted(new: DaemonProcess) -> None:
    """The daemon returns with the old settings, and reports why the new settings did not start."""
    url = new.running["web"]
    club = ask(url)[0]["club"]
    by_hand = new.config.read_text().replace("[web]", '[web]\ntls = { cert = "/nowhere.pem" }')
    new.config.write_text(by_hand)
    assert save(url, board__club="Another")["accepted"]
    failed = wait_for(lambda: _failed(url), 60, "the words of the failed start")
    assert "/nowhere.pem cannot be used" in failed["en"] and "/nowhere.pem" in failed["de"]
    assert failed["de"] != failed["en"] and new.config.read_text() == by_hand
    assert ask(url)[0]["club"] == club
    new.config.write_text(by_hand.replace('tls = { cert = "/nowhere.pem" }\n', ""))


def _failed(url: str) -> dict[str, str] | None:
    try:
        found: dict[str, str] | None = ask(url, {"type": "look"})[1]["failed"]
    except aiohttp.ClientError:
        return None
    return found


def test_a_report_of_the_running_daemon_has_its_health_and_log(new: DaemonProcess) -> None:
    """The report has the retained health and the log, and no secret of this folder."""
    from scharten.config import parse  # noqa: PLC0415
    from scharten.setup.report import parts  # noqa: PLC0415

    peer = new.peer()
    board_listens(peer)
    peer.close()
    found = {part.name: part.content.decode() for part in parts(parse(""), new.folder, 0)}
    assert json.loads(found["health.json"])["playable"] is True
    assert "board: simulated" in found["log.txt"]
    assert not [secret for secret in new.secrets.values() if any(secret in text for text in found.values())]
