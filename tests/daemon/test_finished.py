"""Records of finished games on the broker, from a real daemon: replayed, they give their digest."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from lab.daemon_process import DaemonProcess, wait_for
from scharten.games import GAMES_BY_KEY
from scharten.journal.stored_inputs import decode_stored
from scharten.match.digest import digest
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import begin


@pytest.mark.long
def test_the_record_of_a_finished_game_replays(daemons: Callable[..., DaemonProcess]) -> None:
    """The record follows a changed result, a deleted player and two kills, and replays each time."""
    daemon = daemons().start()
    table, arbiter = daemon.peer("table"), daemon.peer("arbiter")
    table.wait(lambda state: state["phase"] == "setup", 60)
    names = {"white": "Zoë Janssen", "black": "Kees"}
    match = table.new_game(
        kind="silent", game="chess", names=names, players={"white": "abc", "black": "def"}
    )["match"]
    assert table.ask("move", move="e2e4", side="white")["accepted"]
    table.wait(lambda state: state["turns"] == 1)
    assert table.ask("resign", side="black")["accepted"]
    first = record(daemon, table.last, "1-0")
    assert (first["match"], first["names"], first["players"]) == (match, names, ["abc", "def"])
    arbiter.wait(lambda state: state["result"] == "1-0")
    assert arbiter.ask("set_result", result="½-½")["accepted"]
    second = record(daemon, table.last, "½-½")
    assert second["last"] > first["last"]
    table.close()
    arbiter.close()
    daemon.kill()
    daemon.start()
    restarted = daemon.peer("display")
    assert record(daemon, restarted.last, "½-½")["digest"] == second["digest"]
    organiser = daemon.peer("organiser")
    organiser.publish("forgotten/organiser", '{"v": 2, "players": ["abc"]}', retain=True)
    wait_for(lambda: restarted.last.get("forgotten/host", {}).get("players") == ["abc"], 40, "the deletion")
    restarted.wait(lambda state: state["names"] == {"white": "", "black": "Kees"})
    wait_for(lambda: restarted.last["finished/0"]["names"] == {"white": "", "black": "Kees"}, 40, "no name")
    assert record(daemon, restarted.last, "½-½")["digest"] == second["digest"]
    for peer in (organiser, restarted):
        peer.close()
    daemon.kill()
    daemon.start()
    later = daemon.peer("display")
    assert record(daemon, later.last, "½-½")["names"] == {"white": "", "black": "Kees"}
    wait_for(lambda: "sheet" in later.last, 40, "the sheet")
    assert "Zoë" not in json.dumps(later.last, ensure_ascii=False)
    later.close()


def record(daemon: DaemonProcess, last: dict[str, dict], result: str) -> dict:
    """Return the record on the first topic once it has this result; its inputs must give its digest."""
    published = wait_for(
        lambda: last.get("finished/0") if last.get("finished/0", {}).get("result") == result else None,
        30,
        "a record",
    )
    match = begin(Start.model_validate_json(json.dumps(published["start"])), GAMES_BY_KEY)
    for number, body in enumerate(published["inputs"]):
        given = decode_stored(body)
        match = begun_by(match, given) if number == 0 and match.id else step(match, given)[0]
    assert digest(match) == published["digest"]
    assert match.result == result
    return published
