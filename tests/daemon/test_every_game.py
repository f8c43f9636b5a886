"""Every game over MQTT with the real daemon on both brokers: played, killed, resumed and replayed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lab.daemon_process import FAST, DaemonProcess, Peer, State
from lab.mosquitto import mosquitto
from lab.random_game import End, play_on
from lab.scripted_game import board_listens
from match.driver import Table
from scharten.daemon.checks import open_journal
from scharten.daemon.health import MachineHealth
from scharten.journal.journal import Journal
from scharten.journal.refused import RefusedJournal
from scharten.journal.step_record import as_record
from scharten.match.referee import digest
from scharten.match.seen import SeenCommands

Daemons = Callable[..., DaemonProcess]


@dataclass(frozen=True)
class Kind:
    """A game, silent or loud, its options, and the seed of a random game that ends soon."""

    key: str
    kind: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)
    position: str = ""


def limit(darts: int) -> dict[str, Any]:
    """Return the options: this many lost darts in a row lose, and the next move does not wait for a hand at the
    board."""
    return {"foul_limit": {"white": darts, "black": darts}, "settle_ms": 0}


LATE = "1R*1B*3B*br5Q2kr*/4P*1K9nR2/2b2PPP1p5p4/Q2Np1p4pp4p2 w - 17/17 0/0 0/0 44"
"""Silent Scharten played at random lasts for hundreds of turns; this is such a game after 86."""
GAMES = [
    Kind("scharten", "silent", 13, position=LATE),
    Kind("scharten", "loud", 4, limit(3)),
    Kind("chess", "silent", 173),
    Kind("chess", "loud", 21, limit(2)),
    Kind("fischer_random", "silent", 37, {"opening_by": "number", "opening_number": 77}),
    Kind("fischer_random", "loud", 16, {"opening_by": "dice", **limit(2)}),
    Kind("shatranj", "silent", 111, {"king_on": "d"}),
    Kind("shatranj", "loud", 5, limit(1)),
    Kind("shakti", "silent", 8, {"corners": "bare"}),
    Kind("shakti", "loud", 11, limit(2)),
]
MOST_TURNS = 160


def scharten(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    command = [sys.executable, "-m", "scharten", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def begin_game(daemon: DaemonProcess, peer: Peer, game: Kind) -> State:
    """Start this game at the table, and return its first state."""
    answer = peer.ask("new_game", abandon=True, game=game.key, kind=game.kind, options=game.options)
    assert answer["accepted"], answer
    state = peer.wait(
        lambda state: state["game"]["key"] == game.key and state["phase"] in ("turn", "drawing"), 30
    )
    if not game.position:
        return state
    arbiter = daemon.peer("arbiter")
    arbiter.wait(lambda item: item.get("match") == state["match"], 30)
    assert arbiter.ask("set_position", position=game.position)["accepted"]
    arbiter.close()
    return peer.wait(lambda state: state["position"] == game.position, 30)


@pytest.mark.long
def test_every_game_is_played_killed_resumed_and_replayed(daemons: Daemons) -> None:
    """All five games, silent and loud, are played at random to a result. Kills in the middle lose nothing; digests
    agree."""
    daemon = daemons().start()
    peer = daemon.peer("table")
    board_listens(peer)
    ended = []
    for number, game in enumerate(GAMES):
        begin_game(daemon, peer, game)
        over = play_on(peer, 4, game.seed)
        if number in (4, 8) and over is End.STILL_ON:
            before = peer.state
            peer.close()
            daemon.kill()
            peer = daemon.start().peer("table")
            board_listens(peer)
            back = peer.wait(lambda state: state["phase"] == "paused", 30, "the game after the kill")
            kept = ("match", "position", "sheet", "turns", "moves", "kind")
            assert {name: back[name] for name in kept} == {name: before[name] for name in kept}
            assert peer.ask("resume")["accepted"]
        assert over is End.OVER or play_on(peer, MOST_TURNS, game.seed) is End.OVER, game
        ended.append(peer.state)
    peer.close()
    assert daemon.stop() == 0
    assert_replayed(daemon, ended)


@pytest.mark.long
def test_loud_games_are_played_on_mosquitto(daemons: Daemons) -> None:
    """The same loud games and a silent one end as well over Mosquitto, and replay."""
    with mosquitto() as port:
        config = FAST.replace("[broker]\nport = 0", f'[broker]\nurl = "mqtt://127.0.0.1:{port}"')
        daemon = daemons(config).start()
        peer = daemon.peer("table")
        board_listens(peer)
        ended = []
        for game in [game for game in GAMES if game.kind == "loud" or game.key == "chess"]:
            begin_game(daemon, peer, game)
            assert play_on(peer, MOST_TURNS, game.seed) is End.OVER, game
            ended.append(peer.state)
        peer.close()
        assert daemon.stop() == 0
    assert_replayed(daemon, ended)


def assert_replayed(daemon: DaemonProcess, ended: list[dict[str, Any]]) -> None:
    """Assert that `scharten replay` and `games` list the ended games with their results."""
    replayed = scharten("replay", "--data", daemon.folder)
    assert replayed.returncode == 0, replayed.stderr
    listed = scharten("games", "--data", daemon.folder).stdout
    for state in ended:
        named = next(line for line in replayed.stdout.splitlines() if line.startswith(state["match"]))
        assert "digests agree" in named and named.endswith(state["position"])
        game = rf"{state['match']} .*{state['game']['key']} {state['kind']}.*{re.escape(state['result'])}"
        assert re.search(game, listed), listed


@pytest.mark.long
def test_a_new_game_is_the_configured_game(daemons: Daemons) -> None:
    """With `game = "shakti"` in the file, a new game without a choice is silent Shakti with the file's options."""
    config = FAST.replace("[game]", '[game]\ngame = "shakti"').replace(
        "[broker]", '[game.shakti]\ncorners = "bare"\n[broker]'
    )
    state = daemons(config).start().peer("table").new_game()
    assert (state["game"]["key"], state["kind"]) == ("shakti", "silent")
    assert state["game"]["options"]["corners"] == "bare" and state["position"].startswith("_5_/")
    assert state["game"]["layout"] == {"form": "grid", "files": "abcdefg", "rows": 7, "chequered": False}


