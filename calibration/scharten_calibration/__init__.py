"""Guided calibration of a board: its contact matrix, its cameras."""
