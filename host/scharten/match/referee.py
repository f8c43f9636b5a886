"""The referee: `step(match, input)` gives the new match and the events. Pure; it never raises.

First time passes (`settling` ends, requests lapse). Darts, knocks and buttons are then looked up in `phase_table`.
Commands are checked in this order: seen before, the right game, the role's rights, the phase, `seq`, whose turn,
whether the other seat must confirm; only then are they carried out.

A journal stores `match.start` of each game, and the inputs that changed something (a different `digest`) or came on a
numbered line. `begin(start)` and these inputs, in order, give the same digests again. The input that began a game has
done its work in `start` and is not played a second time; only its answer is stored (`begun_by`).
"""

from __future__ import annotations

from dataclasses import replace

from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match import orders_table, places, requests
from scharten.match.answers import answer
from scharten.match.clock import LATE_MS
from scharten.match.codes import Message, QuestionCode, RefusalCode, WhyNotCounted
from scharten.match.dart import Dart
from scharten.match.digest import digest
from scharten.match.events import Answered, Args, Event, Happened, HitReport
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    ContactStuck,
    Input,
    Knock,
    LinkChanged,
    NoDart,
    Reading,
    ReadingsLost,
    Restarted,
    SensorChanged,
    SensorNews,
    Tick,
)
from scharten.match.new_game import new_match
from scharten.match.phase_table import InputKind, Ruling, ruling
from scharten.match.phases import Paused, PhaseName, Settling, innermost
from scharten.match.rights import actor, may_ever, needs_confirm
from scharten.match.settings import Start
from scharten.match.state import Match, Step, begin, changed
from scharten.match.talk import paused
from scharten.match.turns.dart_rules import lose_or_show
from scharten.match.turns.darts import on_dart, on_knock, on_no_dart, report
from scharten.match.turns.play import why_no_throw
from scharten.match.turns.revision import on_no_dart_revision, on_revision
from scharten.match.turns.undo import ask_lost_dart, ask_take_back

__all__ = ["Start", "begin", "begun_by", "deadline", "digest", "lamp", "new_match", "not_judged", "step"]

KeptAnswer = tuple[str, str, Args]
ANSWERS_KEPT = 64
"""How many answers each role has stored for commands that arrive twice."""
_BUTTONS = {
    ButtonName.MISS: InputKind.MISS,
    ButtonName.READY: InputKind.READY,
    ButtonName.UNDO: InputKind.UNDO,
}


def step(match: Match, event: Input) -> tuple[Match, tuple[Event, ...]]:
    """Judge one input."""
    if isinstance(event, Command) and (known := _known_answer(match, event)) is not None:
        # Nothing else may happen, not even time passing: a replay may not have seen the first command.
        return match, (Answered(event.role.value, known),)
    now = _now(match, event.t_ms)
    elapsed = elapse(_limit_waits(match, now), now)
    judged = _judge(elapsed.match, event, now)
    new = _with_seq(match, judged.match, now)
    matters = new.seq != match.seq or changed(new, message=match.message) != match
    if matters and new.now_ms != now:
        # An input that changes only the message does not store its time, so that a journal can leave it out.
        new = changed(new, now_ms=now)
    events = tuple(_stamp(happened, new, now) for happened in (*elapsed.events, *judged.events))
    return _remember(new, events, matters), events


def not_judged(match: Match, event: Input) -> tuple[Match, tuple[Event, ...]]:
    """Give the match and the events of an input on which `step` raised: the digest stays, a dart did not count."""
    step = Step(match)
    if isinstance(event, Reading) and isinstance(event.what, Dart) and event.what.beds:
        shown = step.show(Message.INTERNAL_ERROR, bed=str(event.what.beds[0][0]))
        step = report(shown, match, event, event.what, WhyNotCounted.INTERNAL_ERROR)
    else:
        step = step.note(Message.INTERNAL_ERROR, bed=None)
    return step.match, tuple(_stamp(happened, step.match, event.t_ms) for happened in step.events)


def begun_by(match: Match, event: Input) -> Match:
    """A match that has only its `start`, with the stored answer to the command that began it."""
    if not isinstance(event, Command):
        return match
    begun = Answered(event.role.value, answer(event.order.id))
    return _remember(match, (_stamp(begun, match, event.t_ms),), matters=True)


# --- time ---


def _now(match: Match, t_ms: int) -> int:
    """The time of an input: never earlier than the last one, unless the host's clock was set back."""
    return t_ms if match.now_ms - t_ms > LATE_MS else max(t_ms, match.now_ms)


