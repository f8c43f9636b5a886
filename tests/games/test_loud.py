"""The loud forms of the four games on squares: what you take, you must hit (games 6)."""

from __future__ import annotations

import pytest

from games.any_game import BY_KEY, SQUARES, options, play, refused, stand, state
from scharten.dartboard.beds import ALL_BEDS, parse_bed
from scharten.errors import Problem
from scharten.game.basics import End, Foul, LostDart, Move, Reason, Side, move_from_text
from scharten.game.protocol import AnyGame, Played
from scharten.games.loud import is_dark

CHESS, SHAKTI = BY_KEY["chess"], BY_KEY["shakti"]
LOUD = options(CHESS, kind="loud")
TAKES = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 0/0"
CHECKED = "4k3/8/8/8/8/2n5/1P6/K1R1n2r w - - 7 30 {fouls}"


def dart(text: str, bed: str = "F1", foul: Foul = Foul.WRONG_COLOUR) -> LostDart:
    """A dart that was lost for a move."""
    return LostDart(foul, move_from_text(text), bed)


def lost(game: AnyGame, position: object, text: str, chosen: object) -> Played[object]:
    """The outcome of a lost dart."""
    found = game.play(position, dart(text), chosen)  # type: ignore[arg-type]
    assert isinstance(found, Played), found
    return found


def test_numbers_alternate_and_bulls_hit_every_field() -> None:
    """Of the 83 beds 42 hit a dark field and 42 a light one, both bulls among them; a1 is dark, a miss hits nothing."""
    position = stand(CHESS, TAKES, LOUD)
    aim = CHESS.throws.aim(position, LOUD, move_from_text("e4d5"))
    assert (aim.field, aim.colour, len(aim.beds)) == ("d5", "light", 42)
    assert {"25", "BULL", "D1", "T5", "L16"} <= set(aim.beds) and not {"D20", "MISS"} & set(aim.beds)
    assert is_dark("a1") and is_dark("h8") and not is_dark("h1")


def test_every_bed_hits_or_is_lost() -> None:
    """Each of the beds is a hit, a wrong colour, or off the board, as `aim` says; a hit is the move itself."""
    position, move = stand(CHESS, TAKES, LOUD), Move("e4", "d5")
    beds = set(CHESS.throws.aim(position, LOUD, move).beds)
    for bed in ALL_BEDS:
        found = CHESS.throws.effect(position, LOUD, bed, 3, aim=move)
        if str(bed) in beds:
            assert (found.code, found.action) == ("hit", move)
        else:
            code = "off_board" if str(bed) == "MISS" else "wrong_colour"
            assert (found.code, found.action.foul, found.action.aim) == (code, code, move)


def test_odds_let_one_side_hit_with_any_bed() -> None:
    """`aim` any for White: every bed and bull hits, a miss still does not, and Black is not helped."""
    chosen = options(CHESS, kind="loud", aim={"white": "any", "black": "colour"})
    position = stand(CHESS, TAKES, chosen)
    move = Move("e4", "d5")
    assert len(CHESS.throws.aim(position, chosen, move).beds) == 82
    assert CHESS.throws.effect(position, chosen, parse_bed("D20"), 3, aim=move).code == "hit"
    assert CHESS.throws.effect(position, chosen, parse_bed("MISS"), 3, aim=move).code == "off_board"
    assert CHESS.throws.effect(position, chosen, parse_bed("D20"), 3, aim=move, side=Side.BLACK).code == (
        "wrong_colour"
    )


def test_what_needs_a_dart() -> None:
    """Captures, en passant too, and Shakti's jumps do; castling, promotion and checks without capture do not."""
    position = stand(CHESS, "3rk3/2P5/8/3pP3/8/8/8/R3K2R w KQ d6 0 9 0/0", LOUD)
    needs = CHESS.situation(position, LOUD).needs_dart
    assert {"e5d6", "c7d8q", "c7d8n"} <= needs and not {"e1g1", "c7c8q", "h1h8"} & needs
    assert CHESS.throws.aim(position, LOUD, move_from_text("e5d6")).field == "d6"
    chosen = options(SHAKTI, kind="loud")
    begun = SHAKTI.begin(chosen)
    jump = SHAKTI.throws.aim(begun, chosen, move_from_text("b2d4"))
    assert (jump.field, jump.colour) == ("c3", "dark")
    assert SHAKTI.throws.aim(begun, chosen, move_from_text("b2c3")) is None


