"""`make bench-eyes`: faults over real throws in the live loop, and the reports of each beside its aim."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from lab.eyes import beside, cameras, faults, people
from lab.eyes.faults import FRAME_MS, Fault, Frames, Laid
from lab.eyes.throws import Pictures, real_throws
from lab.figures import commit, percentile
from scharten.dartboard.beds import SURE
from scharten.vision.follow.remarks import remark, trouble
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import Happening, HappeningKind, TakeoutState

WORDS_MS = 3000
"""The time within which a throw must be reported or the page must show a message."""


@dataclass(frozen=True)
class Line:
    """A fault, and the largest allowed share of its throws that are sure and wrong, in doubt, or never reported."""

    name: str
    fault: Fault
    doubt: float = 0.1
    silent: float = 0.0
    asked: float = 0.1


LINES = (
    Line("no fault", faults.nothing, 0.05, asked=0.0),
    Line("flicker bands of 3 %", faults.bands(0.03), 0.05, asked=0.0),
    Line("flicker bands of 8 %", faults.bands(0.08), 0.05, asked=0.0),
    Line("flicker bands of 15 %", faults.bands(0.15)),
    Line("flicker bands of 30 %", faults.bands(0.30), 1.0, asked=1.0),
    Line("exposure x 1.6 with the throw", faults.exposure(1.6)),
    Line("exposure x 0.5 with the throw", faults.exposure(0.5)),
    Line("light falls to 0.3 and stays", faults.dimmed),
    Line("moth, one camera", faults.insect(False), 0.0, 1.0, 1.0),
    Line("moth, all cameras", faults.insect(True), 0.0, 1.0, 1.0),
    Line("hand at one picture's rim", faults.hand_at_rim),
    Line("hand up to 130 ms after the dart", faults.hand_after),
    Line("third dart 4 to 7 mm from two", beside.third(4, 7), 1.0, 0.0, 0.02),
    Line("third dart 7 to 12 mm from two", beside.third(7, 12), 1.0, 0.0, 0.02),
    Line("a dart pushes one by 8 degrees", beside.pushed(), 0.25),
    Line("two hard lamps, shadows 100 mm", faults.shadows),
    Line("all blurred by 9 px for 0.4 s", faults.shaken),
    Line("one camera blurred by 15 px", faults.one_blurred),
    Line("two cameras swapped", faults.swapped, 0.05, asked=0.0),
    Line("one camera", faults.alone, 0.2),
    Line("a bounce-out", faults.bounced),
    Line("a takeout", faults.taken),
    Line("JPEG at quality 15", faults.jpeg),
    Line("noise of 6 levels", faults.noisy),
    Line("white balance with the throw", faults.warmer),
    Line("a camera turned by 0.5 degrees", faults.turned),
    Line("a frozen camera", faults.frozen),
    Line("third of three thrown, 4 to 7 mm", beside.third(4, 7, thrown=True), 1.0, 0.0, 0.02),
    Line("third of three thrown, 7 to 12", beside.third(7, 12, thrown=True), 1.0, 0.0, 0.02),
    Line("a hand after a dart that pushed", beside.pushed(hand=True), 0.25),
    Line("square light bands of 12 %", cameras.square_bands, 0.1, asked=1.0),
    Line("white balance drifts", cameras.drifting_white),
    Line("exposure hunts by 10 %", cameras.hunting),
    Line("dust on every lens", cameras.dust),
    Line("focus lost by 4 px", cameras.defocus(4.0), 1.0, asked=1.0),
    Line("focus lost by 5.5 px", cameras.defocus(5.5), 1.0, asked=1.0),
    Line("two of five pictures lost", cameras.dropped),
    Line("pictures repeated, in disorder", cameras.late(0, 3)),
    Line("one camera lags by 400 ms", cameras.late(12, 12, cameras=1)),
    Line("a television's light", cameras.television),
    Line("a sun patch moves 1 px a frame", cameras.sun(1.0), 1.0, asked=1.0),
    Line("a sun patch moves 6 px a frame", cameras.sun(6.0), 1.0, asked=1.0),
    Line("white flights", people.flight(people.white)),
    Line("transparent flights", people.flight(people.transparent)),
    Line("flights in the board's colours", people.flight(people.board_coloured)),
    Line("a dart touches one's barrel", people.touching, 1.0, 0.0, 0.1),
    Line("three in one treble", people.in_one_treble, 1.0, 0.0, 0.1),
    Line("a robin hood", people.robin_hood, 1.0, asked=1.0),
    Line("a sleeve in one picture", people.sleeve),
    Line("a takeout by two people", people.taken_by_two),
    Line("a takeout, one after the other", people.taken_in_turn),
    Line("a dart falls out after 3 s", people.falls_out, asked=1.0),
    Line("board turned by 2 degrees in play", people.turned_in_play, asked=1.0),
)
"""Flicker of 30 % may cause only a message; a moth that sits may raise a question or no report."""


@dataclass(frozen=True)
class Reported:
    """The verdict on a throw: right, doubt, asked, silent or wrong (sure of a wrong bed); its time and CPU time."""

    how: str
    right: bool
    within_ms: int
    spent_ms: float = 0.0


def run(folder: Path, throws: int, only: str, show: bool, seed: int = 0) -> int:
    """Print the table; return 0 if every aim is met."""
    cv2.setNumThreads(1)
    print(f"faults over real throws, commit {commit()}; at most this many are to be reached in brackets")
    print(f"{'':33}throws  right  wrong    doubt     asked     silent   ms of CPU (p50)")
    good = True
    for index, line in enumerate(LINES):
        if only in line.name:
            good &= _measured(line, folder, throws, [seed, index] if seed else [index], show)
    return 0 if good else 1


def _measured(line: Line, folder: Path, throws: int, seeds: list[int], show: bool) -> bool:
    found: list[Reported] = []
    for number, read in track(
        list(enumerate(real_throws(folder, throws))), line.name, console=Console(stderr=True), transient=True
    ):
        laid = line.fault(read(), np.random.default_rng([*seeds, number]))
        if laid is not None:
            found.append(reported(laid))
            if show and found[-1].how != "right":
                print(f"  {number} ({laid.bed}): {found[-1]}")
    return _printed(line, found)


def _printed(line: Line, found: list[Reported]) -> bool:
    counts, source = Counter(item.how for item in found), len(found)
    most = {"wrong": 0.0, "doubt": line.doubt, "asked": line.asked, "silent": line.silent}
    cells = [f"{counts[how]:3} [{int(share * source):3}]" for how, share in most.items()]
    spent = [item.spent_ms for item in found if item.spent_ms]
    cpu = f"{percentile(spent, 50):6.1f}" if spent else "     -"
    good = all(counts[how] <= int(share * source) for how, share in most.items())
    verdict = "met" if good else "MISSED"
    print(f"{line.name:33}{source:6}  {counts['right']:5}  {'  '.join(cells)}  {cpu}  {verdict}", flush=True)
    return good


def reported(laid: Laid) -> Reported:
    """Play the frames, and judge the reports about the throw; silent means no report within `WORDS_MS`."""
    tracker = open_tracker(laid.throw.eyes, laid.throw.empties)
    news: list[tuple[int, Happening]] = []
    spent, words, waits = 0.0, False, laid.bed is not None
    last = laid.starts + WORDS_MS // FRAME_MS
    for frame, (pictures, over) in enumerate(_held(laid.frames)):
        if over and (not waits or words or len(news) > laid.reported_before or frame >= last):
            break
        began = time.process_time()
        tracker, happened = step(tracker, pictures, frame * FRAME_MS)
        took = 1000 * (time.process_time() - began)
        news += [(frame * FRAME_MS, item) for item in happened if frame >= laid.starts]
        if any(item.kind is HappeningKind.DART for item in happened):
            spent = took
        words = words or bool(trouble(tracker, frame * FRAME_MS) or remark(tracker, frame * FRAME_MS))
    words = words or tracker.state is TakeoutState.ASKEW
    return _judged(news[laid.reported_before :], laid, spent, words)


def _held(frames: Frames) -> Iterator[tuple[Pictures, bool]]:
    """Yield the frames, then the last one for ever, each with whether all were shown: a report may still follow."""
    pictures: Pictures = ()
    for pictures in frames:
        yield pictures, False
    yield from repeat((pictures, True))


def _judged(reported: list[tuple[int, Happening]], laid: Laid, spent: float, words: bool) -> Reported:
    _throws = (HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED, HappeningKind.EMPTY)
    of_throw = [(at, item) for at, item in reported if item.kind in _throws]
    asked = words or any(item.kind not in _throws for _, item in reported)
    if not of_throw:
        if laid.bed is None:
            return Reported("asked" if asked else "right", True, 0)
        return Reported("asked" if asked else "silent", False, 0)
    at, first = of_throw[0]
    named = _name(first)
    right = named == laid.bed
    sure = [_name(item) for _, item in of_throw if item.confidence >= SURE]
    if sure and sure != [laid.bed]:
        return Reported("wrong", right, at, spent)
    if len(of_throw) > 1:  # the others raise questions
        return Reported("doubt", right, at, spent)
    return Reported("right" if right and sure else "doubt", right, at, spent)


def _name(happening: Happening) -> str:
    if happening.kind in (HappeningKind.BOUNCED, HappeningKind.EMPTY):
        return happening.kind.value
    return str(happening.beds[0][0])
