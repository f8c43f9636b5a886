"""A broker that dies, is missing, slow, suspended or refuses, under a daemon with a board: darts still count."""

from pathlib import Path

import pytest

from lab.trust.broker_trouble import troubles

pytestmark = pytest.mark.mosquitto


@pytest.mark.long
def test_play_continues_through_every_fault_of_the_broker(tmp_path: Path) -> None:
    """The broker restarts (missing for a minute in `make trust`), is slow, is suspended, or refuses.

    Each dart is stored once, `/healthz` names the reason, the state is published on return, and an old command is
    stale.
    """
    found = [fault for _, fault in troubles(tmp_path, gone_s=0)]
    for item in found:
        print(item)
    assert len(found) == 4 and all(item.harmless for item in found), found
