"""The review of a game: the laws of head, hand and luck."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scharten.dartboard.beds import ALL_BEDS, NUMBERS, parse_bed
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Kind, Side, move_from_text
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.position_text import position_text
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.review.aims import aims, odds_at
from scharten.review.split import Parts, Splitter, Thrown
from scharten.review.value import Judge, exchanged

SITS = 3
KINDS = [(key, kind) for key in ("scharten", "chess", "shatranj", "shakti") for kind in Kind]


def _played(key: str, kind: Kind, seed: int, turns: int) -> list[tuple[Any, Any, Thrown | None]]:
    """A game by chance: (position, action, dart) of each turn."""
    game, chance = GAMES_BY_KEY[key], random.Random(seed)
    options = game.options_model(kind=kind)
    position, found = game.begin(options), []
    for _ in range(turns):
        situation = game.situation(position, options)
        if situation.end or not (situation.moves or situation.drops):
            break
        dart, action = None, move_from_text(chance.choice(situation.moves)) if situation.moves else None
        due = action is not None and action.text in situation.needs_dart
        if due or (situation.drops and (action is None or chance.random() < 0.7)):
            dart = Thrown(chance.choice(ALL_BEDS))
            assert game.throws is not None and dart.bed is not None
            action = game.throws.effect(position, options, dart.bed, SITS, aim=action if due else None).action
        reached = game.play(position, action, options)
        assert not isinstance(reached, Problem), reached
        found.append((position, action, dart))
        position = reached.position
        if reached.end is not None:
            break
    return found


def _parts(key: str, kind: Kind, turns: list[tuple[Any, Any, Thrown | None]], scatter: float) -> list[Parts]:
    game = GAMES_BY_KEY[key]
    splitter = Splitter(Judge(game, game.options_model(kind=kind)), SITS)
    return [splitter.split(position, action, scatter, dart) for position, action, dart in turns]


@pytest.mark.parametrize(("key", "kind"), KINDS, ids=str)
def test_head_hand_and_luck_add_up_to_the_change_of_value(key: str, kind: Kind) -> None:
    """In every game the three parts of a turn add up to its change within 1e-9, head costs, and moves have no luck."""
    turns = _played(key, kind, 5, 10)
    found = _parts(key, kind, turns, 24.0)
    assert found
    for parts, (_, _, dart) in zip(found, turns, strict=True):
        assert abs(parts.head + parts.hand + parts.luck - (parts.reached - parts.before)) < 1e-9
        assert parts.head <= 1e-9 and 0 <= parts.before <= 1 and 0 <= parts.reached <= 1
        assert parts.luck_low - 1e-9 <= parts.luck <= parts.luck_high + 1e-9
        assert dart is not None or parts.luck == 0


def test_the_same_game_has_the_same_review() -> None:
    """A second judge, with nothing remembered, gives every figure again."""
    turns = _played("scharten", Kind.LOUD, 9, 12)
    assert _parts("scharten", Kind.LOUD, turns, 30.0) == _parts("scharten", Kind.LOUD, turns, 30.0)


def test_exchanging_the_colours_exchanges_the_figures() -> None:
    """A loud game turned by half a circle, colours and darts too, has the same head, hand and luck turn by turn."""
    game = GAMES_BY_KEY["scharten"]
    options = game.options_model(kind=Kind.LOUD)
    splitter = Splitter(Judge(game, options), SITS)
    for position, _, dart in _played("scharten", Kind.LOUD, 3, 14):
        if dart is None or dart.bed is None:
            continue
        other = exchanged(position)
        assert not isinstance(game.read(position_text(other), options), Problem)
        across = _across(dart)
        actions = [
            game.throws.effect(where, options, what.bed, SITS).action  # type: ignore[union-attr, arg-type]
            for where, what in ((position, dart), (other, across))
        ]
        near, far = (
            splitter.split(position, actions[0], 25.0, dart),
            splitter.split(other, actions[1], 25.0, across),
        )
        for name in ("before", "reached", "head", "hand", "luck"):
            assert getattr(near, name) == pytest.approx(getattr(far, name), abs=1e-9), name


def _across(dart: Thrown) -> Thrown:
    """The same dart on the other side of the bull."""
    text = str(dart.bed)
    digits = text.lstrip("DFTLS")
    if not digits.isdigit():
        return dart
    number = NUMBERS[(NUMBERS.index(int(digits)) + 10) % 20]
    return Thrown(parse_bed(text[0] + str(number)))


def test_mean_luck_is_nothing_when_aim_and_scatter_are_known() -> None:
    """Thrown forty times at one aim, a dart's mean luck is 0 within its error; so are the odds of its beds."""
    game = GAMES_BY_KEY["scharten"]
    options, chance = game.options_model(kind=Kind.LOUD), random.Random(4)
    position = game.begin(options)
    splitter = Splitter(Judge(game, options), SITS)
    at, lucks = (90.0, 20.0), []
    for _ in range(40):
        bed = bed_at(at[0] + chance.gauss(0, 28), at[1] + chance.gauss(0, 28))
        action = game.throws.effect(position, options, bed, SITS).action  # type: ignore[union-attr]
        lucks.append(splitter.split(position, action, 28.0, Thrown(bed, aim=at)).luck)
    odds = odds_at(at, 28.0)
    assert abs(float(odds.sum()) - 1) < 1e-9
    parts = splitter.split(position, action, 28.0, Thrown(bed, aim=at))
    assert abs(sum(luck * share for luck, share in parts.outcomes)) < 1e-9
    assert splitter.luck(position, action, 28.0, Thrown(bed, aim=at)) == parts.luck
    spread = (sum(luck * luck * share for luck, share in parts.outcomes) / len(lucks)) ** 0.5
    assert abs(sum(lucks) / len(lucks)) < 4 * spread


