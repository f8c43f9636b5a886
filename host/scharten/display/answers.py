"""Answers that are made anew each time: no browser keeps them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiohttp import web


def json_answer(body: object) -> web.Response:
    """JSON without needless spaces."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return web.json_response(text=text, headers={"Cache-Control": "no-store"})


def text_answer(text: str, headers: Mapping[str, str], mime: str = "text/plain") -> web.Response:
    """Plain text, or another kind of text."""
    return web.Response(text=text, content_type=mime, headers={"Cache-Control": "no-store", **headers})
