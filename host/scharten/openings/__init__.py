"""Openings: how often finished games reached a position, what was played there, and with what result."""
