"""Rules and journals that raise in the referee loop: the input is refused, the match stays, the thread continues."""

from contextlib import closing
from pathlib import Path

import pytest

from referee_loop.evening import Evening, rows, wait_until
from scharten.daemon import referee_loop as loop
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalReader
from scharten.journal.replay import going_on, replay
from scharten.match.digest import digest
from scharten.match.inputs import (
    Input,
    Tick,
)
from scharten.match.referee import step
from scharten.match.state import Match


def broken_step(*_arguments: object) -> object:
    raise RuntimeError("the rules are broken")


def test_a_command_on_which_the_rules_raise_is_refused(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is stored, the answer is `internal_error`, the log has the fault once, and play continues."""
    evening.order("new_game")
    faults: list[str] = []
    evening.desk.on_fault = lambda name, error: faults.append(f"{name}: {error}")
    before = (rows(evening.journal.path), digest(evening.desk.match))
    with monkeypatch.context() as broken:
        broken.setattr(loop, "step", broken_step)
        evening.order("pause")
        evening.order("pause")
    codes = [(body["id"], body["code"]) for body in evening.room.named("answer/table")[-2:]]
    assert codes == [("c2", "internal_error"), ("c3", "internal_error")]
    assert (rows(evening.journal.path), digest(evening.desk.match)) == before
    assert faults == ["referee: the rules are broken"] * 2
    assert sum("error in the program" in record.getMessage() for record in caplog.records) == 1
    evening.take(evening.dart("a1"))
    assert evening.desk.match.turns


def test_a_dart_on_which_the_rules_raise_is_stored_and_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dart is stored, acknowledged and published as not counted. Every replay omits it, even with repaired
    rules."""
    evening = Evening(tmp_path / "j.sqlite3")
    evening.order("new_game")
    before = digest(evening.desk.match)
    with monkeypatch.context() as broken:
        broken.setattr(loop, "step", broken_step)
        dart = evening.dart("a1")
        evening.take(dart)
    assert dart.receipt is not None
    assert evening.room.named("ack") == [dart.receipt.number] and evening.journal.line == (
        9,
        dart.receipt.number,
    )
    assert digest(evening.desk.match) == before and len(rows(evening.journal.path)) == 2
    hit, state = evening.room.named("hit")[-1], evening.room.named("state")[-1]
    assert (hit["counted"], hit["why"], hit["bed"]) == (False, "internal_error", "D8")
    assert state["message"] == {"code": "internal_error", "args": {"bed": "D8"}}
    evening.take(evening.dart("a5"))
    digest_after = evening.end()
    with closing(JournalReader(tmp_path / "j.sqlite3")) as reader:
        resumed = going_on(reader, GAMES_BY_KEY)
        assert resumed is not None and digest(resumed) == digest_after and len(resumed.turns) == 1
        game = next(match for match in reader.matches() if not match.id.startswith("setup-"))
        assert len(list(replay(reader, game, GAMES_BY_KEY))) == 3


def test_a_tick_on_which_the_rules_raise_is_retried_later(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop waits before it repeats the tick, and judges inputs meanwhile."""
    evening.order("new_game")
    ticks: list[int] = []

    def fails_on_ticks(match: Match, given: Input) -> object:
        if isinstance(given, Tick):
            ticks.append(given.t_ms)
            raise RuntimeError("no tick")
        return step(match, given)

    monkeypatch.setattr(loop, "step", fails_on_ticks)
    monkeypatch.setattr(loop, "deadline", lambda _match: evening.t_ms)
    wait_until(lambda: len(ticks) == 1)
    evening.take(evening.dart("a1"))
    wait_until(lambda: evening.desk.match.turns)
    assert len(ticks) == 1
    evening.t_ms += loop.TICK_AGAIN_MS
    wait_until(lambda: len(ticks) == 2)


def test_a_restarted_thread_refuses_the_input_it_ended_on(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception outside the rules ends the thread. After a restart it refuses that input and plays on."""
    evening.order("new_game")
    with monkeypatch.context() as broken:
        broken.setattr(evening.desk, "_finish", broken_step)
        evening.desk.take(dart := evening.dart("a1"))
        wait_until(lambda: not evening.desk.worker.alive)
    handled = evening.desk.inputs
    assert evening.desk.restart()
    wait_until(lambda: evening.desk.inputs > handled)
    assert evening.room.named("ack") == [dart.receipt.number]  # type: ignore[union-attr]
    evening.take(evening.dart("a5"))
    assert len(evening.desk.match.turns) == 1 and evening.room.named("hit")[0]["why"] == "internal_error"


def test_a_thread_is_not_restarted_after_its_journal_raised(evening: Evening) -> None:
    """Only a replay shows whether the row is stored."""
    evening.order("new_game")
    evening.journal.append = broken_step  # type: ignore[method-assign, assignment]
    evening.desk.take(evening.dart("a1"))
    wait_until(lambda: not evening.desk.worker.alive)
    assert evening.desk.storing and not evening.desk.restart()
