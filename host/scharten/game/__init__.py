"""What any game is to the referee: a value that knows its rules, and nothing of clocks, seats or messages."""
