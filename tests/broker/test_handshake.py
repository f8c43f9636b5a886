"""A client that breaks off the TLS handshake with a broker."""

from __future__ import annotations

import asyncio
from typing import Any

from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.broker.limits import BrokerLimits
from scharten.contract.roles import Acl
from scharten.contract.topics import Topics


def test_a_handshake_that_breaks_off_leaves_no_error() -> None:
    """A connection without a transport has no deadline, whose expiry would log an error."""
    errors: list[dict[str, Any]] = []

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: errors.append(context))
        limits = BrokerLimits(connect_s=0.01)
        broker = EmbeddedBroker(Accounts({}), Acl(Topics("a", "b", "c")), port=0, limits=limits)
        await broker.start()
        connection = broker.connection()
        await asyncio.sleep(0.1)
        assert connection is not None
        await broker.stop()

    asyncio.run(story())
    assert errors == []
