"""Whole score sheets, written and read (rules 9; §13, §24)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.scharten.boards import LOUD, SILENT, board, game_options, opening_of
from games.scharten.games import PICKS, VARIANTS, random_game
from scharten.errors import Problem
from scharten.game.basics import LostDart
from scharten.games.scharten.notation.read import WrittenTurn, read_turn
from scharten.games.scharten.notation.sheet_read import read_sheet
from scharten.games.scharten.notation.sheet_write import Entry, Sheet, positions, write_sheet
from scharten.games.scharten.notation.words import (
    REASONS,
    RESULTS,
    UNFINISHED,
    Language,
    reason_of,
    result_words,
)
from scharten.games.scharten.options import Options
from scharten.games.scharten.position_text import position_text

DUTCH = """\
[Event "Clubavond"]
[Date "2026.11.20"]
[Board "board1"]
[White "Jansen, \\"Piet\\""]
[Black "De Vries"]
[Round "3"]
[Result "0-1"]
[Kind "silent"]
[Language "nl"]

1. e4 e5 2. Pc3 {rustig} Pc6 (=) 3. d4 exd4 4. Pb5 0-1 {Wit geeft op}
"""


def read(text: str) -> Sheet:
    sheet = read_sheet(text)
    assert isinstance(sheet, Sheet), sheet
    return sheet


def error(text: str) -> Problem:
    found = read_sheet(text)
    assert isinstance(found, Problem), found
    return found


def test_a_dutch_sheet_is_read_whole() -> None:
    """Headers (unknown ones too), turns, comments, draw offer, result and reason of a sheet by hand."""
    sheet = read(DUTCH)
    assert dict(sheet.headers)["White"] == 'Jansen, "Piet"'
    assert dict(sheet.headers)["Round"] == "3"
    assert (len(sheet.entries), sheet.result, sheet.reason, sheet.remark) == (7, "0-1", "resignation", None)
    assert sheet.entries[2].comment == "rustig"
    assert sheet.entries[3].turn.draw_offer
    assert write_sheet(sheet) == DUTCH


def test_a_loud_sheet_has_its_lost_darts_and_options() -> None:
    """Throws, lost darts with their bed, foul limit and zones survive writing and reading."""
    options = game_options(loud=True, zones="half_with_o", foul_limit=(2, 3))
    text = """\
[Kind "loud"]
[Options "--zones half_with_o"]
[FoulLimit "2/3"]
[Language "en"]

1. @e2 @- {T20} 2. @- {BULL} @o7 {nicely thrown} 3. @- {D1} {again}
0-1 {White lost too many darts in a row}
"""
    sheet = read(text)
    assert sheet.options == options
    actions = [entry.turn.action for entry in sheet.entries]
    assert [a.bed for a in actions if isinstance(a, LostDart)] == ["T20", "BULL", "D1"]
    assert sheet.entries[4].comment == "again"
    assert sheet.reason == "fogling"
    assert positions(sheet)[-1].fouls == (2, 0)
    assert read(write_sheet(sheet)) == sheet


def test_a_sheet_may_begin_anywhere() -> None:
    """A start position of its own, Black to move in turn 12, is written as a header and read back."""
    start = board("""
        8  . . . . . k . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . P . . . . . .
        1  . . . . . K . . . .
    """, "b", number=12)  # fmt: skip
    turns = []
    position = start
    for text in ("Kd7", "c3"):
        turn = read_turn(text, position)
        assert isinstance(turn, WrittenTurn)
        turns.append(Entry(turn))
        position = positions(Sheet(SILENT, start, tuple(turns)))[-1]
    sheet = Sheet(SILENT, start, tuple(turns))
    text = write_sheet(sheet)
    assert f'[Position "{position_text(start)}"]' in text
    assert "\n12... Kd7 13. c3 *\n" in text
    assert read(text) == sheet


@pytest.mark.parametrize("language", Language)
def test_every_reason_is_written_and_read(language: Language) -> None:
    """How it ended is told in the sheet's language, and understood again with every result."""
    for reason in REASONS:
        for result in RESULTS:
            assert reason_of(result_words(result, reason, language), result) == reason
            sheet = Sheet(SILENT, opening_of(SILENT), result=result, reason=reason, language=language)
            assert read(write_sheet(sheet)) == sheet


def test_results_in_other_spellings() -> None:
    """1/2-1/2 is read as ½-½; a sheet without a result is unfinished."""
    assert read("1. e4 e5 1/2-1/2").result == "½-½"
    assert read("1. e4 e5").result == UNFINISHED
    assert read('[Result "1/2-0"]\n\n1. e4').result == "½-0"


def test_untidy_sheets_are_read() -> None:
    """Glued numbers, missing numbers, CRLF, lone marks, a `;` comment, and a comment before the first turn."""
    tidy = read("1. e4 e5 2. Pc3 Pc6 3. d4 exd4 *")
    untidy = read("{vooraf}\r\n1.e4 1...e5 2.Pc3 ; tempo\r\nPc6 + d4 exd4\r\n*")
    assert untidy.entries == tidy.entries
    assert untidy.preface == "vooraf"


