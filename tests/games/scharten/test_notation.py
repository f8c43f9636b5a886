"""Turns as players write them (rules 9, §13 to §23), both ways and in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.scharten.asking import legal_moves, move, under
from games.scharten.boards import LOUD, SILENT, board, game_options, opening_of
from games.scharten.games import PICKS, VARIANTS, random_game
from scharten.errors import Problem
from scharten.game.basics import Drop, FieldName, Foul, LostDart
from scharten.game.protocol import WrittenTurn
from scharten.games.letters import FIGURINE, SHEET_LANGUAGES, SOURCES_LANGUAGE
from scharten.games.scharten.notation.read import read_turn
from scharten.games.scharten.notation.write import write_action
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.games.sheet import wrong
from scharten.words import problem_text

OPENING = opening_of(SILENT)
FIGURE_8 = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  N . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . N . . . . . .
    2  . . . . . . . . . .
    1  . . . . . K . . . .
""")  # fmt: skip


def written(
    position: Position, text: str, language: str = SOURCES_LANGUAGE, options: Options = SILENT
) -> str:
    return write_action(under(position, options), move(text), language)


def error(
    text: str, position: Position, options: Options = SILENT, language: str = SOURCES_LANGUAGE
) -> Problem:
    found = read_turn(text, under(position, options), language)
    assert isinstance(found, Problem), found
    return found


def test_letters_of_the_languages() -> None:
    """A knight's move is Pc3 in Dutch, Nc3 in English, Sc3 in German, and a figure of the mover's colour (§15, §16)."""
    assert [written(OPENING, "b1c3", language) for language in ("nl", "en", "de", FIGURINE)] == [
        "Pc3",
        "Nc3",
        "Sc3",
        "♘c3",
    ]
    assert written(OPENING, "c2c4") == "c4"
    black = board("""
        8  . . . . . k . n . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . P . . . . .
        1  . . . . . K . . . .
    """, "b")  # fmt: skip
    assert written(black, "g8f6", FIGURINE) == "♞f6"


def test_the_line_tells_two_knights_apart() -> None:
    """Knights on o6 and c3 both reach b5: the one on o6 writes Pob5 (§18, figure 8)."""
    assert written(FIGURE_8, "o6b5") == "Pob5"
    assert written(FIGURE_8, "c3b5") == "Pcb5"
    assert written(FIGURE_8, "c3a2") == "Pa2"


def test_the_row_tells_two_rooks_on_one_line_apart() -> None:
    """Black rooks on c7 and c2 both reach c4: T7c4 (§18, figure 8)."""
    position = board("""
        8  . . . . . k . . . .
        7  . . . r . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . r . . . . P .
        1  . . . . . . K . . .
    """, "b")  # fmt: skip
    assert written(position, "c7c4") == "T7c4"
    assert written(position, "c2c4") == "T2c4"


def test_the_whole_field_where_neither_line_nor_row_is_enough() -> None:
    """Rooks on e1, e8 and i1 all reach i8, round the ring or up the line: Te1i8 names the whole field (§18)."""
    position = board("""
        8  . . . . . R . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . k . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . . . K . . .
        1  . . . . . R . . . R
    """)  # fmt: skip
    found = {item: written(position, item) for item in ("e1i8", "e8i8", "i1i8", "e1d1")}
    assert found == {"e1i8": "Te1i8", "e8i8": "T8i8", "i1i8": "Tii8", "e1d1": "T1d1"}


def test_only_legal_movers_need_telling_apart() -> None:
    """A knight that is pinned does not reach the field legally, so the other needs no letter (rules 9)."""
    position = board("""
        8  . . . . . k . . . .
        7  . N . . . r . . . .
        6  . . . . . . . . . .
        5  . . . . . N . . . .
        4  . . . . . K . . . .
        3  . . . . . . . . . .
        2  . . . . . . . . . .
        1  . . . . . . . . . .
    """)  # fmt: skip
    assert written(position, "a7c6") == "Pc6"


PAWNS = board("""
    8  . . . . k . . . . .
    7  . . . . . . . P . .
    6  . . . . . . . . . .
    5  . n . p P . . . . .
    4  . . P . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . K . . . .
""", ep="c6")  # fmt: skip


