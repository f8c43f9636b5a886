"""Who plays by itself: how darts scatter, what a position is worth, which turn is best."""
