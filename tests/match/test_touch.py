"""Touch-move and J'adoube (rules 8, §11)."""

from __future__ import annotations

from dataclasses import replace

from games.scharten.boards import SILENT, board, opening_of
from match.driver import Table
from scharten.errors import Problem
from scharten.game.basics import FieldName, Kind, Side
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.match.referee import digest
from scharten.match.touch import TouchedPosition, Touches, let_go, obligation, say_adoube, touch

OPTIONS = Options(kind=Kind.SILENT)
OPENING = opening_of(SILENT)
# White may castle round the ring only with a1: the rook on i1 has moved. Row 7 has a pawn that can promote.
CASTLING = board("""
    8  . . . . . . . . . .
    7  . . P . . k . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P . . . n
    1  . R* . . . K* . . . R
""")  # fmt: skip
PASSING = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . p P . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . K . . . .
""", ep="d6")  # fmt: skip


def at(position: Position, side: Side = Side.WHITE) -> TouchedPosition:
    legal = SCHARTEN.situation(position, OPTIONS).moves
    return TouchedPosition(SCHARTEN, OPTIONS, position, side, legal)


def fields(*names: str) -> tuple[FieldName, ...]:
    return tuple(map(FieldName, names))


def allowed(position: Position, *names: str) -> set[str]:
    return set(obligation(at(position), Touches(fields(*names))).moves)


def every(position: Position, *origins: str) -> set[str]:
    return {text for text in at(position).legal if not origins or text[:2] in origins}


def test_nothing_touched_binds_nothing() -> None:
    """Without touches every legal move is allowed, and so is a dart."""
    free = obligation(at(OPENING), Touches())
    assert free.moves == at(OPENING).legal
    assert not free.bound


def test_a_touched_piece_must_move() -> None:
    """A touched own piece must make a move of its own; touched empty fields have no effect."""
    assert allowed(OPENING, "e5", "b1") == {"b1a3", "b1c3", "b1o2"} & every(OPENING, "b1") | every(
        OPENING, "b1"
    )
    assert obligation(at(OPENING), Touches(fields("b1"))).bound


def test_a_piece_without_moves_binds_nothing() -> None:
    """If no touched piece can move or be captured there are no consequences (§11)."""
    free = obligation(at(OPENING), Touches(fields("c1", "e8")))
    assert (free.moves, free.bound) == (at(OPENING).legal, False)


def test_the_first_that_can_move_binds() -> None:
    """Of several touched pieces the first with a legal move binds."""
    assert allowed(OPENING, "c1", "e2", "d2") == every(OPENING, "e2")


def test_a_touched_enemy_must_be_captured() -> None:
    """A touched enemy piece must be captured if that is legal; en passant captures the pawn beside."""
    taking = allowed(CASTLING, "i2")
    assert taking == {text for text in every(CASTLING) if text.endswith("i2")}
    assert taking
    assert allowed(PASSING, "d5") == {"e5d6"}


def test_own_and_enemy_touched_capture_together() -> None:
    """An own and an enemy piece touched: the own piece captures the other where it can, in either order."""
    assert allowed(CASTLING, "i1", "i2") == allowed(CASTLING, "i2", "i1") == {"i1i2"}
    assert allowed(PASSING, "d5", "e5") == allowed(PASSING, "e5", "d5") == {"e5d6"}


def test_king_then_rook_means_castling_with_that_rook() -> None:
    """The king touched first and then a rook requires castling with that rook, here to c1 (§11)."""
    assert "e1c1" in every(CASTLING)
    assert allowed(CASTLING, "e1", "a1") == {"e1c1"}


def test_an_illegal_castling_means_another_king_move() -> None:
    """King and a rook that may not castle require some king's move, which may be the other castling (§11)."""
    assert allowed(CASTLING, "e1", "i1") == every(CASTLING, "e1")
    assert "e1c1" in allowed(CASTLING, "e1", "i1")


def test_rook_then_king_moves_the_rook() -> None:
    """A castling begins with the king: a rook touched first must move itself (§11)."""
    assert allowed(CASTLING, "a1", "e1") == every(CASTLING, "a1")


def test_a_piece_touched_before_king_and_rook_binds() -> None:
    """A piece touched before king and rook must move, since castling needs the king first (§11)."""
    assert allowed(CASTLING, "e2", "e1", "a1") == every(CASTLING, "e2")
    assert allowed(CASTLING, "e1", "e2", "a1") == {"e1c1"}


def test_king_let_go_two_fields_away_brings_its_rook() -> None:
    """A king released two fields away castles where legal, else the king must make another move (§11)."""
    moves = at(CASTLING).legal
    assert let_go(at(CASTLING), moves, *fields("e1", "c1")) == ("e1c1",)
    other = set(let_go(at(CASTLING), moves, *fields("e1", "g1")))
    assert other == every(CASTLING, "e1")


