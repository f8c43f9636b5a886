"""The games, each a value that the referee is given."""

from typing import Final

from scharten.game.protocol import AnyGame
from scharten.games.scharten.game import SCHARTEN

GAMES: Final[tuple[AnyGame, ...]] = (SCHARTEN,)
"""Every game, the configured default first."""
GAMES_BY_KEY: Final = {game.key: game for game in GAMES}
