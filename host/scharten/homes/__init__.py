"""Home Assistant, lamps and webhooks of a board; nothing here can disturb the referee."""
