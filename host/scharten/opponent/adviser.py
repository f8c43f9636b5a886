"""Compute the aim that a player asks for in a process of its own, and publish it.

The computation keeps a core busy and must not delay a dart. Advice is withdrawn as soon as its turn is over.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from scharten.game.basics import Json
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.state import Match
from scharten.opponent.ready import ReadyProcess
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

THINKS_S: Final = 1.0
ROUND_S: Final = 5.0
LONGEST_S: Final = 30.0
"""Upper bound on the process, including its start on a small busy machine."""
NOTHING: Final[Json] = {"side": None, "scatter": None, "advice": None}

Due = tuple[str, str, str, bool]
"""The dart that is due: match id, position, the announced move (or ""), whether the game goes on."""


@dataclass(frozen=True, slots=True)
class ShownAdvice:
    """The published advice, and the dart and `seq` that it is for."""

    due: Due
    seq: int
    advice: Json


def _due(match: Match) -> Due:
    return match.id, match.situation.text, match.aim.text if match.aim else "", match.result is None


class Adviser:
    """Answer the newest question only; `scatter_of` gives a registered player's scatter ("" means a beginner)."""

    def __init__(
        self,
        match: Callable[[], Match],
        scatter_of: Callable[[str], Json],
        publish: Callable[[Json], object],
        warn: Callable[[str | None], object],
    ) -> None:
        self._match, self._scatter_of, self._publish, self._warn = match, scatter_of, publish, warn
        self._asked: Due | None = None
        self._shown: ShownAdvice | None = None
        self._ready = ReadyProcess((sys.executable, "-m", "scharten.opponent.advice_server"))
        self._wanted = False
        self._wake, self._stopping = threading.Event(), threading.Event()
        self.worker = Worker("adviser", self._run)

    def start(self) -> None:
        """Start, and withdraw the advice of an earlier run."""
        self._publish({"v": 2, "match": "", "seq": 0, **NOTHING})
        self.worker.start()

    def stop(self) -> None:
        """Stop the thread and the process."""
        self._stopping.set()
        self._wake.set()
        self.worker.join(3)
        self._ready.stop()

    def prepare(self) -> None:
        """Start the process for a question that may come soon; returns at once."""
        self._wanted = True
        self._wake.set()

    def on_event(self, event: Event) -> None:
        """Note a question, or an event that may outdate the advice."""
        if isinstance(event, Happened) and event.code == Message.ADVICE_ASKED:
            self._asked = _due(self._match())
        if self._asked or self._shown:
            self._wake.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            if not self._wake.wait(ROUND_S):
                self._ready.end_unused()
                continue
            self._wake.clear()
            self._prepare()
            match, asked, self._asked = self._match(), self._asked, None
            if self._shown is not None and self._shown.due != _due(match):
                self._shown = None
                self._publish({"v": 2, "match": match.id, "seq": match.seq, **NOTHING})
            if asked == _due(match) and self._shown is None and not self._stopping.is_set():
                self._advise(match)
            elif self._shown is not None and (asked or self._shown.seq != match.seq):
                self._show(match, self._shown.advice)

    def _prepare(self) -> None:
        wanted, self._wanted = self._wanted, False
        try:
            if wanted:
                self._ready.prepare()
        except OSError as error:
            log.warning("the adviser cannot be prepared: %s", error)

    def _advise(self, match: Match) -> None:
        scatter = self._scatter_of(match.player_of(match.side))
        advice = self._computed(match, float(scatter["mm"]))
        at = self._match()
        if _due(at) == _due(match):
            self._show(at, {"side": match.side.word, "scatter": scatter, "advice": advice})

    def _show(self, match: Match, advice: Json) -> None:
        """Publish advice with the current `seq`, which also grows while the same dart is due."""
        self._shown = ShownAdvice(_due(match), match.seq, advice) if advice["advice"] else None
        self._publish({"v": 2, "match": match.id, "seq": match.seq, **advice})

    def _computed(self, match: Match, scatter_mm: float) -> Json | None:
        """Ask the process; None, and a warning, where it fails."""
        question = {
            "game": match.game.key,
            "options": match.options.model_dump(mode="json"),
            "position": match.situation.text,
            "move": match.aim.text if match.aim else "",
            "scatter_mm": round(scatter_mm, 1),
            "white_sits_at": match.start.settings.white_sits_at,
            "seconds": THINKS_S,
        }
        try:
            advice = self._ready.ask(question, LONGEST_S)
        except (OSError, ValueError) as error:
            advice = {"problem": str(error)}
        if "problem" in advice:
            log.warning("no advice could be computed: %s", advice["problem"])
            self._warn("no advice could be computed: ask again")
            return None
        self._warn(None)
        return advice
