"""Judge a recorded history of a match by what docs/contract.md promises; it imports nothing of the program.

A history is a list of events in the order in which they happened, seen from outside:

    {"kind": "command", "client": c, "id": i, "type": "move", "match": m, "seq": s}     a client sent it
    {"kind": "answer", "client": c, "id": i, "accepted": true, "code": null}            a client received it
    {"kind": "dart"}                                                                    a dart was thrown
    {"kind": "state", "client": c, "match": m, "seq": s, "turns": n, "phase": p, ...}   a client received it
    {"kind": "kill"}                                                                    the host was killed
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

Event = dict[str, Any]
SAME = ("position", "side", "turns", "phase", "result")
"""The keys on which two states of a match with one `seq` must agree."""
TURN = ("move",)
"""Commands that make a turn; they name the `seq` that they were meant for."""
RUNNING = ("turn", "throwing", "settling")


def never_back(history: Sequence[Event]) -> Iterator[str]:
    """`seq` grows: no client sees an older state of a match after a newer one, even after a kill."""
    newest: dict[tuple[str, str], int] = {}
    for event in _of(history, "state"):
        key = event["client"], event["match"]
        if event["seq"] < newest.get(key, 0):
            yield f"{key[0]} saw seq {event['seq']} of {key[1]} after {newest[key]}"
        newest[key] = max(newest.get(key, 0), event["seq"])


def nothing_published_is_lost(history: Sequence[Event]) -> Iterator[str]:
    """Each state seen before a kill is present after it: a host publishes only stored states."""
    seen: dict[str, int] = {}
    floor: dict[str, int] = {}
    for event in history:
        if event["kind"] == "kill":
            floor = dict(seen)
        elif event["kind"] == "state":
            match, seq = event["match"], event["seq"]
            if seq < floor.get(match, 0):
                yield f"seq {floor[match]} of {match} was published, and after the kill it is {seq}"
            seen[match] = max(seen.get(match, 0), seq)


def one_state_for_each_seq(history: Sequence[Event]) -> Iterator[str]:
    """All clients see the same match: a `seq` has one position, side, phase, result and number of turns."""
    known: dict[tuple[str, int], Event] = {}
    for event in _of(history, "state"):
        first = known.setdefault((event["match"], event["seq"]), event)
        for key in SAME:
            if first.get(key) != event.get(key):
                yield f"seq {event['seq']}: {key} is {first.get(key)!r} and {event.get(key)!r}"


def turns_are_accounted_for(history: Sequence[Event]) -> Iterator[str]:
    """Each accepted move makes its turn, and each turn comes from a move or dart before it."""
    answers = _answers(history)
    for match in dict.fromkeys(event["match"] for event in _of(history, "state") if event["match"]):
        moves: dict[int, bool] = {}
        """By a command's `seq`: whether it was accepted, not merely unanswered."""
        seen: dict[int, tuple[int, int]] = {}
        """By a state's `seq`: its turns, and the darts thrown before a client first saw it."""
        darts = 0
        for event in history:
            if event.get("match") != match:
                continue
            if event["kind"] == "dart":
                darts += 1
            elif event["kind"] == "state":
                seen.setdefault(event["seq"], (event["turns"], darts))
            elif event["kind"] == "command" and event["type"] in TURN:
                accepted = any(answer["accepted"] for answer in answers.get(event["id"], ()))
                if accepted or event["id"] not in answers:
                    moves[event["seq"]] = moves.get(event["seq"], False) or accepted
        yield from _unexplained(match, moves, seen)


def _unexplained(match: str, moves: dict[int, bool], seen: dict[int, tuple[int, int]]) -> Iterator[str]:
    used = 0
    for earlier, later in pairwise(sorted(seen)):
        grown = seen[later][0] - seen[earlier][0]
        meant = [accepted for seq, accepted in moves.items() if earlier <= seq < later]
        if grown < sum(meant):
            yield f"{match}: {sum(meant)} accepted moves, and {grown} turns from seq {earlier} to {later}"
        used += max(0, grown - len(meant))
        if used > seen[later][1]:
            yield f"{match} has a turn at seq {later} of no move and no dart"
    for seq, accepted in moves.items():
        if accepted and seq >= max(seen):
            yield f"{match}: a move for seq {seq} was accepted, and no later state was seen"


