"""Where results go: the journal and MQTT."""
