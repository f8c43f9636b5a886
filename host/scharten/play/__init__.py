"""The computer's play: the scatter of darts, the value of a position, the best turn."""