def test_pawn_captures_by_line_and_en_passant() -> None:
    """A pawn that captures is named by its line, en passant has its mark, a promotion its piece (§17, §19)."""
    assert written(PAWNS, "b4a5") == "bxa5"
    assert written(PAWNS, "d5c6").startswith("dxc6 e.p.")
    assert written(PAWNS, "g7g8q").startswith("g8D")
    assert written(PAWNS, "g7g8n", "en").startswith("g8N")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("bxa5", "b4a5"),
        ("b4xa5", "b4a5"),
        ("ba5", "b4a5"),
        ("dxc6", "d5c6"),
        ("dxc6 e.p.", "d5c6"),
        ("dxc6ep", "d5c6"),
        ("dxc6 e.p.+", "d5c6"),
        ("dxc6† e.p.", "d5c6"),
        ("g8D", "g7g8q"),
        ("g8=D", "g7g8q"),
        ("g8P++", "g7g8n"),
        ("g8T‡", "g7g8r"),
        ("g8L#", "g7g8b"),
        ("d6!?", "d5d6"),
        ("d5d6", "d5d6"),
        ("d5-d6", "d5d6"),
        ("Ke2 (=)", "e1e2"),
        ("  Ke2+(=) ", "e1e2"),
    ],
)
def test_every_spelling_is_read(text: str, meant: str) -> None:
    """Marks of check, mate and en passant are read in every spelling, and may all be missing (rules 9)."""
    assert read_turn(text, PAWNS) == WrittenTurn(move(meant), draw_offer="=)" in text)


def test_castling_is_the_kings_move() -> None:
    """Castling is written as the king's move and read back so (§21)."""
    position = board("""
        8  . . . . . . . . . .
        7  . . . . . k . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . . P . . . .
        1  . R* . . . K* . . . .
    """)  # fmt: skip
    assert written(position, "e1c1") == "Kc1"
    assert read_turn("Kc1", position) == WrittenTurn(move("e1c1"))


def test_check_and_mate_are_marked() -> None:
    """A supported check on the double is `+`, figure 4's mate `#` (§22, §23)."""
    position = board("""
        8  . . . . . . . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . R . .
        2  . . . . . . . . . .
        1  . . . . . K k . . .
    """)  # fmt: skip
    assert written(position, "g3g1") == "Tg1#"
    assert written(position, "g3f3") == "Tf3+"
    assert written(position, "g3h3") == "Th3"


def test_throws_in_every_language() -> None:
    """A placed pawn is @c3, a knight P@c3 in Dutch, a lost dart @- with its bed as a comment (rules 9)."""
    position = opening_of(LOUD)
    drop = Drop(FieldName("c3"))
    assert write_action(position, drop) == "@c3"
    knights = board("""
        8  . . . . . k . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . . . . . . .
        1  . . . . . K . . . .
    """, options=LOUD, placed="9/0")  # fmt: skip
    assert [write_action(knights, drop, language) for language in ("nl", "en", "de", FIGURINE)] == [
        "P@c3",
        "N@c3",
        "S@c3",
        "♘@c3",
    ]
    lost = (LostDart(Foul.DECLARED), LostDart(Foul.DECLARED, bed="T20"))
    assert [write_action(knights, item) for item in lost] == ["@-", "@- {T20}"]
    assert read_turn("@- {T20}", knights) == WrittenTurn(LostDart(Foul.DECLARED, bed="T20"))
    assert read_turn("@-", knights) == WrittenTurn(LostDart(Foul.DECLARED))
    assert error("@c3", knights, LOUD).args["reason"] == "wrong_piece"
    assert error("P@c7", knights, LOUD).args["why"] == "outside_zone"
    assert error("P@e1", knights, LOUD).args["why"] == "occupied"
    assert error("@c3", OPENING).args["reason"] == "nothing_to_throw"
    assert error("@-", OPENING).args["reason"] == "nothing_to_throw"


@pytest.mark.parametrize(
    "text", ["", "e9", "j4", "le2", "Kx", "e4 e5", "((=)", "{e4}", "Ω", "e8DD", "x" * 300, "0-0"]
)
def test_malformed_text_is_named(text: str) -> None:
    """Text that cannot be a turn at all is malformed, whatever the position."""
    assert error(text, OPENING).code == "malformed"


def test_another_language_is_named() -> None:
    """English letters on a Dutch sheet are malformed, and the error says which language they are."""
    found = error("Nf3", OPENING)
    assert found.args["language"] == "en"
    assert "English" in found.words


SUPPORT = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . p . . . . . . . .
    2  . . . . . . . . . .
    1  . R . . . K . . . .
