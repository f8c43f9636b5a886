"""Databases that lose nothing without a word: the chain through their rows, the mark beside them, recovery, copies."""
