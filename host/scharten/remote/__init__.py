"""Two boards, one game: a player at another board is a seat whose darts come over the network."""
