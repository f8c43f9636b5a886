"""The evening as pages show it: one JSON object with everything; names and results are public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from scharten.club.boards import BoardView, is_released
from scharten.club.skills import NO_SKILL, NO_SKILLS, Skills
from scharten.game.basics import MutableJson
from scharten.tournament.draw import Change
from scharten.tournament.model import Club, MemberKey, Round, Season
from scharten.tournament.ratings import ratings
from scharten.tournament.tables import TableRow, player_against_player, table


def evening(
    club: Club,
    boards: Mapping[str, BoardView],
    changes: tuple[int, tuple[Change, ...]],
    skills: Skills = NO_SKILLS,
) -> MutableJson:
    """Members, the season's rounds, rankings of season and evening with skills if any, ratings, boards."""
    season = club.season
    state: MutableJson = {
        "v": 1,
        "open": club.open_evening,
        "members": [
            {**asdict(member), "said": said.value if (said := club.presence.get(key)) else None}
            for key, member in sorted(club.members.items(), key=lambda entry: entry[1].name.casefold())
        ],
        "boards": [_board(club, view) for _, view in sorted(boards.items())],
        "next_start_ms": club.next_start_ms,
        "season": None,
        "rounds": [],
        "table": [],
        "evening_table": [],
        "changes": [],
        "ratings": [],
        "start_list": [],
        "asked": [],
        "fixed": [],
        "forbidden": [],
    }
    if season is not None:
        state |= _season(club, season, skills) | _arrangements(club, season)
        number, changed = changes
        if number == len(season.rounds):
            state["changes"] = [_change(club, change) for change in changed]
    return state


def _ranked(club: Club, rows: Iterable[TableRow], skills: Skills) -> list[MutableJson]:
    return [
        {
            **asdict(row),
            "name": club.name_of(row.key),
            **(skills.get(row.key, NO_SKILL) if skills else {}),
        }
        for row in rows
    ]


def _season(club: Club, season: Season, skills: Skills) -> MutableJson:
    last = len(season.evenings) - 1
    found = ratings((*club.past, season)).get((season.options.game, season.options.kind.value), {})
    return {
        "season": {
            "name": season.name,
            "options": season.options.model_dump(mode="json"),
            "evenings": list(season.evenings),
        },
        "rounds": [_round(club, season, drawn) for drawn in season.rounds],
        "table": _ranked(club, table(season), skills),
        "evening_table": _ranked(club, table(season, last), skills) if last >= 0 else [],
        "ratings": [
            {"key": key, "name": club.name_of(key), **asdict(rating)}
            for key, rating in sorted(found.items(), key=lambda entry: -entry[1].rating)
        ],
    }


def _arrangements(club: Club, season: Season) -> MutableJson:
    """The start list; for rounds to come who asked for a bye; pairs by hand, of the last round too; forbidden pairs."""
    return {
        "start_list": [
            {"number": number, "key": key, "name": club.name_of(key), "rating": club.rating_of(key)}
            for number, key in enumerate(season.entrants, 1)
        ],
        "asked": [
            {"number": number, "key": key, "name": club.name_of(key)}
            for number, keys in sorted(season.asked.items())
            for key in sorted(keys)
            if number >= season.next_round
        ],
        "fixed": [
            {"number": number, "white": white, "black": black, "names": [club.name_of(white), club.name_of(black)]}
            for number, pairs in sorted(season.fixed.items())
            for white, black in pairs
            if number >= season.next_round - 1
        ],
        "forbidden": [
            {"first": first, "second": second, "names": [club.name_of(first), club.name_of(second)]}
            for first, second in sorted(map(sorted, season.forbidden))
        ],
    }  # fmt: skip


def against(club: Club, season: Season) -> MutableJson:
    """The cross table."""
    cross = player_against_player(season)
    return {
        "v": 1,
        "names": {key: club.name_of(key) for key in season.entrants},
        "against": {
            key: {other: asdict(score) for other, score in row.items()} for key, row in cross.items()
        },
    }


def _round(club: Club, season: Season, drawn: Round) -> MutableJson:
    pairings = [
        {
            **asdict(pairing),
            "names": {"white": club.name_of(pairing.white), "black": club.name_of(pairing.black)},
        }
        for pairing in drawn.pairings
    ]
    unpaired = [
        {"key": key, "name": club.name_of(key), "why": why.value} for key, why in drawn.unpaired.items()
    ]
    return {
        "number": drawn.number,
        "date": season.evenings[drawn.evening],
        "tonight": drawn.evening == len(season.evenings) - 1,
        "started": drawn.started,
        "over": drawn.over,
        "pairings": pairings,
        "unpaired": unpaired,
    }


def _board(club: Club, view: BoardView) -> MutableJson:
    state = view.state
    return {
        "name": view.name,
        "online": view.online,
        "playable": view.playable,
        "free": view.free,
        "match": view.match,
        "released": is_released(club, view),
        "held": view.held,
        "names": state.get("names"),
        "phase": state.get("phase"),
        "turns": state.get("turns"),
        "result": state.get("result"),
    }


def _change(club: Club, change: Change) -> MutableJson:
    def opponent(meeting: str | None) -> MutableJson | None:
        if meeting is None:
            return None
        colour, _, key = meeting.partition(" ")
        return {"colour": colour, "name": club.name_of(MemberKey(key))}

    return {"name": club.name_of(change.key), "before": opponent(change.old), "after": opponent(change.new)}