def _limit_waits(match: Match, now: int) -> Match:
    """After the host's clock was set back, nothing may wait longer than it was meant to."""
    phase = match.arming.limit_wait(match.phase, now)
    waiting = requests.limit_waits(match.requests, now)
    if match.since_ms <= now and phase is match.phase and waiting == match.requests:
        return match
    return Step(match).enter(phase, min(match.since_ms, now), requests=waiting).match


def elapse(match: Match, now: int) -> Step:
    """Let time pass: end `settling` in `auto`, and drop requests that nobody confirmed."""
    step, until = Step(match), _settling_until(match)
    if until is not None and now >= until:
        step = orders_table.settled(step, until)
    return requests.lapse(step, now)


def deadline(match: Match) -> int | None:
    """The host's ms at which a `Tick` is due, or None."""
    until = _settling_until(match)
    due = [request.until_ms for request in match.requests] + ([] if until is None else [until])
    return min(due, default=None)


def _settling_until(match: Match) -> int | None:
    inner = innermost(match.phase)
    return inner.until if isinstance(inner, Settling) else None


def lamp(match: Match) -> int:
    """The board's lamp (protocol): 0 off, 1 throw now, 2 counted, 3 lost, or the question whether one was."""
    name, question = match.phase.name, match.question
    if question is not None and question.code is QuestionCode.LOST_DART:
        return 3
    if name in (PhaseName.THROWING, PhaseName.DECIDING, PhaseName.DRAWING):
        return 1
    if name is PhaseName.TURN and match.arming.auto and why_no_throw(match) is None:
        return 1
    last = match.turns[-1] if match.turns else None
    if last is None or not last.thrown or name not in (PhaseName.SETTLING, PhaseName.FINISHED):
        return 0
    return 3 if last.foul else 2


# --- inputs by kind ---


def _judge(match: Match, event: Input, now: int) -> Step:
    match event:
        case Command():
            return _command(match, event, now)
        case Reading():
            return _reading(match, event, now)
        case SensorNews():
            return _sensor_news(match, event)
        case Tick():
            return Step(match)
        case Restarted():
            return _restarted(match)
        case LinkChanged():
            return places.on_link(match, event, now)


def _reading(match: Match, reading: Reading, now: int) -> Step:
    """Judge a reading of the board that is to be thrown at; show one of the other board."""
    if places.wrong_place(match, reading):
        return places.show_elsewhere(match, reading)
    match = places.prepared(match, reading)
    if reading.at_ms >= match.since_ms:
        reading = places.timed(reading)
    return places.ask_both(_read(match, reading, now), reading)


def _read(match: Match, reading: Reading, now: int) -> Step:
    match reading.what:
        case Dart() as dart if reading.revises:
            return on_revision(match, reading, dart, now)
        case Dart() as dart:
            return on_dart(match, reading, dart)
        case NoDart() as no_dart if reading.revises:
            return on_no_dart_revision(match, reading, no_dart, now)
        case NoDart(bed=bed):
            return on_no_dart(match, reading, bed)
        case Knock(peak):
            return on_knock(match, reading, peak)
        case Button(name):
            return _button(match, reading.happened_ms, name)
        case Cleared():
            ends = ruling(match.phase, InputKind.CLEARED) is Ruling.TURN and reading.at_ms >= match.since_ms
            return orders_table.settled(Step(match), min(reading.at_ms, now)) if ends else Step(match)


def _sensor_news(match: Match, report: SensorNews) -> Step:
    step = Step(match)
    match report.news:
        case ContactStuck(contact, bed, stuck):
            code = Message.CONTACT_STUCK if stuck else Message.CONTACT_FREE
            name = None if bed is None else str(bed)
            return step.note(code, source=report.sensor, bed=name, drive=contact.drive, sense=contact.sense)
        case ReadingsLost(count):
            return step.show(Message.HITS_LOST, source=report.sensor, count=count)
        case SensorChanged(state, detail):
            return step.note(Message.SOURCE, source=report.sensor, state=state.value, detail=detail)


def _restarted(match: Match) -> Step:
    """The host restarted: pause a running game, with its clocks stopped at the last stored time."""
    if not match.under_way or isinstance(match.phase, Paused):
        return Step(match).note(Message.RESTARTED)
    return paused(match, match.now_ms).show(Message.RESTARTED)


