"""The referee loop with a real journal: the order of storing, acknowledging and publishing."""

import json
from pathlib import Path

import pytest

from referee_loop.evening import Evening, rows, wait_until
from scharten.contract.messages import parse_command
from scharten.daemon.referee_loop import RefereeLoop
from scharten.dartboard.beds import parse_bed
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Journal, JournalError, JournalReader, Record
from scharten.journal.replay import going_on, replay
from scharten.match.digest import digest
from scharten.match.inputs import (
    Command,
    Restarted,
    Role,
    SensorChanged,
    SensorNews,
)
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import changed
from scharten.sensors.board_talk import PortState, PortStatus
from scharten.sensors.profiles import load_profile
from scharten.sensors.serial import as_input


def test_a_dart_is_stored_then_acknowledged_then_published(evening: Evening) -> None:
    """The row is on the disk before the board gets its acknowledgement, and the display gets the state after that."""
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


def test_several_games_replay_to_the_same_digests(tmp_path: Path) -> None:
    """Two games with darts, moves and a take-back replay to the same digests, and continue after a restart."""
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


def test_a_new_game_repeated_after_a_restart_gets_its_first_answer(tmp_path: Path) -> None:
    """A sender without an answer repeats its command: it gets the first answer, and no other game starts."""
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


def test_a_journal_that_does_not_replay_is_refused_untouched(tmp_path: Path) -> None:
    """Its digest reveals a changed input. The error names row and cure, and no byte changes."""
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


def test_a_changed_configuration_applies_to_the_next_game(tmp_path: Path) -> None:
    """A running game keeps its options; the next game has the configured ones, and replays."""
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


def test_a_command_repeated_after_a_hundred_others_is_stale(tmp_path: Path) -> None:
    """Its answer is forgotten by then, but not that it was stored, not even after a restart."""
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
        reply = evening.room.named("answer/table")[-1]
        assert (reply["id"], reply["accepted"], reply["code"]) == ("old", False, "stale")
        assert digest(made.match) == before


def test_play_pauses_while_the_disk_refuses_and_then_continues(evening: Evening) -> None:
    """With a full disk the dart stays unacknowledged, commands are refused, and the state names the reason. Then
    the dart counts."""
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


def test_the_current_reason_is_published(evening: Evening) -> None:
    """The journal is removed while the disk is full: the states name first the one fault, then the other."""
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


def test_a_resumed_game_is_published_as_paused(tmp_path: Path) -> None:
    """After a restart no published state has a side to move: every phase is `paused`."""
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


def test_the_state_of_a_dart_is_published_before_its_hit_and_sheet(evening: Evening) -> None:
    """Each dart is acknowledged, then its state is published, then hit and sheet, also while three darts wait."""
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
