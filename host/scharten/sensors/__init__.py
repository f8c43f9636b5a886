"""What reads the board: serial line, simulated board, cameras, GranBoard; `kinds` is the table of them."""
