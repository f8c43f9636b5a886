"""All brokers side by side: the trials on each, as the table of docs/brokers.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lab.brokers import accounts
from lab.brokers.game import Row, game
from lab.brokers.kinds import KINDS, Kind, running
from lab.brokers.process import Running
from scharten.club_broker.access_trial import access_trials
from scharten.club_broker.fitness import trials

ACCOUNTS = "accounts are kept apart"
SEEN = "from node to node: retained messages by wildcard"
GAMES = ("a game at one node", "a game of which the player's node is killed")
Column = Mapping[str, bool]
"""Whether each trial works."""


def run(only: str) -> int:
    """Print the trials of each broker and the table; return 1 if an installed broker did not start."""
    columns: dict[str, Column] = {}
    wrong = 0
    for kind in (kind for kind in KINDS if not only or kind.name.lower().startswith(only.lower())):
        print(f"\n{kind.title}, {_nodes(kind.nodes)}{kind.settings and f', {kind.settings}'}", flush=True)
        if not kind.installed:
            print(f"  not installed: apt-get install --no-install-recommends {kind.package}")
            continue
        try:
            with running(kind) as broker:
                columns[heading(kind)] = column(broker)
        except AssertionError as error:
            print(f"  did not start: {error}")
            wrong += 1
    if columns:
        print("", *rows(columns), sep="\n")
    return int(wrong > 0)


def column(broker: Running) -> Column:
    """Print each trial of a broker when it is done; return whether each works."""
    found = {}
    for trial in all_trials(broker):
        mark, more = (
            ("✓", trial.detail and f": {trial.detail}") if trial.works else ("✗", f"\n      → {trial.detail}")
        )
        print(f"  {mark} {trial.title}{more if trial.title in GAMES or not trial.works else ''}", flush=True)
        found[trial.title] = trial.works
    return found


def all_trials(broker: Running) -> Iterator[Row]:
    """Run the trials on one node and from node to node, the accounts, and a game."""
    for trial in trials(broker.address(0)):
        yield Row(trial.title(), trial.works, trial.breaks())
    seen = True
    if len(broker.nodes) > 1:
        for trial in trials(broker.address(0), node=broker.address(1)):
            named = Row(f"from node to node: {trial.title()}", trial.works, trial.breaks())
            seen = seen and (named.works or named.title != SEEN)
            yield named
    yield kept_apart(broker)
    yield game(broker, seen_elsewhere=seen)


def kept_apart(broker: Running) -> Row:
    """Try with every account what the account may not do."""
    tried = access_trials(broker.address(0), accounts.TOPICS, accounts.logins())
    failed = [f"{trial.title()}: {trial.breaks()}" for trial in tried if not trial.works]
    return Row(ACCOUNTS, not failed, "; ".join(failed))


def heading(kind: Kind) -> str:
    """Return name, version and number of nodes."""
    return kind.title + (f", {kind.nodes} nodes" if kind.nodes > 1 else "")


def rows(columns: Mapping[str, Column]) -> list[str]:
    """Return the table as Markdown."""
    trials_in_order = list(dict.fromkeys(what for item in columns.values() for what in item))
    lines = [f"| trial | {' | '.join(columns)} |", f"| --- |{' --- |' * len(columns)}"]
    for what in sorted(trials_in_order, key=lambda what: (what in GAMES, what == ACCOUNTS)):
        marks = ("" if what not in item else " ✓" if item[what] else " **✗**" for item in columns.values())
        lines.append(f"| {what} |{' |'.join(marks)} |")
    return lines


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"a cluster of {count} nodes on this machine"
