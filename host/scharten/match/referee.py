"""The referee: `step(match, input)` gives the match after it and what happened. Pure; it never raises.

How an input goes: the time that passed is let pass (`settling` ends, requests lapse), then darts, knocks and buttons
are looked up in the table of `phases`, and commands are checked in this order: seen before, the right game, the
role's rights, the phase, `seq`, whose turn, whether the other seat must confirm; only then are they carried out.

A journal keeps `match.start` of each game and the inputs that changed something (a different `digest`) or came on a
numbered line. `begin(start)` and these inputs, in order, give the same digests again; the input that began a game
has done its work in `start` and is not played a second time, only its answer is kept (`begun_by`).
"""

from __future__ import annotations

from dataclasses import replace

from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match import orders_table, requests
from scharten.match.clock import LATE_MS
from scharten.match.codes import Message, RefusalCode
from scharten.match.darts import on_dart, on_knock, on_no_dart
from scharten.match.digest import digest
from scharten.match.events import Answered, Args, Event, Happened, HitReport
from scharten.match.fouls import lost_without_bed
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    ContactStuck,
    Dart,
    Input,
    Knock,
    Lifted,
    NoDart,
    Reading,
    ReadingsLost,
    Restarted,
    SensorChanged,
    SensorNews,
    Tick,
)
from scharten.match.new_game import new_match
from scharten.match.orders_table import settled
from scharten.match.phases import InputKind, Paused, PhaseName, Ruling, Settling, bare, ruling
from scharten.match.revision import on_no_dart_after_all, on_second_word
from scharten.match.rights import actor, may_ever, needs_confirm
from scharten.match.settings import Start
from scharten.match.state import Match, Step, begin, changed
from scharten.match.talk import paused
from scharten.match.turns import why_no_throw
from scharten.match.undo import ask_lost_dart, ask_take_back

__all__ = ["Start", "begin", "begun_by", "deadline", "digest", "lamp", "new_match", "step"]

KeptAnswer = tuple[str, str, Args]
ANSWERS_KEPT = 64
"""Per role: how many answers are kept for commands that come twice."""


def step(match: Match, given: Input) -> tuple[Match, tuple[Event, ...]]:
    """Judge one input."""
    if isinstance(given, Command) and (known := _answered(match, given)) is not None:
        # Nothing else may come of it, not even time passing: a replay may never have seen the first one.
        return match, (Answered(given.role.value, known),)
    now = _now(match, given.t_ms)
    passed = elapse(_not_ahead(match, now), now)
    done = _judge(passed.match, given, now)
    after = _with_seq(match, done.match, now)
    matters = after.seq != match.seq or changed(after, message=match.message) != match
    if matters and after.now_ms != now:
        # Only what changes more than words leaves its time, so that a journal need not keep the rest.
        after = changed(after, now_ms=now)
    events = tuple(_stamped(event, after, now) for event in (*passed.events, *done.events))
    return _remembered(after, events, matters), events


def _answered(match: Match, given: Command) -> Args | None:
    """The answer that this command got when it came for the first time."""
    key = (given.role.value, given.order.id)
    return next((body for by, name, body in (*match.answers, *match.passing) if (by, name) == key), None)


def _now(match: Match, t_ms: int) -> int:
    """Time does not run backwards for an input that is merely late; the host's clock may have been set back."""
    return t_ms if match.now_ms - t_ms > LATE_MS else max(t_ms, match.now_ms)


def _not_ahead(match: Match, now: int) -> Match:
    """After the host's clock was set back nothing may lie further ahead than it was ever meant to."""
    phase = match.arming.not_ahead(match.phase, now)
    waiting = requests.not_ahead(match.requests, now)
    if match.since_ms <= now and phase is match.phase and waiting == match.requests:
        return match
    since = min(match.since_ms, now)
    return Step(match).enter(phase, since, requests=waiting).match


def _settling_until(match: Match) -> int | None:
    inner = bare(match.phase)
    return inner.until if isinstance(inner, Settling) else None


def elapse(match: Match, now: int) -> Step:
    """What passes with the time alone: `settling` in `auto`, and requests nobody confirmed."""
    passed = Step(match)
    until = _settling_until(match)
    if until is not None and now >= until:
        passed = settled(passed, until)
    return requests.lapse(passed, now)