@pytest.mark.long
def test_a_loud_game_has_a_chequered_board(daemons: Daemons) -> None:
    """Shatranj and Shakti have a plain board when silent, and a chequered one when loud (games 6)."""
    table = daemons(FAST).start().peer("table")
    chequered = [
        table.new_game(game=game, kind=kind)["game"]["layout"]["chequered"]
        for game in ("shatranj", "shakti")
        for kind in ("silent", "loud")
    ]
    assert chequered == [False, True, False, True]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "named"),
    [('game = "hnefatafl"', "game"), ('[game.chess]\npat_swap = "on"', "pat_swap")],
)
def test_a_wrong_game_or_option_in_the_file_is_named(daemons: Daemons, text: str, named: str) -> None:
    """The start ends with status 1 and names the key."""
    daemon = daemons(FAST.replace("[broker]", f"{text}\n[broker]")).start()
    assert daemon.process is not None and daemon.process.wait(60) == 1
    assert named in daemon.log.read_text() and "Traceback" not in daemon.log.read_text()


@pytest.mark.long
def test_a_journal_with_an_unknown_game_is_refused_untouched(tmp_path: Path) -> None:
    """`replay` and a start name the game and the cure, and leave every byte of the file."""
    path = tmp_path / "scharten.sqlite3"
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
    opened, match = open_journal(path, MachineHealth({"simulated": ("board",)}, 0), SeenCommands())
    opened.close()
    assert isinstance(opened, RefusedJournal) and match is None
    assert "hnefatafl" in opened.error.message and "--new-journal" in opened.error.cure
    assert path.read_bytes() == stored
