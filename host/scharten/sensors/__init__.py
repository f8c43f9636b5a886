"""Sensors: serial line, simulated board, cameras, GranBoard. `kinds` is their table."""
