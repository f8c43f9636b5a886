"""The fitted weights of the win chance by game and kind: `make bench ARGS=win-chance` prints this table."""

from __future__ import annotations

from typing import Final

Fitted = tuple[float, float, float, float]
"""Weights of the turn, of the searched value in pawns, of that value late in the game, and of lost darts in a row."""
WEIGHTS: Final[dict[tuple[str, str], Fitted]] = {
    ("scharten", "silent"): (-0.004, 0.375, 0.511, 0.100),
    ("scharten", "loud"): (-0.006, 0.323, 0.457, 0.024),
    ("chess", "silent"): (-0.050, 0.227, 0.688, 0.100),
    ("chess", "loud"): (-0.007, 0.198, 0.144, 0.215),
    ("fischer_random", "silent"): (0.012, 0.242, 0.358, 0.100),
    ("fischer_random", "loud"): (-0.039, 0.304, 0.454, 0.122),
    ("shatranj", "silent"): (-0.018, 0.447, 0.330, 0.100),
    ("shatranj", "loud"): (-0.020, 0.255, 0.586, 0.104),
    ("shakti", "silent"): (-0.006, 0.433, 0.213, 0.100),
    ("shakti", "loud"): (0.016, 0.449, 0.264, 0.110),
}
"""Fitted to 457 games of self-play."""
OTHER: Final[Fitted] = (0.0, 0.45, 0.3, 0.1)
"""For a game of another package."""
