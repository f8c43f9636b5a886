"""The topic `advice` of a whole daemon: it holds as long as the same dart is due, whatever else happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.daemon_process import DaemonProcess, wait_for


@pytest.mark.long
def test_advice_holds_until_the_dart_is_thrown(daemons: Callable[..., DaemonProcess]) -> None:
    """Asked for before the throw is announced, it stands through announcement and pause with the present `seq`, also
    for a display that comes then; who asks once more gets the same advice; a lost dart takes it back."""
    peer = daemons().start().peer("table")
    peer.new_game(kind="loud", options={"arming": "announce"})

    def said() -> int:
        """The `seq` of the advice that stands, 0 for none."""
        advice = peer.last["advice"]
        return int(advice["seq"]) if advice["advice"] else 0

    assert peer.ask("advise")["accepted"]
    wait_for(lambda: said() == peer.state["seq"], 60, "the advice")
    first = peer.last["advice"]
    for kind in ("announce_throw", "pause", "resume"):
        before = peer.state["seq"]
        assert peer.ask(kind)["accepted"]
        peer.wait(lambda state, before=before: state["seq"] > before)  # type: ignore[misc]
        wait_for(lambda: said() == peer.state["seq"], 40, f"the advice after {kind}")
    assert peer.last["advice"] == {**first, "seq": peer.state["seq"]}
    peer.last.pop("advice")
    assert peer.ask("advise")["accepted"]
    wait_for(lambda: "advice" in peer.last and said() == peer.state["seq"], 40, "the same")
    assert peer.ask("miss")["accepted"]
    wait_for(lambda: not said(), 40, "no advice for a turn that is over")
