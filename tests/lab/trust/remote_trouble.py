"""Bad input and faults between two boards: each is refused or survived, nothing is lost, nothing counts twice."""

from __future__ import annotations

import json
import resource
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.daemon_process import DaemonProcess, wait_for
from lab.random_game import next_step
from lab.raw_guest import RawGuest, guest_darts, own_rows
from lab.scripted_game import aim_at_bed, play_turn
from lab.trust import cutdisk, date_steps
from lab.trust.rows import Attack, Fault, Row
from lab.two_boards import SECONDS, TwoBoards
from scharten.commands.remote import ask
from scharten.errors import SchartenError
from scharten.remote.host_side import BURST, PER_SECOND
from scharten.remote.invitation import LAPSES_MS, Link, read_link
from scharten.remote.letters import derive_keys

FLOOD, REPLAYS = 2000, 200
PICTURE = 100_000_000
GREW_MB = 40
QUIET_S = 0.5
HOUR_S = 3600
CLOCK = {"stages": [{"moves": None, "minutes": 5}], "increment_s": 0}


# --- attacks; each gets a running game with the host to move ---


def other_seat(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """A guest sends commands and throws for the host's seat, and writes the board's topics."""
    root, before = key["root"], own_rows(boards)
    raw = _raw(key)
    order = {"v": 2, "id": "x", "type": "resign", "match": boards.at_host.state["match"]}
    for topic in ("command/seat1", "guest/seat1/reading", "guest/seat1/hello", "state", "answer/seat1"):
        raw.send(f"{root}/{topic}", json.dumps(order).encode())
    raw.close()
    return Attack("a guest sends for the other seat", 5, len(own_rows(boards)) - len(before))


def replays(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """The guest's last dart is sent again and again."""
    darts = [row for row in own_rows(boards) if row.get("place") == key["seat"]]
    raw, last = _raw(key), darts[-1]
    for _ in range(REPLAYS):
        raw.send(_own(key, "reading"), _reading(last["receipt"], last["at_ms"]))
    raw.close()
    more = len([row for row in own_rows(boards) if row.get("place") == key["seat"]]) - len(darts)
    return Attack("a guest replays a dart", REPLAYS, more)


def flood(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """Thousands of darts at once, out of turn: only the allowance is judged, none counts, and the host plays on."""
    raw, before, at_ms = _raw(key), boards.at_host.state, int(time.time() * 1000)
    rows, session, began = len(own_rows(boards)), secrets.randbits(31), time.monotonic()
    raw.flood(_own(key, "reading"), (_reading([session, number], at_ms) for number in range(FLOOD)))
    wait_for(lambda: _is_quiet_journal(boards), SECONDS, "the last dart to be judged")
    allowed = BURST + PER_SECOND * (time.monotonic() - began)
    counted = boards.at_host.state["turns"] - before["turns"]
    judged = len(own_rows(boards)) - rows
    raw.close()
    harm = counted + max(0, judged - int(allowed))
    return Attack("a flood of darts of a guest", FLOOD, harm, f"{judged} judged (a burst is {BURST})")


def large_picture(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """A picture of 100 MB ends the connection, and the host's memory never grows by it."""
    raw, before = _raw(key), _memory_mb(boards.host, "VmRSS:")
    _forget_peak(boards.host)
    raw.send(_own(key, "picture"), b"x" * PICTURE)
    wait_for(lambda: raw.closed, SECONDS, "the end of the connection")
    raw.close()
    grew = _memory_mb(boards.host, "VmHWM:") - before
    return Attack("a picture of 100 MB", 1, int(grew > GREW_MB), f"memory grew by {grew:.1f} MB")


def wrong_versions(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """Messages of another version are refused, and the host's page names the version."""
    raw, rows = _raw(key), len(own_rows(boards))
    for topic in ("hello", "reading", "picture"):
        raw.send(_own(key, topic), b'{"v": 9}')
    wait_for(lambda: "version" in _warnings(boards), SECONDS, "the host's words about the version")
    raw.close()
    return Attack("messages of another version", 3, len(own_rows(boards)) - rows, "the host's page names it")


def used_invitation(boards: TwoBoards, key: dict[str, Any]) -> Attack:
    """Used letters, wrong letters, and another certificate do not connect; the guest's page gives the reason."""
    link = read_link(key["link"])
    assert isinstance(link, Link)
    wrong = (link, replace(link, letters="AAAAAAAA"), replace(link, fingerprint="A" * 43))
    opened = sum(_opens(boards, str(made)) for made in wrong)
    return Attack("a used or forged invitation", len(wrong), opened, "each is refused in words")


ATTACKS = (other_seat, replays, flood, large_picture, wrong_versions, used_invitation)


# --- faults; each gets its own two daemons ---


def lapsed_invitation(folder: Path) -> Attack:
    """An invitation more than an hour old admits no guest after a restart."""
    boards = TwoBoards(folder).start()
    try:
        link = boards.invite()["link"]
        boards.host.kill()
        path = boards.host.folder / "remote-invitation.json"
        made = json.loads(path.read_text())
        path.write_text(json.dumps({**made, "made_ms": made["made_ms"] - LAPSES_MS}))
        boards.host.start()
        boards.at_host.close()
        boards.at_host = boards.host.peer()
        wait_for(lambda: boards.status(boards.host)["state"] == "none", SECONDS, "the invitation to lapse")
        return Attack("a lapsed invitation", 1, int(_opens(boards, link)))
    finally:
        boards.end()


def two_guests(folder: Path) -> Attack:
    """Two guests accept one invitation: one plays, the other's key is refused."""
    boards = TwoBoards(folder).start()
    try:
        link = read_link(boards.invite()["link"])
        assert isinstance(link, Link)
        second = RawGuest(link, derive_keys(link.letters, link.fingerprint).password)
        ask(boards.guest.folder, {"type": "ask", "link": str(link)})
        ask(boards.guest.folder, {"type": "accept", "name": "Bob"})
        boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS, "the game")
        root, key = boards.guest_key()["root"], "k" * 40
        second.send(f"{root}/guest/seat2/accept", json.dumps({"v": 1, "key": key, "name": "Eve"}).encode())
        third = RawGuest(link, key)
        wait_for(lambda: third.refused, SECONDS, "the refusal of the second guest")
        names = boards.at_host.state["names"]
        for raw in (second, third):
            raw.close()
        return Attack("two guests with one invitation", 1, int(names != {"white": "Ann", "black": "Bob"}))
    finally:
        boards.end()


def host_vanishes(folder: Path) -> Fault:
    """The host disappears for good: the guest's page reports it, and the board returns and plays at home."""
    boards = _at_guests_turn(TwoBoards(folder).start())
    try:
        boards.host.kill()
        wait_for(lambda: boards.status(boards.guest)["state"] == "away", SECONDS, "words on the guest's page")
        ask(boards.guest.folder, {"type": "leave", "for_good": True})
        peer = boards.at_guest
        peer.wait(lambda state: state["away"] is None, SECONDS, "the guest's own board")
        peer.new_game()
        play_turn(peer)
        return Fault("the host vanishes for good", 1, 1, figure="the guest's board plays at home")
    finally:
        boards.end()


def both_killed(folder: Path) -> Fault:
    """Both daemons are killed with a dart under way: after both starts it is stored once, and play continues."""
    boards = _at_guests_turn(TwoBoards(folder).start())
    try:
        before = len(guest_darts(boards))
        _throw(boards)
        boards.host.kill()
        boards.guest.kill()
        _start_again(boards)
        return _counted(boards, before, "both daemons are killed at once")
    finally:
        boards.end()


def full_disk_of_the_host(folder: Path) -> Fault:
    """The host's disk stores nothing: both pages report it, the board keeps the dart, and then it counts once."""
    boards = TwoBoards(folder)
    failing = _failing_disk(boards.host, folder)
    try:
        _at_guests_turn(boards.start())
        before = len(guest_darts(boards))
        failing.touch()
        _throw(boards)
        for peer in (boards.at_host, boards.at_guest):
            peer.wait(lambda state: state["message"]["code"] == "journal_failed", SECONDS, "the words")
        stored_early = len(guest_darts(boards)) - before
        failing.unlink()
        row = _counted(boards, before, "the host's disk stores nothing")
        return replace(row, doubled=row.doubled + stored_early)
    finally:
        boards.end()


def full_disk_of_the_guest(folder: Path) -> Fault:
    """The guest's disk takes no byte: its page reports it, the dart counts once at the host, and the proof catches
    up."""
    boards = _at_guests_turn(TwoBoards(folder).start())
    try:
        before = len(guest_darts(boards))
        _largest_file(boards.guest, 0)
        _throw(boards)
        last = boards.at_guest.last
        wait_for(
            lambda: "cannot be stored" in json.dumps(last.get("health")), SECONDS, "words at the guest's"
        )
        _largest_file(boards.guest, resource.RLIM_INFINITY)
        return _counted(boards, before, "the guest's disk stores nothing")
    finally:
        boards.end()


def dates_apart(folder: Path) -> Fault:
    """The guest's date is an hour ahead: no time counts as forged, no flag falls, clocks lose seconds at most."""
    boards, step = TwoBoards(folder), folder / "step"
    step.write_text(str(HOUR_S))
    boards.guest.environment |= {"LD_PRELOAD": str(date_steps.build(folder)), "STEPDATE": str(step)}
    try:
        boards.start().begin(clock=CLOCK)
        assert boards.play_on(6, seed=4)
        clock, line = boards.at_host.state["clock"], boards.status(boards.guest)
        fair = min(clock["white_ms"], clock["black_ms"]) > 240_000
        measured = abs(line["offset_ms"] + HOUR_S * 1000) < 1000
        forged = boards.status(boards.host)["forged"]
        harm = int(not fair) + int(not measured) + forged
        return Fault("dates an hour apart", 6, 6 - min(6, harm), figure=f"offset {line['offset_ms']} ms")
    finally:
        boards.end()


TROUBLES: tuple[Callable[[Path], Row], ...] = (
    *(lapsed_invitation, two_guests, host_vanishes, both_killed),
    *(full_disk_of_the_host, full_disk_of_the_guest, dates_apart),
)


def attacks(folder: Path, wants: Callable[[str], bool]) -> Iterator[Row]:
    """Run every attack on one running game, which continues after each."""
    chosen = [attack for attack in ATTACKS if wants(name_of(attack))]
    if not chosen:
        return
    boards = TwoBoards(folder).start()
    try:
        boards.begin()
        for attack in chosen:
            while not guest_darts(boards) or boards.at_turn(boards.at_host.state) is boards.at_guest:
                boards.play_on(1, seed=4)
            row, before = attack(boards, boards.guest_key()), boards.at_host.state["turns"]
            boards.resume()
            state = boards.at_host.state
            turns = boards.play(state, next_step(state, 4))["turns"]
            yield replace(row, succeeded=row.succeeded + abs(turns - before - 1), row=name_of(attack))
    finally:
        boards.end()


def troubles(folder: Path, wants: Callable[[str], bool]) -> Iterator[Row]:
    """Run every fault with its own two daemons."""
    for trouble in TROUBLES:
        if wants(name_of(trouble)):
            place = folder / name_of(trouble)
            place.mkdir(parents=True)
            yield replace(trouble(place), row=name_of(trouble))


def name_of(story: Callable[..., object]) -> str:
    """Return the name by which `--row` runs a story."""
    return getattr(story, "__name__", "").replace("_", "-")


NAMES = (*map(name_of, ATTACKS), *map(name_of, TROUBLES))


def _raw(key: dict[str, Any]) -> RawGuest:
    link = read_link(key["link"])
    assert isinstance(link, Link)
    return RawGuest(link, key["key"])


def _own(key: dict[str, Any], topic: str) -> str:
    return f"{key['root']}/guest/{key['seat']}/{topic}"


def _reading(receipt: list[int], at_ms: int) -> bytes:
    what = {"what": "dart", "beds": [["F18", 1.0]], "x_mm": None, "y_mm": None, "bounced": False}
    body = {"v": 1, "id": receipt, "at_ms": at_ms, "sensor": "board", "what": {**what, "contact": None}}
    return json.dumps(body).encode()


def _opens(boards: TwoBoards, link: str) -> bool:
    try:
        ask(boards.guest.folder, {"type": "ask", "link": link})
    except SchartenError as error:
        assert error.message
        return False
    return True


def _warnings(boards: TwoBoards) -> str:
    return json.dumps(boards.at_host.last.get("health", {}).get("warnings", []))


def _memory_mb(daemon: DaemonProcess, what: str) -> float:
    """Return the daemon's memory in MB: `VmRSS:` now, `VmHWM:` the peak since its last reset."""
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(status.partition(what)[2].split()[0]) / 1024


def _forget_peak(daemon: DaemonProcess) -> None:
    """Let the kernel measure the daemon's peak memory from now on (proc(5), clear_refs)."""
    assert daemon.process is not None
    Path(f"/proc/{daemon.process.pid}/clear_refs").write_text("5")


def _at_guests_turn(boards: TwoBoards) -> TwoBoards:
    boards.begin(clock=CLOCK)
    while boards.at_turn(boards.at_host.state) is not boards.at_guest:
        boards.play_on(1, seed=4)
    return boards


def _throw(boards: TwoBoards) -> None:
    target = aim_at_bed("F18")
    boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)


def _start_again(boards: TwoBoards) -> None:
    match = boards.at_host.state["match"]
    for name in ("host", "guest"):
        daemon = getattr(boards, name)
        daemon.start()
        getattr(boards, f"at_{name}").close()
        setattr(boards, f"at_{name}", daemon.peer())
    boards.at_host.wait(lambda state: state["match"] == match, SECONDS, "the game")


def _counted(boards: TwoBoards, before: int, what: str) -> Fault:
    """Wait for the dart in the host's journal, play on, and compare both machines."""
    wait_for(lambda: len(guest_darts(boards)) > before, SECONDS, "the dart in the host's journal")
    boards.seen_by_both(boards.at_host.state["match"])
    wait_for(lambda: _is_quiet(boards), SECONDS, "both houses to show the dart")
    doubled = len(guest_darts(boards)) - before - 1
    boards.resume()
    assert boards.play_on(2, seed=5)
    rows = own_rows(boards)
    proof = boards.guest.folder / "remote-games" / f"{boards.at_host.state['match']}.jsonl"
    wait_for(lambda: len(proof.read_bytes().splitlines()) >= len(rows), SECONDS, "the whole proof")
    agrees = not boards.status(boards.guest)["differs"]
    return Fault(what, 1, int(agrees), 0, doubled, "the dart counts once, both machines agree")


def _is_quiet(boards: TwoBoards) -> bool:
    seq = boards.at_host.state["seq"]
    time.sleep(QUIET_S)
    return bool(seq == boards.at_host.state["seq"] == boards.at_guest.state.get("seq"))


def _is_quiet_journal(boards: TwoBoards) -> bool:
    rows = len(own_rows(boards))
    time.sleep(QUIET_S)
    return rows == len(own_rows(boards))


def _largest_file(daemon: DaemonProcess, count: int) -> None:
    """Let the daemon write no file larger than this many bytes."""
    assert daemon.process is not None
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (count, resource.RLIM_INFINITY))


def _failing_disk(daemon: DaemonProcess, folder: Path) -> Path:
    failing = folder / "failing"
    recorder = cutdisk.build(folder)
    daemon.environment |= cutdisk.environment(recorder, daemon.folder, folder / "log")
    daemon.environment["CUTDISK_READONLY"] = str(failing)
    return failing