def test_a_better_hand_is_worth_points() -> None:
    """At the first dart 12 mm are worth more than 30, 30 nothing, 60 less."""
    game = GAMES_BY_KEY["scharten"]
    options = game.options_model(kind=Kind.LOUD)
    position, splitter = game.begin(options), Splitter(Judge(game, options), SITS)
    bed = parse_bed("F19")
    assert bed is not None
    action = game.throws.effect(position, options, bed, SITS).action  # type: ignore[union-attr]
    good, even, poor = (splitter.split(position, action, mm, Thrown(bed)).hand for mm in (12.0, 30.0, 60.0))
    assert good > 0 > poor and abs(even) < 1e-9


def test_odds_agree_with_the_search_of_aims() -> None:
    """The odds in rings are those of the grid of millimetres, within half a hundredth for every bed."""
    model, own = throw_model(Scatter(20, 20)), aims(20.0)
    for index in range(0, len(model.aims), 600):
        at = (float(model.aims[index, 0]), float(model.aims[index, 1]))
        assert abs(odds_at(at, 20.0) - model.odds[index]).max() < 0.005
    assert abs(own.odds.sum(axis=1) - 1).max() < 1e-9


def test_white_and_black_are_exchanged_in_chess() -> None:
    """A position of chess and its mirror have chances that add up to one."""
    game = GAMES_BY_KEY["chess"]
    options = game.options_model(kind=Kind.SILENT)
    fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4"
    position = game.read(fen, options)
    assert not isinstance(position, Problem)
    mirrored = type(position)(position.board.mirror(), position.fouls)
    judge = Judge(game, options)
    assert judge.points(position) == pytest.approx(1 - judge.points(mirrored), abs=1e-12)
    assert judge.points(position) > 0.5
    assert Side.WHITE is game.situation(position, options).side


def test_a_mate_by_a_dart_is_not_certain() -> None:
    """Qxf7 mates: in silent chess the game is won, in loud chess the dart may miss."""
    game = GAMES_BY_KEY["chess"]
    fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    found = {}
    for kind, text in ((Kind.SILENT, fen), (Kind.LOUD, f"{fen} 0/0")):
        options = game.options_model(kind=kind)
        position = game.read(text, options)
        assert not isinstance(position, Problem), position
        found[kind] = Judge(game, options).points(position)
    assert found[Kind.SILENT] > 0.99 and 0.5 < found[Kind.LOUD] < 0.99
