"""Real brokers, alone and as clusters: the doctor's findings, accounts, and a game while a node is killed."""