def deadline(match: Match) -> int | None:
    """The host's ms at which a `Tick` is due, or None."""
    dues = [request.until_ms for request in match.requests]
    until = _settling_until(match)
    if until is not None:
        dues.append(until)
    return min(dues, default=None)


def lamp(match: Match) -> int:
    """The board's lamp (protocol): 0 off, 1 throw now, 2 counted, 3 lost."""
    name = match.phase.name
    if name in (PhaseName.THROWING, PhaseName.DECIDING, PhaseName.DRAWING):
        return 1
    if name is PhaseName.TURN and match.arming.auto and why_no_throw(match) is None:
        return 1
    last = match.turns[-1] if match.turns else None
    if last is None or not last.thrown or name not in (PhaseName.SETTLING, PhaseName.FINISHED):
        return 0
    return 3 if last.foul else 2


def _judge(match: Match, given: Input, now: int) -> Step:
    match given:
        case Command():
            return _command(match, given, now)
        case Reading():
            return _reading(match, given, now)
        case SensorNews():
            return _news(match, given)
        case Tick():
            return Step(match)
        case Restarted():
            return _restarted(match)


def _reading(match: Match, given: Reading, now: int) -> Step:
    match given.what:
        case Dart() if given.revises:
            return on_second_word(match, given, given.what, now)
        case Dart():
            return on_dart(match, given, given.what)
        case NoDart() if given.revises:
            return on_no_dart_after_all(match, given, given.what, now)
        case NoDart(bed=bed):
            return on_no_dart(match, given, bed)
        case Knock(peak):
            return on_knock(match, given, peak)
        case Button(name):
            return _button(match, given, name)
        case Cleared():
            ends = ruling(match.phase, InputKind.CLEARED) is Ruling.TURN and given.at_ms >= match.since_ms
            return settled(Step(match), min(given.at_ms, now)) if ends else Step(match)
        case Lifted():
            return Step(match)  # the others still stand in the board


def _news(match: Match, given: SensorNews) -> Step:
    """What a sensor says about itself."""
    said = Step(match)
    match given.news:
        case ContactStuck(contact, bed, stuck):
            code = Message.CONTACT_STUCK if stuck else Message.CONTACT_FREE
            named = None if bed is None else str(bed)
            return said.note(code, source=given.sensor, bed=named, drive=contact.drive, sense=contact.sense)
        case ReadingsLost(count):
            return said.show(Message.HITS_LOST, source=given.sensor, count=count)
        case SensorChanged(state, detail):
            return said.note(Message.SOURCE, source=given.sensor, state=state.value, detail=detail)


def _restarted(match: Match) -> Step:
    """The host was away: a running game is paused, its clocks stopped at the last time that was stored."""
    if not match.under_way or isinstance(match.phase, Paused):
        return Step(match).note(Message.RESTARTED)
    return paused(match, match.now_ms).show(Message.RESTARTED)


_BUTTONS = {
    ButtonName.MISS: InputKind.MISS,
    ButtonName.READY: InputKind.READY,
    ButtonName.UNDO: InputKind.UNDO,
}


def _button(match: Match, given: Reading, name: ButtonName) -> Step:
    at, kind = given.happened_ms, _BUTTONS.get(name)
    ruled = Ruling.IGNORED if kind is None else ruling(match.phase, kind)
    stale = at < match.since_ms and kind is not InputKind.UNDO
    if ruled is Ruling.IGNORED or stale:
        return Step(match).note(Message.BUTTON, button=name.value, counted=False)
    return _pressed(match, ruled, at)


def _pressed(match: Match, ruled: Ruling, at: int) -> Step:
    """A button that means something in this phase."""
    match ruled:
        case Ruling.WAITS:
            return Step(match).show(Message.QUESTION_OPEN)
        case Ruling.LOST:
            return lost_without_bed(match, Foul.DECLARED, at)
        case Ruling.ASK_LOST:
            return ask_lost_dart(match)
        case Ruling.ASK_UNDO:
            return ask_take_back(match)
        case Ruling.TURN:
            return settled(Step(match), at)
        case _:
            announced = orders_table.announce(match, at)
            return announced if isinstance(announced, Step) else Step(match).show(str(announced.args["why"]))


