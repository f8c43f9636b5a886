"""The fixture of the brokers, for the client's tests."""

from broker.conftest import running  # noqa: F401  (both brokers, in both versions)
