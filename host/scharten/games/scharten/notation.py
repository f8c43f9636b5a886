"""The notation of turns, both ways, in Dutch, English and figurines (rules 9, §13 to §23)."""

from scharten.games.scharten.language import Language, letter
from scharten.games.scharten.notation_read import NotationError, read_turn
from scharten.games.scharten.notation_write import write_lost_dart, write_move, write_placement, write_turn
from scharten.games.scharten.turn import Action, LostDart, Turn

__all__ = [
    "Action",
    "Language",
    "LostDart",
    "NotationError",
    "Turn",
    "letter",
    "read_turn",
    "write_lost_dart",
    "write_move",
    "write_placement",
    "write_turn",
]