def _command(match: Match, given: Command, now: int) -> Step:
    order, role = given.order, given.role
    done = _carried_out(match, given, now)
    if isinstance(done, Problem):
        return Step(match, (Answered(role.value, answer(order.id, done)),))
    refused = done.answer.get("refusal")
    said = answer(order.id, refused if isinstance(refused, Problem) else None, done.answer)
    return replace(done, events=(*done.events, Answered(role.value, said)))


def answer(name: str, refusal: Problem | None, more: Args | None = None) -> Args:
    """The answer to a command, without `match` and `seq`, which the step adds."""
    told = more or {}
    return {
        "v": 2,
        "id": name,
        "accepted": refusal is None,
        "pending": bool(told.get("pending", False)),
        "code": refusal.code if refusal else None,
        "args": dict(refusal.args) if refusal else told.get("args", {}),
        "words": refusal.words if refusal else "",
        **({"throw": True} if "throw" in told else {}),
    }


def begun_by(match: Match, given: Input) -> Match:
    """A match from its `start` alone, with the answer kept that the command which began it got."""
    if not isinstance(given, Command):
        return match
    begun = Answered(given.role.value, answer(given.order.id, None))
    return _remembered(match, (_stamped(begun, match, given.t_ms),), matters=True)


def _carried_out(match: Match, given: Command, now: int) -> Step | Problem:
    order, role = given.order, given.role
    if (order.match or "") != match.id and (order.match or order.names_match):
        return Problem(
            RefusalCode.NO_SUCH_MATCH, f"the game here is {match.id or 'not begun'}", {"match": match.id}
        )
    refused = may_ever(role, order) or orders_table.out_of_phase(match, order)
    if refused is not None:
        return refused
    if order.checks_seq and order.seq != match.seq:
        return Problem(
            RefusalCode.STALE, f"the state is {match.seq} by now, not {order.seq}", {"seq": match.seq}
        )
    acting = actor(match, role, order, now, given.seed)
    if isinstance(acting, Problem):
        return acting
    done = orders_table.carry_out(match, order, acting)
    if needs_confirm(role, order) and isinstance(done, Step):
        # What would be refused anyway need not be asked of the other seat.
        return requests.ask(match, order, acting)
    return done


def _with_seq(before: Match, after: Match, now: int) -> Match:
    """`seq` grows when position, turn, phase, options or the open question change; a new game begins at 1."""
    if before.id != after.id:
        return changed(after, answers=before.answers, passing=before.passing)
    same = (
        before.phase.name is after.phase.name
        and before.question == after.question
        and before.toss == after.toss
        and len(before.turns) == len(after.turns)
        and before.position == after.position
        and before.since_ms == after.since_ms
    )
    return after if same else requests.outdated(changed(after, seq=before.seq + 1, now_ms=now))


def _stamped(event: Event, after: Match, now: int) -> Event:
    match event:
        case Happened():
            return replace(event, t_ms=now, match=after.id, seq=after.seq)
        case HitReport():
            return replace(event, match=after.id, seq=after.seq)
        case Answered():
            return replace(event, body={**event.body, "match": after.id, "seq": after.seq})


def _remembered(after: Match, events: tuple[Event, ...], matters: bool) -> Match:
    """Keep the last answers per role, bounded, so that a repeated command does nothing twice.

    Answers to what changed nothing are kept apart (`passing`): a journal need not hold those commands, and they may
    not push out the answers that a replay gives again.
    """
    for event in events:
        if isinstance(event, Answered):
            entry = (event.role, str(event.body["id"]), event.body)
            if matters:
                after = changed(after, answers=_appended(after.answers, entry))
            else:
                after = changed(after, passing=_appended(after.passing, entry))
    return after


def _appended(kept: tuple[KeptAnswer, ...], entry: KeptAnswer) -> tuple[KeptAnswer, ...]:
    roles = [role for role, _, _ in kept]
    if roles.count(entry[0]) < ANSWERS_KEPT:
        return (*kept, entry)
    oldest = roles.index(entry[0])
    return (*kept[:oldest], *kept[oldest + 1 :], entry)
