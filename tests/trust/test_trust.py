"""The short form of `make trust`: kills, power cuts and a disk that fails, against the real daemon."""

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
def test_after_a_power_cut_nothing_acknowledged_is_missing(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """150 cuts of a recorded game, unsynced sectors lost or torn, and 100 while its journal is being made: no
    acknowledged line and no accepted command is missing, none is doubled, every journal replays, and each
    acknowledgement follows a sync (10,000 of 10 recordings in `make trust`). The same recording with its syncs taken
    out is found unsound, so the judge can find a fault."""
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
def test_a_disk_that_does_not_store_stops_play_and_then_play_goes_on(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """The disk became read-only: the dart waits, the display says why and `/healthz` is red with the reason; when the
    disk works the dart counts, once (`make trust` has an fsync that fails, too)."""
    assert disk_trouble.stops_storing(daemon, recorder, tmp_path, disk_trouble.READ_ONLY).harmless


@pytest.mark.long
def test_the_watchdog_trips_when_the_referee_hangs(
    daemon: DaemonProcess, recorder: Path, tmp_path: Path
) -> None:
    """On a real notify socket systemd hears READY and a live referee; when a sync never returns it hears no more."""
    assert disk_trouble.hangs(daemon, recorder, tmp_path).harmless


@pytest.mark.long
def test_a_full_disk_stops_play_with_the_reason_and_leaves_nothing_half_written(
    small_disk: Path, tmp_path: Path
) -> None:
    """A really full file system: play stops in words, the journal stays sound, and play goes on when there is room."""
    assert disk_trouble.fills_up(small_disk, tmp_path / "daemon.log").harmless


@pytest.mark.long
def test_a_start_on_a_read_only_disk_is_refused_in_words(small_disk: Path, tmp_path: Path) -> None:
    """With a journal on it: the daemon names the disk and the cure and ends; no byte of it changes."""
    try:
        assert disk_trouble.refuses_to_start(small_disk, tmp_path / "daemon.log", with_journal=True).harmless
    except disk_trouble.NeedsRootError as error:
        pytest.skip(str(error))


@pytest.mark.long
def test_darts_of_the_meantime_are_stored_and_shown_and_count_only_when_a_person_says_so(
    tmp_path: Path,
) -> None:
    """Three darts while the daemon is killed: after the start they are stored, acknowledged and shown, none counts; the
    one that the table adds by hand does (30 in `make trust`)."""
    fault = away.darts_of_the_meantime(tmp_path, starts=1)
    print(fault)
    assert fault.tried == 3 and fault.harmless


@pytest.mark.long
@pytest.mark.parametrize(("target", "times"), [("daemon", 2), ("board", 1)])
def test_a_game_killed_at_random_moments_ends_as_the_undisturbed_one(
    tmp_path: Path, target: str, times: int
) -> None:
    """SIGKILLs of the daemon or of the simulated board between and within turns: nothing published is lost, nothing
    counts twice (100 in `make trust`, of the broker too)."""
    fault = kills.killed(tmp_path, target, times)
    assert fault.tried == times and fault.harmless, fault


@pytest.mark.long
def test_a_long_game_starts_soon_and_its_recovery_reports(daemon: DaemonProcess, tmp_path: Path) -> None:
    """60,000 readings that changed nothing (500,000 in `make trust`): a start replays only what changed. One flipped
    bit: the log and systemd read that the journal is being recovered and more time is needed, and the game goes on."""
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
    """Flipped bits, cuts, zeroed sectors and missing files of database, log and mark: a start goes on with the same
    game, or says what is wrong (10,000 in `make trust`)."""
    fault = journal_damage.damaged(tmp_path / "journal", 60)
    print(fault)
    assert fault.tried == 60 and fault.harmless, fault


def test_a_changed_value_of_a_row_is_reported(tmp_path: Path) -> None:
    """One value of one row, also where no replay looks: each start says what is wrong (400 in `make trust`)."""
    fault = journal_damage.changed(tmp_path / "journal", 20, seed=1)
    assert fault.tried == 20 and fault.harmless, fault


def test_a_journal_of_another_evening_is_reported(tmp_path: Path) -> None:
    """Its chain is valid, and the mark is of another file: each start says so (200 in `make trust`)."""
    fault = journal_damage.foreign(tmp_path / "journal", 5, seed=1)
    assert fault.tried == 5 and fault.harmless, fault


def test_a_game_that_replays_to_another_digest_is_refused(tmp_path: Path) -> None:
    """The chain is valid, and a step has a digest that these rules do not give (200 in `make trust`)."""
    fault = journal_damage.digests(tmp_path / "journal", 5, seed=1)
    assert fault.tried == 5 and fault.harmless, fault


@pytest.mark.long
def test_whichever_call_fails_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """A write, sync, open or allocation fails, once and for a while, each 30th of them in turn (every one in
    `make trust`): words, no traceback, and the next start has every acknowledged input once."""
    rows = nth_failure.each_nth(tmp_path, 30)
    assert len(rows) == 4 and all(row.tried and row.harmless for row in rows), rows


@pytest.mark.long
def test_a_fuzzed_database_is_recovered_or_refused_in_words(tmp_path: Path) -> None:
    """Wrong bytes, exchanged and foreign pages, with the mark and without: no crash, no start without end, nothing
    silent (2,000 in `make trust`)."""
    fault = journal_damage.fuzzed(tmp_path / "journal", 60, seed=1)
    assert fault.tried == 60 and fault.harmless, fault


@pytest.mark.long
def test_a_date_that_is_set_in_play_costs_nobody_time(daemon: DaemonProcess, tmp_path: Path) -> None:
    """An hour forward, then past the year 2262, which Python cannot count: the clocks go on, the next dart counts, a
    claim on time is refused, and the display says so."""
    assert date_steps.steps(daemon, tmp_path, hours=(1, date_steps.PAST_2262)).harmless


@pytest.mark.long
def test_a_start_past_the_year_2262_plays(daemon: DaemonProcess, tmp_path: Path) -> None:
    """A board whose clock lost its battery may start with any date: a turn is played and the log is written."""
    assert date_steps.starts_late(daemon, tmp_path).harmless


@pytest.mark.long
def test_a_disk_that_fills_while_starting_has_a_clear_error(small_disk: Path, tmp_path: Path) -> None:
    """First starts with less and less room: each plays, or ends with the cure; none ends in a traceback."""
    assert disk_trouble.full_while_starting(small_disk, tmp_path / "daemon.log", rooms=(4, 48)).harmless


@pytest.mark.long
def test_a_damaged_club_is_never_silent(tmp_path: Path) -> None:
    """40 damages of the club's files: every start has the same club, or words (1,000 in `make trust`)."""
    row = club_damage.damaged(tmp_path, 40, seed=3)
    assert row.harmless, row


@pytest.mark.long
def test_hostile_boards_take_no_result(tmp_path: Path) -> None:
    """300 messages of hostile boards: the honest board's result enters each time (5,000 in `make trust`)."""
    row = club_damage.hostile_boards(tmp_path, 300, seed=3)
    assert row.harmless, row
