"""A score sheet for every game: written from a match, read back, and imported into a journal as a finished game."""

from __future__ import annotations

import datetime
import io
import json
import random
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from typer.testing import CliRunner

from lab.sheets import KINDS, difference, difference_by_command, random_game
from match.driver import CLOCK, VARIANTS, Table
from match.test_any_game import seated, turn
from scharten.cli import build
from scharten.contract.score_sheet import sheet, sheet_text
from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem, SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.games.chess import Chess
from scharten.games.letters import FIGURINE, SHEET_LANGUAGES
from scharten.games.sheet import ScoreSheet
from scharten.games.sheet_read import read_sheet
from scharten.journal.archive import Archive
from scharten.journal.importing import import_games
from scharten.journal.journal import Journal, JournalReader
from scharten.journal.sheets import pgn_text
from scharten.match.state import Match

SCHARTEN: list[tuple[str, str, dict[str, Any]]] = [
    ("scharten", "silent", {"support": "count"}),
    ("scharten", "loud", {"zones": "half_with_o", "foul_limit": {"white": 4, "black": 9}}),
]
DRAWN: list[tuple[str, str, dict[str, Any]]] = [
    ("fischer_random", "silent", {"opening_by": by}) for by in ("lot", "dice", "darts")
]
NAMES = {"white": 'Anna "Ank" de Vries', "black": "Bert\\"}


def played(key: str, kind: str, chosen: dict[str, Any], seed: int = 5) -> Table:
    """Return a finished game with lost darts, corrected darts, draw offers, and passing minutes."""
    table, chance = Table(begin=False), random.Random(seed)
    options = {"arming": "auto", "settle_ms": 0, "touch_move": "on", **chosen}
    table.ok("new_game", game=key, kind=kind, options=options, clock=CLOCK, names=NAMES)
    while table.match.phase.name == "drawing":
        if chosen["opening_by"] == "dice":
            table.ok("die", value=chance.randint(1, 6))
        else:
            table.hit(str(chance.choice(ALL_BEDS)))
    for number in range(50):
        if not table.match.under_way:
            break
        table.t += chance.randint(0, 90_000)
        if number % 9 == 4 and table.match.draw_offer is None:
            table.ok("offer_draw", side=table.match.side.word)
        throws = key == "scharten" and kind == "loud" and not table.match.situation.check
        if throws and chance.random() < 0.7:
            table.hit(str(chance.choice(ALL_BEDS)))
        else:
            turn(table, chance)
    if table.match.under_way:
        table.ok("resign", side=chance.choice(["white", "black"]))
    return table


def text_of(match: Match, language: str = "en") -> str:
    """Return the sheet of a match, passed through the topic's JSON."""
    return sheet_text(json.loads(json.dumps(sheet(match))), language, "2026.11.22 20:15")


def outcome(match: Match) -> tuple[object, ...]:
    """Return the facts of a game that a sheet must preserve."""
    turns = [(turn.text.partition(" {")[0], str(turn.bed), turn.position) for turn in match.turns]
    return match.game.key, match.opening.situation.text, turns, match.result, match.reason


def imported(text: str) -> Match:
    """Return the match that results from a sheet."""
    found = import_games(text)
    assert not isinstance(found, Problem), found.words
    assert len(found) == 1
    return found[0].match


@pytest.mark.parametrize(("key", "kind", "chosen"), [*SCHARTEN, *VARIANTS, *DRAWN], ids=str)
def test_a_sheet_of_any_game_is_written_and_imported(key: str, kind: str, chosen: dict[str, Any]) -> None:
    """In every language the sheet is read back turn by turn and gives the same game, with the same text again."""
    match = played(key, kind, chosen).match
    for language in SHEET_LANGUAGES:
        text = text_of(match, language)
        read = read_sheet(text)
        assert isinstance(read, ScoreSheet), f"{read.words}\n{text}"
        assert [entry.action.text for entry in read.entries] == [turn.action.text for turn in match.turns]
        assert [entry.bed for entry in read.entries] == [turn.bed and str(turn.bed) for turn in match.turns]
        assert [entry.draw_offer for entry in read.entries] == ["(=)" in turn.text for turn in match.turns]
        assert (read.result, read.reason) == (match.result, match.reason)
        assert read.options.foul_limit == match.options.foul_limit and read.options.touch_move == "on"
    copy = imported(text)
    assert outcome(copy) == outcome(match)
    assert copy.id == match.id and text_of(copy, FIGURINE) == text


