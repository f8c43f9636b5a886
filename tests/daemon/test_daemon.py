"""The whole daemon through the interfaces that users have: serial line, MQTT, the page's server, the disk."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from lab.scripted_game import aim, board_listens, play_turn
from lab.trust.board_trouble import healthz
from scharten.journal.examine import examine
from scharten.journal.form import JOURNAL
from scharten.journal.journal import JournalReader
from scharten.store import chain
from scharten.store.files import connect, mark_of, wal_of
from scharten.store.mark import MarkFile

Daemons = Callable[..., DaemonProcess]


def start_game(daemons: Daemons, config: str = FAST) -> tuple[DaemonProcess, Peer]:
    """Return a daemon with a game in play and the simulated board connected."""
    daemon = daemons(config).start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game()
    return daemon, peer


@pytest.fixture(scope="module")
def running_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DaemonProcess, Peer]]:
    """One daemon for the tests that leave it unchanged: none of them stops or kills it."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("daemon")).start()
    try:
        peer = daemon.peer("table")
        board_listens(peer)
        yield daemon, peer
    finally:
        daemon.end()


@pytest.fixture
def game(running_daemon: tuple[DaemonProcess, Peer]) -> tuple[DaemonProcess, Peer]:
    """The running daemon with a new game."""
    running_daemon[1].new_game()
    return running_daemon


def simulator_pid(daemon: DaemonProcess) -> int:
    return int((daemon.folder / "simulator.pid").read_text())


@pytest.mark.long
def test_a_loud_game_is_refereed_stored_and_published(daemons: Daemons) -> None:
    """Forty scripted turns reach state, sheet and journal; the command line replays and exports them; the log has
    no warning."""
    daemon, peer = start_game(daemons)
    turns = sum(play_turn(peer, seed=3) for _ in range(40))
    match, position = peer.state["match"], peer.state["position"]
    assert turns == 40
    wait_for(lambda: len(peer.last["sheet"]["entries"]) == 40, 40, "the whole sheet")
    assert daemon.stop() == 0
    warned = [
        line for line in daemon.log.read_text().splitlines() if " WARNING " in line and "as root" not in line
    ]
    assert not warned
    journal = str(daemon.folder / "scharten.sqlite3")
    command = [sys.executable, "-m", "scharten"]
    replayed = subprocess.run([*command, "replay", journal, "--match", match], capture_output=True, text=True)
    assert replayed.returncode == 0 and position in replayed.stdout
    listed = subprocess.run([*command, "games", "--data", daemon.folder], capture_output=True, text=True)
    assert re.search(rf"→ {match} .*loud.*40 turns", listed.stdout)
    sheet = subprocess.run([*command, "games", journal, "--export", match], capture_output=True, text=True)
    assert sheet.returncode == 0 and '[Kind "loud"]' in sheet.stdout and "N@" in sheet.stdout


def test_a_throw_without_the_serial_line_changes_nothing(game: tuple[DaemonProcess, Peer]) -> None:
    """While the pty is unplugged, throws reach the simulator but never the host."""
    daemon, peer = game
    os.kill(simulator_pid(daemon), signal.SIGUSR1)
    wait_for(lambda: peer.source == "lost", 40, "the board to be missed")
    before, hits = peer.state, len(peer.hits)
    target = aim("a1")
    peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    time.sleep(1)
    assert peer.state == before and len(peer.hits) == hits
    os.kill(simulator_pid(daemon), signal.SIGUSR2)
    wait_for(lambda: peer.source == "found", 40, "the board to be back")
    target = aim("b2")
    peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    peer.wait(lambda state: state["position"] != before["position"], what="the dart after the replug")


