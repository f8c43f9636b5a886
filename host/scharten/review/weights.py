"""The fitted weights of the win chance by game and kind: `make bench ARGS=win-chance` prints this table."""

from __future__ import annotations

from typing import Final

Fitted = tuple[float, float, float, float]
"""Weights of the turn, of the searched value in pawns, of that value late in the game, and of lost darts in a row."""
WEIGHTS: Final[dict[tuple[str, str], Fitted]] = {
    ("scharten", "silent"): (-0.145, 0.456, -0.036, 0.000),
    ("scharten", "loud"): (-0.135, 0.162, 0.487, 0.000),
    ("chess", "silent"): (-0.211, 0.462, -0.106, 0.000),
    ("chess", "loud"): (-0.144, 0.266, 0.083, 0.103),
    ("fischer_random", "silent"): (-0.198, 0.337, 0.050, 0.000),
    ("fischer_random", "loud"): (-0.219, 0.235, 0.291, 0.081),
    ("shatranj", "silent"): (-0.193, 0.411, 0.320, 0.000),
    ("shatranj", "loud"): (-0.190, 0.194, 0.242, 0.131),
    ("shakti", "silent"): (-0.251, 0.309, 0.456, 0.000),
    ("shakti", "loud"): (-0.215, 0.182, 0.348, 0.169),
}
"""Fitted to 5,000 games of self-play; docs/review.md has their log loss."""
OTHER: Final[Fitted] = (0.0, 0.45, 0.3, 0.1)
"""For a game of another package."""
