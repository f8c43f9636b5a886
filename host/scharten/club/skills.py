"""Members' hand and head for the club's table; a process at idle priority computes them, again only after a change."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from scharten.game.basics import MutableJson
from scharten.journal.collected import CollectedGames
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)

EACH_S: Final = 30.0
"""The least time between two looks at what changed: a game and its review change the folder many times."""
NO_SKILL: Final[MutableJson] = {"hand": None, "head": None}
"""A member without darts and without a reviewed game."""
Skills = Mapping[str, MutableJson]
"""By the member's key: `hand`, the scatter in mm, and `head`, the points given away in 100 turns.

Each is None or has the figure and its interval: `mm` or `points`, `low`, `high`.
"""
NO_SKILLS: Final[Skills] = MappingProxyType({})


class MemberSkills:
    """The newest figures from a data folder's games and reviews, and from games of other boards, which it reviews.

    `changed` is called after other figures.
    """

    def __init__(self, folder: Path) -> None:
        self.figures: Skills = NO_SKILLS
        self.collected = CollectedGames(folder)
        self._folder = folder
        self._computed: object = None
        self._tried: dict[str, int] = {}
        self._warnings = RateLimitedLog(log)

    async def follow(self, revision: Callable[[], object], changed: Callable[[], object]) -> None:
        """Keep the figures up to date until cancelled; `revision` changes with the register and the results."""
        while True:
            wanted = (revision(), _changed_ns(self._folder / "reviews"), _changed_ns(self.collected.folder))
            if wanted != self._computed:
                await self._compute(wanted, changed)
            if not await self._review_next():
                await asyncio.sleep(EACH_S)

    async def _review_next(self) -> bool:
        """Review a collected game without a review, or changed since; return False without one. Each is tried once."""
        for match, written_ns in self.collected.changed():
            reviewed_ns = _changed_ns(self._folder / "reviews" / f"{match}.json")
            if self._tried.get(match) != written_ns and reviewed_ns < written_ns:
                self._tried[match] = written_ns
                return await self._run("review", match, "--engine", "none") is not None
        return False

    async def _run(self, *command: str) -> bytes | None:
        """Return what a command prints at idle priority; None after a failure, which is logged."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "scharten", *command, "--data", str(self._folder), "--json", "--idle"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            printed, errors = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            why = errors.decode(errors="replace").strip()[-500:]
            self._warnings.warn(command[0], "hand and head are not renewed: %s", why)
            return None
        return printed

    async def _compute(self, wanted: object, changed: Callable[[], object]) -> None:
        """Replace the figures by those of now; after a failure they stay, and the next look tries again."""
        listed = await self._run("players", "list")
        if listed is None:
            return
        self._computed = wanted
        figures = {str(row["id"]): _skill(row) for row in json.loads(listed)}
        if figures != self.figures:
            self.figures = figures
            changed()


def _changed_ns(path: Path) -> int:
    """Return when a file changed, or a folder got another file; 0 without it."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _skill(row: Mapping[str, Any]) -> MutableJson:
    scatter, head = row["scatter"], row["head"]
    return {
        "hand": {name: scatter[name] for name in ("mm", "low", "high")} if scatter["darts"] else None,
        "head": head and {name: head[name] for name in ("points", "low", "high")},
    }
