"""The archive of many clubs: finished games from the broker, replayed, kept once, found again."""
