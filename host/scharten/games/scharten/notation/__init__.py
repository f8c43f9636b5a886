"""Turns and whole score sheets as players write them, both ways (rules 9)."""
