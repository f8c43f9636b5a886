"""The short form: rendered scenes and the compiled firmware run live on one clock, frame by frame."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from firmware.driver import Board
from lab.both.clock import RIGHT, WRONG, OneClock, verdict
from lab.both.run import print_throw
from lab.both.scenes import ACTS, TELLING, SeenThrow, frames, wake
from lab.both.throws import Closure, Throw
from lab.figures import commit
from lab.scenes.events import FLIGHT_FRAMES, FRAME_MS, SIZE, Pictures, Stage
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.dartboard.lines import HitLine, KnockLine, Notice, ack
from scharten.dartboard.locate import bed_at
from scharten.match.inputs import Cleared
from scharten.sensors.camera_process import result_of
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import CAMERA
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_tracker import ThrowTracker

STORIES = (("dart", True), ("bounce", True), ("dart", False), ("beside", False))
"""Kinds of scenes, and whether a contact closes in each."""


class LiveBench:
    """One rig, one board and one clock; simulated time advances by a frame."""

    def __init__(self, seed: int) -> None:
        cv2.setNumThreads(1)
        self.profile = load_profile("reference-8x11")
        self.board = Board("mega2560", self.profile.drives, self.profile.senses)
        for key, value in self.profile.settings.items():
            self.board.set(key, value)
        self.board.settle()
        chance = np.random.default_rng(seed)
        rig = make_rig(chance, replace(RANGES, size=SIZE))
        empties = tuple(picture(rig, n, (), chance) for n in range(len(rig.cameras)))
        self.stage = Stage(rig, chance, [])
        self.tracker, self.frame = wake(open_tracker(open_rig(rig, chance, empties), empties), self.stage)
        self.empty: ThrowTracker = self.tracker
        self.clock = OneClock(self.profile, now=1_000_000)
        self._offset = self.clock.now - round(self.board.now_us / 1000)

    def play(self, kind: str, closes: bool) -> tuple[Throw, str]:
        """Play one throw; return the throw and its verdict."""
        self.clock.reported = []
        self.stage.darts.clear()
        self.tracker = self.empty
        self.clock.tracking("empty")
        self.clock.read(CAMERA, Cleared(), self.clock.now)
        dart, act = ACTS[kind](self.stage)
        x, y, _ = dart.tip
        own = self.profile.contact_of(bed_at(x, y))
        contacts = (Closure(own, 1, 12),) if closes and own is not None else ()
        throw = Throw(SeenThrow(kind, 0, x, y, None), contacts, not contacts)
        came = False
        for number, (shot, still) in enumerate(frames(self.stage, act)):
            lands = still or (kind == "bounce" and number == FLIGHT_FRAMES)
            if lands and not came:
                came = True
                self._felt(throw)
            self._frame(shot)
        self.clock.run_to(self.clock.now + 500)
        self._board_to_now()
        return throw, verdict(throw, self.clock.reported)

    def _felt(self, throw: Throw) -> None:
        self.board.knock(0, 1.5)
        for closure in throw.closures:
            at = closure.contact
            self.board.press(at.drive, at.sense, closure.after_ms, closure.closed_ms, 0.4)

    def _frame(self, shot: Pictures) -> None:
        self.clock.run_to(self.clock.now + FRAME_MS)
        self._board_to_now()
        self.frame += 1
        before = self.tracker.state
        self.tracker, happened = step(self.tracker, shot, self.frame * FRAME_MS)
        for item in happened:
            if item.kind in TELLING:
                self.clock.seen(result_of(item), self.clock.now - (self.frame * FRAME_MS - item.at_ms))
        if self.tracker.state is not before:
            self.clock.tracking(self.tracker.state.value)

    def _board_to_now(self) -> None:
        """Run the board until now; receive and acknowledge its lines."""
        self.board.run(self.clock.now - self._offset - self.board.now_us / 1000)
        for said in self.board.take():
            if isinstance(said.line, HitLine | KnockLine):
                self.clock.line(said.line, self._offset + said.line.t_ms)
                self.board.send(ack(said.line.seq))
            elif isinstance(said.line, Notice):
                self.clock.line(said.line, self.clock.now)


def run_live(count: int, seed: int) -> int:
    """Play this many throws and print each verdict; return 0 if none is both sure and wrong."""
    print(f"a board and cameras live on one clock, {count} throws, seed {seed}, commit {commit()}")
    bench, wrong, right = LiveBench(seed), 0, 0
    try:
        for number in range(count):
            throw, judged = bench.play(*STORIES[number % len(STORIES)])
            print_throw(throw, judged, bench.clock.reported)
            wrong, right = wrong + (judged == WRONG), right + (judged == RIGHT)
    finally:
        bench.board.close()
    print(f"right {right} of {count}, sure and wrong {wrong} (aim 0)")
    return int(wrong > 0)
