"""The players of a board: their register, their darts from the journals, and statistics of both."""
