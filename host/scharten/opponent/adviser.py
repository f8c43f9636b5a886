"""The adviser beside the game: asked for an aim, it has a process of its own reckon it, and publishes the answer.

Thinking keeps a core busy and must not delay a dart. What was advised for a turn that is over is taken back at once.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from scharten.game.basics import Json
from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.state import Match

log = logging.getLogger(__name__)

THINKS_S: Final = 1.0
LONGEST_S: Final = 30.0
"""So long the process may take, its start on a small busy machine included."""
NOTHING: Final[Json] = {"side": None, "scatter": None, "advice": None}

Due = tuple[str, str, str, bool]
"""A dart that is due: the match, its position, the move that it is thrown for, whether the game goes on."""


@dataclass(frozen=True, slots=True)
class ToldAdvice:
    """What stands on the topic, for which dart and `seq`."""

    due: Due
    seq: int
    told: Json


def _due(match: Match) -> Due:
    return match.id, match.situation.text, match.aim.text if match.aim else "", match.result is None


class Adviser:
    """One question at a time, the newest; `scatter_of` gives a kept player's scatter (of "" a beginner's)."""

    def __init__(
        self,
        match: Callable[[], Match],
        scatter_of: Callable[[str], Json],
        publish: Callable[[Json], object],
        warn: Callable[[str | None], object],
    ) -> None:
        self._match, self._scatter_of, self._publish, self._warn = match, scatter_of, publish, warn
        self._asked: Due | None = None
        self._shown: ToldAdvice | None = None
        self._wake, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="adviser", daemon=True)

    def start(self) -> None:
        """Begin; what an earlier run of the daemon advised is taken back."""
        self._publish({"v": 2, "match": "", "seq": 0, **NOTHING})
        self._thread.start()

    def stop(self) -> None:
        """End; a process that still reckons ends with its time."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(3)

    def hear(self, event: Event) -> None:
        """Somebody asks, or something happened after which the advice no longer holds."""
        if isinstance(event, Happened) and event.code == Message.ADVICE_ASKED:
            self._asked = _due(self._match())
        if self._asked or self._shown:
            self._wake.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait()
            self._wake.clear()
            match, asked, self._asked = self._match(), self._asked, None
            if self._shown is not None and self._shown.due != _due(match):
                self._shown = None
                self._publish({"v": 2, "match": match.id, "seq": match.seq, **NOTHING})
            if asked == _due(match) and self._shown is None and not self._stopping.is_set():
                self._advise(match)
            elif self._shown is not None and (asked or self._shown.seq != match.seq):
                self._show(match, self._shown.told)

    def _advise(self, match: Match) -> None:
        scatter = self._scatter_of(match.player_of(match.side))
        advice = self._reckoned(match, float(scatter["mm"]))
        at = self._match()
        if _due(at) == _due(match):
            self._show(at, {"side": match.side.word, "scatter": scatter, "advice": advice})

    def _show(self, match: Match, told: Json) -> None:
        """Say it for the present `seq`: an announcement or a pause leaves the same dart due."""
        self._shown = ToldAdvice(_due(match), match.seq, told) if told["advice"] else None
        self._publish({"v": 2, "match": match.id, "seq": match.seq, **told})

    def _reckoned(self, match: Match, scatter_mm: float) -> Json | None:
        """What `scharten advise` says; None, and a warning, where it fails."""
        command = [sys.executable, "-m", "scharten", "advise", match.situation.text, "--json"]
        command += ["--game", match.game.key, "--options-json", match.options.model_dump_json()]
        command += ["--scatter", f"{scatter_mm:.1f}", "--time", str(THINKS_S)]
        command += ["--white-sits-at", str(match.start.settings.white_sits_at)]
        command += ["--move", match.aim.text] if match.aim else []
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=True)
            advice: Json = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            log.warning("no advice could be worked out: %s", error)
            self._warn("no advice could be worked out: ask again")
            return None
        self._warn(None)
        return advice
