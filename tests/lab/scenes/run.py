"""`make bench ARGS=scenes`: every figure from rendered pictures with exact truth, beside its aim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from lab.figures import commit
from lab.scenes.events import event_figures, sequences
from lab.scenes.loop import FPS_AIM, loop_speed
from lab.scenes.visits import Tried, figures, times, visits
from scharten.sensors.photo_sets import reliability

Item = TypeVar("Item")


def run(darts: int, events: int, seed: int, show: int) -> int:
    """Print all figures; return 0 if every aim is met. The first `show` wrong darts are printed one by one."""
    print(f"synthetic scenes, seed {seed}, commit {commit()}")
    good = True
    if darts:
        tried = list(_shown(visits(darts, seed), darts, "darts"))
        good &= _print_darts(tried, show)
    if events:
        played = list(_shown(sequences(events, seed), events, "sequences"))
        for figure in event_figures(played):
            print(figure.words())
            good &= figure.reached is not False
        for failed in (p for p in played if not p.good):
            reported, wanted = (
                [str(k) for k in kinds] for kinds in ((h.kind for h in failed.reported), failed.wanted)
            )
            print(
                f"  {failed.name}: reported {', '.join(reported) or 'nothing'} instead of {', '.join(wanted)}"
            )
    speed = loop_speed(seed)
    print(speed.words())
    return 0 if good and speed.per_second >= FPS_AIM else 1


def _print_darts(tried: list[Tried], show: int) -> bool:
    found = figures(tried)
    for figure in found:
        print(figure.words())
    print("of darts called so sure, this many are right:")
    for line in reliability([(t.confidence, t.exact) for t in tried]):
        print(line)
    print(times(tried))
    for wrong in [t for t in tried if not t.exact][:show]:
        where = f"{wrong.truth} at {wrong.x_mm:.1f}, {wrong.y_mm:.1f}, dart {wrong.order + 1}"
        seen = wrong.seen
        reported = (
            f"{seen.bed} ({seen.confidence:.2f}) at {seen.x_mm:.1f}, {seen.y_mm:.1f}" if seen else "nothing"
        )
        print(f"  {where}: seen {reported}")
    return all(figure.reached is not False for figure in found)


def _shown(items: Iterator[Item], count: int, name: str) -> Iterator[Item]:
    return iter(track(items, description=name, total=count, console=Console(stderr=True), transient=True))
