"""Stored inputs of every schema: since 4 by tag (`match.codec`), in 1 to 3 by the class names of that time."""

from __future__ import annotations

from collections.abc import Callable

from scharten.dartboard.beds import SURE, Bed, neighbours, readings
from scharten.dartboard.profile import Contact
from scharten.game.basics import Json
from scharten.match.codec import UnreadableInputError, decode_bed, decode_input
from scharten.match.dart import Dart
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    ContactStuck,
    Input,
    Knock,
    News,
    Observed,
    Reading,
    ReadingsLost,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)

_MOST_CHOICES = 6
"""How many beds a question offered at most in schemas 1 to 3."""


def decode_stored(raw: Json) -> Input:
    """The input of a row of any schema; `UnreadableInputError` if no schema writes such a row."""
    try:
        tag = raw["input"]
        if tag in _READINGS:
            what = _READINGS[tag](raw)
            return Reading(raw["t_ms"], raw["at_ms"], raw["source"], what, _receipt(raw))
        if tag in _NEWS:
            return SensorNews(raw["t_ms"], raw["source"], _NEWS[tag](raw), _receipt(raw))
        return decode_input({**raw, "input": _SAME.get(tag, tag)})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableInputError(f"this input cannot be read: {error}") from error


def _board_hit(raw: Json) -> Dart:
    bed = raw["bed"]
    beds = () if bed is None else readings(decode_bed(bed))
    return Dart(tuple((bed, 1 / len(beds)) for bed in beds), contact=_contact(raw))


def _dart_seen(raw: Json) -> Dart:
    """Several beds shared one confidence; a single doubtful bed included its neighbours."""
    named = (decode_bed(text) for text in raw["beds"])
    beds = tuple(dict.fromkeys(reading for bed in named for reading in readings(bed)))
    sure = raw["confidence"] >= SURE
    if len(beds) == 1 and not sure:
        beds = (*beds, *neighbours(beds[0]))
    shared = _shared(beds[:_MOST_CHOICES], raw["confidence"])
    return Dart(shared, raw.get("x_mm"), raw.get("y_mm"), raw.get("bounced", False))


def _shared(beds: tuple[Bed, ...], confidence: float) -> tuple[tuple[Bed, float], ...]:
    """The confidence of the first bed, the rest shared equally; several beds were always doubtful."""
    if len(beds) < 2:
        return tuple((bed, max(confidence, SURE)) for bed in beds)
    even = 1 / len(beds)
    first = max(confidence, even) if confidence < SURE else even
    return ((beds[0], first), *((bed, (1 - first) / (len(beds) - 1)) for bed in beds[1:]))


def _stuck(raw: Json) -> ContactStuck:
    bed = raw["bed"]
    return ContactStuck(_contact(raw), None if bed is None else decode_bed(bed), raw["stuck"])


def _lost(raw: Json) -> ReadingsLost:
    session, total = raw.get("told") or (0, 0)  # the key of schemas 1 to 3
    return ReadingsLost(raw["count"], (session, total) if raw.get("told") else None)


def _contact(raw: Json) -> Contact:
    return Contact(raw["drive"], raw["sense"])


def _receipt(raw: Json) -> Receipt | None:
    return Receipt(*raw["line"]) if raw.get("line") else None


_READINGS: dict[str, Callable[[Json], Observed]] = {
    "BoardHit": _board_hit,
    "DartSeen": _dart_seen,
    "KnockHeard": lambda raw: Knock(raw["peak"]),
    "ButtonPressed": lambda raw: Button(ButtonName(raw["button"])),
    "BoardEmpty": lambda raw: Cleared(),
}
_NEWS: dict[str, Callable[[Json], News]] = {
    "ContactStuck": _stuck,
    "HitsDropped": _lost,
    "SourceChanged": lambda raw: SensorChanged(SensorState(raw["state"]), raw.get("detail", "")),
}
_SAME = {"Command": "command", "Tick": "tick", "Restarted": "restarted"}
"""Inputs of which only the name has changed."""
