"""The network thread of paho's clients."""

from __future__ import annotations

from contextlib import suppress

import paho.mqtt.client as paho


def stop_thread(client: paho.Client) -> None:
    """Stop the thread that `loop_start` began, and wait for its end.

    A thread that ends by itself just then, after a DISCONNECT, makes `loop_stop` of paho 2.1 raise `AttributeError`.
    """
    with suppress(AttributeError):
        client.loop_stop()
