"""The games, each a value that the referee is given."""

from typing import Final

from scharten.game.protocol import AnyGame
from scharten.games.chess import CHESS
from scharten.games.fischer_random import FISCHER_RANDOM
from scharten.games.scharten.game import SCHARTEN
from scharten.games.shakti import SHAKTI
from scharten.games.shatranj import SHATRANJ

GAMES: Final[tuple[AnyGame, ...]] = (SCHARTEN, CHESS, FISCHER_RANDOM, SHATRANJ, SHAKTI)
"""Every game, the configured default first."""
GAMES_BY_KEY: Final = {game.key: game for game in GAMES}
