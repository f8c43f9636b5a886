"""The referee's desk with a real journal: what is stored, acknowledged and published, and in which order."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scharten.contract.messages import parse_command
from scharten.daemon import referee_loop as loop
from scharten.daemon.announcer import Announcer
from scharten.daemon.referee_loop import RefereeLoop
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.lines import Lamp
from scharten.dartboard.profile import Contact
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import bed_of, parse_field
from scharten.journal.journal import Journal, JournalError, JournalReader, Record
from scharten.journal.replay import going_on, replay
from scharten.match.dart import Dart
from scharten.match.digest import digest
from scharten.match.inputs import (
    Command,
    Input,
    Reading,
    Receipt,
    Restarted,
    Role,
    SensorChanged,
    SensorNews,
    Tick,
)
from scharten.match.referee import new_match, step
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import Match, changed
from scharten.sensors.board_talk import PortState, PortStatus
from scharten.sensors.profiles import load_profile
from scharten.sensors.serial import as_input

SETTINGS = MatchSettings(options={"scharten": {"arming": "auto", "settle_ms": 0}})


class Room:
    """Hears everything the desk says, in order."""

    def __init__(self) -> None:
        self.outputs: list[tuple[str, Any]] = []

    def publish_state(self, snapshot: Mapping[str, Any]) -> None:
        self.outputs.append(("state", snapshot))

    def publish_sheet(self, sheet: Mapping[str, Any]) -> None:
        self.outputs.append(("sheet", sheet))

    def publish_event(self, event: Mapping[str, Any]) -> None:
        self.outputs.append(("event", event))

    def publish_hit(self, hit: Mapping[str, Any]) -> None:
        self.outputs.append(("hit", hit))

    def publish_said(self, said: Mapping[str, Any]) -> None:
        self.outputs.append(("said", said))

    def answer(self, role: str, answer: Mapping[str, Any]) -> None:
        self.outputs.append((f"answer/{role}", answer))

    def acknowledge(self, receipt: Receipt) -> None:
        self.outputs.append(("ack", receipt.number))

    def show(self, lamp: Lamp) -> None:
        pass

    def named(self, name: str) -> list[Any]:
        return [body for kind, body in self.outputs if kind == name]


class Evening:
    """A desk, its journal and a room, and the numbers that inputs need."""

    def __init__(self, path: Path, match: Match | None = None, opening: Input | None = None) -> None:
        self.journal = Journal(path)
        self.room = Room()
        self.number = 0
        self.t_ms = 1_700_000_000_000
        self.announcer = Announcer(self.room)
        self.desk = RefereeLoop(
            match or new_match(SETTINGS, GAMES_BY_KEY),
            self.journal,
            self.room,
            self.announcer,
            lambda: self.t_ms,
        )
        self.desk.sensor = self.room
        self.announcer.start()
        self.desk.start(opening)

    def take(self, given: Input) -> None:
        before = self.desk.inputs
        assert self.desk.take(given, 5)
        wait_until(lambda: self.desk.inputs > before and not self.announcer.waiting)

    def order(self, kind: str, **fields: Any) -> None:
        self.t_ms += 10
        self.number += 1
        match = self.desk.match
        body = {"v": 1, "id": f"c{self.number}", "match": match.id, "seq": match.seq, "type": kind, **fields}
        order = parse_command(json.dumps(body).encode())
        self.take(Command(self.t_ms, Role.TABLE, order, 7))  # type: ignore[arg-type]

    def dart(self, field: str, session: int = 9) -> Reading:
        self.t_ms += 10
        self.number += 1
        found = parse_field(field)
        assert found is not None
        dart = Dart(((bed_of(found, 3), 1.0),), contact=Contact(1, 2))
        return Reading(self.t_ms, self.t_ms, "board", dart, Receipt(session, self.number))

    def end(self) -> str:
        self.desk.stop()
        self.announcer.stop()
        self.journal.close()
        return digest(self.desk.match)


def wait_until(true: Callable[[], bool], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path / "j.sqlite3")
    yield made
    made.end()


def test_a_dart_is_stored_then_acknowledged_then_published(evening: Evening) -> None:
    """The order of one dart: the row is on the disk before the board hears of it, and the display after that."""
    evening.order("new_game")
    evening.room.outputs.clear()
    stored: list[int] = []
    evening.room.acknowledge = lambda receipt: (  # type: ignore[method-assign]
        evening.room.outputs.append(("ack", receipt.number)),
        stored.append(len(rows(evening.journal.path))),
    )[0]
    evening.take(evening.dart("a1"))
    kinds = [kind for kind, _ in evening.room.outputs]
    assert kinds.index("ack") < kinds.index("state")
    assert stored == [2] and evening.room.named("state")[-1]["position"].startswith("1P*")


def rows(path: Path) -> list[str]:
    reader = JournalReader(path)
    found = [row.body for match in reader.matches() for row in reader.inputs(match.id)]
    reader.close()
    return found


def test_the_journal_replays_to_the_same_match_over_several_games(tmp_path: Path) -> None:
    """Two games with darts, moves and a take-back: each replays from its own beginning to the same digests."""
    evening = Evening(tmp_path / "j.sqlite3")
    for _ in range(2):
        evening.order("new_game", abandon=True)
        for field in ("a1", "a5", "b2", "i8"):
            evening.take(evening.dart(field))
        evening.order("move", move="e1d2")
        evening.order("take_back", turns=2)
    digest_after = evening.end()
    reader = JournalReader(tmp_path / "j.sqlite3")
    assert [
        len(list(replay(reader, match, GAMES_BY_KEY)))
        for match in reader.matches()
        if not match.id.startswith("setup-")
    ] == [7, 7]
    resumed = going_on(reader, GAMES_BY_KEY)
    assert resumed is not None and digest(resumed) == digest_after
    second = Evening(tmp_path / "j.sqlite3", resumed)
    second.t_ms += 100_000
    second.take(Restarted(second.t_ms))
    second.order("resume")
    second.take(second.dart("c3", session=10))
    last = second.end()
    resumed = going_on(JournalReader(tmp_path / "j.sqlite3"), GAMES_BY_KEY)
    assert resumed is not None and digest(resumed) == last and resumed.turns[-1].bed == parse_bed("T7")


def test_a_new_game_repeated_after_a_restart_is_answered_as_the_first_time(tmp_path: Path) -> None:
    """The sender that never got its answer asks again: it gets that answer, and no other game begins."""
    evening = Evening(tmp_path / "j.sqlite3")
    evening.order("new_game")
    (first,) = evening.room.named("answer/table")
    digest_after = evening.end()
    resumed = going_on(JournalReader(tmp_path / "j.sqlite3"), GAMES_BY_KEY)
    second = Evening(tmp_path / "j.sqlite3", resumed)
    body = {"v": 1, "id": "c1", "match": "", "type": "new_game"}
    order = parse_command(json.dumps(body).encode())
    second.take(Command(second.t_ms + 100_000, Role.TABLE, order, 8))  # type: ignore[arg-type]
    assert second.room.named("answer/table") == [first]
    assert second.end() == digest_after


def test_a_journal_that_no_longer_replays_is_refused_and_left_untouched(tmp_path: Path) -> None:
    """A changed input is found by its digest; the message names match, row and cure; no byte changes."""
    path = tmp_path / "j.sqlite3"
    evening = Evening(path)
    evening.order("new_game")
    evening.take(evening.dart("a1"))
    evening.end()
    journal = Journal(path)
    journal._db.execute(
        "UPDATE inputs SET body = replace(body, '\"F8\"', '\"F16\"'), digest = 'x' WHERE n = 2"
    )
    journal.close()
    before = path.read_bytes()
    reader = JournalReader(path)
    with pytest.raises(SchartenError, match=r"input 2.*untouched") as caught:
        going_on(reader, GAMES_BY_KEY)
    reader.close()
    assert "--new-journal" in caught.value.cure and path.read_bytes() == before


def test_a_changed_configuration_holds_from_the_next_game_on(tmp_path: Path) -> None:
    """A running game keeps the options it began with; the game after it has those configured now, and replays."""
    evening = Evening(tmp_path / "j.sqlite3")
    evening.order("new_game")
    evening.take(evening.dart("a1"))
    settings = MatchSettings(options={"scharten": {"arming": "auto", "settle_ms": 0, "zones": "home"}})
    evening.desk.match = changed(evening.desk.match, next_settings=settings)
    evening.take(evening.dart("a8"))
    assert evening.desk.match.options.zones == "half"
    evening.order("new_game", abandon=True)
    assert evening.desk.match.options.zones == "home"
    digest_after = evening.end()
    resumed = going_on(JournalReader(tmp_path / "j.sqlite3"), GAMES_BY_KEY)
    assert resumed is not None and digest(resumed) == digest_after


def test_a_refused_command_is_answered_and_not_stored(evening: Evening) -> None:
    """A stale or illegal command changes nothing, leaves no row, and gets its reason."""
    evening.order("new_game")
    before = (rows(evening.journal.path), digest(evening.desk.match))
    evening.order("move", move="e1e8")
    evening.order("move", move="e1d1", seq=999)
    codes = [body["code"] for body in evening.room.named("answer/table")[-2:]]
    assert codes == ["illegal", "stale"]
    assert (rows(evening.journal.path), digest(evening.desk.match)) == before


def test_a_command_that_comes_again_after_a_hundred_others_does_nothing(tmp_path: Path) -> None:
    """Its answer is forgotten by then; that it was stored is not, also after a restart, by the journal."""
    evening = Evening(tmp_path / "j.sqlite3")
    evening.order("new_game")
    match = evening.desk.match
    old = parse_command(json.dumps({"v": 1, "id": "old", "match": match.id, "type": "pause"}).encode())
    second = Command(evening.t_ms, Role.TABLE, old, 1)  # type: ignore[arg-type]
    evening.take(second)
    for _ in range(50):
        evening.order("resume")
        evening.order("pause")
    evening.order("resume")
    before = evening.end()
    seen = SeenCommands()
    reader = JournalReader(evening.journal.path)
    played = going_on(reader, GAMES_BY_KEY, seen.observe)
    reader.close()
    assert played is not None and digest(played) == before
    for made in (
        evening.desk,
        RefereeLoop(
            played, evening.journal, evening.room, evening.announcer, lambda: evening.t_ms, seen=seen
        ),
    ):
        assert second in seen and "old" not in {name for _, name, _ in made.match.answers}
        made._process(second)
        said = evening.room.named("answer/table")[-1]
        assert (said["id"], said["accepted"], said["code"]) == ("old", False, "stale")
        assert digest(made.match) == before


def test_while_the_disk_refuses_play_stands_still_and_then_goes_on(evening: Evening) -> None:
    """Disk full: the dart waits unacknowledged, commands are refused, the display says why; then it counts."""
    evening.order("new_game")
    right = evening.journal.append

    def full(record: Record) -> int:
        raise JournalError("The disk is full.", "Make room.")

    evening.journal.append = full  # type: ignore[method-assign]
    dart = evening.dart("a1")
    evening.desk.take(dart)
    wait_until(lambda: evening.desk.trouble is not None)
    wait_until(lambda: evening.room.named("state")[-1]["message"]["code"] == "journal_failed")
    order = parse_command(b'{"v":1,"id":"late","type":"resign"}')
    evening.desk.take(Command(evening.t_ms, Role.TABLE, order, 1))  # type: ignore[arg-type]
    wait_until(lambda: bool(evening.room.named("answer/table")[1:]))
    assert evening.room.named("answer/table")[-1]["code"] == "paused" and not evening.room.named("ack")
    evening.journal.append = right  # type: ignore[method-assign]
    wait_until(lambda: evening.room.named("ack") == [dart.receipt.number])  # type: ignore[union-attr]
    wait_until(lambda: evening.room.named("state")[-1]["message"]["code"] == "placed")
    assert evening.desk.trouble is None and len(rows(evening.journal.path)) == 2


def test_the_reason_that_holds_now_is_published(evening: Evening) -> None:
    """The journal is removed while the disk is full: first the one is named, then what keeps it from being mended."""
    evening.order("new_game")
    right, reasons = (
        evening.journal.append,
        ["The journal was removed.", "The disk is full.", "The disk is full."],
    )

    def refuse(record: Record) -> int:
        if reasons:
            raise JournalError(reasons.pop(0), "Make room.")
        return right(record)

    evening.journal.append = refuse  # type: ignore[method-assign]
    evening.take(evening.dart("a1"))
    found_messages = [state["message"] for state in evening.room.named("state")]
    named = [message["args"]["message"] for message in found_messages if message["code"] == "journal_failed"]
    assert named == ["The journal was removed.", "The disk is full."]
    assert evening.desk.trouble is None


def test_a_game_that_goes_on_is_paused_before_anybody_sees_it(tmp_path: Path) -> None:
    """After a restart no state says that it is somebody's turn."""
    evening = Evening(tmp_path / "j.sqlite3")
    evening.order("new_game")
    evening.end()
    second = Evening(tmp_path / "j.sqlite3", evening.desk.match, Restarted(evening.t_ms + 10))
    wait_until(lambda: bool(second.room.named("sheet")))
    assert {state["phase"] for state in second.room.named("state")} == {"paused"}
    second.end()


