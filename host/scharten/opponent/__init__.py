"""The computer at a seat: an MQTT client like any other, in a process of its own."""
