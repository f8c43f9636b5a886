"""Brokers for clubs: Mosquitto's configuration, federation, and trials of a broker's fitness."""
