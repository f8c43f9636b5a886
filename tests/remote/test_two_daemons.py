"""Two real daemons over TLS: an invitation, a game at two boards, kills, an adjournment, and a guest that cheats."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from lab.daemon_process import wait_for
from lab.random_game import next_step
from lab.raw_guest import RawGuest, guest_darts, own_rows
from lab.scripted_game import aim_at_bed
from lab.two_boards import SECONDS, TwoBoards
from scharten.cli import build
from scharten.commands.remote import ask
from scharten.config import JOURNAL
from scharten.errors import Problem, SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalReader
from scharten.journal.replay import replay
from scharten.players.book import PlayerBook
from scharten.remote.invitation import Link, read_link
from scharten.remote.letters import derive_keys


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoBoards]:
    """Both daemons for all tests of this file; each test begins a new game."""
    both = TwoBoards(tmp_path_factory.mktemp("two"))
    try:
        yield both.start()
    finally:
        both.end()


@pytest.fixture
def game(boards: TwoBoards) -> Iterator[TwoBoards]:
    """A loud game that has just begun; the host leaves it at the end."""
    boards.begin()
    yield boards
    boards.leave()


def guest(boards: TwoBoards, *arguments: str) -> str:
    """Run `scharten guest` at the guest's board; return its output."""
    done = CliRunner().invoke(build("guest"), ["guest", *arguments, "--data", str(boards.guest.folder)])
    assert done.exit_code == 0, done.output
    return done.stdout


def throw_there(boards: TwoBoards, bed: str) -> None:
    """Throw at the guest's board."""
    target = aim_at_bed(bed)
    boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)


def test_a_game_is_played_at_two_boards_and_both_show_it(boards: TwoBoards) -> None:
    """Invited by letters, each dart counts at its thrower's board only; the guest's proof has every input of
    the journal."""
    state = boards.begin(by_letters=True)
    assert state["names"] == {"white": "Ann", "black": "Bob"}
    throw_there(boards, "F1")
    boards.at_guest.wait(lambda _state: any(hit["why"] == "other_board" for hit in boards.at_guest.hits))
    assert boards.play_on(8, seed=4)
    newest = boards.at_host.state
    seen = boards.at_guest.wait(lambda state: state["seq"] == newest["seq"], SECONDS)
    assert {key: seen[key] for key in ("position", "sheet", "turns")} == {
        key: newest[key] for key in ("position", "sheet", "turns")
    }
    ids = guest_darts(boards)
    assert len(ids) >= 2
    assert len(set(ids)) == len(ids)
    rows = own_rows(boards)
    proof = boards.guest.folder / "remote-games" / f"{newest['match']}.jsonl"
    wait_for(lambda: len(proof.read_text().splitlines()) == len(rows), SECONDS, "the whole proof")
    assert [json.loads(line)["input"] for line in proof.read_text().splitlines()] == rows
    status = boards.status(boards.guest)
    assert (status["differs"], status["state"]) == ("", "playing")
    boards.leave()
    own = boards.at_guest.wait(lambda state: state["away"] is None, SECONDS, "the guest's own board")
    assert own["phase"] == "setup"


def test_a_finished_game_reaches_the_guests_player(boards: TwoBoards) -> None:
    """The guest leaves right after the last turn: its journal has the whole game, and its player the darts."""
    book = PlayerBook(boards.guest.folder, JOURNAL, GAMES_BY_KEY)
    player = next((known for known in book.players()), None) or book.save({"name": "bob"})
    assert not isinstance(player, Problem)
    match = boards.begin()["match"]
    assert boards.play_on(2, seed=4)
    thrown = len(guest_darts(boards))
    assert thrown
    boards.at_guest.wait(lambda state: state["seq"] == boards.at_host.state["seq"], SECONDS)
    assert boards.at_guest.ask("resign")["accepted"]
    result = boards.at_guest.wait(lambda state: state["result"], SECONDS)["result"]
    rows = own_rows(boards)
    boards.leave()
    reader = JournalReader(boards.guest.folder / JOURNAL)
    wait_for(lambda: list(reader.inputs(match)), SECONDS, "the game in the guest's journal")
    stored = next(game for game in reader.matches() if game.id == match)
    assert [json.loads(row.body) for row in reader.inputs(match)] == rows
    assert (json.loads(stored.summary)["result"], stored.going_on) == (result, False)
    replayed = list(replay(reader, stored, GAMES_BY_KEY))
    assert len(replayed) == len(rows)
    figures = book.player(player.id)
    assert figures is not None
    assert figures["darts"]["thrown"] == thrown
    game = next(game for game in figures["games"] if game["match"] == match)
    assert (game["against"]["name"], game["result"], game["points"]) == ("Ann", result, 0.0)