""")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ("Txa3", "no_support", "worth 3"),
        ("Txa2", "nothing_captured", "nothing is on a2"),
        ("Ta5", "blocked", "blocked by a3"),
        ("Tb2", "not_a_move", "cannot move to b2"),
        ("Lb2", "no_such_piece", "no bishop"),
        ("Tbc3", "no_such_piece", "no rook on b"),
        ("e2", "no_such_piece", "no pawn"),
        ("a2", "no_such_piece", "no pawn"),
        ("Ke2 e.p.", "not_en_passant", "en passant"),
        ("Kg1", "not_a_move", "castling"),
    ],
)
def test_illegal_text_has_its_reason(text: str, reason: str, words: str) -> None:
    """A well-formed turn that is not legal says why, in the codes of `explain` and in words."""
    found = error(text, SUPPORT)
    assert (found.code, found.args["reason"]) == ("illegal", reason)
    assert words in found.words


@pytest.mark.parametrize(
    ("text", "german", "dutch"),
    [
        ("Txa2", "auf a2 steht nichts", "op a2 staat niets"),
        ("Ta5", "Auf a3 steht etwas im Weg", "Op a3 staat iets in de weg"),
        ("Tbc3", "diese Figur (Turm) nicht auf b", "zo'n stuk (toren) niet op b"),
        ("@c3", "nicht geworfen", "niet gegooid"),
        ("Nf3", '[Language "en"]', '[Language "en"]'),
    ],
)
def test_a_sheet_that_is_refused_names_the_turn_in_the_readers_language(
    text: str, german: str, dutch: str
) -> None:
    """The refusal of a sheet has the line and the reason of its turn in German and Dutch too, not a general text."""
    found = wrong("turn", "cause", 7, "12.", what=error(text, SUPPORT))
    for language, reason, place in (("de", german, "Zeile 7, Zug 12."), ("nl", dutch, "regel 7, beurt 12.")):
        message = problem_text(language, found.code, found.words, found.args)
        assert reason in message and place in message, message


def test_no_support_has_its_figures() -> None:
    """A capture without support carries the field's value and the support present (rules 4)."""
    args = error("Txa3", SUPPORT).args
    assert (args["value"], args["support"], args["from"]) == (3, 0, "a1")


def test_a_turn_that_leaves_check_says_so() -> None:
    """Moving a pinned knight leaves the king in check, which is the reason given."""
    position = board("""
        8  . . . . . k . . . .
        7  . . . . . r . . . .
        6  . . . . . . . . . .
        5  . . . . . . . . . .
        4  . . . . . N . . . .
        3  . . . . . . . . . .
        2  . . . . . K . . . .
        1  . . . . . . . . . .
    """)  # fmt: skip
    assert error("Pc3", position).args["reason"] == "leaves_check"


def test_ambiguous_text_lists_what_it_can_mean() -> None:
    """Two knights, or a promotion without a piece: the error lists each way to write it."""
    assert error("Pb5", FIGURE_8).args["candidates"] == ["Pcb5", "Pob5"]
    found = error("g8", PAWNS)
    assert found.code == "ambiguous"
    assert [text[:3] for text in found.args["candidates"]] == ["g8D", "g8T", "g8L", "g8P"]


@settings(max_examples=25, deadline=None)
@given(VARIANTS, PICKS)
def test_text_and_turn_are_inverses(options: Options, picks: list[int]) -> None:
    """Every turn of a random game, silent or loud, is read back from its text in all three languages."""
    for position, turn, _ in random_game(options, picks):
        for language in SHEET_LANGUAGES:
            text = write_action(position, turn.action, language, draw_offer=turn.draw_offer)
            assert read_turn(text, position, language) == turn, text


@settings(max_examples=15, deadline=None)
@given(PICKS)
def test_no_two_moves_share_a_text(picks: list[int]) -> None:
    """In the last position of a random game all legal moves have different texts."""
    played = random_game(game_options(), picks)
    position = played[-1][2] if played else OPENING
    texts = [write_action(position, item) for item in legal_moves(position, SILENT)]
    assert len(texts) == len(set(texts))


@settings(deadline=None)
@given(
    st.text(max_size=20) | st.from_regex(r"[KDTLP]?[oa-i]?[1-8]?x?[oa-i][1-8][DTLP]?[+#]?", fullmatch=True)
)
def test_reading_never_raises(text: str) -> None:
    """For any text the answer is a turn or an error value with a known code."""
    found = read_turn(text, PAWNS)
    assert isinstance(found, WrittenTurn) or found.code in {"malformed", "illegal", "ambiguous"}


def test_a_king_is_no_promotion_piece() -> None:
    """`e8K` is refused for what it is, not as a promotion that is missing."""
    found = error("g8K", PAWNS)
    assert (found.code, found.args["why"]) == ("illegal", "no_promotion_piece")
    assert found.words == "'g8K' is not legal: a king is not a promotion piece"