def test_a_lost_dart_without_a_bed_is_imported() -> None:
    """A sheet with a dart that hit no bed gives the same game, with the same text again."""
    table = Table(begin=False)
    table.ok("new_game", kind="loud", options={"arming": "auto", "settle_ms": 0}, names=NAMES)
    table.hit("T17")
    table.ok("announce_throw")
    table.ok("miss")
    table.hit("F17")
    table.ok("resign", side="black")
    text = text_of(table.match)
    assert "@- " in text and [turn.bed for turn in table.match.turns][1] is None
    copy = imported(text)
    assert outcome(copy) == outcome(table.match) and text_of(copy) == text


@pytest.mark.parametrize(("key", "kind", "chosen"), [VARIANTS[1], VARIANTS[3], DRAWN[2]], ids=str)
def test_pgn_keeps_all_of_a_game(key: str, kind: str, chosen: dict[str, Any]) -> None:
    """Darts, foul limits, offers, times and the ending return from the PGN alone."""
    match = played(key, kind, {**chosen, "foul_limit": {"white": 7, "black": 9}}).match
    text = pgn_text(match)
    assert isinstance(text, str)
    copy = imported(text)
    assert outcome(copy) == outcome(match)
    assert copy.options.touch_move == "on" and copy.options.clock == match.options.clock
    assert kind == "silent" or copy.options.foul_limit == match.options.foul_limit
    assert outcome(imported(str(pgn_text(copy)))) == outcome(match)


ENDS: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("agreement", [("offer_draw", {"side": "white"}), ("answer_draw", {"side": "black", "accept": True})]),
    ("flag", [("set_clock", {"white_ms": 0}), ("claim_flag", {"side": "black"})]),
    ("resignation", [("resign", {"side": "white"})]),
    ("arbiter", [("set_result", {"result": "½-0"})]),
]


@pytest.mark.parametrize(("reason", "orders"), ENDS, ids=[reason for reason, _ in ENDS])
def test_every_end_is_imported_unchanged(reason: str, orders: list[tuple[str, dict[str, Any]]]) -> None:
    """Importing a sheet repeats each decision of the players and the arbiter."""
    table = seated("chess", "silent", {})
    table.move("e2e4", "e7e5")
    for order, fields in orders:
        table.ok(order, "arbiter", **fields)
    assert table.match.reason == reason
    assert outcome(imported(text_of(table.match))) == outcome(table.match)


def test_a_claim_is_imported() -> None:
    """A claimed third repetition is claimed again, also with a stated move that was not played."""
    table = seated("chess", "silent", {})
    table.move(*["g1f3", "g8f6", "f3g1", "f6g8"] * 2)
    table.ok("claim_draw", rule="repetition")
    assert outcome(imported(text_of(table.match))) == outcome(table.match)
    stated = seated("chess", "silent", {})
    stated.move(*(["g1f3", "g8f6", "f3g1", "f6g8"] * 2)[:-1])
    stated.ok("claim_draw", rule="repetition", move="f6g8")
    assert outcome(imported(text_of(stated.match))) == outcome(stated.match)


def test_a_draw_with_a_dart_taken_back_is_imported() -> None:
    """Darts and dice of a restarted draw of an opening are thrown again; throws without a draw are not a draw."""
    for by, order, fields in (("darts", "delete_dart", {}), ("dice", "take_back", {"turns": 1})):
        table = Table(begin=False)
        options = {"opening_by": by, "arming": "auto", "settle_ms": 0}
        table.ok("new_game", game="fischer_random", kind="silent", options=options)
        thrown = 0
        while table.match.phase.name == "drawing":
            table.hit("D20") if by == "darts" else table.ok("die", value=1)
            thrown += 1
            if thrown == 2:
                table.ok(order, **fields)
        table.ok("resign", side="white")
        text = text_of(table.match)
        assert " | " in text and outcome(imported(text)) == outcome(table.match)
    bare = import_games(
        '[Game "chess"]\n[Date "2026.11.22"]\n[OpeningThrows "F1 F2"]\n[Language "en"]\n\n1. e4 1-0'
    )
    assert not isinstance(bare, Problem) and bare[0].match.result == "1-0"


@pytest.mark.long
def test_random_games_come_back_from_their_sheets() -> None:
    """Bounce-outs, misses, corrections, offers and pauses in every kind of game; `make bench ARGS=sheets`
    tests more."""
    for number, (key, kind, chosen) in enumerate(KINDS):
        table = random_game(key, kind, chosen, random.Random(number))
        for form in ("figurine", "pgn"):
            assert difference(table, form) is None, text_of(table.match)


