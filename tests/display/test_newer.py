"""Which pages get the notice of a newer version."""

from __future__ import annotations

import asyncio

import pytest

from browser.fakes import FakeHost
from browser.servers import Mosquitto
from display.pages import page, serving
from scharten import __version__
from scharten.display.context import DaemonParts
from scharten.errors import SchartenError
from scharten.system.newer import Newer


def test_only_the_table_and_the_arbiter_see_it(
    broker: Mosquitto, host: FakeHost, caplog: pytest.LogCaptureFixture
) -> None:
    """Table and arbiter get the topic, a wall and a seat do not; a file without a version harms no page."""
    found: list[Newer] = [Newer("99.0.0", "file")]
    expected = {"v": 1, "version": "99.0.0", "source": "file", "running": __version__}

    def newer() -> Newer:
        if not found:
            raise SchartenError("The first line of /x is no version.", "Write a version into it.")
        return found[0]

    async def topics(role: str, secret: str | None) -> set[str]:
        async with (
            serving(broker, daemon=DaemonParts(newer=newer)) as server,
            page(server, role, secret) as caller,
        ):
            await caller.until_all("state", *(("newer",) if found and role in ("table", "arbiter") else ()))
            assert all(item["payload"] == expected for item in caller.seen if item["topic"] == "newer")
            return {message["topic"] for message in caller.seen}

    assert "newer" in asyncio.run(topics("table", "table-secret"))
    assert "newer" in asyncio.run(topics("arbiter", "boss"))
    assert "newer" not in asyncio.run(topics("display", None))
    assert "newer" not in asyncio.run(topics("seat1", "one"))
    found.clear()
    assert "newer" not in asyncio.run(topics("table", "table-secret"))
    assert "no version" in caplog.text
