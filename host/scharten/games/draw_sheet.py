"""The draw of an opening in the headers of a score sheet, and its verification (games 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.games.draw import CHOICES, OPENINGS, OpeningDraw, digest_of, lot

AGAIN: Final = "|"
"""The mark of a round that began again because a dart was taken back."""
SEED: Final = re.compile(r"[0-9a-f]{32}")
MOST_THROWS: Final = 2_000


def draw_headers(
    by: str, number: int, match: str, seed: str, draw: OpeningDraw | None
) -> tuple[tuple[str, str], ...]:
    """Return the headers of a draw: the way, the match and the seed that seal it, each die or dart, the number."""
    found = [("OpeningBy", by)]
    if by in ("lot", "darts"):
        found += [("Match", match), ("OpeningDigest", digest_of(match, seed)), ("OpeningSeed", seed)]
    if draw is not None:
        found.append(("OpeningThrows", throws_text(draw)))
    return (*found, ("OpeningNumber", str(number)))


def throws_text(draw: OpeningDraw) -> str:
    """Return every die or dart in order; a bar ends a round without the classical position."""
    words: list[str] = []
    counted = 0
    for at, throw in enumerate(draw.throws):
        words.append(throw.shown)
        counted += throw.choice is not None
        last = at + 1 == len(draw.throws)
        following = draw.round if last else draw.throws[at + 1].round
        if following > throw.round:
            words += [AGAIN] * (following - throw.round - (counted == len(CHOICES)))
            counted = 0
    return " ".join(words)


def shown_steps(draw: OpeningDraw) -> list[dict[str, object]]:
    """Return each die or dart for the display: the throw, its choice from 1, the field, and the seat."""
    steps: list[dict[str, object]] = []
    counted = 0
    for throw in draw.throws:
        steps.append(
            {
                "bed": throw.shown if draw.by == "darts" else None,
                "die": int(throw.shown) if draw.by == "dice" else None,
                "choice": None if throw.choice is None else throw.choice + 1,
                "field": throw.field,
                "by": f"seat{counted % 2 + 1}",
            }
        )
        counted += throw.choice is not None
    return steps


def check_draw(headers: Mapping[str, str]) -> int | Problem:
    """Verify the draw in a sheet's headers and return its number; a `Problem` for any contradiction."""
    by = headers.get("OpeningBy")
    if by is None:
        return Problem("no_draw", "this sheet has no draw: the header OpeningBy is missing")
    stated = headers.get("OpeningNumber", "")
    if not (stated.isascii() and stated.isdigit() and int(stated) < OPENINGS):
        return Problem.reasoned("number", "opening_number", most=OPENINGS - 1, given=stated)
    sealed = _sealed(headers) if by in ("lot", "darts") else None
    if sealed is not None:
        return sealed
    number: int | Problem | None = int(stated)
    if by == "lot":
        number = lot(headers["OpeningSeed"])
    elif by in ("dice", "darts"):
        number = draw_number(by, headers.get("OpeningThrows", "").split(), headers.get("OpeningSeed", ""))
    elif by != "number":
        return Problem.reasoned("by", "opening_by", given=by)
    if isinstance(number, Problem) or number == int(stated):
        return number
    return Problem("differs", f"the draw gives {number}, but the sheet says {stated}", {"number": number})


def _sealed(headers: Mapping[str, str]) -> Problem | None:
    seed, digest = headers.get("OpeningSeed", ""), headers.get("OpeningDigest", "")
    if not SEED.fullmatch(seed):
        return Problem("seed", f"OpeningSeed is 32 hex digits, not '{seed[:40]}'")
    if digest != digest_of(headers.get("Match", ""), seed):
        return Problem(
            "digest", "the envelope's digest does not fit its seed and match: it was not this envelope"
        )
    return None


def draw_number(
    by: str, throws: list[str], seed: str = "", offsets: tuple[tuple[int, ...], ...] = ()
) -> int | Problem:
    """Return the number that these dice or darts draw; they must be complete, with no further throw."""
    draw = OpeningDraw("darts" if by == "darts" else "dice", seed, offsets=offsets)
    for shown in throws[:MOST_THROWS]:
        found = draw.next_round() if shown == AGAIN and draw.number is None else _thrown(draw, shown)
        if isinstance(found, Problem):
            return found
        draw = found
    if draw.number is None:
        return Problem(
            "unfinished", f"{len(draw.choices)} of {len(CHOICES)} steps are drawn: this is not an opening yet"
        )
    return draw.number


def _thrown(draw: OpeningDraw, shown: str) -> OpeningDraw | Problem:
    if draw.offsets and draw.round > len(draw.offsets):
        return Problem("offsets", f"there are no offsets for round {draw.round}")
    if draw.by == "dice":
        if not re.fullmatch(r"[1-6]", shown):
            return Problem.reasoned("throw", "die", given=shown)
        return draw.die(int(shown))
    bed = parse_bed(shown)
    return Problem.reasoned("throw", "no_bed", bed=shown) if bed is None else draw.dart(bed)


def draw_row(text: str, flags: str) -> int | Problem:
    """Return the number of `dice 1,1,1,1,1`, or of `darts D20,F5` with `--envelope` and five offsets a round."""
    by, _, listed = text.partition(" ")
    if by not in ("dice", "darts"):
        return Problem.reasoned("by", "draw_by", given=by)
    words = flags.split()
    if words and (words[0] != "--envelope" or len(words) != 2 or by == "dice"):
        return Problem.reasoned("unknown_option", "draw_option", given=flags)
    given = words[1].split(",") if words else []
    if by == "darts" and (
        not given or len(given) % 5 or not all(re.fullmatch(r"[0-5]", part) for part in given)
    ):
        return Problem("envelope", f"an envelope has five offsets a round, not '{flags}'")
    offsets = tuple(tuple(map(int, given[at : at + 5])) for at in range(0, len(given), 5))
    return draw_number(by, [part.strip() for part in listed.split(",")], offsets=offsets)
