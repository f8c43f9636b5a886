"""The embedded MQTT broker."""
