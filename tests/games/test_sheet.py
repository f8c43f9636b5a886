"""Score sheets of any game, read back (rules 9; §13, §24; games 7)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.scharten.boards import board, game_options
from scharten.errors import Problem
from scharten.game.basics import LostDart, Result, move_from_text
from scharten.game.options import ClockRequest
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.games.letters import SHEET_LANGUAGES
from scharten.games.scharten.position_text import position_text
from scharten.games.sheet import ScoreSheet, clock_text, rule_headers
from scharten.games.sheet_read import read_sheet
from scharten.games.sheet_words import REASONS, UNFINISHED, reason_of, result_words

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


def read(text: str) -> ScoreSheet:
    sheet = read_sheet(text)
    assert isinstance(sheet, ScoreSheet), sheet
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
    assert sheet.entries[3].draw_offer


def test_a_loud_sheet_has_its_lost_darts_and_options() -> None:
    """Throws, lost darts with their bed, foul limit and zones are read."""
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
    assert [entry.bed for entry in sheet.entries if isinstance(entry.action, LostDart)] == [
        "T20",
        "BULL",
        "D1",
    ]
    assert sheet.entries[4].comment == "again"
    assert sheet.reason == "fogling"


def test_a_sheet_may_begin_anywhere() -> None:
    """A start position of its own, Black to move in turn 12, is a header."""
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
    head = f'[Position "{position_text(start)}"]\n\n'
    sheet = read(head + "12... Kd7 13. c3 *\n")
    assert [entry.action.text for entry in sheet.entries] == ["e8d7", "c2c3"]
    assert error(head + "12. Kd7").args["turn"] == "12..."


@pytest.mark.parametrize("language", SHEET_LANGUAGES)
def test_every_reason_is_written_and_read(language: str) -> None:
    """The reason is written in the sheet's language, and read back with every result."""
    for reason in REASONS:
        for result in Result:
            assert reason_of(result_words(result, reason, language), result) == reason
            assert read(f"{result} {{{result_words(result, reason, language)}}}").reason == reason


def test_results_in_other_spellings() -> None:
    """1/2-1/2 is read as ½-½; a sheet without a result is unfinished."""
    assert read("1. e4 e5 1/2-1/2").result == "½-½"
    assert read("1. e4 e5").result == UNFINISHED
    assert read('[Result "1/2-0"]\n\n1. e4').result == "½-0"


def test_the_sources_own_ways_of_writing_are_read() -> None:
    """`1-o`, a reason behind the result without braces, and a figurine with a blank behind it."""
    assert (read("1. e4 e5 1-o Zwart geeft op").result, read("1. e4 1-o Zwart geeft op").reason) == (
        "1-0",
        "resignation",
    )
    assert read("1. e4 o-1 {Wit geeft op}").reason == "resignation"
    spaced = read('[Language "figurine"]\n\n1. ♘ c3 ♞ c6 2. e4 *')
    assert spaced.entries == read("1. Pc3 Pc6 2. e4 *").entries
    assert error("1. e4 1-0 Zwart gaat naar huis").code == "result"


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


@settings(deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(DUTCH.split()), max_size=30).map(" ".join))
def test_reading_never_raises(text: str) -> None:
    """Whatever the text, the answer is a sheet or an error value with a line."""
    found = read_sheet(text)
    assert isinstance(found, ScoreSheet) or found.args["line"] >= 1


