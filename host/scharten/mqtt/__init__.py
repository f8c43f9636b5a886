"""The embedded MQTT broker, closed down."""
