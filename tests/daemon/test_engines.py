"""Chess engines at the seats of a whole daemon: they move, the level throws, and no fault stops the board."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from lab.programs import program
from lab.scripted_game import board_listens

Daemons = Callable[..., DaemonProcess]
FAKE = Path(__file__).parents[1] / "lab" / "fake_engine.py"


def start_logged_engine(daemons: Daemons, folder: Path, name: str) -> tuple[DaemonProcess, Peer, Path]:
    """Return a daemon with an engine of Debian that logs its input and output."""
    log = folder / "uci.log"
    config = f'{FAST}\n[opponent.engines.logged]\ncommand = ["{program(name)}"]\n'
    daemon = daemons(f'{config}options = {{ "Debug Log File" = "{log}" }}\n').start()
    return daemon, daemon.peer("table"), log


def answers(log: Path) -> list[str]:
    """Return the moves that the engine chose."""
    return re.findall(r"bestmove (\S+)", log.read_text())


def sheet_moves(peer: Peer) -> list[str]:
    """Return the moves of the sheet, as the referee wrote them."""
    return list(peer.state["sheet"])


def set_up(daemon: DaemonProcess, peer: Peer, position: str) -> None:
    """Set up a position in the table's game."""
    arbiter = daemon.peer("arbiter")
    arbiter.wait(lambda state: state["match"] == peer.state["match"])
    answer = arbiter.ask("set_position", position=position)
    assert answer["accepted"], answer
    arbiter.close()


@pytest.mark.long
def test_an_engine_plays_a_silent_game(daemons: Daemons, tmp_path: Path) -> None:
    """Stockfish at its lowest Elo answers a move, the snapshot names it, and its mate in one ends the game."""
    daemon, peer, log = start_logged_engine(daemons, tmp_path, "stockfish")
    engine = {"name": "logged", "strength": 1350}
    peer.new_game(game="chess", kind="silent", computers={"seat2": 3}, engines={"seat2": engine})
    assert peer.state["engines"] == {"seat1": None, "seat2": engine}
    assert peer.ask("move", move="e2e4")["accepted"]
    peer.wait(lambda state: state["turns"] == 2, 60, "the engine's answer")
    assert "setoption name UCI_LimitStrength value true" in log.read_text() and len(answers(log)) == 1
    set_up(daemon, peer, "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1")
    state = peer.wait(lambda state: state["result"] is not None, 60, "the mate")
    assert (state["result"], state["reason"]) == ("0-1", "checkmate")


@pytest.mark.long
def test_an_engine_moves_and_its_level_throws_in_a_loud_game(daemons: Daemons, tmp_path: Path) -> None:
    """Stockfish takes the queen, and the level throws the dart for that move over the serial line."""
    daemon, peer, log = start_logged_engine(daemons, tmp_path, "stockfish")
    board_listens(peer)
    peer.new_game(game="chess", kind="loud")
    set_up(daemon, peer, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1 0/0")
    assert peer.ask("set_computer", seat="seat1", level=10, engine={"name": "logged"})["accepted"]
    peer.wait(lambda state: state["turns"] >= 1, 60, "the capture")
    wait_for(lambda: [hit for hit in peer.hits if hit["source"] == "board"], 30, "the dart of the level")
    assert set(answers(log)) == {"e4d5"} and not any(hit["source"] == "computer" for hit in peer.hits)


@pytest.mark.long
def test_an_engine_castles_in_fischer_random(daemons: Daemons, tmp_path: Path) -> None:
    """If castling is the only mate in one, the engine sends king onto rook and the referee accepts it as castling."""
    daemon, peer, log = start_logged_engine(daemons, tmp_path, "stockfish")
    peer.new_game(game="fischer_random", kind="silent", options={"opening_by": "number", "opening_number": 0})
    set_up(daemon, peer, "2rkr3/2p1p3/8/8/8/8/8/RK6 w Q - 0 1")
    answer = peer.ask("set_computer", seat="seat1", level=5, engine={"name": "logged"})
    assert answer["accepted"]
    state = peer.wait(lambda state: state["result"] is not None, 60, "the mate by castling")
    assert (state["result"], sheet_moves(peer)[-1]) == ("1-0", "O-O-O#")
    assert answers(log) == ["b1a1"]


@pytest.mark.long
def test_a_variant_engine_plays_shatranj(daemons: Daemons, tmp_path: Path) -> None:
    """fairy-stockfish plays six turns of Shatranj. Games that no engine plays are refused with a message."""
    _, peer, log = start_logged_engine(daemons, tmp_path, "fairy-stockfish")
    engines = {"seat1": {"name": "logged", "strength": None}}
    for game in ("shakti", "scharten"):
        refused = peer.ask("new_game", game=game, computers={"seat1": 1, "seat2": 1}, engines=engines)
        assert refused["args"]["why"] == "engine_game" and "no chess engine plays" in refused["words"]
    peer.new_game(game="shatranj", kind="silent", computers={"seat1": 1, "seat2": 1}, engines=engines)
    peer.wait(lambda state: state["turns"] >= 6, 120, "six turns of Shatranj")
    assert "setoption name UCI_Variant value shatranj" in log.read_text()
    assert len(answers(log)) >= 3


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("absent", "engine"),
        ("dies", "engine"),
        ("babbles", "engine"),
        ("floods", "engine"),
        ("cheats", "illegal"),
    ],
)
def test_an_engine_s_fault_is_reported_and_the_game_continues(
    daemons: Daemons, tmp_path: Path, fault: str, code: str
) -> None:
    """After at most three starts health has the fault. A person takes the seat and moves."""
    mark = tmp_path / "starts"
    config = f'[opponent.engines.fake]\ncommand = ["{sys.executable}", "{FAKE}", "{fault}", "{mark}"]\n'
    daemon = daemons(f"{FAST}\n{config}").start()
    peer = daemon.peer("table")
    peer.new_game(game="chess", kind="silent", computers={"seat1": 1}, engines={"seat1": {"name": "fake"}})
    faults = wait_for(lambda: peer.last["health"].get("computers"), 120, "the fault")
    assert [(item["seat"], item["code"]) for item in faults] == [("seat1", code)]
    starts = len(mark.read_text().split())
    assert starts == (1 if fault == "cheats" else 3)
    assert peer.ask("set_computer", seat="seat1", level=None)["accepted"]
    assert peer.ask("move", move="e2e4")["accepted"]
    wait_for(lambda: not peer.last["health"].get("computers"), 60, "the fault to go")


