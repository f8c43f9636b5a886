"""People's decisions on the sensors' last dart: corrected, deleted, or an answer to a question. Pure."""

from __future__ import annotations

from collections.abc import Callable

from scharten.match.codes import Message, WhyNotCounted
from scharten.match.events import Event, Happened, HitReport

TruthHandler = Callable[[HitReport, str | None], object]


class TruthListener:
    """Find people's decisions in the match's events.

    `on_truth` gets the last dart and the bed that a person gave it, None for no dart at all. `on_dismissed` gets a
    dart to which nobody gave a bed.
    """

    def __init__(
        self, on_truth: TruthHandler, on_dismissed: Callable[[HitReport], object] = lambda report: None
    ) -> None:
        self._on_truth, self._on_dismissed = on_truth, on_dismissed
        self._last: HitReport | None = None  # the last dart that counted or is asked about
        self._asked = False

    def on_event(self, event: Event) -> None:
        """Handle an event; events that decide nothing about a dart are ignored."""
        match event:
            case HitReport(why="" | WhyNotCounted.IN_DOUBT as why):
                self._last, self._asked = event, why == WhyNotCounted.IN_DOUBT
            case Happened(code=Message.CORRECTED, args=args):
                self._decide(args.get("bed"))
            case Happened(code=Message.NO_DART_CAME):
                self._last = None  # the sensors decided this themselves
            case Happened(code=Message.DELETED):
                self._decide(None)
                self._last = None
            case Happened(code=Message.PLACED | Message.LOST, args=args) if self._asked and args.get("bed"):
                self._asked = False
                self._decide(args["bed"])
            case Happened(code=Message.DISMISSED) if self._asked and self._last is not None:
                self._asked = False
                self._on_dismissed(self._last)

    def _decide(self, bed: object) -> None:
        if self._last is not None:
            self._on_truth(self._last, None if bed is None else str(bed))