def accepted_is_stored(history: Sequence[Event]) -> Iterator[str]:
    """A move is stored before it is answered: after a later kill no state is as old as an accepted move."""
    meant = {event["id"]: event for event in _of(history, "command") if event["type"] in TURN}
    accepted: dict[str, int] = {}
    floor: dict[str, int] = {}
    for event in history:
        if event["kind"] == "answer" and event["accepted"] and event["id"] in meant:
            move = meant[event["id"]]
            accepted[move["match"]] = max(accepted.get(move["match"], 0), move["seq"] + 1)
        elif event["kind"] == "kill":
            floor = dict(accepted)
        elif event["kind"] == "state" and event["seq"] < floor.get(event["match"], 0):
            yield f"a move for seq {floor[event['match']] - 1} was accepted; after the kill came {event['seq']}"


def one_turn_at_a_time(history: Sequence[Event]) -> Iterator[str]:
    """A later state of a match adds at most as many turns as `seq`s, and never removes turns."""
    last: dict[tuple[str, str], Event] = {}
    for event in _of(history, "state"):
        before = last.get((event["client"], event["match"]))
        if before is not None and event["seq"] >= before["seq"]:
            grown = event["turns"] - before["turns"]
            if not 0 <= grown <= event["seq"] - before["seq"]:
                yield f"from seq {before['seq']} to {event['seq']} the turns grew by {grown}"
        last[event["client"], event["match"]] = event


def one_command_for_each_seq(history: Sequence[Event]) -> Iterator[str]:
    """`seq` must be the present one, else `stale`: of two commands for one `seq`, at most one is accepted."""
    answers = _answers(history)
    taken: dict[tuple[str, int], str] = {}
    for event in _of(history, "command"):
        if event["type"] not in TURN or not any(
            answer["accepted"] for answer in answers.get(event["id"], ())
        ):
            continue
        key = event["match"], event["seq"]
        if taken.setdefault(key, event["id"]) != event["id"]:
            yield f"two commands for seq {key[1]} of {key[0]} were accepted"


def late_commands_are_stale(history: Sequence[Event]) -> Iterator[str]:
    """A command for a `seq` that its sender has seen superseded is not accepted, unless it repeats an `id`."""
    answers = _answers(history)
    newest: dict[tuple[str, str], int] = {}
    sent: set[str] = set()
    for event in history:
        if event["kind"] == "state":
            key = event["client"], event["match"]
            newest[key] = max(newest.get(key, 0), event["seq"])
        elif event["kind"] == "command" and event["type"] in TURN and event["id"] not in sent:
            sent.add(event["id"])
            late = event["seq"] < newest.get((event["client"], event["match"]), 0)
            if late and any(answer["accepted"] for answer in answers.get(event["id"], ())):
                yield f"a command for seq {event['seq']} was accepted although its sender had seen a later one"


def a_repeated_id_has_its_first_answer(history: Sequence[Event]) -> Iterator[str]:
    """A repeated command gets its first answer again; after a kill it may be `stale` instead."""
    for name, answers in _answers(history).items():
        first = (answers[0]["accepted"], answers[0].get("code"))
        for answer in answers[1:]:
            if (answer["accepted"], answer.get("code")) not in (first, (False, "stale")):
                yield f"command {name} was answered {first}, then {answer['accepted'], answer.get('code')}"


def a_restart_pauses(history: Sequence[Event]) -> Iterator[str]:
    """After a restart a running game is paused until a person resumes it."""
    restarted: dict[str, bool] = {}
    for event in history:
        if event["kind"] == "kill":
            restarted = dict.fromkeys(restarted, True)
        elif event["kind"] == "state":
            if restarted.get(event["client"]) and event["phase"] in RUNNING:
                yield f"after a kill {event['client']} saw the phase {event['phase']} first"
            restarted[event["client"]] = False


RULES: tuple[Callable[[Sequence[Event]], Iterator[str]], ...] = (
    never_back,
    nothing_published_is_lost,
    one_state_for_each_seq,
    turns_are_accounted_for,
    accepted_is_stored,
    one_turn_at_a_time,
    one_command_for_each_seq,
    late_commands_are_stale,
    a_repeated_id_has_its_first_answer,
    a_restart_pauses,
)


def judged(history: Sequence[Event]) -> list[str]:
    """Return every breach of the contract in a history, with the name of its rule."""
    return [f"{rule.__name__}: {words}" for rule in RULES for words in rule(history)]


def _of(history: Sequence[Event], kind: str) -> Iterator[Event]:
    return (event for event in history if event["kind"] == kind)


def _answers(history: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    seen: set[tuple[Any, ...]] = set()
    for event in _of(history, "answer"):
        # Two clients of one role receive the same answer.
        key = event["id"], event["client"], event["accepted"], event.get("code")
        if key not in seen:
            seen.add(key)
            found[event["id"]].append(event)
    return dict(found)
