"""A machine that starts with a wrong date."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.daemon_process import DaemonProcess, wait_for
from lab.scripted_game import board_listens, play_turn

Daemons = Callable[..., DaemonProcess]
ON_DAY = """
import sys, time
real, days = time.time_ns, int(sys.argv.pop(1))
time.time_ns = lambda: real() + days * 86_400 * 10**9
from scharten.cli import main
sys.exit(main())
"""
"""The program on a machine whose date is some days off."""


@pytest.mark.long
@pytest.mark.parametrize(("played_on_day", "start_on_day"), [(None, -9000), (300, 0)])
def test_a_start_with_a_wrong_date_is_reported(
    daemons: Daemons, played_on_day: int | None, start_on_day: int
) -> None:
    """A date before the program's files or before the newest game gets a notice."""
    daemon = daemons()
    if played_on_day is not None:
        daemon.program = ["-c", ON_DAY, str(played_on_day)]
        peer = daemon.start().peer("table")
        board_listens(peer)
        peer.new_game()
        assert play_turn(peer)
        assert daemon.stop() == 0
    daemon.program = ["-c", ON_DAY, str(start_on_day)]
    peer = daemon.start().peer("table")

    def notice() -> str | None:
        found = {item["code"]: item["words"] for item in peer.last.get("health", {}).get("notices", [])}
        return found.get("date")

    assert "is before its newest game or program" in wait_for(notice, 40, "the notice")
