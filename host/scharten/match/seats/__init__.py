"""What the seats do before the game, and the computer's seats."""
