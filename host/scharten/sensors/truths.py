"""What people say of the last dart after the sensors have: corrected, deleted, or an answer to a question. Pure."""

from __future__ import annotations

from collections.abc import Callable

from scharten.match.events import Event, Happened, HitReport

TruthHandler = Callable[[HitReport, str | None], object]


class TruthListener:
    """Hears the match's events; `said` is called with the last dart and the bed that a person gives it.

    None is no dart at all. `dismissed` is called when nobody would say.
    """

    def __init__(
        self, said: TruthHandler, dismissed: Callable[[HitReport], object] = lambda report: None
    ) -> None:
        self._said, self._dismissed = said, dismissed
        self._last: HitReport | None = None  # that counted or is asked about
        self._asked = False

    def hear(self, event: Event) -> None:
        """One event; what says nothing of a dart is passed over."""
        match event:
            case HitReport(why=why) if why in ("", "in_doubt"):
                self._last, self._asked = event, why == "in_doubt"
            case Happened(code="corrected", args=args):
                self._tell(args.get("bed"))
            case Happened(code="no_dart_came"):
                self._last = None  # the sensors have said so themselves
            case Happened(code="deleted"):
                self._tell(None)
                self._last = None
            case Happened(code="placed" | "lost", args=args) if self._asked and args.get("bed"):
                self._asked = False
                self._tell(args["bed"])
            case Happened(code="dismissed") if self._asked and self._last is not None:
                self._asked = False
                self._dismissed(self._last)

    def _tell(self, bed: object) -> None:
        if self._last is not None:
            self._said(self._last, None if bed is None else str(bed))
