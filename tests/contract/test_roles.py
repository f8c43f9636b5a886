"""The table of reading and writing rights per role, and the laws of MQTT's filters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.contract.roles import HOME_STATUS, Account, Acl, matches, overlaps
from scharten.contract.topics import COMMAND_ROLES, Topics

ACL = Acl(Topics("scharten", "home", "board1"))
LEVELS = st.lists(st.sampled_from(["a", "b", "+", ""]), min_size=1, max_size=4)
FILTERS = st.builds(
    lambda levels, all_below: "/".join([*levels, "#"] if all_below else levels), LEVELS, st.booleans()
)
NAMES = st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=5).map("/".join)

READS = """
             availability  public  answer-own  answer-other  command  throw
host         yes           no      no          no            yes      no
web          yes           yes     yes         yes           no       no
display      yes           yes     no          no            no       no
seat1        yes           yes     yes         no            no       no
seat2        yes           yes     yes         no            no       no
table        yes           yes     yes         no            no       no
arbiter      yes           yes     yes         no            no       no
organiser    yes           yes     yes         no            no       no
simulator    no            no      no          no            no       yes
"""
WRITES = """
             public  answer-own  answer-other  command-own  command-other
host         yes     yes         yes           yes          yes
web          no      no          no            yes          yes
display      no      no          no            no           no
seat1        no      no          no            yes          no
seat2        no      no          no            yes          no
table        no      no          no            yes          no
arbiter      no      no          no            yes          no
organiser    no      no          no            yes          no
simulator    no      no          no            no           no
"""


def cells(table: str) -> list[tuple[Account, str, bool]]:
    heads, *rows = (line.split() for line in table.strip().splitlines())
    return [
        (Account(row[0]), head, cell == "yes")
        for row in rows
        for head, cell in zip(heads, row[1:], strict=True)
    ]


def topics_of(head: str, account: Account) -> list[str]:
    kind, _, whose = head.partition("-")
    if kind == "availability":
        return ["scharten/home/board1/availability"]
    if kind == "public":
        return [f"scharten/home/board1/{topic}" for topic in ("state", "sheet", "events", "hits", "health")]
    if kind == "throw":
        return ["scharten/home/board1/simulator/throw"]
    roles = [role for role in COMMAND_ROLES if not whose or (role == account) == (whose == "own")]
    if whose == "own" and account not in COMMAND_ROLES:
        roles = list(COMMAND_ROLES) if account in (Account.HOST, Account.WEB) else []
    return [f"scharten/home/board1/{kind}/{role}" for role in roles]


@pytest.mark.parametrize(("account", "head", "allowed"), cells(READS))
def test_who_reads(account: Account, head: str, allowed: bool) -> None:
    """The table above, cell by cell; no role has rights on another board's topics."""
    for topic in topics_of(head, account):
        assert ACL.may_receive(account, topic) is allowed
        assert not ACL.may_receive(account, topic.replace("board1", "board2"))


@pytest.mark.parametrize(("account", "head", "allowed"), cells(WRITES))
def test_who_writes(account: Account, head: str, allowed: bool) -> None:
    """The table above, cell by cell; no role has rights on another board's topics."""
    for topic in topics_of(head, account):
        assert ACL.may_publish(account, topic) is allowed
        assert not ACL.may_publish(account, topic.replace("board1", "board2"))


def test_who_throws() -> None:
    """The table and the arbiter throw at the simulated board; a seat throws on its own topic only."""
    throw = "scharten/home/board1/simulator/throw"
    assert all(
        ACL.may_publish(account, throw)
        for account in (Account.TABLE, Account.ARBITER, Account.WEB, Account.HOST)
    )
    assert not any(
        ACL.may_publish(account, throw)
        for account in (Account.SEAT1, Account.SEAT2, Account.DISPLAY, Account.SIMULATOR)
    )
    for own in (Account.SEAT1, Account.SEAT2):
        writers = {account for account in Account if ACL.may_publish(account, f"{throw}/{own.value}")}
        assert writers == {own, Account.WEB}
        assert ACL.may_receive(Account.HOST, f"{throw}/{own.value}")
        assert not ACL.may_receive(Account.SIMULATOR, f"{throw}/{own.value}")


def test_who_may_announce_a_light_change() -> None:
    """The shared table, the arbiter, lamps and the page's server may; no other role can blind the cameras."""
    light = "scharten/home/board1/light"
    writers = {account for account in Account if ACL.may_publish(account, light)}
    assert writers == {Account.HOST, Account.TABLE, Account.ARBITER, Account.LAMPS}
    of_pages = {account for account in Account if ACL.may_publish(account, f"{light}/web")}
    assert of_pages == {Account.WEB} and ACL.may_receive(Account.HOST, f"{light}/web")
    assert ACL.may_receive(Account.HOST, light) and ACL.may_receive(Account.DISPLAY, light)
    assert ACL.grant(Account.LAMPS).writes == (light, HOME_STATUS)


@settings(deadline=None)  # the machine may be busy
@given(FILTERS, NAMES)
def test_a_topic_that_matches_two_filters_shows_that_they_overlap(first: str, topic: str) -> None:
    """A filter overlaps another at least when some topic matches both; a name without wildcards is also a filter."""
    assert overlaps(first, topic) is matches(first, topic)


@settings(deadline=None)  # the machine may be busy
@given(FILTERS, FILTERS, NAMES)
def test_overlap_is_mutual_and_implied_by_a_common_topic(first: str, other: str, topic: str) -> None:
    """Overlap is the same both ways round, and holds whenever a topic matches both."""
    assert overlaps(first, other) is overlaps(other, first)
    if matches(first, topic) and matches(other, topic):
        assert overlaps(first, other)


@pytest.mark.parametrize(
    ("topic_filter", "topic", "expected"),
    [
        ("a/#", "a", True),
        ("a/#", "a/b/c", True),
        ("+", "a", True),
        ("+", "a/b", False),
        ("+/+", "/a", True),
        ("#", "$SYS/broker", False),
        ("+/broker", "$SYS/broker", False),
        ("$SYS/#", "$SYS/broker", True),
        ("a/+/c", "a//c", True),
    ],
)
def test_filters_match_as_the_standard_says(topic_filter: str, topic: str, expected: bool) -> None:
    """The examples of MQTT 3.1.1, 4.7."""
    assert matches(topic_filter, topic) is expected
