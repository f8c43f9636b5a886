"""Endgames: the figures of every table, and a trainer against the perfect defender (docs/endgames.md)."""
