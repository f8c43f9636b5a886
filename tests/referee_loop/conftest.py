"""An `Evening` for a test, stopped at its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee_loop.evening import Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path / "j.sqlite3")
    yield made
    made.end()
