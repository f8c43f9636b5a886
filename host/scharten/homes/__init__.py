"""A board in other people's homes: Home Assistant, lamps and webhooks. Nothing here can reach the referee."""
