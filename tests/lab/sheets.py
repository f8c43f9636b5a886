"""Random games of every kind are exported as score sheets and imported: the imported game has the same sheet.

The games have lost darts of each kind, bounce-outs, corrections, offers, pauses and turns taken back. They go
through `scharten games --export` and `--import`, from one journal into another, or through the functions behind
these.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from match.driver import CLOCK, VARIANTS, Table
from players.evening import store
from scharten.cli import build
from scharten.config import JOURNAL
from scharten.contract.score_sheet import sheet, sheet_text
from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem, SchartenError
from scharten.games.chess import Chess
from scharten.games.letters import SHEET_LANGUAGES
from scharten.journal.importing import import_games
from scharten.journal.sheets import pgn_text
from scharten.match.state import Match

KINDS: list[tuple[str, str, dict[str, Any]]] = [
    ("scharten", "silent", {"support": "count"}),
    ("scharten", "loud", {"zones": "half_with_o"}),
    ("scharten", "loud", {"zones": "home"}),
    *VARIANTS,
    *(("fischer_random", "silent", {"opening_by": by}) for by in ("lot", "dice", "darts")),
]
NAMES = {"white": 'Anna "Ank" de Vries', "black": "Bert\\"}


def run(games: int, seed: int, *, commands: bool) -> int:
    """Print how many sheets came back equal beside the aim; return 1 if any did not."""
    wrong: Counter[str] = Counter()
    equal, compare = 0, difference_by_command if commands else difference
    for number in range(seed, seed + games):
        key, kind, chosen = KINDS[number % len(KINDS)]
        table = random_game(key, kind, chosen, random.Random(number))
        language = SHEET_LANGUAGES[number % len(SHEET_LANGUAGES)]
        for form in (language, "pgn") if isinstance(table.match.game, Chess) else (language,):
            fault = compare(table, form)
            equal += fault is None
            if fault:
                wrong[f"{form} {key} {kind}: {fault} (for example seed {number})"] += 1
    way = "through the command line" if commands else "through the functions behind it"
    print(f"{games} games {way}: {equal} of {equal + wrong.total()} sheets and PGN came back equal (aim all)")
    for fault, count in wrong.most_common():
        print(f"  {count} x {fault}")
    return 1 if wrong else 0


def difference_by_command(table: Table, form: str) -> str | None:
    """Return how a stored game's export differs after its import into another journal; None if it does not."""
    with tempfile.TemporaryDirectory(prefix="scharten-lab-") as folder:
        journals = [Path(folder, name) for name in ("first", "second")]
        papers = [journal / "paper.txt" for journal in journals]
        for journal in journals:
            journal.mkdir()
        store(journals[0] / JOURNAL, table)
        export = ("--export", table.match.id, "--language", form, "--out")
        try:
            _games(journals[0], *export, papers[0])
            _games(journals[1], "--import", papers[0])
            _games(journals[1], *export, papers[1])
        except SchartenError as error:
            return str(error)
        first, second = (paper.read_text(encoding="utf-8") for paper in papers)
        return None if first == second else "its sheet is another"


@cache
def _command_line() -> Callable[..., object]:
    return get_command(build())  # typer would build all commands again for each call


def _games(folder: Path, *arguments: object) -> None:
    """Run `scharten games` with the journal of a folder; raise the command's error."""
    words = ["games", "--data", str(folder), *map(str, arguments)]
    with redirect_stdout(io.StringIO()):
        _command_line()(words, standalone_mode=False)


def difference(table: Table, form: str) -> str | None:
    """Return how the game differs after its way through a sheet or PGN; None if it does not, or has no PGN."""
    match = table.match
    written = pgn_text(match) if form == "pgn" else _sheet(match, form)
    if isinstance(written, Problem):
        return None
    found = import_games(written)
    if isinstance(found, Problem):
        return found.words
    back = found[0].match
    agrees = _sheet(back, "en") == _sheet(match, "en") and back.situation.text == match.situation.text
    return None if agrees else "its sheet is another"


def _sheet(match: Match, language: str) -> str:
    return sheet_text(json.loads(json.dumps(sheet(match))), language, "2026.11.22 20:15")


def random_game(key: str, kind: str, chosen: dict[str, Any], chance: random.Random) -> Table:
    """Play a finished game with every event that darts and turns can have."""
    table = Table(begin=False)
    options = {"arming": chance.choice(["auto", "announce"]), "settle_ms": 0, **chosen}
    options["touch_move"] = chance.choice(["on", "off"])
    if kind == "loud":
        options["foul_limit"] = {"white": chance.randint(2, 9), "black": chance.randint(2, 9)}
    table.ok(
        "new_game", game=key, kind=kind, options=options, clock=chance.choice([None, CLOCK]), names=NAMES
    )
    _draw(table, str(chosen.get("opening_by")), chance)
    for _ in range(chance.randint(3, 60)):
        if table.match.under_way:
            table.t += chance.randint(0, 60_000)
            _settle_question(table, chance)
            _act(table, kind, chance)
    while table.match.result is None:
        _settle_question(table, chance)
        table.command("resume")
        table.command("resign", "arbiter", side=chance.choice(["white", "black"]))
    return table


def _draw(table: Table, by: str, chance: random.Random) -> None:
    while table.match.phase.name == "drawing":
        if by == "dice":
            table.command("die", value=chance.randint(1, 6))
        else:
            table.hit(_bed(chance))
        if chance.random() < 0.1:
            undo: tuple[str, dict[str, Any]] = (
                ("delete_dart", {}) if by == "darts" else ("take_back", {"turns": 1})
            )
            table.command(undo[0], **undo[1])


def _bed(chance: random.Random) -> str:
    return str(chance.choice(ALL_BEDS))


def _settle_question(table: Table, chance: random.Random) -> None:
    question = table.match.question
    if question is None:
        return
    beds = [str(bed) for bed in getattr(question, "beds", ())]
    table.command("choose_bed", bed=chance.choice([None, *beds]))
    if table.match.question is not None:
        table.command("confirm", "arbiter", request=str(getattr(question, "request", "")))


def _act(table: Table, kind: str, chance: random.Random) -> None:
    """Do one action: mostly a turn, sometimes an offer, a correction or a pause."""
    side = chance.choice(["white", "black"])
    others: list[tuple[str, dict[str, Any]]] = [
        ("offer_draw", {"side": side}),
        ("answer_draw", {"side": side, "accept": chance.random() < 0.1}),
        ("take_back", {"turns": chance.randint(1, 2)}),
        ("correct", {"bed": _bed(chance)}),
        ("delete_dart", {}),
        ("add_dart", {"bed": _bed(chance)}),
        ("claim_draw", {"rule": "repetition"}),
        ("pause", {}),
        ("resume", {}),
    ]
    if chance.random() < 0.3:
        order, fields = chance.choice(others)
        table.command(order, **fields)
    elif kind == "loud" and (chance.random() < 0.5 or not table.match.situation.moves):
        table.command("announce_throw")
        _throw(table, chance)
    elif table.match.situation.moves:
        table.command("move", move=chance.choice(table.match.situation.moves))
        if table.match.aim is not None:
            _throw(table, chance)


def _throw(table: Table, chance: random.Random) -> None:
    """Throw a dart that stays, bounces out, is missed, or only knocks."""
    way = chance.random()
    if way < 0.15:
        table.knock()
    elif way < 0.3:
        table.command("miss")
    elif way < 0.4:
        table.seen(_bed(chance), bounced=True)
    else:
        table.hit(_bed(chance))
