"""Start the periodic work beside the game: reports on journal, date and queues, and the daily backup."""

from __future__ import annotations

from functools import partial

from scharten.daemon.backups import daily
from scharten.daemon.checks import report_journal
from scharten.daemon.companions import SLOW_PART_S, GameSurroundings
from scharten.daemon.finished import FinishedGames
from scharten.daemon.running import DateWatch, SteadyClock
from scharten.journal.journal import Journal
from scharten.journal.refused import RefusedJournal


def start_periodic_work(
    at: GameSurroundings,
    journal: Journal | RefusedJournal,
    finished: FinishedGames,
    clock: SteadyClock,
    backups: str,
) -> None:
    """Start publishing the finished games, and the reports of every two seconds.

    Once a day copy the data folder to `backups`, if that is set.
    """
    at.announcer.listeners.append(finished.on_event)
    finished.start()
    at.supervisor.watch_worker(finished.worker, SLOW_PART_S)
    date = DateWatch(clock, lambda: at.referee.match.under_way, at.health.set_warning)
    at.rounds.calls += [
        finished.look_after,
        partial(report_journal, journal, at.health),
        date.check,
        partial(_report_queues, at),
        *daily(backups, at.folder, at.health.set_warning),
    ]
    at.down.append(at.rounds.stop)
    at.rounds.worker.start()
    at.supervisor.watch_worker(at.rounds.worker, SLOW_PART_S)


def _report_queues(at: GameSurroundings) -> None:
    at.health.set_part("referee", {"inputs": at.referee.inputs, "waiting": at.referee.waiting})
    at.health.set_part("announcer", {"waiting": at.announcer.waiting, "lost": at.announcer.lost})
