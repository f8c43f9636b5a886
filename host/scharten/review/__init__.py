"""The review of a finished game: the value of every turn, and head, hand and luck apart. Pure."""
