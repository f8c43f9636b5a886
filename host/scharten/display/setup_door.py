"""The set-up over a page's socket: who may ask, one wish at a time and beside the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from scharten.display.page import Page
from scharten.errors import Problem

ROLES = ("table", "arbiter")
MOST_WAITING = 4


class SetupAnswerer(Protocol):
    """Who sets this machine up (`setup.service.SetupService`); it may take its time."""

    tell: Callable[[dict[str, Any]], object]

    def do(self, wish: Mapping[str, Any], may_type: bool) -> dict[str, Any] | Problem:
        """One wish."""
        ...

    def stop(self) -> None:
        """End what still runs."""
        ...


class SetupDoor:
    """Hands wishes of the table and the arbiter on, and gives each its answer.

    Where the table needs no secret, who sits there sits at the machine: it may type addresses, and it is given the
    secret that the table needs once others can reach the page.
    """

    def __init__(
        self,
        make: Callable[[], SetupAnswerer],
        first: Callable[[], bool],
        table: str | None,
        open_table: bool,
    ) -> None:
        self._make, self._first, self._table, self._open = make, first, table, open_table
        self._setup: SetupAnswerer | None = None
        self._one = asyncio.Lock()
        self._waiting = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def welcome(self, role: str) -> dict[str, bool] | None:
        """What a page is told of it: nothing where it may not ask."""
        return {"first": self._first()} if role in ROLES else None

    def stop(self) -> None:
        """End what still runs."""
        if self._setup is not None:
            self._setup.stop()

    def hear(self, page: Page, wish: dict[str, Any]) -> None:
        """A page wishes something; answered when it is done."""
        task = asyncio.create_task(self._do(page, wish))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _do(self, page: Page, wish: dict[str, Any]) -> None:
        command_id = wish.get("id")
        known = isinstance(command_id, str) and len(command_id) <= 64
        answer: dict[str, Any] = {"v": 1, "id": command_id if known else None, "accepted": False}
        found = await self._found(page, wish)
        if isinstance(found, Problem):
            answer |= {"code": found.code, "words": found.words, "args": dict(found.args), "cure": found.cure}
        else:
            answer |= {"accepted": True, **found}
        page.send_value("answer", answer)

    async def _found(self, page: Page, wish: dict[str, Any]) -> dict[str, Any] | Problem:
        if page.role not in ROLES:
            return Problem("not_allowed", "this page sets nothing up")
        if self._waiting >= MOST_WAITING:
            return Problem("busy", "this machine is still at work on other wishes", cure="Wait a moment.")
        loop = asyncio.get_running_loop()
        may_type = page.role == "arbiter" or self._open
        self._waiting += 1
        try:
            async with self._one:
                if self._setup is None:
                    self._setup = await asyncio.to_thread(self._make)
                setup = self._setup
                if wish.get("type") == "map":
                    setup.tell = lambda state: loop.call_soon_threadsafe(page.send_value, "mapping", state)
                found = await asyncio.to_thread(setup.do, wish, may_type)
        finally:
            self._waiting -= 1
        if isinstance(found, dict) and found.get("saved") and page.role == "table" and self._open:
            found["secret"] = self._table
        return found
