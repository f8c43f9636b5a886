"""The adviser's process: reads a question as a line of JSON, writes the advice as one, until its input ends."""

from __future__ import annotations

import json
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products wait longer than they take

from scharten.errors import Problem
from scharten.game.basics import Json, move_from_text
from scharten.games import GAMES_BY_KEY
from scharten.play.advice import advise
from scharten.play.throwing import bed_shares


def answer(question: Json) -> Json:
    """Return the payload of the topic `advice`, or `{"problem": ...}`."""
    game = GAMES_BY_KEY[question["game"]]
    options = game.options_model.model_validate(question["options"])
    start = game.read(question["position"], options)
    if isinstance(start, Problem):
        return {"problem": str(start)}
    until = time.monotonic() + question["seconds"]
    found = advise(
        game,
        start,
        options,
        question["scatter_mm"],
        white_sits_at=question["white_sits_at"],
        over=lambda: time.monotonic() >= until,
        move=move_from_text(question["move"]) if question["move"] else None,
    )
    return {"problem": str(found)} if isinstance(found, Problem) else found.as_json()


def main() -> None:
    """Answer each line."""
    bed_shares()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
