"""Laws of the referee that hold for any inputs in any order."""

from __future__ import annotations

import json

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from match.driver import Table
from match.random_inputs import Intent, as_input, intents
from scharten.contract.schema import schema
from scharten.contract.score_sheet import sheet
from scharten.contract.snapshot import snapshot
from scharten.game.basics import Pass
from scharten.games import GAMES_BY_KEY
from scharten.match.codec import decode_input, encode_event, encode_input
from scharten.match.events import Answered, Happened, HitReport
from scharten.match.inputs import Command, Tick
from scharten.match.phases import PhaseName
from scharten.match.referee import begin, deadline, digest, step
from scharten.match.seats.tossing import is_last
from scharten.match.settings import Start
from scharten.match.state import Match

EVENING = st.lists(intents(), min_size=5, max_size=40)
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SOME = settings(MANY, max_examples=12)
STATE = jsonschema.Draft202012Validator(schema("state"))
SHEET = jsonschema.Draft202012Validator(schema("sheet"))
HITS = jsonschema.Draft202012Validator(schema("hits"))
EVENTS = jsonschema.Draft202012Validator(schema("events"))
ANSWER = jsonschema.Draft202012Validator(schema("answer"))


def started() -> Table:
    return Table(arming="auto", settle_ms=0)


def played(evening: list[Intent]):  # type: ignore[no-untyped-def]
    """Yield each input with the match before and after it, and the events."""
    table = started()
    match, t = table.match, table.t
    for n, intent in enumerate(evening):
        t += intent.elapsed_ms
        made = as_input(intent, match, t, n)
        new, events = step(match, made)
        yield made, match, new, events
        match = new


@MANY
@given(EVENING)
def test_the_referee_never_raises_and_keeps_to_the_contract(evening: list[Intent]) -> None:
    """For any input the snapshot and events fit the JSON Schema, and the next deadline is at most 30 s away."""
    for made, _, new, events in played(evening):
        state = json.loads(json.dumps(snapshot(new, made.t_ms)))
        STATE.validate(state)
        SHEET.validate(json.loads(json.dumps(sheet(new))))
        assert len(json.dumps(state).encode()) <= 32 * 1024
        assert state["position"] == new.situation.text
        for event in events:
            body = json.loads(json.dumps(encode_event(event)))
            schemas = {HitReport: HITS, Happened: EVENTS, Answered: ANSWER}
            schemas[type(event)].validate(body)
        due = deadline(new)
        assert due is None or due <= max(made.t_ms, new.now_ms) + 30_000


@SOME
@given(EVENING)
def test_every_command_is_answered_once(evening: list[Intent]) -> None:
    """Each command gets exactly one answer, to its role and with its id; other inputs get no answer."""
    for made, _, _, events in played(evening):
        answers = [event for event in events if isinstance(event, Answered)]
        assert len(answers) == isinstance(made, Command)
        for answer in answers:
            assert answer.role == made.role
            assert answer.body["id"] == made.order.id
            assert answer.body["accepted"] == (answer.body["code"] is None)


@SOME
@given(EVENING)
def test_a_refused_command_changes_nothing(evening: list[Intent]) -> None:
    """Exceptions: the effects of time alone, and a stated move that a wrong claim plays."""
    for made, before, new, events in played(evening):
        for answer in (event for event in events if isinstance(event, Answered)):
            if answer.body["accepted"] or "played" in answer.body["args"]:
                continue
            passed, _ = step(before, Tick(made.t_ms))
            # A repeated command changes nothing, and lets no time pass either.
            assert digest(new) in (digest(passed), digest(before))


@MANY
@given(EVENING)
def test_a_replay_of_stored_inputs_gives_the_same_digests(evening: list[Intent]) -> None:
    """As in the journal: only inputs that changed something, in JSON form, each game from its own start."""
    replayed: Match | None = None
    for made, before, new, _ in played(evening):
        replayed = before if replayed is None else replayed
        if digest(new) == digest(before):
            continue
        if new.id != before.id:
            replayed = begin(Start.model_validate_json(new.start.model_dump_json()), GAMES_BY_KEY)
        else:
            replayed, _ = step(replayed, decode_input(json.loads(json.dumps(encode_input(made)))))
        assert digest(replayed) == digest(new)


@SOME
@given(EVENING)
def test_seq_grows_when_what_it_guards_changes(evening: list[Intent]) -> None:
    """A change of position, turn, phase or question always raises `seq`; `seq` never decreases in a game."""
    for _, before, new, _ in played(evening):
        if before.id != new.id:
            continue
        assert new.seq >= before.seq
        guarded = [(m.position, m.phase.name, m.question, m.side) for m in (before, new)]
        if guarded[0] != guarded[1]:
            assert new.seq > before.seq


@MANY
@given(EVENING, st.integers(1, 5))
def test_taking_back_is_the_inverse_of_playing(evening: list[Intent], turns: int) -> None:
    """After n turns are taken back the position, sheet and result are as before those turns."""
    table = started()
    for _, _, new, _ in played(evening):
        table.match = new
        table.t = max(table.t, new.now_ms)
    table.wait(40_000)
    match = table.match
    if match.phase.name is PhaseName.SETUP or is_last(match):
        return  # nothing to take back, or `take_back` would refer to the darts for White
    if len(match.turns) < turns:
        assert table.refused("take_back", "arbiter", turns=turns) == "not_allowed"
        return
    table.ok("take_back", "arbiter", turns=turns)
    while turns < len(match.turns) and isinstance(match.turns[-turns].action, Pass):
        turns += 1  # a forced pass goes with the move before it
    assert table.match.board == match.turns[-turns].before
    assert table.match.turns == match.turns[:-turns]
    assert table.ended == (None, None)
    assert table.match.question is None


@SOME
@given(EVENING)
def test_a_finished_game_has_a_result_and_a_running_one_has_none(evening: list[Intent]) -> None:
    """Clocks run exactly while a game with a clock is in play."""
    for _, _, new, _ in played(evening):
        over = new.phase.name is PhaseName.FINISHED
        assert (new.result is not None) == over == (new.reason is not None)
        if new.clock is not None:
            running = new.phase.name in (PhaseName.TURN, PhaseName.THROWING, PhaseName.SETTLING)
            assert new.clock.running is (new.side if running else None)