@pytest.mark.parametrize(
    ("game", "language", "turns", "moves"),
    [
        ("scharten", "nl", "1. e4 e5 2. Pc3", ["e2e4", "e7e5", "b1c3"]),
        ("chess", "nl", "1. e4 e5 2. Dh5 Pc6 3. Lc4 Pf6 4. Dxf7#", ["d1h5", "f1c4", "h5f7"]),
        ("chess", "de", "1. e4 e5 2. Sf3 Sc6 3. Lb5 Sf6 4. O-O", ["g1f3", "f1b5", "e1g1"]),
        ("chess", "figurine", "1. ♘f3 ♞f6 2. g3 g6 3. ♗g2 ♗g7 4. 0-0 ♚f8", ["g1f3", "f1g2", "e1g1", "e8f8"]),
        ("shatranj", "nl", "1. Od3 Od6 2. Pf3 e6 3. Tg1 Ge7", ["f1d3", "f8d6", "h1g1", "d8e7"]),
        ("shakti", "nl", "1. Wb3 Wb5", ["b2b3", "b6b5"]),
    ],
)
def test_each_language_has_its_letters(game: str, language: str, turns: str, moves: list[str]) -> None:
    """Dutch, German and figurine letters of each game are read as the men that they are (games 7)."""
    head = f'[Game "{game}"]\n[Language "{language}"]\n\n'
    found = read_sheet(head + turns)
    played = (
        [entry.action.text for entry in found.entries] if isinstance(found, ScoreSheet) else [found.words]
    )
    assert set(moves) <= set(played), played
    if language in ("nl", "de") and game != "shakti":
        assert error(head.replace(f'"{language}"', '"en"') + turns).code == "turn"


def test_castling_written_as_0_0_is_no_result() -> None:
    """`0-0` is castling where it is legal and the head does not say that nobody won."""
    head = '[Game "chess"]\n[Language "en"]\n[Position "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n'
    sheet = read(head + "\n1. 0-0 Ke7 0-1")
    assert (sheet.entries[0].action.text, sheet.result) == ("e1g1", "0-1")
    lost_by_both = read(head + '[Result "0-0"]\n\n0-0 {decision of the arbiter}')
    assert (lost_by_both.result, lost_by_both.entries) == ("0-0", ())


def test_beds_times_and_clocks_are_read() -> None:
    """Behind a turn stand its bed and its time; the head has touch-move, the clock and the limits of both sides."""
    head = (
        '[Game "shakti"]\n[Kind "loud"]\n[FoulLimit "2/9"]\n[TouchMove "on"]\n'
        '[TimeControl "40/6000:900+5"]\n[Language "en"]\n\n'
    )
    sheet = read(head + "1. Wbd4*c3 {D13} {0:42} Wf4*f5@- {F5} {1:02:03} {unlucky} *")
    first, second = sheet.entries
    assert (first.action.text, first.bed, first.spent_s) == ("b2d4", "D13", 42)
    assert (second.action.text, second.bed, second.spent_s, second.comment) == (
        "f6f4@-", "F5", 3723, "unlucky",
    )  # fmt: skip
    assert (sheet.options.foul_limit.white, sheet.options.foul_limit.black) == (2, 9)
    assert sheet.options.touch_move == "on" and sheet.options.clock is not None
    assert [stage.moves for stage in sheet.options.clock.stages] == [40, None]
    for wrong in ('[TouchMove "perhaps"]', '[TimeControl "soon"]', '[Game "hnefatafl"]'):
        assert error(f"{wrong}\n").code == "header"


def test_a_clock_is_written_in_seconds_and_read_back() -> None:
    """Minutes and seconds give the same header, and the clock that is read from it lasts as long."""
    stages = ({"moves": 40, "minutes": 100}, {"moves": None, "seconds": 900})
    text = clock_text(ClockRequest(stages=stages, increment_s=5))
    assert text == "40/6000:900+5"
    read_back = read(f'[TimeControl "{text}"]\n[Language "en"]\n\n*').options.clock
    assert read_back is not None and clock_text(read_back) == text


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_only_a_game_from_another_position_has_it_in_its_headers(game: AnyGame) -> None:
    """The header Position stands where a game did not begin with its opening."""
    extra = {"opening_by": "number", "opening_number": 3} if game.key == "fischer_random" else {}
    options = game.options_model(**extra)
    opening = game.begin(options)
    found = game.situation(opening, options)
    assert "Position" not in rule_headers(game, options, found.text)
    played = game.play(opening, move_from_text(found.moves[0]), options)
    later = game.situation(played.position, options).text
    assert rule_headers(game, options, later)["Position"] == later


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
        assert isinstance(found, ScoreSheet) == good, found
        if isinstance(found, Problem):
            assert found.code == "result"
            assert "the game ends with checkmate, which is 1-0" in found.words
