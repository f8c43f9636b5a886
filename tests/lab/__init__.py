"""Benchmarks, fault injection, and the parts that several test folders share; nothing here is installed."""

import os
from pathlib import Path

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
"""The environment for processes that run a module of this package."""