def _button(match: Match, happened_ms: int, name: ButtonName) -> Step:
    kind = _BUTTONS.get(name)
    stale = happened_ms < match.since_ms and kind is not InputKind.UNDO
    match ruling(match.phase, kind) if kind is not None and not stale else Ruling.IGNORED:
        case Ruling.IGNORED:
            return Step(match).note(Message.BUTTON, button=name.value, counted=False)
        case Ruling.WAITS:
            return Step(match).show(Message.QUESTION_OPEN)
        case Ruling.LOST:
            return lose_or_show(match, Foul.DECLARED, happened_ms)
        case Ruling.ASK_LOST:
            return ask_lost_dart(match)
        case Ruling.ASK_UNDO:
            return ask_take_back(match)
        case Ruling.TURN:
            return orders_table.settled(Step(match), happened_ms)
        case _:
            announced = orders_table.announce(match, happened_ms)
            return announced if isinstance(announced, Step) else Step(match).show(str(announced.args["why"]))


# --- commands and their answers ---


def _command(match: Match, command: Command, now: int) -> Step:
    order, role = command.order, command.role.value
    done = _carry_out(match, command, now)
    if isinstance(done, Problem):
        return Step(match, (Answered(role, answer(order.id, done)),))
    fields = dict(done.answer)
    refusal = fields.pop("refusal", None)
    body = answer(order.id, refusal if isinstance(refusal, Problem) else None, **fields)
    return replace(done, events=(*done.events, Answered(role, body)))


def _carry_out(match: Match, command: Command, now: int) -> Step | Problem:
    order, role = command.order, places.acting_role(match, command.role, command.order)
    if (order.match or "") != match.id and (order.match or order.names_match):
        message = f"the game here is {match.id or 'not begun'}"
        return Problem(RefusalCode.NO_SUCH_MATCH, message, {"match": match.id})
    refused = may_ever(role, order) or orders_table.out_of_phase(match, order)
    if refused is not None:
        return refused
    if order.checks_seq and order.seq != match.seq:
        message = f"the state is {match.seq} by now, not {order.seq}"
        return Problem(RefusalCode.STALE, message, {"seq": match.seq})
    acting = actor(match, role, order, now, command.seed)
    if isinstance(acting, Problem):
        return acting
    done = orders_table.carry_out(match, order, acting)
    if needs_confirm(role, order) and isinstance(done, Step):
        # The other seat is asked only about what would not be refused anyway.
        return requests.ask(match, order, acting)
    return done


def _known_answer(match: Match, command: Command) -> Args | None:
    """The answer that this command got when it arrived for the first time."""
    key = (command.role.value, command.order.id)
    return next((body for by, name, body in (*match.answers, *match.passing) if (by, name) == key), None)


def _with_seq(old: Match, new: Match, now: int) -> Match:
    """`seq` grows when position, turn, phase, options or the open question change; a new game begins at 1."""
    if old.id != new.id:
        return changed(new, answers=old.answers, passing=old.passing)
    unchanged = (
        old.phase.name is new.phase.name
        and old.question == new.question
        and old.toss == new.toss
        and len(old.turns) == len(new.turns)
        and old.position == new.position
        and old.since_ms == new.since_ms
    )
    return new if unchanged else requests.drop_outdated(changed(new, seq=old.seq + 1, now_ms=now))


def _stamp(event: Event, match: Match, now: int) -> Event:
    match event:
        case Happened():
            return replace(event, t_ms=now, match=match.id, seq=match.seq)
        case HitReport():
            return replace(event, match=match.id, seq=match.seq)
        case Answered():
            return replace(event, body={**event.body, "match": match.id, "seq": match.seq})


def _remember(match: Match, events: tuple[Event, ...], matters: bool) -> Match:
    """Store the last answers of each role, bounded, so that a repeated command does nothing twice.

    Answers to commands that changed nothing are stored apart (`passing`): a journal may leave those commands out, and
    they must not push out the answers that a replay gives.
    """
    name = "answers" if matters else "passing"
    for event in events:
        if isinstance(event, Answered):
            entry = (event.role, str(event.body["id"]), event.body)
            match = changed(match, **{name: _append(getattr(match, name), entry)})
    return match


def _append(answers: tuple[KeptAnswer, ...], entry: KeptAnswer) -> tuple[KeptAnswer, ...]:
    roles = [role for role, _, _ in answers]
    if roles.count(entry[0]) < ANSWERS_KEPT:
        return (*answers, entry)
    oldest = roles.index(entry[0])
    return (*answers[:oldest], *answers[oldest + 1 :], entry)