@pytest.mark.long
def test_a_journal_that_does_not_replay_is_refused_until_a_new_one(
    daemons: Daemons,
) -> None:
    """The daemon runs on, reports the cause on `/healthz`, refuses commands, and leaves the file unchanged.
    --new-journal keeps it and plays."""
    daemon, peer = start_game(daemons)
    play_turn(peer)
    peer.close()
    daemon.stop()
    path = daemon.folder / "scharten.sqlite3"
    with closing(connect(path, "rwc")) as db:
        db.execute("UPDATE inputs SET digest = 'nonsense' WHERE n = (SELECT max(n) FROM inputs)")
        chain.rechain(db, JOURNAL)  # as if another program had written it
        last = db.execute("SELECT n, chain FROM inputs ORDER BY n DESC").fetchone()
    MarkFile(mark_of(path)).write(*last, JOURNAL.newest, clean=True)
    before = path.read_bytes()
    peer = daemon.start().peer("table")
    state = peer.wait(lambda state: state["message"]["code"] == "journal_failed", 30)
    output = state["message"]["args"]
    assert "does not replay" in output["message"] and "--new-journal" in output["cure"]
    refused = peer.ask("new_game")
    assert not refused["accepted"] and refused["code"] == "paused"
    wait_for(lambda: not peer.last.get("health", {}).get("playable", True), 40, "health to say so")
    status, reasons = healthz(daemon)
    assert status == 503 and "does not replay" in reasons and "Traceback" not in daemon.log.read_text()
    peer.close()
    assert daemon.stop() == 0 and path.read_bytes() == before
    daemon.start("--new-journal")
    assert daemon.peer("table").wait(lambda state: state["phase"] == "setup")
    assert (daemon.folder / "scharten.old-1.sqlite3").read_bytes()[:15] == b"SQLite format 3"


@pytest.mark.long
def test_a_journal_with_a_flipped_bit_is_recovered_with_a_warning(daemons: Daemons) -> None:
    """The start keeps the damaged file, and plays on with the rows before it. Log and health report the lost rows,
    once."""
    daemon, peer = start_game(daemons)
    play_turn(peer)
    peer.close()
    daemon.kill()
    path = daemon.folder / "scharten.sqlite3"
    log = bytearray(wal_of(path).read_bytes())
    with closing(connect(path, "ro")) as db:
        newest = db.execute("SELECT digest FROM inputs ORDER BY n DESC").fetchone()[0].encode()
    log[log.rindex(newest)] ^= 1
    wal_of(path).write_bytes(log)
    daemon.start()
    peer = daemon.peer("table")
    peer.wait(lambda state: state["phase"] == "paused")
    wait_for(lambda: peer.last.get("health", {}).get("warnings"), 40, "a warning")
    (warning,) = peer.last["health"]["warnings"]
    peer.close()
    assert (
        "the journal was damaged" in warning and "1 are lost" in warning and warning in daemon.log.read_text()
    )
    assert wal_of(daemon.folder / "scharten.broken-1.sqlite3").read_bytes() == log
    daemon.stop()
    assert not examine(path).unclean and not examine(path).warning and not examine(path).damage


