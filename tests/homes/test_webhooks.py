"""Webhooks over a real HTTP server: signed as documented, tried again in order, bounded, and silent about secrets."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homes.receiver import Posted, Receiver
from homes.test_lamps import until
from scharten.config import parse
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.homes import http, webhooks
from scharten.homes.client import example, read_said
from scharten.homes.happenings import HomeEvent, happenings
from scharten.homes.settings import WebhookSettings, read_keys, read_secret
from scharten.homes.webhooks import WAITING, Webhook, payload

TOPICS = Topics("scharten", "home", "board1")
KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
BODY = payload(HomeEvent.CHECK, example(HomeEvent.CHECK), TOPICS, 0)


def documented_verify() -> Callable[[str, dict[str, str], bytes], bool]:
    """`verify` exactly as docs/home.md prints it."""
    text = (Path(__file__).parents[2] / "docs" / "home.md").read_text()
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    verify: Callable[[str, dict[str, str], bytes], bool] = names["verify"]
    return verify


def served(url: str, play: Callable[[Webhook], Awaitable[None]], **more: Any) -> None:
    """Run a webhook while it is played with."""

    async def run() -> None:
        async with http.session(own_network=True) as client:
            webhook = Webhook(WebhookSettings(name="club", url=url, secret_file="s", **more), KEY, client)
            task = asyncio.create_task(webhook.run())
            await play(webhook)
            task.cancel()

    asyncio.run(run())


def test_a_post_verifies_as_documented() -> None:
    """The document's receiver takes it, and refuses another secret, body, id or time; the body says what happened."""
    verify = documented_verify()
    with Receiver() as hook:

        async def play(webhook: Webhook) -> None:
            webhook.post(HomeEvent.LOST, BODY)  # not asked for
            webhook.post(HomeEvent.CHECK, BODY)
            await until(lambda: hook.posts and not webhook.waiting)

        served(hook.url, play, events=("check", "mate"))
        (posted,) = hook.posts
    assert verify(SECRET, posted.headers, posted.body)
    other = "whsec_" + base64.b64encode(bytes(32)).decode()
    assert not verify(other, posted.headers, posted.body)
    assert not verify(SECRET, posted.headers, posted.body + b" ")
    assert not verify(SECRET, {**posted.headers, "webhook-id": "msg_other"}, posted.body)
    old = str(int(time.time()) - 3600)
    assert not verify(SECRET, {**posted.headers, "webhook-timestamp": old}, posted.body)
    data = json.loads(posted.body)
    assert (data["type"], data["timestamp"]) == ("check", "1970-01-01T00:00:00Z")
    assert (data["data"]["board"], data["data"]["code"], posted.headers["content-type"]) == (
        "board1",
        "moved",
        "application/json",
    )


def test_what_fails_is_tried_again_in_order_with_the_same_id(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors, a redirection, no answer: each again, then the next; each attempt verifies; no secret in the log."""
    monkeypatch.setattr(webhooks, "RETRIES_S", (0.05,) * 4)
    monkeypatch.setattr(http, "TIMEOUT_S", 0.3)
    caplog.set_level(logging.DEBUG)
    answers: list[int | None] = [500, 302, None, 200, 200]
    with Receiver(answer=lambda _posted: answers.pop(0), location="http://127.0.0.1:1/") as hook:

        async def play(webhook: Webhook) -> None:
            webhook.post(HomeEvent.CHECK, BODY)
            webhook.post(HomeEvent.CHECK, b'{"n": 2}')
            await until(lambda: len(hook.posts) == 5 and not webhook.waiting)

        served(f"{hook.url}/token-in-the-path", play)
        posts = hook.posts
    assert [post.body for post in posts] == [BODY] * 4 + [b'{"n": 2}']
    assert len({post.headers["webhook-id"] for post in posts[:4]}) == 1
    assert posts[4].headers["webhook-id"] != posts[0].headers["webhook-id"]
    assert all(documented_verify()(SECRET, post.headers, post.body) for post in posts)
    log = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("scharten"))
    assert "the webhook club: it answered 500" in log
    for secret in ("token-in-the-path", SECRET[6:], posts[0].headers["webhook-signature"]):
        assert secret not in log


def test_a_receiver_that_never_answers_costs_a_bounded_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand happenings while it is away: the newest 256 are kept, telling never waits, and they arrive later."""
    monkeypatch.setattr(webhooks, "RETRIES_S", (0.05,) * 400)
    away = [True]
    with Receiver(answer=lambda _posted: 503 if away[0] else 200) as hook:

        async def play(webhook: Webhook) -> None:
            for number in range(1000):
                webhook.post(HomeEvent.CHECK, str(number).encode())
            await until(lambda: hook.posts)
            assert webhook.waiting == WAITING
            away[0] = False
            await until(lambda: not webhook.waiting)

        served(hook.url, play)
        arrived = [int(post.body) for post in hook.posts]
    assert sorted(set(arrived)) == list(range(1000 - WAITING, 1000)) and arrived == sorted(arrived)


def test_gone_is_the_end_and_what_is_never_taken_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """After all attempts the next one has its turn; 410 ends it."""
    monkeypatch.setattr(webhooks, "RETRIES_S", (0.02,))

    def answer(posted: Posted) -> int:
        return {b"1": 500, b"2": 200, b"3": 410}[posted.body]

    with Receiver(answer=answer) as hook:

        async def play(webhook: Webhook) -> None:
            for body in (b"1", b"2", b"3"):
                webhook.post(HomeEvent.CHECK, body)
            await until(lambda: len(hook.posts) == 4 and not webhook.waiting)
            webhook.post(HomeEvent.CHECK, b"1")
            assert webhook.waiting == 0

        served(hook.url, play)
        assert [post.body for post in hook.posts] == [b"1", b"1", b"2", b"3"]


ANY = st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=3))
ALMOST = st.fixed_dictionaries(
    {"args": st.dictionaries(st.sampled_from(["reason", "result", "check", "x"]), ANY) | ANY},
    optional={"code": st.sampled_from(["placed", "lost"]) | ANY, "words": ANY},
)