@pytest.mark.long
def test_random_games_come_back_through_the_command_line() -> None:
    """`scharten games --export` and `--import` carry a game of every kind from one journal into another, unchanged."""
    for number, (key, kind, chosen) in enumerate(KINDS):
        table = random_game(key, kind, chosen, random.Random(100 + number))
        for form in ("nl", "pgn") if isinstance(table.match.game, Chess) else ("nl",):
            assert difference_by_command(table, form) is None, text_of(table.match)


PGN = '[Event "Open"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n'


def test_pgn_of_other_programs_is_read() -> None:
    """All games of a file; without Site, with `From Position`, unknown dates and long names."""
    text = (
        '[Event "E"]\n[Site "?"]\n[Date "2024.??.??"]\n[White "'
        + "x" * 60
        + '"]\n[Black "Q \\"q\\""]\n[Result "1-0"]\n\n'
        '1. e4 (1. d4 d5 (1... Nf6)) 1... e5 $1 2. Nf3!? {[Tag "x"]} Nc6 +- 1-0\n\n'
        '[Variant "From Position"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n[Date "????.??.??"]\n'
        '[Result "0-1"]\n\n1. O-O Kd7 0-1\n'
    )
    found = import_games(text, imported_at_ms=86_400_000)
    assert not isinstance(found, Problem), found
    first, second = found
    assert [turn.action.text for turn in first.match.turns] == ["e2e4", "e7e5", "g1f3", "b8c6"]
    assert first.match.start.names == ("x" * 40, 'Q "q"') and len(first.remarks) == 2
    assert second.match.turns[0].action.text == "e1g1" and second.match.start.t_ms == 86_400_000
    bare = import_games(PGN + "\n1. e4 e5 1-0", game="chess")
    assert not isinstance(bare, Problem) and bare[0].match.game.key == "chess"
    wrong_second = import_games(text + "\n" + '[Site "x"]\n[Result "1-0"]\n\n1. e5 1-0')
    assert isinstance(wrong_second, Problem) and "game 3 of 3" in wrong_second.words


@pytest.mark.parametrize(
    ("moves", "named"),
    [
        ("1. Pf3 e5 1-0", "Dutch"),
        ("1. e4 Sf6 1-0", "German"),
        ("1. e4 e5 2. Lc4 Pc6 3. Dh5 Pf6 4. Dxf7# 1-0", "Dutch"),
        ("1. e4 e5 2. Lc4 Sc6 3. Dh5 Sf6 4. Dxf7# 1-0", "German"),
        ("1. xyz 1-0", "xyz"),
    ],
)
def test_pgn_with_letters_of_another_language_is_refused(moves: str, named: str) -> None:
    """python-chess would read the `f3` of a Dutch knight as a pawn's move."""
    found = import_games(f'[Site "?"]\n{PGN}\n{moves}')
    assert isinstance(found, Problem) and named in found.words


@pytest.mark.parametrize(
    ("written", "year"),
    [("2024", 2024), ("2024.1.5", 2024), ("2024.??", 2024), ("", 1999), ("?", 1999), ("????.??.??", 1999)],
)
def test_a_date_that_is_partly_known_is_read(written: str, year: int) -> None:
    """Other programs leave out what they do not know; the year of the import replaces an unknown one."""
    imported_at = datetime.datetime(1999, 7, 1).timestamp() * 1000
    text = f'[Date "{written}"]\n{PGN}\n1. e4 e5 1-0'
    found = import_games(text, game="chess", imported_at_ms=int(imported_at))
    assert not isinstance(found, Problem), found
    began = datetime.datetime.fromtimestamp(found[0].match.start.t_ms / 1000)
    assert began.year == year and bool(found[0].remarks) == (written != "2024.1.5")


def test_a_result_that_both_lose_is_read_from_other_programs() -> None:
    """`0-0` at the end of a PGN is the result of its header, and castling elsewhere."""
    text = PGN.replace("1-0", "0-0") + "\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 0-0 0-0"
    found = import_games(text, game="chess")
    assert not isinstance(found, Problem), found
    assert found[0].match.result == "0-0" and found[0].match.turns[-1].action.text == "e8g8"


