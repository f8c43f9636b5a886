"""The draw of the next round by the season's system, and what a new draw changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from scharten.errors import Problem
from scharten.tournament import keizer, knockout
from scharten.tournament.model import Club, MemberKey, Pair, Presence, Round, Season, Unpaired, settled
from scharten.tournament.options import System
from scharten.tournament.systems import ENGINES

WHY: Mapping[Presence, Unpaired] = {
    Presence.HERE: Unpaired.WAITS,
    Presence.ABSENT: Unpaired.ABSENT,
    Presence.EXCUSED: Unpaired.EXCUSED,
    Presence.CLUB: Unpaired.CLUB,
}


@dataclass(frozen=True, slots=True)
class Draw:
    """Pairs as (White, Black) by table, and why the other members have no opponent."""

    pairs: tuple[Pair, ...]
    unpaired: Mapping[MemberKey, Unpaired]


def next_draw(club: Club, number: int, *, despite_games: bool = False) -> Draw | Problem:
    """Draw round `number`; refuse a round that is drawn already, and one while games are on unless `despite_games`."""
    season = club.season
    if season is not None and number < season.next_round:
        return Problem(
            "stale",
            f"round {number} is drawn already",
            {"number": number},
            "Look at it, then pair the next one.",
        )
    if season is not None and number > season.next_round:
        return Problem("wrong_round", f"the next round is number {season.next_round}")
    if (left := club.open_tonight()) and not despite_games:
        return _games_on(len(left))
    return draw(club)


def _games_on(count: int) -> Problem:
    words = f"{count} games have no result"
    return Problem("games_on", words, {"count": count}, "Enter the results, or pair all the same.")


def draw(club: Club, kept: Collection[Pair] = ()) -> Draw | Problem:
    """Draw the next round among the members present, around the `kept` pairs, which stand, and those made by hand.

    Who asked for a bye in this round is excused.
    """
    season = club.season
    if season is None or not club.open_evening:
        return Problem("no_evening", "no evening is open", cure="Open an evening first.")
    kept = (*kept, *_by_hand(club, season, kept))
    busy = {key for two in kept for key in two}
    asked = season.asked.get(season.next_round, frozenset())
    present = [key for key in club.present if key in season.joined and key not in busy | asked]
    if len(present) + len(busy) < 2:
        return Problem("too_few", "fewer than two are present", cure="Tick who is present.")
    pairs, none = _by_system(season, present)
    if pairs or kept:
        paired = busy.union(*pairs)
        why = {key: WHY[club.presence.get(key, Presence.ABSENT)] for key in season.entrants}
        why |= dict.fromkeys(asked & why.keys(), Unpaired.EXCUSED) | none
        return Draw((*kept, *pairs), {key: reason for key, reason in why.items() if key not in paired})
    if left := club.open_tonight():
        return _games_on(len(left))
    return Problem("decided", "no pair is left to play", cure="The tournament is decided: begin another.")


def _by_hand(club: Club, season: Season, kept: Collection[Pair]) -> tuple[Pair, ...]:
    """Return the organiser's pairs of the next round whose members are both present and free to meet."""
    free = set(club.present) - {key for two in kept for key in two}
    return tuple(
        pair
        for pair in season.fixed.get(season.next_round, ())
        if set(pair) <= free and frozenset(pair) not in season.forbidden
    )


def _by_system(season: Season, present: list[MemberKey]) -> tuple[list[Pair], dict[MemberKey, Unpaired]]:
    system = season.options.system
    if system is System.KNOCKOUT:
        pairs, waiting = knockout.pair(season, present)
        out = set(season.entrants) - set(knockout.still_in(season))
        return pairs, {**dict.fromkeys(out, Unpaired.OUT), **waiting}
    if len(present) < 2:
        return [], dict.fromkeys(present, Unpaired.BYE)
    pairs, bye = (keizer.pair if system is System.KEIZER else ENGINES[system])(season, present)
    given = Unpaired.WAITS if system is System.FREE else Unpaired.BYE
    return pairs, {bye: given} if bye else {}


def before_last(club: Club) -> Club:
    """Return the club as before the last draw, with the present presence."""
    season = club.season
    if season is None or not season.rounds:
        return club
    return replace(club, season=replace(season, rounds=season.rounds[:-1]))


def draw_again(club: Club) -> Draw | Problem:
    """Draw the last round again for the members present now; pairs that have begun keep their tables."""
    season = club.season
    if season is None or not season.rounds:
        return Problem("no_round", "no round was drawn yet", cure="Pair first.")
    kept = [(pairing.white, pairing.black) for pairing in season.rounds[-1].pairings if settled(pairing)]
    return draw(before_last(club), kept)


def draw_around(club: Club, pair: Pair) -> Draw | Problem:
    """Draw the last round again with these two as a pair: only those whom they leave get another opponent."""
    season = club.season
    if season is None or not season.rounds:
        return Problem("no_round", "no round was drawn yet", cure="Pair first.")
    if absent := set(pair) - set(club.present):
        name = club.name_of(min(absent))
        return Problem("not_present", f"{name} is not present", {"name": name}, "Tick who is present.")
    others = []
    for pairing in season.rounds[-1].pairings:
        if not pairing.players & set(pair):
            others.append((pairing.white, pairing.black))
        elif settled(pairing):
            return Problem(
                "played", f"table {pairing.table} plays or has played", cure="Pair them in the next round."
            )
    return draw(before_last(club), (*others, pair))


@dataclass(frozen=True, slots=True)
class Change:
    """A member's colour and opponent before (`old`) and after (`new`) a repeated draw."""

    key: MemberKey
    old: str | None
    new: str | None


def what_changed(old: Round, new: Draw) -> tuple[Change, ...]:
    """Return every member whose opponent or colour changed, in the order of the new tables."""
    was = _meetings((pairing.white, pairing.black) for pairing in old.pairings)
    now = _meetings(new.pairs)
    return tuple(
        Change(key, was.get(key), now.get(key))
        for key in dict.fromkeys((*now, *was))
        if was.get(key) != now.get(key)
    )


def _meetings(pairs: Iterable[Pair]) -> dict[MemberKey, str]:
    found: dict[MemberKey, str] = {}
    for white, black in pairs:
        found[white], found[black] = f"white {black}", f"black {white}"
    return found
