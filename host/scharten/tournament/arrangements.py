"""The organiser's arrangements before a draw: start list, byes asked for, forbidden pairs, pairs by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scharten.errors import Problem
from scharten.tournament.entries import AskBye, FixPair, ForbidPair, SetStartList
from scharten.tournament.model import Club, MemberKey, Pair, Players, Season
from scharten.tournament.options import System

MOST_ROUNDS = 500
MOST_FORBIDDEN = 1000


def unknown_member(key: str) -> Problem:
    """Return the refusal of a key that no member has."""
    return Problem("unknown_member", f"no member has the key {key}", {"key": key})


def joined(club: Club, season: Season, key: MemberKey) -> Season:
    """Return the season with one more entrant, placed by first strength, behind all others if it is unknown."""
    if key in season.joined:
        return season
    rating = club.rating_of(key)
    place = sum(
        entrant not in club.members or club.rating_of(entrant) >= rating for entrant in season.entrants
    )
    entrants = (*season.entrants[:place], key, *season.entrants[place:])
    return replace(season, entrants=entrants, joined={**season.joined, key: season.next_round})


def set_start_list(club: Club, entry: SetStartList, _at: int) -> Club | Problem:
    """Make these members the entrants, with those who are present, in the order of strength; before round 1 only."""
    season = club.season
    if season is None:
        return _no_season()
    if season.rounds:
        return Problem("begun", "round 1 is drawn: the start list stands", cure="Tick latecomers as present.")
    wanted = {*map(MemberKey, entry.keys), *club.present}
    if unknown := wanted - set(club.members):
        return unknown_member(min(unknown))
    known = [key for key in season.entrants if key in wanted]
    new = [key for key in club.members if key in wanted and key not in season.joined]
    order = sorted((*known, *new), key=lambda key: -club.rating_of(key))
    return replace(club, season=replace(season, entrants=tuple(order), joined=dict.fromkeys(order, 1)))


def ask_bye(club: Club, entry: AskBye, _at: int) -> Club | Problem:
    """Note that a member asks for a bye in a round that is not drawn yet, or no longer does."""
    season, key = club.season, MemberKey(entry.key)
    if season is None:
        return _no_season()
    if key not in club.members:
        return unknown_member(entry.key)
    if season.options.system is System.KNOCKOUT:
        return Problem("no_byes", "in a knockout nobody can ask for a bye")
    if entry.number < season.next_round:
        args = {"number": entry.number}
        return Problem("stale", f"round {entry.number} is drawn already", args, "Name a later round.")
    if entry.number > MOST_ROUNDS:
        return Problem("wrong_round", f"a season has at most {MOST_ROUNDS} rounds")
    asked = season.asked.get(entry.number, frozenset()) - {key} | ({key} if entry.asked else set())
    season = _without_fixed(joined(club, season, key), entry.number, (key,) if entry.asked else ())
    return replace(club, season=replace(season, asked={**season.asked, entry.number: asked}))


def forbid_pair(club: Club, entry: ForbidPair, _at: int) -> Club | Problem:
    """Note that two members never meet, in later seasons too, or may meet again."""
    season, two = club.season, frozenset(map(MemberKey, (entry.first, entry.second)))
    if season is None:
        return _no_season()
    if (wrong := _wrong_two(club, two)) is not None:
        return wrong
    if entry.forbidden and len(season.forbidden) >= MOST_FORBIDDEN:
        return Problem.reasoned("too_many", "many_forbidden", most=MOST_FORBIDDEN)
    forbidden = season.forbidden | {two} if entry.forbidden else season.forbidden - {two}
    return replace(club, season=replace(season, forbidden=forbidden))


def fix_pair(club: Club, entry: FixPair, _at: int) -> Club | Problem:
    """Pair two members by hand in the last round of this evening or in the next one, or leave them to the draw."""
    season, pair = club.season, (MemberKey(entry.white), MemberKey(entry.black))
    if season is None:
        return _no_season()
    if (wrong := _wrong_two(club, frozenset(pair)) or _wrong_fix(club, season, entry)) is not None:
        return wrong
    season = _without_fixed(season, entry.number, pair)
    if entry.fixed:
        fixed = (*season.fixed.get(entry.number, ()), pair)
        asked = season.asked.get(entry.number, frozenset()) - set(pair)
        season = replace(
            season,
            fixed={**season.fixed, entry.number: fixed},
            asked={**season.asked, entry.number: asked},
        )
    return replace(club, season=season)


def _wrong_fix(club: Club, season: Season, entry: FixPair) -> Problem | None:
    tonight = club.open_evening and season.rounds and season.rounds[-1].evening == len(season.evenings) - 1
    if entry.number not in ((season.next_round, len(season.rounds)) if tonight else (season.next_round,)):
        return Problem("wrong_round", f"the next round is number {season.next_round}")
    if not entry.fixed:
        return None
    if frozenset((entry.white, entry.black)) in season.forbidden:
        return Problem("forbidden", "these two never meet", cure="Allow the pair first.")
    if season.options.system is System.KNOCKOUT and entry.number > 1:
        return Problem(
            "tree", "after round 1 the knockout decides who meets", cure="Pair by hand in round 1."
        )
    return None


def without_member(season: Season, key: MemberKey) -> Season:
    """Return the season without the arrangements of a deleted member."""
    return replace(
        season,
        asked={number: keys - {key} for number, keys in season.asked.items()},
        forbidden=frozenset(two for two in season.forbidden if key not in two),
        fixed={
            number: tuple(pair for pair in pairs if key not in pair) for number, pairs in season.fixed.items()
        },
    )


def _without_fixed(season: Season, number: int, keys: Iterable[MemberKey]) -> Season:
    """Return the season without the pairs by hand of a round in which any of these members is."""
    gone = set(keys)
    left: tuple[Pair, ...] = tuple(pair for pair in season.fixed.get(number, ()) if not gone & set(pair))
    return replace(season, fixed={**season.fixed, number: left})


def _wrong_two(club: Club, two: Players) -> Problem | None:
    if len(two) < 2:
        return Problem("same_member", "these are one and the same member", cure="Name two members.")
    if unknown := two - set(club.members):
        return unknown_member(min(unknown))
    return None


def _no_season() -> Problem:
    return Problem("no_season", "no season has begun", cure="Begin one first.")
