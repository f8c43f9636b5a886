"""The answer for an address that does not exist: to a person a page with the way back, to a program one line."""

from __future__ import annotations

import html
import re

from aiohttp import web

from scharten.words import ENGLISH, LANGUAGES, text

PAGE = """<!doctype html>
<html lang="{language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Scharten</title>
  <link rel="stylesheet" href="{home}css/theme.css">
  <link rel="stylesheet" href="{home}css/page.css">
  <link rel="stylesheet" href="{home}css/components.css">
</head>
<body><main class="way-home"><h1>{words}</h1><p><a class="button big" href="{home}">{back}</a></p></main></body>
</html>
"""


def not_found(request: web.Request, language: str = "") -> web.HTTPNotFound:
    """Return the answer; `language` is the language of devices whose browser prefers none of ours."""
    if "text/html" not in request.headers.get("Accept", ""):
        return web.HTTPNotFound(text="There is no such page here.\n")
    chosen = language_of(request, language)
    words, back = (html.escape(text(chosen, f"print.{key}")) for key in ("missing", "home"))
    home = (
        "../" * (request.path.count("/") - 1) or "./"
    )  # relative: a proxy may serve the page below its own path
    page = PAGE.format(language=chosen, home=home, words=words, back=back)
    return web.HTTPNotFound(text=page, content_type="text/html")


def language_of(request: web.Request, otherwise: str) -> str:
    """The language that the address asks for, else the first of the browser's that is installed."""
    wanted = re.findall(r"[a-z]{2,3}(?:-[a-z0-9]+)*", request.headers.get("Accept-Language", "").lower())
    tags = [request.query.get("lang", ""), otherwise, *(part for tag in wanted for part in (tag, tag[:2]))]
    return next((tag for tag in tags if tag in LANGUAGES), ENGLISH)
