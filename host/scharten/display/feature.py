"""The base class of the page's features, and the part of the server that features use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web

from scharten.display.board_topics import BoardTopics
from scharten.display.context import Context
from scharten.display.metrics import Metrics
from scharten.display.page import Page

Payload = dict[str, Any]
Handler = Callable[[Page, Payload], str | Awaitable[None] | None]
"""Handles a message of a page. It returns the code of a refusal, or None; an awaitable runs beside the page's loop."""
View = Callable[[Page], Awaitable[None]]
"""Serves a page that shows something other than this board, until the page goes."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The first messages to a new page: fields of `welcome`, and payloads by topic (None: no message)."""

    fields: Mapping[str, object] = field(default_factory=dict)
    messages: Mapping[str, Payload | None] = field(default_factory=dict)


class Bus(Protocol):
    """The part of the server that features use, only in the server's loop."""

    metrics: Metrics
    link: BoardTopics

    @property
    def url(self) -> str:
        """The address of the page; known once the server listens."""
        ...

    @property
    def last(self) -> Mapping[str, str]:
        """The newest payload of each retained topic, as JSON text."""
        ...

    def subscribe(self, topic: str, on_message: Callable[[Payload], object]) -> None:
        """Call a function with every JSON object on a topic of the board, once the pages have it."""

    def broadcast(
        self, topic: str, value: Payload, *, newest: bool = False, to: Callable[[Page], bool] | None = None
    ) -> None:
        """Send a message to all pages, or to those for which `to` is true; `newest` as in `PageMessage`."""

    def admit(self, request: web.Request) -> None:
        """Raise `HTTPUnauthorized` for a request without the arbiter's secret."""


class Feature:
    """A part of the page that plugs into the server, which knows no feature by name; by default it adds nothing."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.bus: Bus

    def routes(self) -> Iterable[web.RouteDef]:
        """Return the addresses that the feature serves."""
        return ()

    def topics(self) -> Mapping[str, Handler]:
        """Return the handlers of messages from a page, by topic."""
        return {}

    def views(self) -> Mapping[str, View]:
        """Return other views than the board's, by the field of a page's first message that asks for one."""
        return {}

    def welcome(self, role: str) -> Welcome:
        """Return the first messages to a new page of this role."""
        return Welcome()

    def pages(self) -> Iterable[str]:
        """Return the names of the pages that the navigation shows because of this feature."""
        return ()

    async def start(self, bus: Bus) -> None:
        """Subscribe, and start work outside the loop; the server does not listen yet."""
        self.bus = bus

    async def stop(self) -> None:
        """End the work that `start` or a page has started."""
