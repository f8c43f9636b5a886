"""From pictures of one throw to its place on the board: registration, difference, shaft lines, fusion."""