@pytest.mark.parametrize("killed", ["host", "guest"])
def test_a_dart_thrown_while_a_daemon_is_dead_is_stored_once(game: TwoBoards, killed: str) -> None:
    """The guest's board stores its dart until the host's journal has it, whichever machine was killed."""
    assert game.play_on(2, seed=4)
    while game.at_turn(game.at_host.state) is not game.at_guest:
        game.play_on(1, seed=4)
    before, match = guest_darts(game), game.at_host.state["match"]
    daemon = getattr(game, killed)
    if killed == "guest":
        with game.frozen_host():
            throw_there(game, "F18")
            wait_for(lambda: game.status(game.guest)["waiting"], SECONDS, "the dart at the guest's board")
            daemon.kill()
    else:
        daemon.kill()
        throw_there(game, "F18")
    daemon.start()
    old = game.at_guest if killed == "guest" else game.at_host
    peer = daemon.peer()
    setattr(game, f"at_{killed}", peer)
    old.close()
    game.at_host.wait(lambda state: state["match"] == match, SECONDS, "the game")
    wait_for(lambda: len(guest_darts(game)) > len(before), SECONDS, "the dart in the host's journal")
    assert len(guest_darts(game)) == len(before) + 1
    game.seen_by_both(match)
    game.resume()
    assert game.play_on(2, seed=5)
    assert game.status(game.guest)["differs"] == ""


def test_a_game_is_adjourned_and_resumed_from_the_same_invitation(game: TwoBoards) -> None:
    """The command reports the adjournment. Meanwhile the guest's board is free; the position is the same
    afterwards."""
    assert game.play_on(3, seed=4)
    before = game.at_host.state
    assert "plays at home again" in guest(game, "--leave")
    own = game.at_guest.wait(lambda state: state["match"] == "", SECONDS, "the guest's own board")
    assert own["phase"] == "setup"
    game.at_host.wait(lambda state: state["phase"] == "paused", SECONDS, "the pause")
    assert game.status(game.guest)["state"] == "adjourned"
    assert "plays there again" in guest(game, "--resume")
    game.seen_by_both(before["match"])
    game.resume()
    assert game.at_host.state["position"] == before["position"]
    assert game.play_on(2, seed=4)