def test_a_missing_board_is_reported_in_sentences() -> None:
    """A fault and its cure are two sentences; a report without a cure is one."""
    missing = PortStatus(PortState.MISSING, "/dev/x", "there is no port /dev/x", "Plug it in.")
    connected = PortStatus(PortState.UP, "/dev/x", "the board is there", "")
    profile = load_profile("simulated", Path())
    found_messages = [as_input(status, profile, 1) for status in (missing, connected)]
    news = [given.news for given in found_messages if isinstance(given, SensorNews)]
    details = [new.detail for new in news if isinstance(new, SensorChanged)]
    assert details == ["there is no port /dev/x. Plug it in.", "the board is there"]


def test_the_state_of_a_dart_leaves_before_its_news(evening: Evening) -> None:
    """For each dart: acknowledged, then the state, then hit and sheet, however many darts wait."""
    evening.order("new_game")
    evening.room.outputs.clear()
    for dart in [evening.dart("a1"), evening.dart("a8"), evening.dart("b1")]:
        assert evening.desk.take(dart)
    wait_until(lambda: len(evening.room.named("sheet")) == 3 and not evening.announcer.waiting)
    seen = [kind for kind, _ in evening.room.outputs]
    for number in range(3):
        places = [
            [at for at, kind in enumerate(seen) if kind == name][number]
            for name in ("ack", "state", "hit", "sheet")
        ]
        assert places == sorted(places)


