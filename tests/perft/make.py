"""Write `second.tsv` and `second_status.tsv`: expected counts from the slow second generator, run by hand.

    PYTHONPATH=tests python tests/perft/make.py

The quick generator draws the positions and looks for rare states; every count and status is `rules.naive`'s.
"""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

from games.scharten import naive
from games.scharten.positions import random_options, random_position, row
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.games.scharten.status import status

HERE = Path(__file__).parent
MAX_PIECES = 16
ROWS = 90
STATES = {"checkmate": 20, "must_throw": 12, "stalemate": 12, "dead": 6, "ongoing": 20}


def main() -> None:
    """Draw positions by number, so that the files come out the same each time."""
    counts = []
    for number in count():
        position, options = _drawn(number)
        if position.occupied.bit_count() <= MAX_PIECES:
            text, flags = row(position, options)
            leaves = naive.perft(naive.read(text, naive.rules_of(flags)), 2)
            counts.append(f"{text}\t{flags}\t2\t{leaves}")
        if len(counts) == ROWS:
            break
    (HERE / "second.tsv").write_text("\n".join(counts) + "\n", encoding="utf-8")
    wanted, states = dict(STATES), []
    for number in count(100_000):
        position, options = _drawn(number)
        state = status(position).state.value
        if wanted[state] and position.occupied.bit_count() <= MAX_PIECES:
            wanted[state] -= 1
            text, flags = row(position, options)
            states.append(f"{text}\t{flags}\t{naive.status(naive.read(text, naive.rules_of(flags)))}")
        if not any(wanted.values()):
            break
    (HERE / "second_status.tsv").write_text("\n".join(states) + "\n", encoding="utf-8")


def _drawn(number: int) -> tuple[Position, Options]:
    rng = random.Random(number)
    options = random_options(rng)
    return random_position(rng, options), options


if __name__ == "__main__":
    main()
