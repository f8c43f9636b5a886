"""Every game over MQTT with the real daemon on both brokers: played, killed in the middle, resumed, replayed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from lab.mosquitto import mosquitto
from lab.random_game import End, play_on
from lab.scripted_game import board_listens
from lab.trust.board_trouble import healthz
from match.driver import Table
from scharten.journal.journal import Journal
from scharten.match.referee import digest
from scharten.referee_loop import as_record

Daemons = Callable[..., DaemonProcess]
MANY = {"white": 9, "black": 9}
GAMES: list[tuple[str, str, dict[str, Any]]] = [
    ("chess", "silent", {}),
    ("chess", "loud", {"foul_limit": MANY}),
    ("fischer_random", "silent", {"opening_by": "dice"}),
    ("fischer_random", "loud", {"opening_by": "darts"}),
    ("shatranj", "silent", {"king_on": "d"}),
    ("shatranj", "loud", {"foul_limit": MANY}),
    ("shakti", "silent", {"corners": "bare"}),
    ("shakti", "loud", {"foul_limit": MANY}),
]


def scharten(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command line, run to its end."""
    command = [sys.executable, "-m", "scharten", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def begun(daemon: DaemonProcess, key: str, kind: str, options: dict[str, Any]) -> Peer:
    """A table at which this game was begun."""
    peer = daemon.peer("table")
    board_listens(peer)
    answer = peer.ask("new_game", abandon=True, game=key, kind=kind, options=options)
    assert answer["accepted"], answer
    peer.wait(lambda state: state["game"]["key"] == key and state["phase"] in ("turn", "drawing"))
    return peer


def finish(peer: Peer) -> dict[str, Any]:
    """Play random turns; a game that lasts is resigned."""
    if play_on(peer, 8) is End.STILL_ON:
        assert peer.ask("resign", side="white")["accepted"]
    return peer.wait(lambda state: state["result"] is not None, what="the end of the game")


def test_games_are_played_killed_resumed_and_replayed(daemons: Daemons) -> None:
    """All four on the embedded broker, silent and loud: a kill in the middle loses nothing; every digest agrees."""
    daemon = daemons().start()
    ended = []
    for number, (key, kind, options) in enumerate(GAMES):
        peer = begun(daemon, key, kind, options)
        play_on(peer, 10)
        if number in (1, 6) and peer.state["result"] is None:
            before = peer.state
            peer.close()
            daemon.kill()
            peer = daemon.start().peer("table")
            board_listens(peer)
            back = peer.wait(lambda state: state["phase"] == "paused", what="the game after the kill")
            kept = ("match", "position", "sheet", "turns", "moves", "kind")
            assert {name: back[name] for name in kept} == {name: before[name] for name in kept}
            assert peer.ask("resume")["accepted"]
        ended.append(finish(peer))
        peer.close()
    assert daemon.stop() == 0
    assert_replayed(daemon, ended)


def test_games_on_mosquitto(daemons: Daemons) -> None:
    """Two loud games with another broker between: the same commands, throws and states."""
    with mosquitto() as port:
        config = FAST.replace("[broker]\nport = 0", f'[broker]\nurl = "mqtt://127.0.0.1:{port}"')
        daemon = daemons(config).start()
        ended = []
        for key, kind, options in (GAMES[3], GAMES[5], GAMES[6], GAMES[7]):
            peer = begun(daemon, key, kind, options)
            play_on(peer, 8)
            ended.append(finish(peer))
            peer.close()
        assert daemon.stop() == 0
    assert_replayed(daemon, ended)


def assert_replayed(daemon: DaemonProcess, ended: list[dict[str, Any]]) -> None:
    """`scharten replay` and `games` tell the games that the table saw end."""
    replayed = scharten("replay", "--data", daemon.folder)
    assert replayed.returncode == 0, replayed.stderr
    listed = scharten("games", "--data", daemon.folder).stdout
    for state in ended:
        told = next(line for line in replayed.stdout.splitlines() if line.startswith(state["match"]))
        assert "digests agree" in told and told.endswith(state["position"])
        game = rf"{state['match']} .*{state['game']['key']} {state['kind']}.*{re.escape(state['result'])}"
        assert re.search(game, listed), listed


def test_a_configured_game_is_the_one_that_begins(daemons: Daemons) -> None:
    """`game = "shakti"` in the file: a new game without a wish is Shakti, silent, by the file's own options."""
    config = FAST.replace("[game]", '[game]\ngame = "shakti"').replace(
        "[broker]", '[game.shakti]\ncorners = "bare"\n[broker]'
    )
    state = daemons(config).start().peer("table").new_game()
    assert (state["game"]["key"], state["kind"]) == ("shakti", "silent")
    assert state["game"]["options"]["corners"] == "bare" and state["position"].startswith("_5_/")
    assert state["game"]["layout"] == {"form": "grid", "files": "abcdefg", "rows": 7, "chequered": False}


@pytest.mark.parametrize(
    ("text", "told"),
    [('game = "hnefatafl"', "game"), ('[game.chess]\npat_swap = "on"', "pat_swap")],
)
def test_a_wrong_game_or_option_in_the_file_is_named(daemons: Daemons, text: str, told: str) -> None:
    """The start ends with status 1, names the key and begins nothing."""
    daemon = daemons(FAST.replace("[broker]", f"{text}\n[broker]")).start()
    assert daemon.process is not None and daemon.process.wait(60) == 1
    assert told in daemon.log.read_text() and "Traceback" not in daemon.log.read_text()


def test_a_journal_with_an_unknown_game_is_refused_and_left_untouched(daemons: Daemons) -> None:
    """`replay` names the game and the cure; a daemon goes on running, says both on every page, red on `/healthz`,
    answers commands with a refusal, and not one byte of the file has changed; with --new-journal it plays."""
    daemon = daemons()
    path = daemon.folder / "scharten.sqlite3"
    table = Table(begin=False)
    before = table.match
    table.ok("new_game", game="shakti")
    start = table.match.start.model_dump_json().replace('"shakti"', '"hnefatafl"')
    journal = Journal(path)
    mark = digest(table.match)
    journal.append(as_record(table.match, table.inputs[-1], table.events, before.id, mark=mark, start=start))
    journal.close()
    stored = path.read_bytes()
    replayed = scharten("replay", path)
    assert replayed.returncode == 1 and "hnefatafl" in replayed.stderr and "untouched" in replayed.stderr
    peer = daemon.start().peer("table")
    state = peer.wait(lambda one: one["message"]["code"] == "journal_failed")
    assert (
        "hnefatafl" in state["message"]["args"]["message"]
        and "--new-journal" in state["message"]["args"]["cure"]
    )
    refused = peer.ask("new_game")
    assert not refused["accepted"] and refused["code"] == "paused"
    wait_for(lambda: not peer.last.get("health", {}).get("playable", True), 30, "health to say so")
    status, reasons = healthz(daemon)
    assert status == 503 and "hnefatafl" in str(reasons) and "Traceback" not in daemon.log.read_text()
    peer.close()
    assert daemon.stop() == 0
    assert path.read_bytes() == stored and not list(daemon.folder.glob("*.old-*"))
    daemon.start("--new-journal").peer("table").new_game()
    assert (daemon.folder / "scharten.old-1.sqlite3").read_bytes() == stored
