"""One camera alone: a shadow that runs on beyond the point is no longer taken for the shaft."""

from __future__ import annotations

import pytest

from lab.one_camera import rendered


@pytest.mark.long
def test_a_shadow_beyond_the_point_is_asked_about() -> None:
    """In three rendered rooms whose shadows were sure and wrong six times in nine, nothing is sure and wrong."""
    seen = list(rendered((17, 18, 23), seed=91))
    assert len(seen) == 9
    assert [(item.truth, item.dart) for item in seen if item.sure and not item.right] == []