def test_a_lost_dart_passes_the_turn_and_changes_nothing_else() -> None:
    """The turn is over, the counters go up, an en passant right ends, and a completed move begins FOULS again."""
    position = stand(CHESS, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9 2/1", LOUD)
    later = lost(CHESS, position, "e5d6", options(CHESS, kind="loud", foul_limit={"white": 9, "black": 9}))
    assert CHESS.situation(later.position, LOUD).text == "4k3/8/8/3pP3/8/8/8/4K3 b - - 1 9 3/1"
    assert (later.end, later.details) == (None, {"fouls": 3})
    moved = play(CHESS, position, "e1d1", LOUD).position
    assert CHESS.situation(moved, LOUD).text.endswith(" 0/1")
    assert CHESS.write(position, dart("e5d6"), LOUD) == "exd6@-"


def test_in_check_the_same_player_goes_on() -> None:
    """A dart lost in check is a foul, but the turn is not over and an en passant right stays."""
    position = stand(CHESS, "4k3/8/8/8/8/8/1r6/K7 w - - 4 30 0/0", LOUD)
    calm = CHESS.situation(position, LOUD)
    assert calm.check == () and "a1b2" in calm.needs_dart
    text = "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 9 0/0"
    checked = stand(CHESS, text, LOUD)
    assert CHESS.situation(checked, LOUD).check == ("c5",)
    later = lost(CHESS, checked, "e4d3", LOUD).position
    assert CHESS.situation(later, LOUD).text == text.replace("0/0", "0/1")
    harsh = options(CHESS, kind="loud", check_miss="loses")
    assert lost(CHESS, checked, "e4d3", harsh).end == End(Side.WHITE, Reason.MISSED_IN_CHECK)


def test_fogling_loses_unless_the_opponent_could_not_mate() -> None:
    """The third lost dart in a row loses; against a lone king it is a draw; `foul_limit` is per side."""
    position = stand(CHESS, TAKES.replace("0/0", "2/0"), LOUD)
    assert lost(CHESS, position, "e4d5", LOUD).end == End(Side.BLACK, Reason.FOGLING)
    alone = stand(CHESS, "4k3/8/8/3n4/4P3/8/8/4K3 w - - 0 1 2/0", LOUD)
    assert lost(CHESS, alone, "e4d5", LOUD).end == End(Side.BLACK, Reason.FOGLING)
    shakti = options(SHAKTI, kind="loud")
    warrior = stand(SHAKTI, "7/3k3/7/7/7/1W1K1W1/7 w 1 2/0", shakti)
    jump = next(iter(SHAKTI.situation(warrior, shakti).needs_dart))
    assert lost(SHAKTI, warrior, jump, shakti).end == End(None, Reason.FOGLING)
    patient = options(CHESS, kind="loud", foul_limit={"white": 5, "black": 3})
    assert lost(CHESS, stand(CHESS, TAKES.replace("0/0", "2/0"), patient), "e4d5", patient).end is None


def test_mate_counts_throws() -> None:
    """A side whose only moves need a dart is not mated but must throw."""
    text = "7k/8/8/8/8/8/5PPq/6RK w - - 0 1"
    silent = options(CHESS)
    assert state(CHESS, stand(CHESS, text, silent), silent) == "ongoing"
    position = stand(CHESS, f"{text} 0/0", LOUD)
    assert CHESS.status(position, LOUD) == "check=1 moves=0 throws=1 state=must_throw"
    assert CHESS.shown(position, LOUD)["must_throw"] is True


@pytest.mark.parametrize("game", SQUARES, ids=lambda game: game.key)
def test_a_dart_without_an_announced_move_is_refused(game: AnyGame) -> None:
    """Silent games throw nothing; in loud ones a move must be named, and one that needs a dart."""
    extra = {"opening_by": "number", "opening_number": 3} if game.key == "fischer_random" else {}
    silent, loud = options(game, **extra), options(game, kind="loud", **extra)
    position = game.begin(loud)
    quiet = move_from_text(
        next(
            move
            for move in game.situation(position, loud).moves
            if move not in game.situation(position, loud).needs_dart
        )
    )
    assert game.throws.refusal(position, silent).code == "silent_game"
    assert game.throws.refusal(position, loud).code == "no_move_named"
    assert game.throws.refusal(position, loud, quiet).code == "no_dart_needed"
    found = game.play(position, LostDart(Foul.DECLARED), loud)
    assert isinstance(found, Problem) and found.code == "no_move_named"
    assert game.play(position, dart(quiet.text), loud).code == "no_dart_needed"


def test_fouls_at_the_limit_and_in_silent_games_are_refused() -> None:
    """FOULS at the limit end a game, and a silent game's text has no such part."""
    for text, chosen, code in (
        (TAKES.replace("0/0", "3/0"), LOUD, "fouls"),
        (TAKES.replace("0/0", "x"), LOUD, "fouls"),
        (TAKES, options(CHESS), "parts"),
        (TAKES.removesuffix(" 0/0"), LOUD, "parts"),
    ):
        found = CHESS.read(text, chosen)
        assert isinstance(found, Problem) and found.code == code


def test_an_illegal_move_cannot_be_aimed_at() -> None:
    """A lost dart for a move that is not legal is refused, and nothing is counted."""
    position = stand(CHESS, "4k3/8/8/3p4/4P3/8/8/r3K3 w - - 0 1 0/0", LOUD)
    assert refused(CHESS, position, "e4d5", LOUD).code == "leaves_check"
    assert isinstance(CHESS.play(position, dart("e4d5"), LOUD), Problem)
