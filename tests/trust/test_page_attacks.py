"""No attack on the page's server of a running daemon succeeds."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from lab.daemon_process import DaemonProcess, wait_for
from lab.trust.board_trouble import healthz
from lab.trust.page_attacks import PAGE_ATTACKS, PageTarget, attack_page
from lab.trust.page_messages import MESSAGE_ATTACKS
from lab.trust.rows import Attack


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all attacks, as on a club night."""
    started = DaemonProcess(Path(tmp_path_factory.mktemp("attacked"))).start()
    wait_for(lambda: started.running and healthz(started)[0] == 200, 40, "a green healthz")
    yield started
    started.end()


@pytest.mark.parametrize("attack", (*PAGE_ATTACKS, *MESSAGE_ATTACKS), ids=lambda item: item.__name__)
def test_no_attack_on_the_page_succeeds(
    daemon: DaemonProcess, attack: Callable[[PageTarget], Awaitable[Attack]]
) -> None:
    """The attack is tried many times and never succeeds, and the daemon still serves. The figure is printed."""
    row = attack_page(daemon, attack)
    print(row)
    assert row.tried > 0 and row.harmless, row
    assert daemon.process is not None and daemon.process.poll() is None
    assert "Traceback" not in daemon.log.read_text()
