"""What a board and cameras say about themselves, and what is said of one that notices nothing. Pure."""

from __future__ import annotations

from dataclasses import replace

from scharten.match.inputs import ContactStuck, SensorChanged, SensorNews, SensorState
from scharten.sensors.combined.state import UNNOTICED, Watched

BLIND = (
    "The cameras noticed nothing of the last 3 darts. The board goes on alone: look at the cameras' pictures."
)
DEAF = "The board felt nothing of the last 3 darts. The cameras go on alone: check the board's cables."


def board_news(watched: Watched, given: SensorNews) -> Watched:
    """A board that came back is asked again; of one that stays and feels nothing it goes on being said."""
    match given.news:
        case SensorChanged(state, detail):
            deaf = watched.deaf if watched.board is SensorState.FOUND else frozenset()
            watched = replace(watched, board=state, deaf=deaf, noticed=())
            if state is SensorState.FOUND and len(deaf) >= UNNOTICED:
                words = " ".join(filter(None, (DEAF, detail)))
                given = replace(given, news=SensorChanged(SensorState.SILENT, words))
        case ContactStuck(contact, stuck=stuck):
            known = watched.stuck - {contact}
            watched = replace(watched, stuck=known | {contact} if stuck else known)
        case _:
            pass
    return watched.telling(given)


def cameras_news(watched: Watched, given: SensorNews, change: SensorChanged) -> Watched:
    """Cameras that came back are asked again; of those that stay and notice nothing it goes on being said."""
    blind = watched.blind if watched.cameras is SensorState.FOUND else frozenset()
    watched = replace(watched, cameras=change.state, blind=blind, remarked=bool(change.detail))
    if change.state is SensorState.FOUND and len(blind) >= UNNOTICED:
        words = " ".join(filter(None, (BLIND, change.detail)))
        given = replace(given, news=SensorChanged(SensorState.SILENT, words))
    return watched.telling(given)
