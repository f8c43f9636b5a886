"""Every cell of the table "Phases: what an input means" in docs/contract.md, played at the referee."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from match.driver import Table
from scharten.match.phases import PhaseName
from scharten.match.referee import digest


def at(phase: str, arming: str = "announce") -> Table:
    """Return a loud game in this phase: White has placed a pawn on e2 and Black is to move where the phase
    allows it."""
    if phase == "setup":
        return Table(begin=False, arming=arming)
    if phase == "deciding":
        return Table(arming=arming, white_by="dart")
    table = Table(arming=arming)
    if phase == "settling":
        table.ok("announce_throw")
        table.hit("F3")
        return table
    table.throw("F3")
    match phase:
        case "throwing":
            table.ok("announce_throw")
        case "paused":
            table.ok("pause")
        case "finished":
            table.ok("resign", side="black")
    assert table.match.phase.name == phase
    return table


def dart(table: Table) -> None:
    table.hit("F20", later_ms=100)


def doubt(table: Table) -> None:
    table.hit("S20", later_ms=100)


def knock(table: Table) -> None:
    table.knock()


def pressing(button: str) -> Callable[[Table], None]:
    return lambda table: table.press(button)


def sending(type: str, **fields: object) -> Callable[[Table], None]:
    return lambda table: table.command(type, **fields) and None


def outcome(before: Table, do: Callable[[Table], None]) -> str:
    """Return the outcome of an input in the words of the table."""
    match, turns, darts = before.match, len(before.match.turns), len(before.match.toss.darts)
    state = digest(match)
    do(before)
    new = before.match
    codes = before.event_codes()
    if len(new.toss.darts) > darts:
        return "lost dart" if str(new.toss.darts[-1].bed) == "MISS" else "counts towards White"
    if len(new.turns) > turns:
        return {"LostDart": "lost dart", "Drop": "counts", "Move": "played"}[
            type(new.turns[-1].action).__name__
        ]
    if new.question is not None and match.question is None:
        return f"asks {new.question.code}"
    if new.phase.name != match.phase.name:
        return f"→ {new.phase.name}"
    if new.phase.name == "settling" and new.position != match.position:
        return "yes"
    if len(new.turns) < turns:
        return "yes"
    refusals = [
        event.body["code"] for event in before.events if hasattr(event, "body") and event.body["code"]
    ]
    if refusals:
        assert digest(new) == state
        return f"refused {refusals[0]}"
    assert len(new.turns) == turns
    assert new.position == match.position
    return "shown" if codes and codes[0] not in ("button",) else "–"


PHASES = ("setup", "deciding", "turn", "throwing", "settling", "paused", "finished")
WRONG, PAUSED = "refused wrong_phase", "refused paused"
SHOWN = "shown"

ROWS: dict[str, tuple[Callable[[Table], None], tuple[str, ...]]] = {
    "dart (bed known)": (dart, (SHOWN, "counts towards White", SHOWN, "counts", SHOWN, SHOWN, SHOWN)),
    "dart in doubt": (doubt, (SHOWN, "asks which_bed", SHOWN, "asks which_bed", SHOWN, SHOWN, SHOWN)),
    "knock without contact": (knock, (SHOWN, "lost dart", SHOWN, "lost dart", SHOWN, SHOWN, SHOWN)),
    "miss button": (pressing("miss"), ("–", "lost dart", "asks lost_dart", "lost dart", "–", "–", "–")),
    "ready button": (pressing("ready"), ("–", "–", "→ throwing", "–", "→ turn", "–", "–")),
    "undo button": (
        pressing("undo"),
        ("–", "–", "asks take_back", "asks take_back", "asks take_back", "–", "asks take_back"),
    ),
    "announce_throw": (
        sending("announce_throw"),
        (WRONG, WRONG, "→ throwing", WRONG, "→ throwing", PAUSED, WRONG),
    ),
    "move": (sending("move", move="e8d8"), (WRONG, WRONG, "played", "played", "played", PAUSED, WRONG)),
}


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("row", ROWS)
def test_each_input_in_each_phase_in_announce_mode(row: str, phase: str) -> None:
    """Each cell of the table, with `arming` = `announce`."""
    do, cells = ROWS[row]
    assert outcome(at(phase), do) == cells[PHASES.index(phase)]


@pytest.mark.parametrize(
    ("do", "expected"), [(dart, "counts"), (doubt, "asks which_bed"), (knock, "asks lost_dart")]
)
def test_in_auto_a_dart_counts_without_an_announcement(do: Callable[[Table], None], expected: str) -> None:
    """The cells of `turn` that depend on `arming`."""
    assert outcome(at("turn", "auto"), do) == expected


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    ("type", "fields"),
    [
        ("correct", {"bed": "F2"}),
        ("delete_dart", {}),
        ("add_dart", {"bed": "F20"}),
        ("take_back", {"turns": 1}),
    ],
)
def test_undoing_works_in_every_phase_with_something_to_undo(
    type: str, fields: dict[str, object], phase: str
) -> None:
    """correct, delete_dart, add_dart and take_back are refused in setup and carried out in all other phases."""
    table = at(phase)
    if phase == "deciding":
        table.hit("F20")
    if phase == "setup":
        assert table.refused(type, **fields) == "wrong_phase"
        return
    before = digest(table.match)
    table.ok(type, **fields)
    assert digest(table.match) != before
    assert table.match.phase.name == {"throwing": "turn", "finished": "turn"}.get(phase, phase)


@pytest.mark.parametrize("phase", PHASES)
def test_a_second_game_only_replaces_the_first_when_it_is_abandoned(phase: str) -> None:
    """new_game is accepted in setup and finished; elsewhere it needs `abandon`, else `wrong_phase`."""
    table = at(phase)
    answer = table.command("new_game")
    assert answer["accepted"] == (phase in ("setup", "finished"))
    if not answer["accepted"]:
        assert answer["code"] == "wrong_phase"
        before = table.match.id
        table.ok("new_game", abandon=True, options={"white_by": "agreed"})
        assert table.match.id != before
    assert table.match.phase.name == "turn"
    assert table.match.seq == 1


@pytest.mark.parametrize("phase", PHASES)
def test_decide_white_belongs_to_deciding(phase: str) -> None:
    """decide_white is refused in every phase but `deciding`."""
    table = at(phase)
    answer = table.command("decide_white", by="agreed", white="seat2")
    assert answer["accepted"] == (phase == "deciding")
    if phase == "deciding":
        assert table.match.white == "seat2"
        assert table.match.phase.name == "turn"


def test_cancelling_takes_an_announcement_back() -> None:
    """cancel_throw leads from throwing to turn, and is `wrong_phase` in any other phase."""
    table = at("throwing")
    table.ok("cancel_throw")
    assert table.match.phase.name is PhaseName.TURN
    for phase in ("setup", "deciding", "turn", "settling", "finished"):
        assert at(phase).refused("cancel_throw") == "wrong_phase"


def test_the_screen_s_buttons_act_like_the_board_s() -> None:
    """`miss` and `ready` from a screen act like the buttons, and are refused where they have no effect."""
    assert outcome(at("throwing"), sending("miss")) == "lost dart"
    assert outcome(at("turn"), sending("miss")) == "asks lost_dart"
    assert outcome(at("turn"), sending("ready")) == "→ throwing"
    assert outcome(at("settling"), sending("ready")) == "→ turn"
    assert at("settling").refused("miss") == "wrong_phase"
    assert at("throwing").refused("ready") == "wrong_phase"


def test_in_settling_the_opponent_is_to_move() -> None:
    """A counted dart ends the turn at once, while the thrower removes it."""
    table = at("settling")
    assert table.match.side.word == "black"
    assert len(table.match.turns) == 1
