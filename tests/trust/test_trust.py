"""The short form of `make trust`: kills, power cuts and a failing disk, against the real daemon."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.daemon_process import DaemonProcess
from lab.supervisor import Supervisor
from lab.trust import (
    away,
    club_damage,
    cutdisk,
    date_steps,
    disk_trouble,
    journal_damage,
    kills,
    long_journal,
    nth_failure,
)
from lab.trust.powercuts import cut, published_before_stored, record
from scharten.journal.journal import JournalReader


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled shim that records what reaches disk and line."""
    return cutdisk.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    made = DaemonProcess(tmp_path / "data")
    yield made
    made.end()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    try:
        with disk_trouble.small_disk(tmp_path / "small") as place:
            yield place
    except disk_trouble.NeedsRootError as error:
        pytest.skip(str(error))


@pytest.mark.long
def test_a_power_cut_loses_nothing_acknowledged(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """Every journal replays with each acknowledged line and accepted command exactly once, after unsynced sectors were
    lost or torn.

    The test makes 150 cuts of a recorded game and 100 of its journal's creation (`make trust`: 10,000 of 10
    recordings). Each acknowledgement follows a sync. The same recording without its syncs fails, so the judge works.
    """
    done = record(daemon, recorder, turns=30)
    verdict = cut(done, 150, tmp_path / "cut", seed=1)
    assert verdict.acknowledged >= 25
    assert verdict.sound and all(row.harmless for row in verdict.rows()), verdict
    ordered = published_before_stored(done, tmp_path / "cut")
    assert ordered.tried >= 25 and ordered.harmless, ordered
    made = next(place for place, item in enumerate(done) if item.op == cutdisk.LINE)
    first = cut(done[:made], 100, tmp_path / "cut", seed=2)
    assert first.sound, first
    unsynced = [item for item in done if item.op != cutdisk.SYNC]
    spoilt = cut(unsynced, 60, tmp_path / "cut", seed=1)
    assert spoilt.missing and spoilt.early and not any(row.harmless for row in spoilt.rows())


@pytest.mark.long
def test_play_pauses_on_a_read_only_disk_and_then_continues(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """The dart waits, display and `/healthz` give the reason, and the dart counts once when the disk works again.

    `make trust` also has an fsync that fails.
    """
    assert disk_trouble.stops_storing(daemon, recorder, tmp_path, disk_trouble.READ_ONLY).harmless


@pytest.mark.long
def test_the_watchdog_trips_when_the_referee_hangs(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """systemd receives READY and watchdog messages on a real notify socket, and none after a sync that never
    returns."""
    assert disk_trouble.hangs(daemon, recorder, tmp_path).harmless


@pytest.mark.long
def test_a_full_disk_pauses_play_and_leaves_a_sound_journal(small_disk: Path, tmp_path: Path) -> None:
    """On a really full file system play pauses with the reason, and continues when there is room."""
    assert disk_trouble.fills_up(small_disk, tmp_path / "daemon.log").harmless


@pytest.mark.long
def test_a_start_on_a_read_only_disk_is_refused(small_disk: Path, tmp_path: Path) -> None:
    """With a journal on it, the daemon names the disk and the cure and ends. No byte changes."""
    try:
        assert disk_trouble.refuses_to_start(small_disk, tmp_path / "daemon.log", with_journal=True).harmless
    except disk_trouble.NeedsRootError as error:
        pytest.skip(str(error))


@pytest.mark.long
def test_darts_thrown_without_a_daemon_count_only_if_a_person_decides(
    tmp_path: Path,
) -> None:
    """Three darts without a daemon are stored, acknowledged and shown after the start, but none counts (30 in
    `make trust`). The dart that the table adds by hand does."""
    fault = away.darts_of_the_meantime(tmp_path, starts=1)
    print(fault)
    assert fault.tried == 3 and fault.harmless


@pytest.mark.long
@pytest.mark.parametrize(("target", "times"), [("daemon", 2), ("board", 1)])
def test_a_game_killed_at_random_ends_like_an_undisturbed_one(
    tmp_path: Path, target: str, times: int
) -> None:
    """SIGKILLs of daemon or board lose nothing published and count nothing twice (100 in `make trust`, also of the
    broker)."""
    fault = kills.killed(tmp_path, target, times)
    assert fault.tried == times and fault.harmless, fault


@pytest.mark.long
def test_a_long_game_starts_quickly_and_reports_its_recovery(daemon: DaemonProcess, tmp_path: Path) -> None:
    """Of 60,000 readings that changed nothing (500,000 in `make trust`) a start replays none.

    With one flipped bit, log and systemd learn that the journal is being recovered and needs more time. The game
    continues.
    """
    path = daemon.folder / "scharten.sqlite3"
    long_journal.write_readings(path, 60_000)
    reader = JournalReader(path)
    game = reader.matches()[-1].id
    assert len(list(reader.changes(game))) == len(list(reader.changes(game, listed=False))) < 100
    reader.close()
    long_journal.flip(path, 0.99)
    systemd = Supervisor(tmp_path)
    daemon.environment |= systemd.environment
    peer = daemon.start().peer("table")
    assert peer.wait(lambda state: bool(state["match"]))["match"] == game
    assert "EXTEND_TIMEOUT_USEC=60000000" in systemd.lines
    assert "inputs are being recovered" in daemon.log.read_text()
    peer.close()
    systemd.end()


def test_no_damage_to_a_journal_is_silent(tmp_path: Path) -> None:
    """After flipped bits, cuts, zeroed sectors and missing files, a start resumes the same game or reports the
    damage (10,000 in `make trust`)."""
    fault = journal_damage.damaged(tmp_path / "journal", 60)
    print(fault)
    assert fault.tried == 60 and fault.harmless, fault


def test_a_changed_value_of_a_row_is_reported(tmp_path: Path) -> None:
    """Each start reports one changed value of one row, even where no replay reads it (400 in `make trust`)."""
    fault = journal_damage.changed(tmp_path / "journal", 20, seed=1)
    assert fault.tried == 20 and fault.harmless, fault


def test_a_journal_with_another_journal_s_mark_is_reported(tmp_path: Path) -> None:
    """The journal's chain is valid, but the mark belongs to another file: each start reports it (200 in `make
    trust`)."""
    fault = journal_damage.foreign(tmp_path / "journal", 5, seed=1)
    assert fault.tried == 5 and fault.harmless, fault


def test_a_game_that_replays_to_another_digest_is_refused(tmp_path: Path) -> None:
    """The chain is valid, but a step has a digest that the rules do not give (200 in `make trust`)."""
    fault = journal_damage.digests(tmp_path / "journal", 5, seed=1)
    assert fault.tried == 5 and fault.harmless, fault


@pytest.mark.long
def test_no_failing_system_call_loses_an_acknowledged_input(tmp_path: Path) -> None:
    """Each 30th write, sync, open or allocation fails, once and for a while (each one in `make trust`). A message comes
    and no traceback, and the next start has every acknowledged input once."""
    rows = nth_failure.each_nth(tmp_path, 30)
    assert len(rows) == 4 and all(row.tried and row.harmless for row in rows), rows


@pytest.mark.long
def test_a_fuzzed_database_is_recovered_or_refused(tmp_path: Path) -> None:
    """Wrong bytes and exchanged or foreign pages cause no crash, no endless start, and no silent damage (2,000 in
    `make trust`)."""
    fault = journal_damage.fuzzed(tmp_path / "journal", 60, seed=1)
    assert fault.tried == 60 and fault.harmless, fault


@pytest.mark.long
def test_a_date_changed_in_play_costs_no_player_time(daemon: DaemonProcess, tmp_path: Path) -> None:
    """An hour forward, then past 2262, beyond Python's range: clocks run on, the next dart counts, a time claim is
    refused with a notice."""
    assert date_steps.steps(daemon, tmp_path, hours=(1, date_steps.PAST_2262)).harmless


@pytest.mark.long
def test_a_start_past_the_year_2262_plays(daemon: DaemonProcess, tmp_path: Path) -> None:
    """A board whose clock lost its battery may start with any date: a turn is played, and the log is written."""
    assert date_steps.starts_late(daemon, tmp_path).harmless


@pytest.mark.long
def test_a_disk_that_fills_while_starting_has_a_clear_error(small_disk: Path, tmp_path: Path) -> None:
    """First starts with less and less room either play or end with a cure, never with a traceback."""
    assert disk_trouble.full_while_starting(small_disk, tmp_path / "daemon.log", rooms=(4, 48)).harmless


@pytest.mark.long
def test_a_damaged_club_is_never_silent(tmp_path: Path) -> None:
    """After 40 damages of the club's files every start has the same club or a message (1,000 in `make trust`)."""
    row = club_damage.damaged(tmp_path, 40, seed=3)
    assert row.harmless, row


@pytest.mark.long
def test_hostile_boards_take_no_result(tmp_path: Path) -> None:
    """Despite 300 messages of hostile boards the honest board's result is entered each time (5,000 in `make trust`)."""
    row = club_damage.hostile_boards(tmp_path, 300, seed=3)
    assert row.harmless, row
