"""The games, each a value that the referee is given."""
