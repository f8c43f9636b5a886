"""Aims in the reader's language, for commands; English has the sentence of the rules' engine."""

from __future__ import annotations

from scharten.commands.words import chosen_language
from scharten.dartboard.beds import parse_bed
from scharten.words import text


def aim_text(bed: str, part: str) -> str:
    """Return a bed, such as `F3`, and the part of it to aim at (outer, middle or inner)."""
    language, found = chosen_language(), parse_bed(bed)
    if found is None or found.number is None:
        return text(language, f"bed.long.{bed}")
    name = text(language, f"bed.long.{found.kind.value}", number=found.number)
    return text(language, f"advice.part.{part}", bed=name)