def broken_step(*_arguments: object) -> object:
    raise RuntimeError("the rules are broken")


def test_a_command_on_which_the_rules_raise_is_refused(
    evening: Evening, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The match stays, nothing is stored, the answer is `internal_error`, the log has it once, and play goes on."""
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
    """The line goes on: the dart is stored, acknowledged, published as not counted; every replay leaves it out, also
    once the rules are mended."""
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


def test_a_tick_on_which_the_rules_raise_does_not_spin(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deadline whose tick raises is tried again later; inputs are judged meanwhile."""
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


def test_a_thread_that_ended_goes_on_with_the_input_it_ended_on_refused(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception outside the rules ends the thread; started again, it refuses that input and plays on."""
    evening.order("new_game")
    with monkeypatch.context() as broken:
        broken.setattr(evening.desk, "_finish", broken_step)
        evening.desk.take(dart := evening.dart("a1"))
        wait_until(lambda: not evening.desk.worker.alive)
    assert evening.desk.restart()
    wait_until(lambda: evening.room.named("ack") == [dart.receipt.number])  # type: ignore[union-attr]
    evening.take(evening.dart("a5"))
    assert len(evening.desk.match.turns) == 1 and evening.room.named("hit")[0]["why"] == "internal_error"


def test_a_journal_that_raises_leaves_no_way_but_a_replay(evening: Evening) -> None:
    """Whether the row is stored is unknown: the thread is not started again."""
    evening.order("new_game")
    evening.journal.append = broken_step  # type: ignore[method-assign, assignment]
    evening.desk.take(evening.dart("a1"))
    wait_until(lambda: not evening.desk.worker.alive)
    assert evening.desk.storing and not evening.desk.restart()
