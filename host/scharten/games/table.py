"""The table of games: ours, and those of installed packages.

A package adds a game by an entry point in the group `scharten.games`, which names the game's value.
"""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from scharten.errors import SchartenError
from scharten.game.protocol import AnyGame
from scharten.games.chess import CHESS
from scharten.games.fischer_random import FISCHER_RANDOM
from scharten.games.scharten.game import SCHARTEN
from scharten.games.shakti import SHAKTI
from scharten.games.shatranj import SHATRANJ

GROUP: Final = "scharten.games"


def with_packages(own: Iterable[AnyGame], points: Iterable[EntryPoint]) -> dict[str, AnyGame]:
    """Return the games by key: our own, then those of packages in the order of their names.

    SchartenError for a package whose game does not load, or has the key of another game.
    """
    games = {game.key: game for game in own}
    for point in sorted(points, key=lambda point: point.name):
        try:
            game: AnyGame = point.load()
            key = game.key
        except Exception as error:
            raise SchartenError.coded("game_unloadable", package=point.value, why=error) from error
        if key in games:
            raise SchartenError.coded("game_twice", game=key, package=point.value)
        games[key] = game
    return games


GAMES_BY_KEY: Final = with_packages(
    (SCHARTEN, CHESS, FISCHER_RANDOM, SHATRANJ, SHAKTI), entry_points(group=GROUP)
)
"""Every game by its key, the configured default first."""
GAMES: Final = tuple(GAMES_BY_KEY.values())
