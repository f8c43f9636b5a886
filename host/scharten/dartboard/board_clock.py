"""Convert the board's 32-bit millisecond clock to the host's time.

The board stamps an event when the contact closes; a line may arrive much later (sent again, or the host was away).
Heartbeats and hellos are stamped when they are sent, so the least delay among the last few gives the offset.
"""

from __future__ import annotations

from dataclasses import dataclass

_WRAP = 1 << 32
_WINDOW = 3  # heartbeats: a ceramic resonator drifts up to 5 ms a second, so old samples mislead
_JUMP_MS = 2000


def _nearest(t_ms: int, around: int) -> int:
    """Return the value of the unwrapped clock that shows `t_ms` and lies nearest to `around`."""
    return around + (t_ms - around + _WRAP // 2) % _WRAP - _WRAP // 2


@dataclass(frozen=True)
class BoardClock:
    """The board's clock as observed so far; `zeros` are estimates of the host's time at the board's zero."""

    zeros: tuple[int, ...] = ()
    latest: int = 0

    def updated(self, t_ms: int, arrived_ms: int) -> BoardClock:
        """Take a heartbeat or hello with the board's `t_ms` that arrived at the host's `arrived_ms`.

        A jump of over 2 s (the board was reset, or the host's clock was set) restarts the estimate.
        """
        if self.zeros and not self.jump(t_ms, arrived_ms):
            t = _nearest(t_ms, self.latest)
            return BoardClock((*self.zeros, arrived_ms - t)[-_WINDOW:], t)
        return BoardClock((arrived_ms - t_ms,), t_ms)

    def jump(self, t_ms: int, arrived_ms: int) -> int:
        """By how many ms a heartbeat or hello that arrived now disagrees with those before it; 0 when it agrees."""
        if not self.zeros:
            return 0
        jump = min(self.zeros) - (arrived_ms - _nearest(t_ms, self.latest))
        return jump if abs(jump) > _JUMP_MS else 0

    def happened(self, t_ms: int, arrived_ms: int) -> int:
        """The host's time at the board's `t_ms`, never later than `arrived_ms`.

        A stamp ahead of the board's own clock is from before its reset: it is dated to the reset, the latest that
        it can be. Without any heartbeat yet the arrival is all that is known.
        """
        if not self.zeros:
            return arrived_ms
        zero = min(self.zeros)
        t = _nearest(t_ms, arrived_ms - zero)
        if t > arrived_ms - zero + _JUMP_MS:
            return min(zero, arrived_ms)
        return min(zero + t, arrived_ms)