@given(st.binary(max_size=99) | ALMOST.map(lambda data: json.dumps(data).encode()))
def test_no_message_is_too_strange(body: bytes) -> None:
    """Any bytes on `said` are read as a message or ignored; a message gives happenings and a post."""
    said = read_said(body)
    if said is not None:
        assert all(
            json.loads(payload(happening, said, TOPICS, 0))["type"] == happening
            for happening in happenings(said)
        )


def test_a_message_of_another_shape_is_none() -> None:
    """Too long, no object, without arguments, or nested without end; what a later version adds is not harm."""
    for body in (b"[" * 15_000, b"{}", b'{"args": []}', b'{"args": {}, "x": "' + b"y" * 20_000 + b'"}'):
        assert read_said(body) is None
    later = {**example(HomeEvent.FOGLING), "colour": "red"}
    assert happenings(read_said(json.dumps(later).encode()) or {})[0] is HomeEvent.FOGLING


def secret_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "secret"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_secret_is_read_from_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    """The secret is the first line, with or without prefix; a short, readable or missing file gives an error."""
    assert read_secret(secret_file(tmp_path, SECRET + "\nmore\n")) == KEY
    assert read_secret(secret_file(tmp_path, SECRET[6:])) == KEY
    for text in ("whsec_AAAA", "whsec_not base64!", "hunter2"):
        with pytest.raises(SchartenError, match="holds no secret") as refused:
            read_secret(secret_file(tmp_path, text))
        assert text not in str(refused.value)
    with pytest.raises(SchartenError, match="others may read it"):
        read_secret(secret_file(tmp_path, SECRET, 0o644))
    hook = "[[homes.webhooks]]\nname = 'a'\nurl = 'https://x.example/'\nsecret_file = 'nowhere'\n"
    with pytest.raises(SchartenError, match="cannot be read"):
        read_keys(parse(hook).homes, tmp_path)


def test_the_documented_way_to_make_a_secret_makes_one(tmp_path: Path) -> None:
    """The command that the refusal names, run."""
    path = tmp_path / "secret"
    with pytest.raises(SchartenError) as refused:
        read_secret(secret_file(tmp_path, "short"))
    path.unlink()
    assert os.system(refused.value.cure.removeprefix("Make one: ")) == 0
    assert len(read_secret(path)) == 32


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://8.8.8.8/x", "use https"),
        ("ftp://x.example", "use an address such as"),
        ("https://me:pw@x.example/", "without user and password"),
    ],
)
def test_where_nothing_is_posted_to(url: str, says: str) -> None:
    """Plain HTTP goes to the own network only."""
    with pytest.raises(SchartenError, match=says):
        parse(f"[[homes.webhooks]]\nname = 'a'\nurl = '{url}'\nsecret_file = 's'\n")
