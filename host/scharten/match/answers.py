"""The answer to a command; every answer on every channel is built here."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.match.events import Args

VERSION = 2


def answer(command_id: object, refusal: Problem | None = None, **fields: object) -> Args:
    """Build the body of `answer/<role>`; `fields` are `pending`, `args` and whatever the kind of command adds.

    The referee stamps `match` and `seq` on its own answers. An id that is no text was not readable and becomes null.
    """
    args = fields.pop("args", {})
    return {
        "v": VERSION,
        "id": command_id if isinstance(command_id, str) else None,
        "accepted": refusal is None,
        "pending": bool(fields.pop("pending", False)),
        "code": refusal.code if refusal else None,
        "args": dict(refusal.args) if refusal else args,
        "words": str(refusal) if refusal else "",
        **fields,
    }