@pytest.mark.long
def test_another_game_adjourns_this_one_until_the_host_resumes(game: TwoBoards) -> None:
    """The host plays another game meanwhile; the guest's darts wait, and both continue where they stopped."""
    assert game.play_on(3, seed=4)
    before = game.at_host.state
    game.at_host.new_game()
    wait_for(lambda: game.status(game.host)["state"] == "adjourned", SECONDS, "the adjournment")
    game.at_guest.wait(lambda state: state["match"] == "", SECONDS, "the guest's own board")
    with pytest.raises(SchartenError, match=r"plays already"):
        game.invite()
    with pytest.raises(SchartenError, match=r"still going on"):
        ask(game.host.folder, {"type": "resume"})
    ask(game.guest.folder, {"type": "resume"})
    wait_for(lambda: game.status(game.guest)["state"] == "waits", SECONDS, "words at the guest's")
    rows = len(own_rows(game))
    throw_there(game, "F18")
    wait_for(lambda: game.status(game.guest)["waiting"], SECONDS, "the dart at the guest's board")
    game.host.kill()
    game.host.start()
    game.at_host.close()
    game.at_host = game.host.peer()
    wait_for(lambda: game.status(game.host)["back"], SECONDS, "the guest")
    game.at_host.wait(lambda state: state["match"] != before["match"], SECONDS, "the other game")
    game.at_host.ask("resume")
    wait_for(lambda: game.at_host.state["phase"] != "paused", SECONDS, "the host's own game")
    assert len([row for row in own_rows(game) if row.get("place")]) == 0, rows
    assert game.at_host.ask("resign", side="white")["accepted"]
    ask(game.host.folder, {"type": "resume"})
    game.at_host.wait(lambda state: state["match"] == before["match"], SECONDS, "the adjourned game")
    game.seen_by_both(before["match"])
    game.resume()
    assert game.at_host.state["turns"] >= before["turns"]
    assert game.play_on(2, seed=5)
    wait_for(lambda: game.status(game.guest)["differs"] == "", SECONDS, "no difference")


def test_the_door_opens_for_a_single_guest(game: TwoBoards) -> None:
    """Used, forged or withdrawn letters let nobody in, and a link with another certificate is not trusted."""
    link = read_link(game.guest_key()["link"])
    assert isinstance(link, Link)
    second = RawGuest(link, derive_keys(link.letters, link.fingerprint).password)
    wait_for(lambda: second.refused, SECONDS, "the refusal of used letters")
    second.close()
    with pytest.raises(SchartenError, match=r"used, lapsed or withdrawn"):
        ask(game.host.folder, {"type": "ask", "link": str(link)})
    forged = str(Link(link.host, link.port, link.letters, "A" * 43))
    with pytest.raises(SchartenError, match=r"not the one of the invitation"):
        ask(game.host.folder, {"type": "ask", "link": forged})
    with pytest.raises(SchartenError, match=r"a guest plays already"):
        game.invite()


def test_a_guest_that_cheats_is_refused(game: TwoBoards) -> None:
    """With the guest's key other topics are closed, a replay counts once, and nonsense and giants change nothing."""
    key = game.guest_key()
    link = read_link(key["link"])
    assert isinstance(link, Link)
    assert game.play_on(3, seed=4)
    while game.at_turn(game.at_host.state) is not game.at_guest:
        game.play_on(1, seed=4)
    before, rows = game.at_host.state, own_rows(game)
    darts = [row for row in rows if row.get("place")]
    raw = RawGuest(link, key["key"])
    own, root = f"{key['root']}/guest/seat2", key["root"]
    move = {"v": 2, "id": "x", "type": "resign", "match": before["match"]}
    raw.send(f"{root}/command/seat1", json.dumps(move).encode())
    raw.send(f"{root}/state", b"{}")
    raw.send(f"{root}/guest/seat1/reading", b"{}")
    what = {name: darts[-1][name] for name in ("what", "beds", "x_mm", "y_mm", "bounced", "contact")}
    replayed = {
        "v": 1,
        "id": darts[-1]["receipt"],
        "at_ms": darts[-1]["at_ms"],
        "sensor": "board",
        "what": what,
    }
    for payload in (json.dumps(replayed).encode(), b"{", b'{"v": 9}', b"x" * 60_000):
        raw.send(f"{own}/reading", payload)
        raw.send(f"{own}/hello", payload)
    wait_for(
        lambda: any(topic.endswith("/taken") for topic, _ in raw.received),
        SECONDS,
        "the answer to the replay",
    )
    raw.send(f"{own}/picture", b"x" * 1_000_000)
    wait_for(lambda: raw.closed, SECONDS, "the end of a connection that sends a picture of a megabyte")
    raw.close()
    assert not any(topic.startswith(f"{root}/command/") for topic, _ in raw.received)
    assert own_rows(game) == rows
    assert game.at_host.state["seq"] == before["seq"]
    assert game.play(before, next_step(before, 4))["turns"] == before["turns"] + 1
