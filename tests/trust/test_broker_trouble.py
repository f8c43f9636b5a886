"""A broker that dies, is gone, slow, stands still or refuses, under a daemon with a board: darts count on."""

from pathlib import Path

import pytest

from lab.trust.broker_trouble import troubles

pytestmark = pytest.mark.mosquitto


@pytest.mark.long
def test_play_goes_on_whatever_the_broker_does(tmp_path: Path) -> None:
    """Restarted (gone for a minute in `make trust`), slow, standing still, refusing: each dart is stored once,
    `/healthz` is red with the reason, the state is published again on return, and an old command is stale."""
    found = [fault for _, fault in troubles(tmp_path, gone_s=0)]
    for item in found:
        print(item)
    assert len(found) == 4 and all(item.harmless for item in found), found
