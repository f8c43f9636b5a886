"""Topics, messages and the snapshot: what crosses MQTT."""
