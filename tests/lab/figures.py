"""Printing for all benchmarks: percentiles, and the measured commit."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` % of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    rank = max(0, -(-len(ordered) * percent // 100) - 1)
    return ordered[int(rank)]


def commit() -> str:
    """The commit of the checkout, or "installed" outside one."""
    try:
        shown = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "installed"
    return shown.stdout.strip()
