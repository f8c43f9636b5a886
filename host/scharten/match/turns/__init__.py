"""Turns: what a dart or a move does, and how turns are taken back or corrected."""
