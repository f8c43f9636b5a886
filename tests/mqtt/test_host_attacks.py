"""No command that must change nothing changes anything, on a running daemon."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.daemon_process import DaemonProcess
from lab.trust.rows import Attack
from mqtt.host_attacks import HOST_ATTACKS


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all attacks, as on a club night."""
    started = DaemonProcess(Path(tmp_path_factory.mktemp("attacked"))).start()
    yield started
    started.end()


@pytest.mark.long
@pytest.mark.parametrize("attack", HOST_ATTACKS, ids=lambda item: item.__name__)
def test_an_attack_changes_nothing(daemon: DaemonProcess, attack: Callable[[DaemonProcess], Attack]) -> None:
    """None of many attempts succeeds, and the daemon still plays."""
    row = attack(daemon)
    print(f"{row.what}: tried {row.tried}, succeeded {row.succeeded} {row.figure}")
    assert row.tried > 0 and row.succeeded == 0, row
    assert daemon.process is not None and daemon.process.poll() is None