def test_pawn_let_go_on_its_last_row_must_promote_there() -> None:
    """Once the pawn is released on b8 only the four promotions there remain (§10, §11)."""
    left = set(let_go(at(CASTLING), at(CASTLING).legal, *fields("b7", "b8")))
    assert left == {"b7b8q", "b7b8r", "b7b8b", "b7b8n"}


def test_an_illegal_target_changes_nothing() -> None:
    """A piece released on an illegal field leaves the allowed moves unchanged (rules 8)."""
    moves = obligation(at(OPENING), Touches(fields("b1"))).moves
    assert let_go(at(OPENING), moves, *fields("b1", "e5")) == moves


def test_jadoube_before_a_touch_lifts_the_next_touch_only() -> None:
    """J'adoube covers the next touches; after a touch it lifts nothing."""
    warned = touch(say_adoube(Touches()), Side.WHITE, Side.WHITE, fields("b1"))
    assert warned == Touches()
    touched = touch(warned, Side.WHITE, Side.WHITE, fields("h1"))
    assert isinstance(touched, Touches)
    assert touched.fields == fields("h1")
    assert say_adoube(touched).fields == fields("h1")


def test_only_the_player_to_move_may_touch() -> None:
    """The referee refuses the other player's touch with the name of the side to move."""
    refused = touch(Touches(), Side.WHITE, Side.BLACK, fields("b8"))
    assert isinstance(refused, Problem)
    assert refused.code == "not_your_turn"
    assert "white" in refused.words


def test_the_digest_covers_each_touch() -> None:
    """Other touched fields, J'adoube, and a man released on another field each give another digest."""
    match = Table(kind="silent", touch_move="on").match
    king = fields("e1")
    touches = [
        Touches(),
        Touches(adoube=True),
        Touches(king),
        Touches(fields("e2")),
        Touches(king, let_go=fields("e1", "d1")),
        Touches(king, let_go=fields("e1", "f1")),
    ]
    found = {digest(replace(match, touches=touched)) for touched in touches}
    assert len(found) == len(touches)


class TestLetGo:
    """The command `let_go`, as a sensor or the arbiter gives it."""

    def table(self) -> Table:
        table = Table(kind="silent", touch_move="on")
        table.set_up(CASTLING)
        return table

    def test_after_an_illegal_castling_another_king_s_move_is_owed(self) -> None:
        """The king released on g1, where the rook on i1 has moved: no other piece may move now (§11)."""
        table = self.table()
        answer = table.ok("let_go", "arbiter", origin="e1", to="g1")
        assert set(answer["args"]["moves"]) == every(CASTLING, "e1")
        refused = table.command("move", move="b7b8q")
        assert (refused["code"], refused["args"]["why"]) == ("not_allowed", "touched")
        table.ok("move", move="e1d1")
        assert table.match.touches == Touches()

    def test_a_pawn_let_go_on_its_last_row_must_promote_there(self) -> None:
        """Later touches of other pieces change nothing: the pawn was released on a legal field."""
        table = self.table()
        table.ok("touch", "arbiter", fields=["b7"])
        answer = table.ok("let_go", "arbiter", origin="b7", to="b8")
        promotions = ["b7b8q", "b7b8r", "b7b8b", "b7b8n"]
        assert sorted(answer["args"]["moves"]) == sorted(promotions)
        table.ok("touch", "arbiter", fields=["e1"])
        table.ok("let_go", "arbiter", origin="e1", to="d1")
        assert table.refused("move", move="e1d1") == "not_allowed"
        table.ok("move", move="b7b8n")

    def test_an_illegal_target_leaves_the_touch(self) -> None:
        """The touched pawn must still move to a field of the player's choice."""
        table = self.table()
        answer = table.ok("let_go", "arbiter", origin="e2", to="d5")
        assert set(answer["args"]["moves"]) == every(CASTLING, "e2")

    def test_let_go_needs_touch_move_the_arbiter_and_a_field(self) -> None:
        """J'adoube frees the touched men. A game without touch-move and a field off the board are refused."""
        table = self.table()
        table.ok("adoube", "arbiter")
        answer = table.ok("let_go", "arbiter", origin="e1", to="e1")
        assert set(answer["args"]["moves"]) == every(CASTLING)
        assert table.refused("let_go", "table", origin="e1", to="g1") == "not_allowed"
        assert table.refused("let_go", "arbiter", origin="z9", to="g1") == "malformed"
        assert Table().refused("let_go", "arbiter", origin="e1", to="g1") == "not_allowed"
