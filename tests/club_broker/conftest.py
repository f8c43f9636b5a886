"""The fixture of both brokers, for the tests of a club's broker."""

from broker.conftest import running  # noqa: F401  (the embedded broker and Mosquitto, in both versions)
