"""What is checked in the background while people play already: the broker's rights, the rest of a long journal."""

from __future__ import annotations

import logging
import threading

from scharten.contract.topics import Topics
from scharten.health import Health
from scharten.journal.examine import examine
from scharten.journal.journal import Journal
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.check import check_broker

log = logging.getLogger(__name__)


def start_checks(host: BrokerAddress, topics: Topics, journal: Journal, health: Health) -> None:
    """Begin both, each in a thread of its own; what they find stands in `health` and in the log."""

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


def report_journal(journal: Journal, health: Health) -> None:
    """Say how large the journal is and how it was found; warn when its file is no longer the one in use."""
    told = {"path": journal.path.name, "found": journal.found.words, "bytes": journal.bytes_on_disk()}
    health.set_part("journal", told)
    if journal.moved:
        health.set_warning("journal", journal.moved)
