"""Check the journal at the start; beside the game check the broker's rights and the older part of the journal."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from scharten.club_broker.check import check_broker
from scharten.contract.topics import Topics
from scharten.daemon.health import MachineHealth
from scharten.daemon.systemd import Notifier
from scharten.dartboard.link import LinkState
from scharten.games import GAMES_BY_KEY
from scharten.journal.examine import examine, hold
from scharten.journal.journal import Journal, JournalReader
from scharten.journal.refused import RefusedJournal
from scharten.journal.replay import DoesNotReplayError, going_on
from scharten.match.inputs import Input
from scharten.match.seen import SeenCommands
from scharten.match.state import Match
from scharten.mqtt.address import BrokerAddress
from scharten.store.hold import Held
from scharten.store.progress import Progress

log = logging.getLogger(__name__)


def open_journal(
    path: Path, health: MachineHealth, seen: SeenCommands
) -> tuple[Journal | RefusedJournal, Match | None]:
    """Open the journal and its last match, and report the findings of the file's check.

    A journal that does not replay stays untouched, and no game can use it. `SchartenError` for a file of another
    program.
    """
    notifier = Notifier()

    def progress(words: str) -> None:
        log.warning("%s", words)
        notifier.starting(words)

    held = hold(path, progress)
    try:
        match = _going_on(held, health, seen, progress)
    except DoesNotReplayError as error:
        return RefusedJournal(held, error), None
    except BaseException:
        held.lock.close()
        raise
    return Journal(path, held), match


def _going_on(held: Held, health: MachineHealth, seen: SeenCommands, progress: Progress) -> Match | None:
    found = held.found
    if found.words:
        level = logging.WARNING if found.warning or found.unclean else logging.INFO
        log.log(level, "%s: %s", held.path, found.words)
    health.set_warning("journal", found.warning or None)
    if not held.path.exists():
        return None
    reader = JournalReader(held.path)

    def observe(given: Input) -> None:
        health.observe(given)
        seen.observe(given)

    try:
        return going_on(reader, GAMES_BY_KEY, observe, progress)
    finally:
        reader.close()
        health.forget_source()


def start_checks(
    host: BrokerAddress, topics: Topics, journal: Journal | RefusedJournal, health: MachineHealth
) -> None:
    """Start both background checks; their findings go to `health` and the log."""

    def check_rights() -> None:
        found = check_broker(host, topics)
        if found.closed is False:
            log.warning(found.words)
            health.set_warning("open_broker", found.words)

    def verify_the_rest() -> None:
        wrong = examine(journal.path, whole=True).damage
        if wrong:
            words = f"the journal is damaged in an earlier part: {wrong}. Copy it, and put a backup back"
            log.error("%s: %s", journal.path, words)
            health.set_warning("journal", words)

    threading.Thread(target=check_rights, name="broker-check", daemon=True).start()
    if not journal.found.whole:
        threading.Thread(target=verify_the_rest, name="journal-check", daemon=True).start()


def report_journal(journal: Journal | RefusedJournal, health: MachineHealth) -> None:
    """Report the journal's size and state; warn when its file has been moved or replaced."""
    figures = {"path": journal.path.name, "found": journal.found.words, "bytes": journal.bytes_on_disk()}
    health.set_part("journal", figures)
    if journal.moved:
        health.set_warning("journal", journal.moved)


def stored_line(journal: Journal | RefusedJournal) -> LinkState | None:
    """Return the last line of the board in the journal; the host ignores it and earlier ones."""
    if journal.line is None:
        return None
    session, stored = journal.line
    known, total = journal.dropped or (session, 0)
    return LinkState(session, stored, total if known == session else 0)
