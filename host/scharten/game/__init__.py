"""Any game, for the referee: a value that knows its rules, and nothing of clocks, seats or messages."""
