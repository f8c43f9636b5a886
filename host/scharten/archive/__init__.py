"""The archive of many clubs: finished games from the broker, verified by a replay, stored once, searchable."""
