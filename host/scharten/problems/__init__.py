"""Problems: one position, one task, one key; the solver that proves them, the day's choice, and their ratings."""
