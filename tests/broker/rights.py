"""The topics each account may read and write, written by hand from docs/contract.md for the tests.

It imports nothing of the program. A right that is not here is an attack when it works.
"""

from __future__ import annotations

ROOT = "scharten/home/board1"
"""The topics of the board under attack begin with it; the broker serves `board2` as well."""

NEWS = ("availability", "state", "sheet", "events", "hits", "said", "health", "advice", "light")
FINISHED = tuple(f"finished/{slot}" for slot in range(8))
FORGOTTEN = ("forgotten/host", "forgotten/organiser")
OPEN = (*NEWS, "next", *FINISHED, *FORGOTTEN)
"""The topics that every account may read."""
ROLES = ("seat1", "seat2", "table", "arbiter", "organiser")
ANSWERS = tuple(f"answer/{role}" for role in ROLES)
COMMANDS = tuple(f"command/{role}" for role in ROLES)
THROW = "simulator/throw"
THROWS = (THROW, "simulator/throw/seat1", "simulator/throw/seat2")

READS: dict[str, tuple[str, ...]] = {
    "host": ("availability", "light", "light/web", "remote", *COMMANDS, *THROWS[1:], *FINISHED, *FORGOTTEN),
    "web": (*OPEN, *ANSWERS),
    "display": OPEN,
    "seat1": (*OPEN, "answer/seat1"),
    "seat2": (*OPEN, "answer/seat2"),
    "table": (*OPEN, "answer/table"),
    "arbiter": (*OPEN, "answer/arbiter"),
    "organiser": (*OPEN, "answer/organiser"),
    "simulator": (THROW,),
    "lamps": OPEN,
}
WRITES: dict[str, tuple[str, ...]] = {
    "host": (*OPEN, *ANSWERS, *COMMANDS, THROW),  # commands to clear a retained one
    "web": (*COMMANDS, "command/host", "command/display", *THROWS, "light/web"),  # every command topic
    "display": (),
    "seat1": ("command/seat1", THROWS[1]),
    "seat2": ("command/seat2", THROWS[2]),
    "table": ("command/table", THROW, "light"),
    "arbiter": ("command/arbiter", THROW, "light"),
    "organiser": ("command/organiser", "forgotten/organiser", "next", "remote"),
    "simulator": (),
    "lamps": ("light",),
}
DISCOVERY = "homeassistant/device/scharten_home_board1/config"
"""Every account except the simulated board may read it; the host writes it."""
HOME_STATUS = "homeassistant/status"
HOMES = ("lamps", "seat1", "seat2")
"""These accounts may write Home Assistant's own status."""

STRANGE = ("command/host", "command/display", "command/arbiter/x", "state/x", "answer/x", "private")
OF_BOARD = (*OPEN, *COMMANDS, *ANSWERS, *THROWS, "light/web", "remote", *STRANGE)
ELSEWHERE = (
    "scharten/home/board2/command/arbiter",
    "scharten/home/board2/state",
    "scharten/home/board2/answer/arbiter",
    "homeassistant/device/scharten_home_board2/config",
    f"/{ROOT}/command/arbiter",
    f"{ROOT}/command/arbiter/",
    "state",
)
TOPICS = (*(f"{ROOT}/{topic}" for topic in OF_BOARD), DISCOVERY, HOME_STATUS, *ELSEWHERE)
"""Every topic that the attacks try."""
OF_ALL_BOARDS = ("display", "organiser")
"""Accounts that a club has once, with the same rights on every board."""


def may_write(account: str, topic: str) -> bool:
    """Return whether the contract lets the account write on a full topic."""
    if topic == HOME_STATUS:
        return account in HOMES
    if topic == DISCOVERY:
        return account == "host"
    if account == "host" and topic.startswith(f"{ROOT}/"):
        return True  # the referee's own board
    return topic in _full(account, WRITES)


def may_read(account: str, topic: str) -> bool:
    """Return whether the contract lets the account read a full topic."""
    if topic == DISCOVERY:
        return account != "simulator"
    return topic in _full(account, READS)


def _full(account: str, table: dict[str, tuple[str, ...]]) -> set[str]:
    roots = [ROOT, "scharten/home/board2"] if account in OF_ALL_BOARDS else [ROOT]
    return {f"{root}/{topic}" for root in roots for topic in table[account]}