@pytest.mark.parametrize(
    ("text", "code", "line", "turn", "words"),
    [
        ("1. e4 e5\n2. Pc3 Le3 *", "turn", 2, "2...", "Le3"),
        ("1. e4 e5\n\n2. Nc3", "turn", 3, "2.", "English"),
        ("1. e4 e5 3. d4", "number", 1, "2.", "turn 2"),
        ("1. e4 2. d4", "number", 1, "1...", "black"),
        ("1. e4 {open", "comment", 1, "1...", "closed"),
        ("1. e4 } e5", "comment", 1, "1...", "closed"),
        ("1. e4 1-0 e5", "result", 1, "1...", "behind"),
        ('[Result "1-0"]\n\n1. e4 0-1', "result", 3, None, "header"),
        ('[Result "2-0"]\n\n1. e4', "result", 1, None, "2-0"),
        ('[Kind "noisy"]\n\n1. e4', "header", 1, None, "noisy"),
        ('[Event "a"]\n[Event "b"]\n', "header", 2, None, "twice"),
        ("[Event a]\n", "header", 1, None, "[Event a]"),
        ('[Language "fr"]\n', "header", 1, None, "fr"),
        ('[Options "--zone home"]\n', "options", 1, None, "--zone"),
        ('[Kind "loud"]\n[FoulLimit "0/3"]\n', "header", 2, None, "0/3"),
        ('\n[Position "5K8k4/20/20/20 w - 17/17 0/0 0/0 1"]\n', "position", 2, None, "19 fields"),
    ],
)
def test_errors_name_the_line_and_the_turn(
    text: str, code: str, line: int, turn: str | None, words: str
) -> None:
    """The first thing that is wrong is named with its line, its turn and the reason."""
    found = error(text)
    assert (found.code, found.args["line"], found.args["turn"]) == (code, line, turn), found
    assert words in found.words
    assert f"line {line}" in str(found)


def test_no_turn_follows_the_end_on_the_board() -> None:
    """After mate, after too many lost darts and after a miss in check a further turn is refused."""
    mated = '[Position "5Kk13/20/7R12/20 w - 17/17 0/0 0/0 1"]\n\n1. Tg1# Kd7'
    assert error(mated).code == "game_over"
    fouls = '[Kind "loud"]\n\n1. @- @e7 2. @- @d7 3. @- @c7'
    assert (error(fouls).code, error(fouls).args["turn"]) == ("game_over", "3...")


def test_a_miss_in_check_ends_the_game() -> None:
    """A lost dart while in check stands on the sheet, but nothing may follow it (rules 6)."""
    text = '[Kind "loud"]\n[Position "20/5K9r4/20/k19 w - 9/17 0/0 0/0 5"]\n\n5. @- {D3} '
    assert len(read(text + "0-1 {Wit stond schaak en gooide mis}").entries) == 1
    assert error(text + "Kb4").code == "game_over"


def test_wrong_sheets_are_not_written() -> None:
    """Headers that the sheet fills itself, twice the same, no words, or a wrong result are the caller's error."""
    sheet = Sheet(LOUD, opening_of(LOUD))
    for headers in ([("Result", "1-0")], [("Event", "a"), ("Event", "b")], [("two words", "a")]):
        with pytest.raises(ValueError, match="headers"):
            write_sheet(replace(sheet, headers=tuple(headers)))
    with pytest.raises(ValueError, match="result"):
        write_sheet(replace(sheet, result="3-0"))


HEADERS = st.dictionaries(
    st.sampled_from(["Event", "Date", "Board", "White", "Black", "Round", "Annotator"]),
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=12),
)


@settings(max_examples=20, deadline=None)
@given(VARIANTS, PICKS, HEADERS, st.sampled_from(Language), st.sampled_from([*RESULTS, UNFINISHED]))
def test_sheet_and_game_are_inverses(
    options: Options, picks: list[int], headers: dict[str, str], language: Language, result: str
) -> None:
    """A random game, silent or loud, comes back from its sheet: the same turns, headers and last position."""
    played = random_game(options, picks)
    entries = tuple(Entry(turn) for _, turn, _ in played)
    sheet = Sheet(options, opening_of(options), entries, tuple(headers.items()), result, language=language)
    back = read(write_sheet(sheet))
    assert back == sheet
    assert positions(back)[-1] == (played[-1][2] if played else sheet.start)


@settings(deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(DUTCH.split()), max_size=30).map(" ".join))
def test_reading_never_raises(text: str) -> None:
    """Whatever the text, the answer is a sheet or an error value with a line."""
    found = read_sheet(text)
    assert isinstance(found, Sheet) or found.args["line"] >= 1


def test_kinds_are_letters_of_the_sheet() -> None:
    """A promotion is written with the sheet's own letter and read back as that kind."""
    start = board("""
        8  . . . . . . . . . k
        7  . . P . . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . . . . . . .
        1  . . . . . K . . . .
    """)  # fmt: skip
    for language, mark in ((Language.DUTCH, "b8P"), (Language.ENGLISH, "b8N"), (Language.FIGURINE, "b8♘")):
        turn = read_turn(mark, start, language)
        assert isinstance(turn, WrittenTurn)
        assert getattr(turn.action, "promotion", None) == "n"
        assert mark in write_sheet(Sheet(SILENT, start, (Entry(turn),), language=language))


def test_a_result_that_the_board_contradicts_is_refused() -> None:
    """After a mate by White the result is 1-0: 0-1 is refused in words, unless the arbiter decided so."""
    mate = board("1 . . . . . K k . . .\n3 . . . . . . . R . .\n", "w")
    head = f'[Kind "silent"]\n[Language "en"]\n[Position "{position_text(mate)}"]\n\n'
    for text, good in (
        ("1. Rg1# 1-0", True),
        ("1. Rg1# *", True),
        ("1. Rg1# 0-1 {decision of the arbiter}", True),
        ("1. Rg1# 0-1", False),
        ("1. Rg1# ½-½", False),
    ):
        found = read_sheet(head + text + "\n")
        assert isinstance(found, Sheet) == good, found
        if isinstance(found, Problem):
            assert found.code == "result"
            assert "the game ends with checkmate, which is 1-0" in found.words
