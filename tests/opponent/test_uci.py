"""A faulty chess engine is bounded in time, output and memory, and ends with its caller."""

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


def ask_for_move(fault: str, **more: object) -> EngineMove | None:
    with UciEngine(fake(fault, **more)) as engine:
        return engine.move(chess.Board(), 0.05, "game")


@pytest.mark.parametrize(
    ("fault", "reason"),
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
def test_a_fault_is_a_problem_with_its_reason(
    fault: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each fault of an engine the request for a move raises an error that describes it."""
    monkeypatch.setattr(uci, "GRACE_S", 1.0)
    if fault == "mute":
        monkeypatch.setattr(uci, "START_S", 1.0)
    with pytest.raises(EngineProblem, match=reason):
        ask_for_move(fault)


def test_an_engine_may_end_before_its_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine an engine may be gone when its limit is set: the reason is still that it ended."""

    def too_late(*_: object) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(uci.resource, "prlimit", too_late)
    with pytest.raises(EngineProblem, match="ended"):
        ask_for_move("dies")


def test_memory_is_bounded() -> None:
    """An engine that allocates 16 GB ends at its limit."""
    with pytest.raises(EngineProblem, match="ended"):
        ask_for_move("hoards", memory_mb=256)


def test_noise_is_skipped_and_an_illegal_move_is_passed_on() -> None:
    """Garbage before the move is skipped. The referee judges an illegal move; a missing move is None."""
    assert ask_for_move("noise") == EngineMove("a2a3", 31)
    assert ask_for_move("cheats") == EngineMove("a1a8", None)
    assert ask_for_move("resigns") is None


def test_a_stubborn_engine_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ignores SIGTERM and the end of its input is gone once the engine is closed."""
    monkeypatch.setattr(uci, "GRACE_S", 0.5)
    engine = UciEngine(fake("stubborn"))
    assert engine._protocol is not None and engine._protocol.transport is not None
    number = engine._protocol.transport.get_pid()
    with pytest.raises(EngineProblem, match="no answer"):
        engine.move(chess.Board(), 0.05, "game")
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_strength_is_limited_to_the_engine_s_range(tmp_path: Path) -> None:
    """Stockfish gets the chosen Elo, or the nearest in its range."""
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
    """Debian's engines are found without configuration or PATH, and report the games that they play."""
    program(name)
    monkeypatch.setenv("PATH", "/nowhere")
    facts = examine(offered(OpponentSection())[name])
    assert isinstance(facts, EngineFacts) and facts.strength == ("elo", 1350, 2850)
    shatranj = ("shatranj",) if name == "fairy-stockfish" else ()
    assert facts.games == ("chess", "fischer_random", *shatranj)


def test_configured_engines_are_listed_and_a_broken_one_has_its_reason() -> None:
    """Engines are examined once. One that does not start has a reason and is not offered; no command is listed."""
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
    """Shell syntax in a command is passed to the program as one argument."""
    harm = tmp_path / "harm"
    settings = EngineSettings(command=(sys.executable, str(FAKE), f"honest; touch {harm}"))
    with UciEngine(settings) as engine:
        assert engine.move(chess.Board(), 0.01, "game") == EngineMove("a2a3", None)
    assert not harm.exists()


def test_an_engine_gets_the_moves_before_the_position(tmp_path: Path) -> None:
    """The engine gets the game's moves since the first position, so that it sees repetitions."""
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
