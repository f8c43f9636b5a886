"""The parts of `make trust`: each takes its own folder and a size, and yields rows."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from broker.attacks import ATTACKS
from lab import display, restarts, soak
from lab.daemon_process import DaemonProcess
from lab.figures import percentile
from lab.programs import MissingProgramError, program
from lab.trust import (
    attack_parts,
    away,
    board_trouble,
    broker_trouble,
    cutdisk,
    date_steps,
    disk_trouble,
    history,
    nth_failure,
    remote_trouble,
    storage_parts,
)
from lab.trust.kills import doubled_lines, killed
from lab.trust.page_attacks import PAGE_ATTACKS
from lab.trust.page_messages import MESSAGE_ATTACKS
from lab.trust.part import Part, Size, reported, row_name, running_daemon
from lab.trust.rows import Attack, Fault, Held, Row, show_progress
from mqtt.host_attacks import HOST_ATTACKS

KILLS = {"daemon": 34, "board": 33, "broker": 33}
AWAY = 10
GONE_S = 60.0
STOPPED_S = 60.0
TURNS = 50_000
NOISE_MB = 10
NOISE_GROWTH_MB = 10
ASKED = 5000
PAGES = 200
PAGES_P99_MS = 100
EXPOSURE_AIM = 3.0
RESTARTS = 2
"""Restarts of one process in a row; after three the next one waits."""
SMALL_DISKS: dict[str, Callable[[Path, Path], Fault]] = {
    "full": disk_trouble.fills_up,
    "full-start": disk_trouble.full_while_starting,
    "read-only-start": partial(disk_trouble.refuses_to_start, with_journal=True),
    "read-only-first": partial(disk_trouble.refuses_to_start, with_journal=False),
}


def kills(folder: Path, size: Size) -> Iterator[Row]:
    """SIGKILL of daemon, board and broker at random moments of a scripted game."""
    for target, most in KILLS.items():
        if size.wants(target):
            story = partial(killed, folder, target, max(1, most // size.share))
            yield replace(reported(f"SIGKILL of the {target}", story), row=target)


def recorded_history(folder: Path, size: Size) -> Iterator[Row]:
    """Record the history of three clients during kills and cuts, and judge it by the contract alone."""
    story = partial(history.recorded, folder, max(14, 120 // size.share), max(2, 20 // size.share), 2)
    yield reported("a history of three clients, judged by the contract", story)


def supervised_parts(folder: Path, size: Size) -> Iterator[Row]:
    """Each supervised part fails or hangs in a game: health and /healthz report it, and soon a turn is played."""
    replaced = tuple(restarts.REPLACED)
    pairs = (replaced[at : at + RESTARTS] for at in range(0, len(replaced), RESTARTS))
    groups = (tuple(restarts.MENDED), *pairs)
    for number, faults in enumerate(groups):
        wanted = [fault for fault in faults if size.wants(fault.replace(" ", "-"))]
        if not wanted:
            continue
        daemon = DaemonProcess(folder / str(number))
        try:
            evening = restarts.Evening(daemon)
            for fault in wanted:
                story = partial(restarts.broken, evening, fault)
                yield replace(reported(f"part: {fault}", story), row=fault.replace(" ", "-"))
        finally:
            daemon.end()


def meantime(folder: Path, size: Size) -> Iterator[Row]:
    """Darts thrown while the daemon is away."""
    starts = max(1, AWAY // size.share)
    for row, story in (("killed", away.darts_of_the_meantime), ("late", away.darts_after_the_pause)):
        if size.wants(row):
            words = "darts while the daemon is away"
            yield replace(reported(words, partial(story, folder / row, starts)), row=row)


def date(folder: Path, size: Size) -> Iterator[Row]:
    """The machine's date is set in play, or the whole daemon is suspended."""
    stories: dict[str, Callable[[DaemonProcess], Fault]] = {
        "steps": partial(date_steps.steps, folder=folder),
        "past-2262": partial(date_steps.starts_late, folder=folder),
        "still": partial(date_steps.stands_still, seconds=STOPPED_S / min(size.share, 3)),
    }
    for name, story in stories.items():
        if not size.wants(name):
            continue
        daemon = DaemonProcess(folder / name)
        try:
            yield replace(reported("clock", partial(story, daemon)), row=name)
        finally:
            daemon.end()


