"""The fitted weights of the win chance by game and kind: `make bench ARGS=win-chance` prints this table."""

from __future__ import annotations

from typing import Final

Fitted = tuple[float, float, float, float]
"""Weights of the turn, of the searched value in pawns, of that value late in the game, and of lost darts in a row."""
WEIGHTS: Final[dict[tuple[str, str], Fitted]] = {
    ("scharten", "silent"): (-0.064, 0.346, 0.231, 0.005),
    ("scharten", "loud"): (-0.050, 0.166, 0.364, 0.000),
    ("chess", "silent"): (-0.051, 0.138, 0.188, 0.004),
    ("chess", "loud"): (-0.083, 0.305, 0.521, 0.071),
    ("fischer_random", "silent"): (-0.062, 0.340, 0.423, 0.005),
    ("fischer_random", "loud"): (-0.095, 0.248, 0.217, 0.163),
    ("shatranj", "silent"): (-0.072, 0.225, 0.279, 0.005),
    ("shatranj", "loud"): (-0.040, 0.186, 0.393, 0.117),
    ("shakti", "silent"): (-0.005, 0.008, 0.026, 0.000),
    ("shakti", "loud"): (-0.082, 0.302, 0.458, 0.101),
}
"""Fitted to 731 games of self-play; docs/review.md has their log loss."""
OTHER: Final[Fitted] = (0.0, 0.45, 0.3, 0.1)
"""For a game of another package."""
