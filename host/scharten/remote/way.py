"""The way from a guest to a host's door: direct, or through the broker at which they meet."""

from __future__ import annotations

from dataclasses import dataclass

from scharten.errors import Problem
from scharten.remote.invitation import Link
from scharten.remote.meeting import meeting_place, room_of
from scharten.remote.settings import RemoteSection
from scharten.remote.tunnel import GuestEnd, wait_for_broker
from scharten.system.loop_thread import LoopThread

PATIENCE_S = 10.0


@dataclass(frozen=True)
class Way:
    """Where a client connects to reach the door; `close` it."""

    host: str
    port: int
    tunnel: LoopThread[GuestEnd] | None = None

    def trouble(self) -> Problem | None:
        """Wait for the broker in between; return why it cannot be used."""
        if self.tunnel is None:
            return None
        words = wait_for_broker(self.tunnel.server.client, PATIENCE_S)
        return Problem("no_meeting", words, cure="Ask for a link to another place.") if words else None

    def close(self) -> None:
        """Leave the broker."""
        if self.tunnel is not None:
            self.tunnel.stop()


def way_to(link: Link, settings: RemoteSection) -> Way:
    """Return the way to a link's host; nothing waits for the network."""
    if not link.meets:
        return Way(link.host, link.port)
    tunnel = LoopThread(GuestEnd(meeting_place(link, settings), room_of(link.letters)), "meeting-guest")
    tunnel.start()
    return Way("127.0.0.1", tunnel.server.port, tunnel)