def disk(folder: Path, size: Size) -> Iterator[Row]:
    """A disk that is full, read-only, failing or hanging."""
    recorder = cutdisk.build(folder)
    stories: dict[str, Callable[[DaemonProcess, Path, Path], Fault]] = {
        "fails": partial(disk_trouble.stops_storing, fault=disk_trouble.FAILS),
        "read-only": partial(disk_trouble.stops_storing, fault=disk_trouble.READ_ONLY),
        "hangs": disk_trouble.hangs,
    }
    for name, story in stories.items():
        if not size.wants(name):
            continue
        place = folder / name
        daemon = DaemonProcess(place / "data")
        try:
            yield replace(reported("disk trouble", partial(story, daemon, recorder, place)), row=name)
        finally:
            daemon.end()
    log = folder / "daemon.log"
    for name, small in SMALL_DISKS.items():
        if not size.wants(name):
            continue
        try:
            with disk_trouble.small_disk(folder / f"small-{name}") as place:
                yield replace(reported(f"disk: {name}", partial(small, place, log)), row=name)
        except disk_trouble.NeedsRootError as error:
            show_progress(f"not run: {error}")


def broker_troubles(folder: Path, size: Size) -> Iterator[Row]:
    """A broker that restarts, is missing, slow, suspended, or refuses."""
    for name, fault in broker_trouble.troubles(folder, GONE_S / size.share, size.wants):
        yield replace(fault, row=name)


def board_troubles(folder: Path, size: Size) -> Iterator[Row]:
    """A board that misbehaves in every way, and noise on its line."""
    with board_trouble.at_the_board(folder) as (daemon, board, peer):
        for reported in board_trouble.troubles(daemon, board, peer, size.wants):
            soon = reported.seconds <= board_trouble.AIM_S
            words = f"in words after {reported.seconds:.1f} s (aim {board_trouble.AIM_S:.0f} s)"
            yield Fault(
                f"board: {reported.name}", 1, int(reported.counted and soon), figure=words, row=reported.row
            )
        if size.wants("damaged-lines"):
            count = 2000 // size.share
            counted = board_trouble.damaged_lines(board, peer, count)
            yield Attack("board: lines with one wrong character", count, counted, row="damaged-lines")
        if size.wants("every-dart"):
            missing = board_trouble.every_dart(board, peer)
            twice = doubled_lines(daemon)
            yield Fault("board: dart after dart", 30, 30 - missing, missing, twice, row="every-dart")
        if not size.wants("noise"):
            return
        noise = board_trouble.random_bytes(daemon, board, peer, size.noise_mb)
        grew = f"memory grew by {noise.grown_mb:.1f} MB (aim {NOISE_GROWTH_MB} MB)"
        harm = int(not noise.counted or noise.grown_mb > NOISE_GROWTH_MB)
        what = f"board: {noise.megabytes} MB of random bytes on the line"
        yield Attack(what, 1, harm, f"in {noise.seconds:.0f} s; {grew}; then a dart counted", row="noise")


