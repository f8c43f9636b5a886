"""Topics: their names, the role of each command topic, and invalid names."""

from __future__ import annotations

import pytest

from scharten.contract.topics import COMMAND_ROLES, Topic, Topics

TOPICS = Topics("scharten", "home", "board1")


def test_topics_are_those_of_the_contract() -> None:
    """`<prefix>/<club>/<board>/...` as in the table."""
    assert TOPICS.path(Topic.STATE) == "scharten/home/board1/state"
    assert TOPICS.path(Topic.THROW) == "scharten/home/board1/simulator/throw"
    assert TOPICS.command("seat1") == "scharten/home/board1/command/seat1"
    assert TOPICS.answer("arbiter") == "scharten/home/board1/answer/arbiter"


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "Board", "x" * 33, "böard", "a b", "a\x00"])
def test_a_name_that_could_be_another_topic_is_refused(name: str) -> None:
    """Names of 1 to 32 characters of a-z, 0-9, _ and - only."""
    for made in ((name, "home", "board1"), ("scharten", name, "board1"), ("scharten", "home", name)):
        with pytest.raises(ValueError, match="not a name for a topic"):
            Topics(*made)


def test_the_role_of_a_command_topic_is_read_whole() -> None:
    """Another board's topic, or one that merely ends alike, has no role."""
    assert [TOPICS.role_of(TOPICS.command(role)) for role in COMMAND_ROLES] == list(COMMAND_ROLES)
    for topic in (
        "scharten/home/board2/command/seat1",
        "scharten/away/board1/command/seat1",
        "x/scharten/home/board1/command/seat1",
        "scharten/home/board1/command/seat1/x",
        "scharten/home/board1/command/display",
        "scharten/home/board1/answer/seat1",
    ):
        assert TOPICS.role_of(topic) is None