@pytest.mark.long
def test_run_lan_prints_links_only_on_a_terminal(daemons: Daemons) -> None:
    """A terminal shows link and code of each role except the arbiter, who needs TLS. A pipe shows no secret, but
    the command that does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address that others could reach")
    piped, seen = daemons().start("--lan"), daemons(name="seen")
    seen.terminal = True
    running = seen.start("--lan").running

    def links() -> str | None:
        printed = seen.log.read_text(errors="replace")  # a code may be half written
        return printed if "Mosquitto" in printed else None

    output = wait_for(links, 40, "the links")
    assert running["broker"]["host"] == "127.0.0.1" and "127.0.0.1" not in running["web"]
    assert f"{running['web']}/?role=display\n" in output
    for role in ("table", "seat1", "seat2"):
        assert f"{running['web']}/?role={role}#{seen.secrets[role]}\n" in output
    assert seen.secrets["arbiter"] not in output and "arbiter: only over TLS" in output
    assert (
        output.count("▀▀▀▀▀▀▀▀▀▀▀▀\n") == 4 and "Not encrypted" in output and "can watch the game" in output
    )
    assert piped.running
    output = wait_for(
        lambda: ("scharten links" in piped.log.read_text()) and piped.log.read_text(), 40, "the pointer"
    )
    assert f"scharten links --data {piped.folder}" in output
    assert not any(secret in output for secret in piped.secrets.values())


def test_a_retained_command_changes_nothing_and_is_cleared(game: tuple[DaemonProcess, Peer]) -> None:
    """It gets no answer, even while the host is connected, and later clients find no retained message."""
    daemon, peer = game
    order = {"v": 1, "id": "kept", "match": peer.state["match"], "type": "resign", "side": "white"}
    peer.publish("command/table", json.dumps(order), retain=True)
    assert peer.ask("explain", move="e1e2")["accepted"]
    assert "kept" not in peer.answers and peer.state["phase"] == "turn"
    later = daemon.peer("host")
    time.sleep(0.3)
    assert "command/table" not in later.last and peer.last["health"]["cameras"] == []


@pytest.mark.long
def test_a_changed_configuration_applies_to_the_next_game(daemons: Daemons) -> None:
    """A resumed game keeps its options; a new one after the restart has those of the changed file."""
    daemon, peer = start_game(daemons)
    peer.close()
    daemon.stop()
    daemon.config.write_text(FAST.replace("[game]", '[game]\nzones = "home"'))
    second_table = daemon.start().peer("table")
    assert second_table.wait(lambda state: state["phase"] == "paused")["game"]["options"]["zones"] == "half"
    assert second_table.new_game()["game"]["options"]["zones"] == "home"


@pytest.mark.long
def test_a_second_daemon_in_the_same_folder_is_refused(game: tuple[DaemonProcess, Peer]) -> None:
    """The second daemon reports that the folder is in use, and ends. The first plays on."""
    daemon, peer = game
    second = DaemonProcess(daemon.folder)
    second.log = daemon.folder / "second.log"
    second.start()
    assert second.process is not None and second.process.wait(60) == 1
    assert "in use by another Scharten" in second.log.read_text()
    assert play_turn(peer)


@pytest.mark.long
def test_repeated_signals_do_not_keep_the_daemon_from_ending(daemons: Daemons) -> None:
    """A second SIGTERM (to the whole group) or another Ctrl-C does not disturb the shutdown."""
    daemon = daemons().start()
    assert daemon.running and daemon.process is not None
    for number in 1000 * (signal.SIGTERM, signal.SIGINT):
        daemon.process.send_signal(number)
        time.sleep(0.00002)
    assert daemon.process.wait(40) in (0, -signal.SIGTERM, -signal.SIGINT), daemon.log.read_text()


def test_the_health_page_is_green_and_the_page_is_served(game: tuple[DaemonProcess, Peer]) -> None:
    """A running daemon serves its page and reports that play is possible."""
    daemon, _ = game
    web = daemon.running["web"]

    def green() -> bool:
        try:
            with urllib.request.urlopen(f"{web}/healthz", timeout=40) as answer:
                return bool(json.load(answer)["ok"])
        except OSError:
            return False

    assert wait_for(green, 40, "healthz to be green")
    with urllib.request.urlopen(f"{web}/", timeout=40) as page:
        assert b"<html" in page.read()


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments", [["--config", "no.toml"], ["--port", "http"], ["--data", "/dev/null/folder"]]
)
def test_a_wrong_start_has_a_clear_error(arguments: list[str], tmp_path: Path) -> None:
    """A missing configuration or wrong option ends with a message that names it, without a traceback."""
    command = [sys.executable, "-m", "scharten", "run", "--data", str(tmp_path / "d"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert arguments[0 if "--port" in arguments else 1] in done.stderr


def test_a_seat_s_dart_counts_only_in_its_turn(game: tuple[DaemonProcess, Peer]) -> None:
    """Through broker and serial line, the other seat's dart is no hit and causes a warning; a dart in turn counts."""
    daemon, peer = game
    white, black = (daemon.peer(seat) for seat in _seats_by_colour(peer.state))
    try:
        first = aim("a1")
        black.throw(x_mm=first.x_mm, y_mm=first.y_mm)
        wait_for(lambda: _warned(peer, black.role), 40, "the seat to be named")
        hits = len(peer.hits)
        white.throw(x_mm=first.x_mm, y_mm=first.y_mm)
        wait_for(lambda: len(peer.hits) > hits, 40, "White's dart")
        assert len(peer.hits) == hits + 1 and peer.state["last"]["by"] == "white"
        wait_for(lambda: peer.state["side"] == "black", 40, "Black's turn")
        answer = aim("a8")
        black.publish(
            f"simulator/throw/{black.role}", json.dumps({"v": 2, "x_mm": answer.x_mm, "y_mm": answer.y_mm})
        )
        wait_for(lambda: peer.state["last"]["by"] == "black", 40, "Black's dart on its own topic")
        wait_for(lambda: not _warned(peer, black.role), 40, "the warning to go")
    finally:
        white.close()
        black.close()