def load(folder: Path, size: Size) -> Iterator[Row]:
    """One machine's load: commands answered by a daemon, displays served by a page's server."""
    if size.wants("commands"):
        yield _commands(folder / "commands", ASKED // size.share)
    if size.wants("displays"):
        late = display.crowd_only(50 // size.share + 5, PAGES)
        p50, p99 = percentile(late, 50), percentile(late, 99)
        words = (
            f"{PAGES} at one server: a state after p50 {p50:.0f} ms, p99 {p99:.0f} ms (aim {PAGES_P99_MS} ms)"
        )
        yield Held("displays", words, p99 <= PAGES_P99_MS, "displays")


def _commands(folder: Path, many: int) -> Held:
    times = []
    with running_daemon(folder) as daemon:
        peer = daemon.peer("table")
        peer.wait(lambda state: state["phase"] == "setup")
        peer.new_game()
        for _ in range(many):
            began = time.perf_counter()
            peer.ask("explain", move="e2e4", side="white")
            times.append((time.perf_counter() - began) * 1000)
            peer.forget()
        peer.close()
    rate, p50, p99 = 1000 * len(times) / sum(times), percentile(times, 50), percentile(times, 99)
    words = f"{rate:.0f} a second, one after another: p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    return Held("commands", words, row="commands")


def unit(folder: Path, size: Size) -> Iterator[Row]:
    """systemd's own judgement of the unit in deploy/."""
    try:
        exposure = exposure_of_the_unit()
    except MissingProgramError as error:
        show_progress(f"not run: {error}")
        return
    words = f"exposure {exposure:.1f} of 10 by systemd-analyze security (aim below {EXPOSURE_AIM})"
    yield Held("deploy/scharten.service", words, exposure < EXPOSURE_AIM)


SERVICE = Path(__file__).parents[3] / "deploy" / "scharten.service"


def exposure_of_the_unit(path: Path = SERVICE) -> float:
    """Return the score of `systemd-analyze security`, 0 (closed) to 10."""
    command = [program("systemd-analyze", "systemd"), "security", "--offline=true", "--no-pager", str(path)]
    shown = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", shown.stdout)
    assert found, shown.stdout + shown.stderr
    return float(found[1])


def long_run(folder: Path, size: Size) -> Iterator[Row]:
    """Games at speed for a long time."""
    found = soak.measure(size.turns)
    for what, figure in found.figures():
        yield Held(what, figure, found.flat)


PARTS: dict[str, Part] = {
    "calls": storage_parts.calls,
    "kills": kills,
    "parts": supervised_parts,
    "history": recorded_history,
    "meantime": meantime,
    "power-cuts": storage_parts.power_cuts,
    "journal": storage_parts.journal,
    "club": storage_parts.club,
    "archive": storage_parts.archive,
    "restores": storage_parts.restores,
    "start": storage_parts.start,
    "date": date,
    "disk": disk,
    "broker-trouble": broker_troubles,
    "board": board_troubles,
    "broker": attack_parts.broker_attacks,
    "daemon": attack_parts.host_attacks,
    "page": attack_parts.page_attacks,
    "remote": attack_parts.remote,
    "parsers": attack_parts.parsers,
    "load": load,
    "unit": unit,
    "long-run": long_run,
}

ALONE = ("start", "parts", "broker", "page", "daemon", "load", "long-run")
"""Parts whose rows measure times, rates or memory of an otherwise idle machine."""

ROWS: dict[str, tuple[str, ...]] = {
    "power-cuts": ("cuts", "order"),
    "start": ("old-games", "one-game"),
    "kills": tuple(KILLS),
    "journal": ("damage", "fuzz", "changed", "cut", "foreign", "digests", "names"),
    "meantime": ("killed", "late"),
    "parts": tuple(fault.replace(" ", "-") for fault in (*restarts.MENDED, *restarts.REPLACED)),
    "club": ("damage", "boards"),
    "date": ("steps", "past-2262", "still"),
    "disk": ("fails", "read-only", "hangs", *SMALL_DISKS),
    "calls": nth_failure.KINDS,
    "broker-trouble": broker_trouble.NAMES,
    "board": (*(trouble.row for trouble in board_trouble.TROUBLES), "damaged-lines", "every-dart", "noise"),
    "broker": tuple(map(row_name, ATTACKS)),
    "daemon": tuple(map(row_name, HOST_ATTACKS)),
    "page": tuple(map(row_name, (*PAGE_ATTACKS, *MESSAGE_ATTACKS))),
    "remote": remote_trouble.NAMES,
    "parsers": ("fuzz", "megabytes"),
    "load": ("commands", "displays"),
}
"""The rows of a part that can run alone. A part that is missing here is one row, or rows of one run."""

UNCOVERED = {
    "kills": "kills of a machine's kernel; two daemons killed together",
    "parts": "two parts that fail at once; a hang of the whole process, which systemd's watchdog ends (disk:hangs)",
    "history": "clients on other machines; seats that confirm; take-backs",
    "meantime": "more darts than the board keeps (64)",
    "power-cuts": "disks that confirm a sync and do not keep it",
    "journal": "rows changed by who can compute the chain again; rows of schemas 1 to 3 before their upgrade; a hard"
    " link used in turns, not at once; bytes overwritten in place during play, which the next start finds",
    "club": "rows changed by who can compute the chain again; a club's file of schema 1, which has no mark",
    "archive": "rows changed by who can compute the chain again; PostgreSQL's files, which its own checksums guard",
    "restores": "power cuts in a restore",
    "start": "a game with very many inputs that each changed something: it is replayed in whole, 0.3 ms each",
    "date": "a suspended machine: its sleep is charged to nobody either; other clocks; a disk alone that hangs",
    "disk": "a disk that comes back with other content",
    "calls": "allocations of Python itself; two different calls that fail in one game; calls of broker and page",
    "broker-trouble": "a silent crowd at the port that is kept for the boards' machines",
    "board": "two boards on one line",
    "broker": "more than one attacker's machine; a flood that fills the network itself; what a player's account sends"
    " through Mosquitto, 60 kB of properties with a command too, which the host reads one after another",
    "daemon": "a thief with a role's secret, within that role's rights; its flood of commands over MQTT too",
    "page": "per-address limits behind a proxy, which are the proxy's; a flood that fills the network itself",
    "remote": "the hour after which a guest's board comes back by itself; a host that lies in its journal too",
    "parsers": "allocations that fail",
    "load": "slow networks; machines slower than the one named below",
    "unit": "systems without systemd",
    "long-run": "cameras; nights longer than the games counted",
}
"""The limits of each part: faults that it does not cover."""