def test_a_result_without_a_winner_is_valid_pgn() -> None:
    """0-0 and ½-0 become `*` with a Termination: python-chess reads them, and they return unchanged."""
    for result in ("0-0", "½-0"):
        table = seated("chess", "silent", {})
        table.move("e2e4", "e7e5")
        table.ok("set_result", "arbiter", result=result)
        text = str(pgn_text(table.match))
        theirs = chess.pgn.read_game(io.StringIO(text))
        assert theirs is not None and theirs.headers["Result"] == "*" and theirs.errors == []
        assert outcome(imported(text)) == outcome(table.match)


def test_a_file_of_pgn_needs_no_header_and_no_game(tmp_path: Path) -> None:
    """Bare moves, a byte order mark, and the Latin letters of the PGN standard."""
    paper = tmp_path / "games.PGN"
    for text, name in (("", "White"), (f"\ufeff{PGN}", "A"), (PGN.replace("A", "Muñoz"), "Muñoz")):
        paper.write_bytes(f"{text}\n1. e4 e5 1-0\n".encode("iso-8859-1" if "ñ" in text else "utf-8"))
        assert f": chess, {name} - " in scharten("games", "--data", tmp_path, "--import", paper)
    paper = paper.rename(tmp_path / "games.txt")
    with pytest.raises(SchartenError, match="UTF-8"):
        scharten("games", "--data", tmp_path, "--import", paper)


@pytest.mark.parametrize(
    ("header", "moves", "named"),
    [
        ('[Result "?"]', "1. e4", "'?' is not a result"),
        ('[Variant "Nonsense"]', "1. O-O", "Nonsense"),
        ('[FEN "x"]', "1. O-O", "'x'"),
        (
            '[Variant "Chess960"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"]',
            "1. e4",
            "518",
        ),
    ],
)
def test_a_wrong_header_of_pgn_is_refused(header: str, moves: str, named: str) -> None:
    """A result, a variant or a position that do not exist; the last two before a move that is not legal either."""
    found = import_games(f"{header}\n\n{moves} 1-0", game="chess")
    assert isinstance(found, Problem) and named in found.words


@pytest.mark.parametrize(
    ("game", "turns"), [("scharten", "1. @- {F3} @e7 {F20}"), ("chess", "1. e4 d5 2. exd5@- {D1} Nf6")]
)
def test_a_dart_that_fell_out_of_a_bed_that_counts_is_lost(game: str, turns: str) -> None:
    """A bounce-out may be written with the bed that it hit first."""
    head = HEAD.replace("chess", game).replace("[Date", '[Kind "loud"]\n[Date')
    match = imported(f"{head}\n{turns} 1-0")
    assert [turn.short[-2:] for turn in match.turns].count("@-") == 1 and match.result == "1-0"


def test_only_a_sealed_draw_has_a_seed() -> None:
    """A seed in the head of an opening by dice is not read."""
    match = random_game("fischer_random", "silent", {"opening_by": "dice"}, random.Random(3)).match
    text = text_of(match).replace("[OpeningBy", '[OpeningSeed "zz"]\n[OpeningBy')
    assert outcome(imported(text)) == outcome(match)


@pytest.mark.parametrize("control", ["1/259200", "40/7200", "0+5"])
def test_a_clock_of_other_programs_is_left_out(control: str) -> None:
    """Three days for each move, and no time for the rest: the game is imported without a clock."""
    found = import_games(f'[TimeControl "{control}"]\n{PGN}\n1. e4 e5 1-0', game="chess")
    assert not isinstance(found, Problem), found
    assert found[0].match.clock is None and "TimeControl" in str(found[0].remarks)


def test_an_error_in_pgn_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """The message has the turn and no line, and python-chess logs nothing beside it."""
    illegal = import_games(PGN + "\n1. e4 e5 2. Ke3 1-0", game="chess")
    assert isinstance(illegal, Problem) and "Ke3" in illegal.words and not caplog.records
    assert illegal.words == "turn 2.: 'Ke3' is not legal"
    unclear = import_games(PGN + "\n1. Nf3 d5 2. d3 d4 3. Nd2 1-0", game="chess")
    assert isinstance(unclear, Problem) and unclear.words == "turn 3.: 'Nd2' may mean more than one move"
    unfinished = import_games(PGN.replace("1-0", "*") + "\n1. e4 e5 *", game="chess")
    assert isinstance(unfinished, Problem) and unfinished.words.startswith("this game is not finished")