@pytest.mark.long
def test_an_engine_that_hangs_dies_with_its_player(daemons: Daemons, tmp_path: Path) -> None:
    """An engine that is silent and ignores SIGTERM is gone once a person takes the seat."""
    mark = tmp_path / "starts"
    config = f'[opponent.engines.fake]\ncommand = ["{sys.executable}", "{FAKE}", "stubborn", "{mark}"]\n'
    peer = daemons(f"{FAST}\n{config}").start().peer("table")
    peer.new_game(game="chess", kind="silent", computers={"seat1": 1}, engines={"seat1": {"name": "fake"}})
    number = wait_for(lambda: engine_pids(mark), 60, "the engine")
    assert peer.ask("set_computer", seat="seat1", level=None)["accepted"]
    assert peer.ask("move", move="e2e4")["accepted"]
    wait_for(lambda: not engine_pids(mark), 60, f"the engine {number} to end")


def engine_pids(mark: Path) -> list[int]:
    """Return the process ids of engines with this file."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        if str(mark) in words:
            found.append(int(entry.name))
    return found


@pytest.mark.long
def test_a_page_names_an_engine_and_never_a_command(daemons: Daemons, tmp_path: Path) -> None:
    """The page lists names, never commands. A path as a name is malformed, and so is an unknown name, for both
    commands; the refusal lists the known names."""
    config = f'[opponent.engines.fake]\ncommand = ["{sys.executable}", "{FAKE}", "honest"]\n'
    daemon = daemons(f"{FAST}\n{config}").start()
    peer = daemon.peer("table")
    with urlopen(f"{daemon.running['web']}/engines.json", timeout=60) as answer:
        page = answer.read().decode()
    assert '"name":"fake"' in page.replace(" ", "") and str(FAKE) not in page
    harm = tmp_path / "harm"
    for name in (f"/bin/touch {harm}", "../fake", ""):
        refused = peer.ask(
            "new_game", game="chess", computers={"seat1": 1}, engines={"seat1": {"name": name}}
        )
        assert refused["code"] == "malformed"
    assert (
        peer.ask("new_game", game="chess", engines={"seat1": {"name": "fake"}})["args"]["why"]
        == "engine_alone"
    )
    chosen = {"level": 1, "engine": {"name": "touch"}}
    for refused in (
        peer.ask("new_game", game="chess", computers={"seat2": 1}, engines={"seat2": {"name": "touch"}}),
        peer.ask("set_computer", seat="seat1", **chosen),
    ):
        assert (refused["code"], refused["args"]["why"]) == ("malformed", "no_such_engine")
        assert refused["args"]["engine"] == "touch" and "fake" in refused["args"]["known"].split(", ")
        assert "touch" in refused["words"] and "fake" in refused["words"]
    assert not harm.exists()
