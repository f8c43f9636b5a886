"""The quick generator against the slow one, and the laws that both must keep (rules 3 to 6, 11)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.scharten import naive
from games.scharten.asking import at, in_check, legal_drops, legal_moves, move, status, why
from games.scharten.boards import SILENT, game_options
from games.scharten.positions import played_position, random_options, random_position, row
from scharten.game.basics import Drop, FieldName, Move, Side, move_from_text
from scharten.game.flags import flags_text, parse_flags
from scharten.games.scharten.actions import action_of, play, turn_of
from scharten.games.scharten.board import (
    FIELDS,
    Field,
    Piece,
    PieceKind,
    field_name,
    parse_field,
    piece,
    row_of,
    sector_of,
)
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.options import Options, ZoneLists, rules_of
from scharten.games.scharten.position import Position, after_move, place_pieces
from scharten.games.scharten.position_text import parse_position, position_text
from scharten.games.scharten.turns import Turns, perft

SEEDS = st.integers(0, 2**48)


def drawn(seed: int) -> tuple[Position, Options]:
    """A random position with random options; now and then from a game that was played."""
    rng = random.Random(seed)
    options = random_options(rng)
    if rng.random() < 0.2:
        return played_position(rng, options, rng.randint(1, 120)), options
    return random_position(rng, options), options


def turn_texts(position: Position, options: Options) -> list[str]:
    """All legal turns in coordinates."""
    moves = [move.text for move in legal_moves(position, options)]
    return moves + [Drop(field).text for field in legal_drops(position, options)]


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_both_generators_find_the_same_turns_and_the_same_positions_after_them(seed: int) -> None:
    """Turns, status, and board, en passant and placed pieces after a few of the turns."""
    position, options = drawn(seed)
    text, flags = row(position, options)
    game = naive.read(text, naive.rules_of(flags))
    theirs = dict(naive.turns(game))
    ours = turn_texts(position, options)
    assert sorted(ours) == sorted(theirs), (text, flags)
    assert str(status(position, options)) == naive.status(game)
    for turn in random.Random(seed).sample(sorted(theirs), min(4, len(theirs))):
        new = play(position, Drop(FieldName(turn[1:])) if turn.startswith("@") else move(turn))
        assert isinstance(new, Position)
        back = naive.read(position_text(new), game.rules)
        want = theirs[turn]
        assert (back.board, back.white, back.ep, back.placed) == (
            want.board,
            want.white,
            want.ep,
            want.placed,
        )
        assert parse_position(position_text(new), rules_of(options)) == new


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_turns_do_not_depend_on_the_positions_seen_before(seed: int) -> None:
    """Goals are shared by positions that differ little: each has the turns that it has alone."""
    position, _ = drawn(seed)
    chance = random.Random(seed)
    reached = [after_move(position, *turn) for turn in Turns(position).moves()]
    alone = {
        child: Turns(child._replace(rules=replace(child.rules))).moves() for child in reached
    }  # rules of its own
    chance.shuffle(reached)
    for child in reached:
        assert Turns(child).moves() == alone[child], position_text(child)


@settings(max_examples=8, deadline=None)
@given(SEEDS)
def test_explain_and_the_generator_agree_on_every_move(seed: int) -> None:
    """Over all pairs of fields: explained as legal exactly when the generator has the move; else a known code."""
    position, options = drawn(seed)
    legal = set(legal_moves(position, options))
    for origin in FIELDS:
        for to in FIELDS:
            queen = Move(field_name(origin), field_name(to), "q")
            given = queen if queen in legal else Move(field_name(origin), field_name(to))
            result = why(position, given.text, options)
            assert result.legal == (given in legal), (position_text(position), given.text, result)
            assert result.code in (None, "no_support", "protected", "blocked", "leaves_check", "not_a_move")


def turned(field: Field, sectors: int, mirror: bool = False) -> Field:
    """Return the field this many sectors further round, the board perhaps seen in a mirror first."""
    s = sector_of(field)
    return Field(field - s + ((-s if mirror else s) + sectors) % 20)


def half_turned(position: Position, options: Options) -> tuple[Position, Options]:
    """The board from the other player's chair: a half-turn with the colours swapped."""
    held: list[Piece | None] = [None] * len(FIELDS)
    for field in FIELDS:
        have = position.piece_at(field)
        if have:
            held[turned(field, 10)] = piece(have.side.other, have.kind, have.moved)
    if isinstance(options.zones, ZoneLists):
        black, white = (
            tuple(field_name(turned(Field(parse_field(f) or 0), 10)) for f in zone)
            for zone in (options.zones.white, options.zones.black)
        )
        options = options.model_copy(update={"zones": ZoneLists(white=white, black=black)})
    swapped = place_pieces(
        rules_of(options),
        tuple(held),
        position.side.other,
        ep=NO_FIELD if position.ep == NO_FIELD else turned(Field(position.ep), 10),
        placed=position.placed[::-1],
        fouls=position.fouls[::-1],
        clocks=position.clocks,
        move_number=position.move_number,
    )
    return swapped, options


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_a_half_turn_with_colours_swapped_has_the_same_counts(seed: int) -> None:
    """Status and the count two turns deep do not know White from Black."""
    position, options = drawn(seed)
    swapped, theirs = half_turned(position, options)
    assert status(swapped, theirs) == status(position, options)
    assert perft(swapped, 2) == perft(position, 2)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(0, 19), st.booleans())
