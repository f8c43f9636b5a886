"""`scharten-calibrate piezo`: the knock wizard with a board and a terminal around it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from scharten.dartboard.lines import BUTTON_READY, ButtonLine, HitLine, KnockLine
from scharten.dartboard.link import LineReceived
from scharten.dartboard.profile import BoardProfile, parse_profile, profile_text
from scharten.errors import Problem, SchartenError
from scharten.sensors.board_talk import PortStatus
from scharten_calibration.bench import Bench, BenchEvent, Ended, Say, Typed
from scharten_calibration.piezo import (
    LEANS,
    LISTEN_AT,
    MISSES,
    NoThreshold,
    Part,
    PiezoWizard,
    knocked,
    leaned,
    picture,
    threshold,
)
from scharten_calibration.progress import write_whole
from scharten_calibration.words import source_words, words


def run_piezo(port: str, baud: int, file: Path, say: Say) -> None:
    """Ask for misses and leans, and put the threshold into the profile; the picture is written beside it."""
    profile = _profile(file)
    bench = Bench(port, baud, {"knock_threshold": LISTEN_AT, "knock_window_ms": 60})
    try:
        bench.meet()
        bench.listen_to_keys()
        wizard = _listen(bench, say)
    finally:
        bench.close()
    if wizard is None:
        say(words("piezo.stopped"))
        return
    found = threshold(wizard.misses, wizard.leans)
    drawing = file.with_suffix(".knocks.svg")
    write_whole(drawing, picture(wizard.misses, wizard.leans, found))
    say(words("piezo.drawn", path=drawing))
    if isinstance(found, NoThreshold):
        raise SchartenError.coded("no_threshold", miss=found.soft, lean=found.hard)
    settings = MappingProxyType({**profile.settings, "knock_threshold": found.value})
    write_whole(file, profile_text(replace(profile, settings=settings)))
    say(words("piezo.found", threshold=found.value, path=file))


def _profile(file: Path) -> BoardProfile:
    try:
        profile = parse_profile(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("profile_unread", path=file, why=error) from error
    if isinstance(profile, Problem):
        raise SchartenError.coded("profile_unfit", path=file, why=profile)
    return profile


def _listen(bench: Bench, say: Say) -> PiezoWizard | None:
    wizard = PiezoWizard()
    _ask(wizard, say)
    while wizard.part is not Part.DONE:
        event = bench.events.get()
        if event is Ended.QUIT or (isinstance(event, Typed) and event.text.startswith("q")):
            return None
        changed = _take(wizard, event, bench, say)
        if isinstance(event, LineReceived):
            bench.done(event.session, event.line.seq)
        if (changed.misses, changed.leans) != (wizard.misses, wizard.leans):
            _ask(changed, say)
        wizard = changed
    return wizard


def _take(wizard: PiezoWizard, event: BenchEvent, bench: Bench, say: Say) -> PiezoWizard:
    match event:
        case LineReceived(line=KnockLine(peak=peak)) if event.happened_ms >= bench.began_ms:
            say(words("piezo.felt", peak=peak))
            return knocked(wizard, peak)
        case LineReceived(line=HitLine()) if wizard.part is Part.MISS:
            say(words("no", words=words("piezo.contact")))
        case LineReceived(line=ButtonLine(button=number)) if number == BUTTON_READY:
            return leaned(wizard)
        case Typed(text=""):
            return leaned(wizard)
        case PortStatus(words=reported, cure=cure, reason=reason):
            say(source_words(reason, reported, cure))
    return wizard


def _ask(wizard: PiezoWizard, say: Say) -> None:
    match wizard.part:
        case Part.MISS:
            say(
                f"[{len(wizard.misses) + 1} of {MISSES}] throw a dart into the surround, beside the scoring beds"
            )
        case Part.LEAN:
            say(
                f"[{len(wizard.leans) + 1} of {LEANS}] lean on the board, let go, press Enter (or the ready button)"
            )
        case Part.DONE:
            pass
