"""The answers to a page or a command about a game between two boards."""

from __future__ import annotations

from unittest.mock import Mock

from scharten.remote.control import RemoteControl
from scharten.remote.settings import RemoteSection


def test_a_refusal_separates_the_reason_from_the_cure() -> None:
    """A lobby without a meeting place is refused with two sentences, each with its full stop."""
    control = RemoteControl(Mock(), Mock(), RemoteSection(), Mock())
    answer = control.request({"type": "lobby"})
    assert answer["words"] == "no meeting place is configured. Set [remote] meeting to a centre."
