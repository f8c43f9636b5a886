"""The features of a board's page: each is a module with a class named `feature`, and one line here."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from scharten.display.context import Context
from scharten.display.feature import Feature

FEATURES: tuple[str, ...] = (
    "scharten.display.features.status",
    "scharten.display.features.links",
    "scharten.display.features.results",
    "scharten.display.features.players",
    "scharten.display.features.archive",
    "scharten.display.features.review",
    "scharten.display.features.openings",
    "scharten.display.features.problems",
    "scharten.display.features.endgames",
    "scharten.display.features.throws",
    "scharten.display.features.simulator",
    "scharten.display.features.thinkers",
    "scharten.display.features.engines",
    "scharten.display.features.projector",
    "scharten.display.features.club",
    "scharten.display.features.follow",
    "scharten.display.features.newer",
    "scharten.remote.feature",
    "scharten.setup.feature",
)
"""Modules by name: to remove a feature, delete its module and its line."""


def page_features(context: Context, names: Iterable[str] = FEATURES) -> tuple[Feature, ...]:
    """Make the features of a page's server."""
    return tuple(import_module(name).feature(context) for name in names)
