"""The proof of strength: what was played is kept, a stopped run goes on, and a game can be played again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lab.play import Game, Seat, play
from lab.rivals import by_chance
from lab.strength import Extent, Match, Results, does, matches, played, run
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.play.levels import LEVELS

DIVIDED = 100.0


def test_a_stopped_run_goes_on_and_a_changed_level_begins_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One game of two is played; a torn line is skipped; with another error of the level none of it counts."""
    file = tmp_path / "play.jsonl"
    [match] = listed = matches((Kind.LOUD,), ((2, 1),), others=False)
    assert run(file, listed, Extent(1, DIVIDED, 600, 1)) in (0, 1)
    [row] = Results(file, DIVIDED).of(match)
    assert (row["number"], row["match"]) == (0, "loud 2-1") and row["points"] in (0, 0.5, 1)
    with file.open("a") as torn:
        torn.write('\n{"match": "loud 2-1", "play')
    assert Results(file, DIVIDED).of(match) == [row]
    assert Results(file, DIVIDED + 1).of(match) == []
    capsys.readouterr()
    assert run(file, listed, Extent(2, DIVIDED, 0, 1)) == 1
    assert "1 to play" in capsys.readouterr().out
    monkeypatch.setattr("lab.strength.does", lambda level, kind, divided_by: "otherwise")
    assert Results(file, DIVIDED).of(match) == []


def test_what_a_level_does_tells_it_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another error or another scatter is another player; asked again, the same player is the same."""
    digest = does.__wrapped__
    first = digest("2", Kind.SILENT, DIVIDED)
    assert digest("2", Kind.SILENT, DIVIDED) == first != digest("3", Kind.SILENT, DIVIDED)
    monkeypatch.setitem(LEVELS, 2, LEVELS[2]._replace(error=1))
    assert digest("2", Kind.SILENT, DIVIDED) != first


@pytest.mark.parametrize("kind", list(Kind))
def test_the_same_game_is_played_again(kind: Kind) -> None:
    """A game depends on its number alone: points, turns and positions looked at are the same the second time."""
    match = Match(kind, 4, "2", 0.65)
    rows = [{**played(match, 1, DIVIDED), "cpu_s": 0} for _ in range(2)]
    assert rows[0] == rows[1]


def test_who_is_lost_resigns_and_who_is_not_plays_to_the_end() -> None:
    """A bare king against five queens gives up at its third turn, as at a board; the other side is not asked."""
    options = Options(kind=Kind.SILENT)
    lost = parse_position("4K15/20/20/9qqqqqk5 w - 17/17 0/0 0/0 40", rules_of(options))
    assert isinstance(lost, Position)
    game = play(lost, Seat(1, options, 1, DIVIDED), by_chance(options, 1), options)
    assert game == Game(0.0, 4, "resigned")


def test_each_level_looks_at_twice_as_many_positions() -> None:
    """The ladder: positions double, the error falls by a third, scatter shrinks and depth never does."""
    for below, above in pairwise(LEVELS[number] for number in range(1, 11)):
        assert above.positions in (2 * below.positions, 2 * below.positions + 1)
        assert above.depth >= below.depth and 0.6 < above.error / below.error < 0.7
        assert above.scatter.x_mm < below.scatter.x_mm