HEAD = '[Game "chess"]\n[Date "2026.11.22"]\n[Language "en"]\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + "\n1. e4 e5 *", 5, "not finished"),
        (HEAD + "\n1. e4 e5\n2. Ke3 1-0", 6, "Ke3"),
        (HEAD + "\n1. e4 e5\n\n1-0 {checkmate}", 5, "a game that goes on"),
        (HEAD.replace("2026.11.22", "2026.13.22") + "\n1. e4 1-0", 1, "Date"),
        (
            HEAD.replace("chess", "fischer_random") + '[OpeningBy "lot"]\n[OpeningNumber "7"]\n\n1-0',
            1,
            "hex digits",
        ),
        ('[Game "shakti"]\n[Kind "loud"]\n[Date "2026.11.22"]\n\n1. Wd4*c3 {F1} 1-0', 5, "F1"),
    ],
)
def test_a_wrong_sheet_is_refused(text: str, line: int, words: str) -> None:
    """The refusal names the line and the reason."""
    found = import_games(text)
    assert isinstance(found, Problem) and found.args["line"] == line and words in found.words, found


def stored(journal: Path) -> list[object]:
    """Return everything in a journal."""
    reader = JournalReader(journal)
    rows = [[stored, *reader.inputs(stored.id)] for stored in reader.matches()]
    reader.close()
    return list(rows)


def scharten(*arguments: object) -> str:
    """Return the command line's output."""
    done = CliRunner().invoke(build(), [str(argument) for argument in arguments], catch_exceptions=False)
    return done.output


def test_the_example_in_the_documents_can_be_imported() -> None:
    """The score sheet in docs/sheet.md can be imported unchanged."""
    document = Path(__file__).parents[2] / "docs" / "sheet.md"
    found = import_games(document.read_text(encoding="utf-8").split("```")[1])
    assert not isinstance(found, Problem), found
    assert [game.match.id for game in found] == ["9f3c1a0b7d2e"]


@pytest.mark.long
def test_games_import_adds_a_sheet_to_the_archive(tmp_path: Path) -> None:
    """`scharten games --import`: the game is listed, replayed, exported. A repeated, wrong or endless sheet
    changes nothing."""
    paper = tmp_path / "sheet.txt"
    match = played("shatranj", "loud", {"foul_limit": {"white": 9, "black": 9}}).match
    paper.write_text(text_of(match), encoding="utf-8")
    assert match.id in scharten("games", "--data", tmp_path, "--import", paper)
    journal = tmp_path / "scharten.sqlite3"
    assert "digests agree" in scharten("replay", "--data", tmp_path)
    exported = scharten("games", "--data", tmp_path, "--export", match.id, "--language", "en")
    assert exported == paper.read_text(encoding="utf-8")
    listed = Archive(journal, GAMES_BY_KEY).list()
    assert [game["result"] for game in listed] == [match.result]
    before = stored(journal)
    with pytest.raises(SchartenError, match="already"):
        scharten("games", "--data", tmp_path, "--import", paper)
    paper.write_text(paper.read_text(encoding="utf-8").replace("1. ", "1. x", 1), encoding="utf-8")
    with pytest.raises(SchartenError, match=r"line \d+, turn 1"):
        scharten("games", "--data", tmp_path, "--import", paper)
    with pytest.raises(SchartenError, match="more than"):
        scharten("games", "--data", tmp_path, "--import", "/dev/zero")
    assert stored(journal) == before


@pytest.mark.long
def test_an_import_leaves_the_current_game(tmp_path: Path) -> None:
    """The next start continues the same game as before, and an import does not write to a journal in use."""
    first_paper, other = tmp_path / "one.txt", tmp_path / "other.txt"
    match = played("shakti", "silent", {}).match
    for paper, name in ((first_paper, match.id), (other, "0123456789ab")):
        paper.write_text(text_of(match).replace(match.id, name), encoding="utf-8")
    first = imported(first_paper.read_text(encoding="utf-8"))
    scharten("games", "--data", tmp_path, "--import", first_paper)
    scharten("games", "--data", tmp_path, "--resume", first.id)
    scharten("games", "--data", tmp_path, "--import", other)
    listed = scharten("games", "--data", tmp_path).splitlines()
    assert [line[0] for line in listed] == ["→", " "]
    writer = Journal(tmp_path / "scharten.sqlite3")
    with pytest.raises(SchartenError):
        scharten("games", "--data", tmp_path, "--import", other)
    writer.close()