def _seats_by_colour(state: dict[str, object]) -> tuple[str, str]:
    seats = {colour: seat for seat, colour in state["seats"].items()}  # type: ignore[attr-defined]
    return seats["white"], seats["black"]


def _warned(peer: Peer, seat: str) -> bool:
    return any(notice["code"] == f"throw_{seat}" for notice in peer.last.get("health", {}).get("notices", []))


SHOWS_A_KNOCK = ("knock", "ask_lost_dart")
"""Event codes of a knock: shown, or asked about when a dart may be thrown."""


def test_every_line_of_the_board_is_in_the_journal(game: tuple[DaemonProcess, Peer]) -> None:
    """Counted, lost, knocked and refused darts all have a row with the session and number of their line."""
    daemon, peer = game
    for dart in (aim("a1"), aim("a1"), aim("a5")):
        before = len(peer.hits)
        peer.throw(x_mm=dart.x_mm, y_mm=dart.y_mm)
        wait_for(lambda n=before: len(peer.hits) > n, 40, "the dart")
    time.sleep(0.3)  # a knock within the window of a contact is that contact's own
    peer.throw(bounce_out=True)
    wait_for(lambda: peer.last.get("events", {}).get("code") in SHOWS_A_KNOCK, 40, "the knock to be shown")
    if peer.state["question"]:
        peer.ask("choose_bed", bed=None)
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for match in reader.matches() for row in reader.inputs(match.id)]
    lines = [row["receipt"] for row in rows if row.get("receipt")]
    for session in {session for session, _ in lines}:
        numbers = [number for line, number in lines if line == session]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(lines) >= 4


@pytest.mark.long
@pytest.mark.parametrize("table", ["broker", "web"])
def test_a_port_in_use_is_reported(tmp_path: Path, table: str) -> None:
    """The start ends with status 1 and a message that names the port, without a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = FAST.replace(f"[{table}]\nport = 0", f"[{table}]\nport = {port}")
        daemon = DaemonProcess(tmp_path / "data", config).start()
        try:
            assert daemon.process is not None and daemon.process.wait(40) == 1
        finally:
            daemon.end()
    log = daemon.log.read_text()
    assert f"127.0.0.1:{port}" in log and "port" in log.splitlines()[-1] and "Traceback" not in log


@pytest.mark.long
def test_a_folder_without_a_journal_is_reported(tmp_path: Path) -> None:
    """`scharten games` and `replay` name the path at which they find no journal."""
    for command in ("games", "replay"):
        asked = [sys.executable, "-m", "scharten", command, "--data", tmp_path]
        ended = subprocess.run(asked, capture_output=True, text=True)
        assert ended.returncode == 1 and f"There is no journal at {tmp_path}/scharten.sqlite3" in ended.stderr


def test_a_start_imports_no_slow_library() -> None:
    """The daemon imports none of the listed libraries, and the pages not NumPy: the first request that needs one
    does."""
    code = """
import sys, pkgutil, importlib
import scharten.daemon.app
import scharten.daemon.remote
slow = ("numpy", "chess.engine", "cryptography.x509", "segno", "tomlkit")
early = [name for name in slow if name in sys.modules]
import scharten.daemon.page_server, scharten.remote.feature
import scharten.display.features as features
for found in pkgutil.iter_modules(features.__path__):
    importlib.import_module(f"{features.__name__}.{found.name}")
sys.exit(str(early) if early else "numpy" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