def test_moved_pieces_without_pawns_know_no_direction(seed: int, sectors: int, mirror: bool) -> None:
    """Turned by any number of sectors and mirrored: the same turns, turned."""
    rng = random.Random(seed)
    while True:
        held: list[Piece | None] = [None] * len(FIELDS)
        fields = rng.sample(FIELDS, rng.randint(3, 20))
        for number, field in enumerate(fields):
            kind = (
                PieceKind.KING
                if number < 2
                else rng.choice((PieceKind.QUEEN, PieceKind.ROOK, PieceKind.BISHOP, PieceKind.KNIGHT))
            )
            side = (Side.WHITE, Side.BLACK)[number % 2]
            held[field] = piece(side, kind, moved=True)
        options = game_options(support=rng.choice(("field_value", "count")))
        position = place_pieces(rules_of(options), tuple(held), Side.WHITE)
        if not in_check(position, Side.BLACK, options):
            break
    other: list[Piece | None] = [None] * len(FIELDS)
    for field, have in zip(FIELDS, held, strict=True):
        other[turned(field, sectors, mirror)] = have
    image = place_pieces(rules_of(options), tuple(other), Side.WHITE)
    assert {
        (turned(at(m.origin), sectors, mirror), turned(at(m.to), sectors, mirror))
        for m in legal_moves(position, options)
    } == {(at(m.origin), at(m.to)) for m in legal_moves(image, options)}
    assert perft(position, 2) == perft(image, 2)


@pytest.mark.parametrize("side", list(Side))
def test_no_en_passant_exists_across_the_seam(side: Side) -> None:
    """Every two-step on the lines o and i beside every enemy pawn across the seam: never a capture in passing."""
    tried = 0
    for line, beyond in (("i", "o"), ("o", "i")):
        for field in FIELDS:
            if field_name(field)[0] != line or row_of(field) in (1, 8):
                continue
            for enemy in FIELDS:
                if field_name(enemy)[0] == beyond and row_of(enemy) not in (1, 8):
                    tried += _two_step_beside(side, field, enemy)
    assert tried == 48


def _two_step_beside(side: Side, field: Field, enemy: Field) -> bool:
    """Play the two-step, if there is one, and look for a capture in passing; whether it was played."""
    held: list[Piece | None] = [None] * len(FIELDS)
    held[25], held[35] = (
        piece(Side.WHITE, PieceKind.KING, moved=True),
        piece(Side.BLACK, PieceKind.KING, moved=True),
    )
    held[field], held[enemy] = (
        piece(side, PieceKind.PAWN, moved=False),
        piece(side.other, PieceKind.PAWN, moved=True),
    )
    position = place_pieces(rules_of(SILENT), tuple(held), side)
    for step in legal_moves(position):
        stepped = play(position, step)
        assert isinstance(stepped, Position)
        if at(step.origin) == field and stepped.ep != NO_FIELD:
            captures = [m for m in legal_moves(stepped) if at(m.origin) == enemy and at(m.to) == stepped.ep]
            assert not captures, (position_text(stepped), captures)
            return True
    return False


@settings(deadline=None)
@given(st.sampled_from(FIELDS), st.sampled_from(FIELDS), st.sampled_from(["", *"qrbn"]))
def test_move_and_text_are_inverse(origin: Field, to: Field, letter: str) -> None:
    """Coordinates written and read again, and the numbers behind them."""
    given = Move(field_name(origin), field_name(to), letter)
    assert move_from_text(given.text) == given
    turn = turn_of(given)
    assert turn is not None and action_of(turn) == given


@settings(deadline=None)
@given(st.text(max_size=8))
def test_other_text_is_no_move(text: str) -> None:
    """Reading gives the move that writes this text, which is a turn of the game only if it names two fields."""
    found = move_from_text(text)
    assert found.text == text
    assert turn_of(found) is None or (
        parse_field(text[:2]) is not None and parse_field(text[2:4]) is not None
    )


@settings(deadline=None)
@given(SEEDS)
def test_options_and_flags_are_inverse(seed: int) -> None:
    """Reading the output of `flags_text` gives the same options."""
    options = random_options(random.Random(seed))
    assert parse_flags(flags_text(options), Options) == options
