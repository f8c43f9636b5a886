"""One step of a club: an entry gives the club after it, or a refusal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scharten.errors import Problem
from scharten.tournament.arrangements import (
    MOST_ROUNDS,
    ask_bye,
    fix_pair,
    forbid_pair,
    joined,
    set_start_list,
    unknown_member,
    without_member,
)
from scharten.tournament.entries import (
    AnnounceStart,
    AskBye,
    BeginGame,
    BeginSeason,
    CallBoard,
    CloseEvening,
    EnterMember,
    EnterResult,
    Entry,
    FixPair,
    ForbidPair,
    OpenEvening,
    PairText,
    PublishDraw,
    ReleaseBoard,
    RemoveMember,
    SetStartList,
    StartRound,
    TickPresence,
    WithdrawRound,
)
from scharten.tournament.model import (
    Club,
    Member,
    MemberKey,
    Pairing,
    Presence,
    Round,
    Season,
    Unpaired,
    settled,
)

MOST_MEMBERS = 1000


def step(club: Club, entry: Entry, at_ms: int) -> Club | Problem:
    """Return the club after an entry, or the refusal; `at_ms` dates draws."""
    return _STEPS[type(entry)](club, entry, at_ms)


def _member(club: Club, entry: EnterMember, _at: int) -> Club | Problem:
    key = MemberKey(entry.key)
    if key not in club.members and len(club.members) >= MOST_MEMBERS:
        return Problem.reasoned("too_many", "many_members", most=MOST_MEMBERS)
    member = Member(key, entry.name, entry.rating, entry.foul_limit, entry.language)
    return replace(club, members={**club.members, key: member})


def _remove(club: Club, entry: RemoveMember, _at: int) -> Club | Problem:
    key = MemberKey(entry.key)
    if key not in club.members:
        return unknown_member(entry.key)
    if club.season and club.open_evening and _plays(club.season, key):
        return Problem("plays", "this member has a game that goes on", cure="Enter its result first.")
    members, presence = dict(club.members), dict(club.presence)
    del members[key]
    presence.pop(key, None)
    season = without_member(club.season, key) if club.season else None
    return replace(club, members=members, presence=presence, season=season)


def _season(club: Club, entry: BeginSeason, _at: int) -> Club | Problem:
    if club.open_evening:
        return Problem("evening_open", "an evening is open", cure="Close it first.")
    past = (*club.past, club.season) if club.season and club.season.rounds else club.past
    forbidden = club.season.forbidden if club.season else frozenset()
    return replace(club, past=past, season=Season(entry.name, entry.options, forbidden=forbidden))


def _evening(club: Club, entry: OpenEvening, _at: int) -> Club | Problem:
    if club.season is None:
        return Problem("no_season", "no season has begun", cure="Begin one first.")
    if club.open_evening:
        return Problem("evening_open", "an evening is open already", cure="Close it first.")
    evenings = (*club.season.evenings, entry.date)
    return replace(club, season=replace(club.season, evenings=evenings), open_evening=True, presence={})


def _close(club: Club, entry: CloseEvening, _at: int) -> Club | Problem:
    season = club.season
    if season is None or not club.open_evening:
        return _no_evening()
    if entry.open_pairs is not None:
        tonight = {drawn.number for drawn, _ in club.open_tonight()}
        closed = _adjourned if entry.open_pairs == "adjourn" else _voided
        rounds = tuple(closed(drawn) if drawn.number in tonight else drawn for drawn in season.rounds)
        season = replace(season, rounds=rounds)
    return replace(club, season=season, open_evening=False, presence={}, next_start_ms=None, released={})


def _adjourned(drawn: Round) -> Round:
    """Let the open pairs wait without a board; a game that has begun stays on its board."""
    pairings = tuple(
        pairing
        if pairing.result is not None
        else replace(pairing, adjourned=True, board=pairing.board if pairing.match else None)
        for pairing in drawn.pairings
    )
    return replace(drawn, pairings=pairings)


def _voided(drawn: Round) -> Round:
    left = [pairing for pairing in drawn.pairings if pairing.result is None]
    pairings = tuple(pairing for pairing in drawn.pairings if pairing.result is not None)
    unpaired = {key: Unpaired.VOID for pairing in left for key in (pairing.white, pairing.black)}
    return replace(drawn, pairings=pairings, unpaired={**drawn.unpaired, **unpaired})


def _presence(club: Club, entry: TickPresence, _at: int) -> Club | Problem:
    key, season = MemberKey(entry.key), club.season
    if season is None or not club.open_evening:
        return _no_evening()
    if key not in club.members:
        return unknown_member(entry.key)
    presence = {**club.presence}
    presence.pop(key, None)  # a member who comes back stands behind those who stayed
    presence[key] = entry.said
    if entry.said is Presence.HERE:
        season = joined(club, season, key)
    return replace(club, presence=presence, season=season)


def _draw(club: Club, entry: PublishDraw, at_ms: int) -> Club | Problem:
    season = club.season
    if season is None or not club.open_evening:
        return _no_evening()
    last = season.rounds[-1] if season.rounds else None
    redraw = last is not None and entry.number == last.number
    if not redraw and entry.number != season.next_round:
        return Problem("wrong_round", f"the next round is number {season.next_round}")
    if not redraw and season.next_round > MOST_ROUNDS:
        return Problem.reasoned("too_many", "many_rounds", most=MOST_ROUNDS)
    if (wrong := _wrong_pairs(season, entry.pairs)) is not None:
        return wrong
    old = last.pairings if redraw and last else ()
    pairings = _published(old, entry.pairs)
    if lost := [pairing for pairing in old if settled(pairing) and pairing not in pairings]:
        return Problem("played", f"table {lost[0].table} plays or has played", cure="Keep that pair.")
    unpaired = {MemberKey(key): why for key, why in entry.unpaired.items()}
    drawn = Round(entry.number, len(season.evenings) - 1, at_ms, pairings, unpaired)
    rounds = (*season.rounds[:-1], drawn) if redraw else (*season.rounds, drawn)
    return replace(club, season=replace(season, rounds=rounds), next_start_ms=None)


def _withdraw(club: Club, entry: WithdrawRound, _at: int) -> Club | Problem:
    season = club.season
    if season is None or not club.open_evening:
        return _no_evening()
    last = season.rounds[-1] if season.rounds else None
    if last is None or last.number != entry.number or last.evening != len(season.evenings) - 1:
        return Problem("wrong_round", "only the last round of this evening can be withdrawn")
    if begun := next((pairing for pairing in last.pairings if settled(pairing)), None):
        return Problem("played", f"table {begun.table} plays or has played", cure="Pair again instead.")
    return replace(club, season=replace(season, rounds=season.rounds[:-1]))


def _release(club: Club, entry: ReleaseBoard, _at: int) -> Club | Problem:
    """Note that the game on a board is over, and free the pair that it held."""
    released = {**club.released, entry.board: entry.match}
    season = club.season
    if season is None:
        return replace(club, released=released)

    def freed(pairing: Pairing) -> Pairing:
        held = pairing.result is None and (pairing.board, pairing.match) == (entry.board, entry.match)
        if not held:
            return pairing
        return replace(pairing, board=None, match=None, seq=0, left=entry.board, calls=pairing.calls + 1)

    rounds = tuple(replace(drawn, pairings=tuple(map(freed, drawn.pairings))) for drawn in season.rounds)
    return replace(club, season=replace(season, rounds=rounds), released=released)


def _wrong_pairs(season: Season, pairs: tuple[PairText, ...]) -> Problem | None:
    keys = [key for pair in pairs for key in (pair.white, pair.black)]
    if unknown := set(keys) - set(season.entrants):
        return unknown_member(min(unknown))
    if len(set(keys)) < len(keys):
        return Problem("twice", "somebody is paired twice", cure="Pair everybody once.")
    return None


def _published(old: tuple[Pairing, ...], pairs: tuple[PairText, ...]) -> tuple[Pairing, ...]:
    """Keep the table, board and game of pairs that stood; new pairs take the free tables."""
    stood = {(pairing.white, pairing.black): pairing for pairing in old}
    wanted = [(MemberKey(pair.white), MemberKey(pair.black)) for pair in pairs]
    taken = {stood[two].table for two in wanted if two in stood}
    free = (number for number in range(1, 2 * len(wanted) + 2) if number not in taken)
    made = [stood[two] if two in stood else Pairing(next(free), *two) for two in wanted]
    return tuple(sorted(made, key=lambda pairing: pairing.table))


def _call(club: Club, entry: CallBoard, _at: int) -> Club | Problem:
    def called(pairing: Pairing) -> Pairing | Problem:
        if pairing.result is not None:
            return Problem("played", "this game is over", cure="Take its result back first.")
        left = entry.left or pairing.left
        return replace(pairing, board=entry.board, match=None, seq=0, calls=pairing.calls + 1, left=left)

    return _change(club, entry.number, entry.table, called)


def _begin(club: Club, entry: BeginGame, _at: int) -> Club | Problem:
    return _change(
        club,
        entry.number,
        entry.table,
        lambda pairing: replace(pairing, match=entry.match, seq=0, result=None, reason=None, by_hand=False),
    )


def _result(club: Club, entry: EnterResult, _at: int) -> Club | Problem:
    def entered(pairing: Pairing) -> Pairing | Problem:
        if entry.match is None:
            by_hand = entry.result is not None
            return replace(pairing, result=entry.result, reason=entry.reason, by_hand=by_hand)
        if entry.match != pairing.match or entry.seq < pairing.seq:
            return Problem("old", "this is of another game, or older than what is known")
        if pairing.by_hand:
            return replace(pairing, seq=entry.seq)
        return replace(pairing, result=entry.result, reason=entry.reason, seq=entry.seq)

    return _change(club, entry.number, entry.table, entered)


def _change(
    club: Club, number: int, table: int, change: Callable[[Pairing], Pairing | Problem]
) -> Club | Problem:
    season = club.season
    drawn = season.rounds[number - 1] if season and number <= len(season.rounds) else None
    found = next((pairing for pairing in drawn.pairings if pairing.table == table), None) if drawn else None
    if season is None or drawn is None or found is None:
        return Problem("no_pairing", f"round {number} has no table {table}")
    changed = change(found)
    if isinstance(changed, Problem):
        return changed
    pairings = tuple(changed if pairing is found else pairing for pairing in drawn.pairings)
    rounds = (*season.rounds[: number - 1], replace(drawn, pairings=pairings), *season.rounds[number:])
    return replace(club, season=replace(season, rounds=rounds))


def _start_round(club: Club, entry: StartRound, _at: int) -> Club | Problem:
    season = club.season
    if season is None or len(season.rounds) != entry.number:
        return Problem("wrong_round", "only the last round can be started")
    rounds = (*season.rounds[:-1], replace(season.rounds[-1], started=True))
    return replace(club, season=replace(season, rounds=rounds))


def _next_start(club: Club, entry: AnnounceStart, _at: int) -> Club | Problem:
    return replace(club, next_start_ms=entry.at_ms)


def _plays(season: Season, key: MemberKey) -> bool:
    return any(
        pairing.result is None and key in pairing.players
        for pairing in (season.rounds[-1].pairings if season.rounds else ())
    )


def _no_evening() -> Problem:
    return Problem("no_evening", "no evening is open", cure="Open one first.")


_STEPS: dict[type, Callable[[Club, Any, int], Club | Problem]] = {
    EnterMember: _member,
    RemoveMember: _remove,
    BeginSeason: _season,
    OpenEvening: _evening,
    CloseEvening: _close,
    TickPresence: _presence,
    SetStartList: set_start_list,
    AskBye: ask_bye,
    ForbidPair: forbid_pair,
    FixPair: fix_pair,
    PublishDraw: _draw,
    WithdrawRound: _withdraw,
    ReleaseBoard: _release,
    CallBoard: _call,
    BeginGame: _begin,
    EnterResult: _result,
    StartRound: _start_round,
    AnnounceStart: _next_start,
}
