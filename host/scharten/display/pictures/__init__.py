"""Pictures of games to share, drawn on this machine: a position as PNG, a game as an animated GIF."""
