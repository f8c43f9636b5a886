"""WLED lamps over a real HTTP server: the right preset, announced first, back to idle; and a failing lamp."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from homes.receiver import Receiver
from scharten.config import parse
from scharten.errors import SchartenError
from scharten.homes import http, lamps
from scharten.homes.happenings import HomeEvent
from scharten.homes.lamps import LEAD_S, HomeLamp
from scharten.homes.settings import LampSettings, is_public

PRESETS = {HomeEvent.PLACED: 2, HomeEvent.CHECK: 4, HomeEvent.GAME_OVER: 6}
Announcements = list[tuple[float, str, int]]


def settings(url: str, **more: Any) -> LampSettings:
    return LampSettings(**{"name": "oche", "url": url, "idle": 1, "presets": PRESETS, "hold_s": 0.5, **more})


def played(item: LampSettings, play: Callable[[HomeLamp], Awaitable[None]]) -> Announcements:
    """Run a lamp during `play`; return its announcements: time, lamp, duration in ms."""
    result: Announcements = []

    async def run() -> None:
        async with http.session(own_network=True) as client:
            lamp = HomeLamp(item, client, lambda by, for_ms: result.append((time.time(), by, for_ms)))
            task = asyncio.create_task(lamp.run())
            await play(lamp)
            task.cancel()

    asyncio.run(run())
    return result


async def until(found: Callable[[], object]) -> None:
    """Wait, for at most half a minute."""
    deadline = time.monotonic() + 30
    while not found():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def presets(lamp: Receiver) -> list[int]:
    """The presets that the lamp received."""
    assert all(post.path == "/json/state" for post in lamp.posts)
    return [json.loads(post.body)["ps"] for post in lamp.posts]


def test_a_lamp_shows_what_happens_and_goes_back() -> None:
    """It shows the most important event with a preset, announces each change 0.1 s ahead, and returns to idle."""
    with Receiver() as lamp:

        async def play(item: HomeLamp) -> None:
            item.show([HomeEvent.LOST])
            item.show([HomeEvent.GAME_OVER, HomeEvent.PLACED])
            await until(lambda: len(lamp.posts) == 2)

        result = played(settings(lamp.url), play)
        assert presets(lamp) == [6, 1]
        assert len(result) == 2
        for (at, by, for_ms), posted in zip(result, lamp.posts, strict=True):
            assert posted.at - at >= LEAD_S * 0.9
            assert (by, for_ms) == ("lamp-oche", 1100)


def test_the_newest_counts_and_the_lamp_is_held_from_then() -> None:
    """An event during another one is shown at once; idle follows once, after the last."""
    with Receiver() as lamp:

        async def play(item: HomeLamp) -> None:
            item.show([HomeEvent.PLACED])
            await until(lambda: len(lamp.posts) == 1)
            item.show([HomeEvent.CHECK])
            await until(lambda: len(lamp.posts) == 3)

        played(settings(lamp.url, hold_s=1.0), play)
        assert presets(lamp) == [2, 4, 1]
        assert lamp.posts[1].at - lamp.posts[0].at < 1.0


def test_a_lamp_that_hangs_or_is_away_harms_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A lamp that hangs, then vanishes, gives one warning; when it is back, it returns to idle."""
    monkeypatch.setattr(http, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(lamps, "IDLE_RETRIES_S", (0.1,) * 200)
    caplog.set_level(logging.WARNING)
    with Receiver(answer=lambda _posted: None) as hangs:
        port = hangs.port

        async def meet(item: HomeLamp) -> None:
            item.show([HomeEvent.CHECK])
            await until(lambda: hangs.posts)
            await until(lambda: caplog.records)

        played(settings(hangs.url), meet)
    back = Receiver(port=port)

    async def go_on(lamp: HomeLamp) -> None:
        lamp.show([HomeEvent.CHECK])
        await asyncio.sleep(0.7)
        with back:
            await until(lambda: back.posts)

    played(settings(f"http://127.0.0.1:{port}"), go_on)
    assert presets(back)[0] == 1
    words = [record.getMessage() for record in caplog.records]
    assert len(words) == 2 and words[0].startswith("the lamp oche: no answer") and "127.0.0.1" not in words[0]


def test_a_late_lamp_is_announced_to_the_cameras_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once before the change; once more when the answer came late, since the light may change only now."""
    monkeypatch.setattr(lamps, "SLOW_S", 0.0)
    with Receiver() as lamp:

        async def play(item: HomeLamp) -> None:
            await item.change(2)
            await item.leave()
            await item.leave()

        result = played(settings(lamp.url), play)
        assert presets(lamp) == [2, 1]
        assert [for_ms for _, _, for_ms in result] == [1100, 1000, 1100, 1000]


def test_a_lamp_is_not_followed_elsewhere() -> None:
    """A lamp that answers with a redirection is not believed."""
    with Receiver() as other, Receiver(answer=lambda _posted: 302, location=other.url) as lamp:

        async def play(item: HomeLamp) -> None:
            assert not (await item.change(2)).good

        played(settings(lamp.url), play)
        assert len(lamp.posts) == 1 and not other.posts


def test_a_name_may_not_stand_for_an_address_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is looked at each time that it is resolved: one public address among its addresses, and no request."""
    with Receiver() as lamp:

        async def resolved(_self: object, host: str, port: int = 0, _family: int = 0) -> list[dict[str, Any]]:
            common = {"hostname": host, "port": port, "family": 2, "proto": 0, "flags": 0}
            return [{**common, "host": "127.0.0.1"}, {**common, "host": "203.0.114.9"}]

        monkeypatch.setattr(http.ThreadedResolver, "resolve", resolved)

        async def play(item: HomeLamp) -> None:
            outcome = await item.change(2)
            assert not outcome.good and "outside the local network" in outcome.words

        played(settings(f"http://lamp.example:{lamp.port}"), play)
        assert not lamp.posts


@pytest.mark.parametrize(
    "address",
    ["192.168.1.9", "10.0.0.1", "127.0.0.1", "fd00::1", "169.254.3.4", "::ffff:10.0.0.1", "wled.local"],
)
def test_addresses_of_the_own_network(address: str) -> None:
    """Private, link-local and this machine; a name is looked at later."""
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1", "::ffff:8.8.8.8"])
def test_addresses_outside(address: str) -> None:
    """However they are written."""
    assert is_public(address)


LAMP = "[[homes.lamps]]\nname = 'a'\nidle = 1\npresets = { placed = 2 }\nurl = 'http://10.0.0.2'\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            LAMP.replace("10.0.0.2", "8.8.8.8"),
            r"homes.lamps\[1\].url: a lamp's address must be of the own network",
        ),
        (LAMP.replace("http:", "https:"), "use an address such as http://192.168.1.50"),
        (LAMP.replace("10.0.0.2", "me:pw@10.0.0.2"), "without user and password"),
        (LAMP.replace("10.0.0.2", "10.0.0.2/json"), "the lamp's address alone"),
        (LAMP.replace("placed", "placd"), "homes.lamps"),
        (LAMP.replace("idle = 1", "idle = 0"), "at least 1"),
        (LAMP * 2, "each needs a name of its own"),
        (LAMP.replace("name", "nam"), "did you mean"),
        ("[homes]\nbuttons = 'arbiter'", "seat1"),
        ("[homes]\nbuttons = 'seat1'", "homes: buttons are Home Assistant's: set home_assistant = true too"),
        ("[broker]\ndiscovery = true", "is now homes.home_assistant"),
    ],
)
def test_a_wrong_table_is_said_in_words(text: str, says: str) -> None:
    """Each wrong key is named, with what to write."""
    parse(LAMP)
    with pytest.raises(SchartenError, match=says):
        parse(text)
