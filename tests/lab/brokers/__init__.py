"""Real brokers, alone and as clusters: what the doctor says of each, its accounts, a game while a node is killed."""
