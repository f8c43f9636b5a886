"""A chess engine of any fault is bounded in time, output and memory, and ends with the one who asked it."""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import chess
import pytest

from lab.programs import program
from scharten.config import parse
from scharten.errors import Problem
from scharten.game.basics import move_from_text
from scharten.games import GAMES_BY_KEY
from scharten.opponent import uci
from scharten.opponent.engine_mind import EngineMind
from scharten.opponent.engines import EngineFacts, EngineList, examine, offered
from scharten.opponent.settings import EngineSettings, OpponentSection
from scharten.opponent.uci import EngineMove, EngineProblem, UciEngine

FAKE = Path(__file__).parents[1] / "lab" / "fake_engine.py"


def fake(fault: str, **more: object) -> EngineSettings:
    return EngineSettings.model_validate(
        {"command": (sys.executable, str(FAKE), fault), **more}, strict=False
    )


def asked(fault: str, **more: object) -> EngineMove | None:
    with UciEngine(fake(fault, **more)) as engine:
        return engine.move(chess.Board(), 0.05, "game")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("absent", "ended"),
        ("dies", "ended"),
        ("hangs", "no answer within"),
        ("floods", "wrote too much"),
        ("counts", "wrote too much"),
        ("mumbles", "wrote too much"),
        ("babbles", "which is not a move"),
        ("mute", "no answer within"),
    ],
)
def test_a_fault_is_a_problem_with_its_reason(fault: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an engine does instead of a move, the question ends with a sentence that says what it did."""
    monkeypatch.setattr(uci, "GRACE_S", 1.0)
    if fault == "mute":
        monkeypatch.setattr(uci, "START_S", 1.0)
    with pytest.raises(EngineProblem, match=says):
        asked(fault)


def test_memory_is_bounded() -> None:
    """An engine that takes 16 GB ends at its bound instead."""
    with pytest.raises(EngineProblem, match="ended"):
        asked("hoards", memory_mb=256)


def test_noise_is_passed_over_and_an_illegal_move_is_for_the_referee() -> None:
    """Garbage before the move harms nothing; an illegal move comes out as it is; no move is None."""
    assert asked("noise") == EngineMove("a2a3", 31)
    assert asked("cheats") == EngineMove("a1a8", None)
    assert asked("resigns") is None


def test_a_stubborn_engine_ends_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ignores SIGTERM and its input's end is gone once the engine is closed."""
    monkeypatch.setattr(uci, "GRACE_S", 0.5)
    engine = UciEngine(fake("stubborn"))
    assert engine._protocol is not None and engine._protocol.transport is not None
    number = engine._protocol.transport.get_pid()
    with pytest.raises(EngineProblem, match="no answer"):
        engine.move(chess.Board(), 0.05, "game")
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_strength_keeps_to_the_engines_range(tmp_path: Path) -> None:
    """Stockfish gets the Elo that was chosen, or the nearest that it has."""
    log = tmp_path / "uci.log"
    command = (program("stockfish"),)
    for strength, sent in ((1800, 1800), (100, 1350), (4000, 2850)):
        with UciEngine(EngineSettings(command=command, options={"Debug Log File": str(log)})) as engine:
            assert engine.strength == ("elo", 1350, 2850)
            engine.limit_strength(strength)
            engine.move(chess.Board(), 0.01, "game")
        sent_lines = log.read_text()
        log.unlink()
        wanted = f"setoption name UCI_Elo value {sent}"
        assert wanted in sent_lines or (
            sent == 1350 and "setoption name UCI_Elo" not in sent_lines
        )  # its default
        assert "setoption name UCI_LimitStrength value true" in sent_lines


@pytest.mark.parametrize("name", ["stockfish", "fairy-stockfish"])
def test_engines_in_the_usual_places_are_offered_with_their_games(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's engines are found without configuration though PATH lacks them, and report what they play."""
    program(name)
    monkeypatch.setenv("PATH", "/nowhere")
    facts = examine(offered(OpponentSection())[name])
    assert isinstance(facts, EngineFacts) and facts.strength == ("elo", 1350, 2850)
    shatranj = ("shatranj",) if name == "fairy-stockfish" else ()
    assert facts.games == ("chess", "fischer_random", *shatranj)


def test_engines_of_the_configuration_are_listed_and_a_broken_one_is_named() -> None:
    """An engine by its own name is asked once; one that does not start gives its reason and is not offered."""
    text = f"""
        [opponent.engines.mine]
        command = ["{sys.executable}", "{FAKE}", "honest"]
        [opponent.engines.gone]
        command = ["/nowhere/engine"]
        """
    engines = EngineList(parse(text).opponent)
    found = engines.read()
    assert found["mine"] == EngineFacts("Fake", ("chess",), ("elo", 1000, 2000))
    assert isinstance(found["gone"], EngineProblem) and "cannot be started" in str(found["gone"])
    assert engines.read() is found
    names = {entry["name"] for entry in engines.as_json()}
    assert "mine" in names and "gone" not in names
    assert str(FAKE) not in str(engines.as_json())


def test_no_shell_reads_a_command(tmp_path: Path) -> None:
    """Letters that a shell would take for more commands are one word of the program's arguments."""
    harm = tmp_path / "harm"
    settings = EngineSettings(command=(sys.executable, str(FAKE), f"honest; touch {harm}"))
    with UciEngine(settings) as engine:
        assert engine.move(chess.Board(), 0.01, "game") == EngineMove("a2a3", None)
    assert not harm.exists()


def test_an_engine_gets_the_moves_before_the_position(tmp_path: Path) -> None:
    """An answer after several turns comes with the moves since the first, so that repetitions are seen."""
    log = tmp_path / "uci.log"
    game = GAMES_BY_KEY["chess"]
    options = game.options_model.model_validate({"kind": "silent"}, strict=False)
    settings = EngineSettings(command=(program("stockfish"),), options={"Debug Log File": str(log)})
    with UciEngine(settings) as engine:
        mind = EngineMind(game, options, 5, 3, gauss=random.gauss, engine=engine)
        position = game.begin(options)
        for move in ("e2e4", "e7e5", "g1f3"):
            mind.notice(position)
            played = game.play(position, move_from_text(move), options)
            assert not isinstance(played, Problem)
            position = played.position
        mind.notice(position)
        mind.think(position, 0.01, time.monotonic)
    assert "position startpos moves e2e4 e7e5 g1f3\n" in log.read_text()
