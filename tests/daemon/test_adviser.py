"""The topic `advice` of a whole daemon: advice stays valid while the same dart is due."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.daemon_process import DaemonProcess, wait_for


@pytest.mark.long
def test_advice_holds_until_the_dart_is_thrown(daemons: Callable[..., DaemonProcess]) -> None:
    """It survives announcement and pause with the current `seq`, also for a late display. A lost dart withdraws it."""
    peer = daemons().start().peer("table")
    peer.new_game(kind="loud", options={"arming": "announce"})

    def advised_seq() -> int:
        """Return the `seq` of the current advice, or 0 without advice."""
        advice = peer.last["advice"]
        return int(advice["seq"]) if advice["advice"] else 0

    assert peer.ask("advise")["accepted"]
    wait_for(lambda: advised_seq() == peer.state["seq"], 60, "the advice")
    first = peer.last["advice"]
    for kind in ("announce_throw", "pause", "resume"):
        before = peer.state["seq"]
        assert peer.ask(kind)["accepted"]
        peer.wait(lambda state, before=before: state["seq"] > before)  # type: ignore[misc]
        wait_for(lambda: advised_seq() == peer.state["seq"], 40, f"the advice after {kind}")
    assert peer.last["advice"] == {**first, "seq": peer.state["seq"]}
    peer.last.pop("advice")
    assert peer.ask("advise")["accepted"]
    wait_for(lambda: "advice" in peer.last and advised_seq() == peer.state["seq"], 40, "the same")
    assert peer.ask("miss")["accepted"]
    wait_for(lambda: not advised_seq(), 40, "no advice for a turn that is over")
