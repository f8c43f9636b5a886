"""`scharten-calibrate matrix`: the mapping wizard with a board, a terminal and a page around it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scharten.commands.words import chosen_language
from scharten.dartboard.beds import Bed
from scharten.dartboard.lines import BUTTON_UNDO, ButtonLine, Hello, HitLine, StuckLine
from scharten.dartboard.link import LineReceived
from scharten.dartboard.profile import BoardProfile, expected_beds, parse_profile, profile_text
from scharten.errors import SchartenError
from scharten.sensors.board_talk import PortState, PortStatus
from scharten.words import ENGLISH
from scharten_calibration.bench import Bench, BenchEvent, Ended, Say, Typed, word
from scharten_calibration.boards import of_size, same_wiring, wiring_name
from scharten_calibration.mapping import (
    Input,
    MappingReply,
    MappingWord,
    Phase,
    Press,
    Wizard,
    bed_words,
    mending,
    profile_of,
)
from scharten_calibration.odd import oddities
from scharten_calibration.progress import keep, progress_file, resume, write_whole
from scharten_calibration.wizard import step
from scharten_calibration.words import source_words
from scharten_calibration.words import words as text

SETTINGS = {"knock_threshold": 0, "knock_window_ms": 60, "vote_window_ms": 5}
"""Settings of a new profile; the piezo wizard finds the threshold, and 0 is off."""
_WORDS: dict[str, MappingWord | Ended] = {**{word.value: word for word in MappingWord}, "quit": Ended.QUIT}


@dataclass(frozen=True)
class Mapping:
    """A mapping to do."""

    port: str
    baud: int
    out: Path
    name: str
    fresh: bool = False
    replace: bool = False
    seed: int | None = None
    mend: tuple[Bed, ...] = ()
    lines: tuple[int, int] | None = None


class MappingView(Protocol):
    """A picture of what is asked for, beside the terminal."""

    def start(self) -> str:
        """Begin showing; where to look."""
        ...

    def show(self, state: dict[str, object]) -> None:
        """Show this now."""
        ...

    def stop(self) -> None:
        """It is over."""
        ...


class JsonLines:
    """A `MappingView` for a program: a line of JSON for each state."""

    def start(self) -> str:
        """Nothing to open."""
        return "standard output"

    def show(self, state: dict[str, object]) -> None:
        """Print it."""
        print(json.dumps(state), flush=True)

    def say(self, words: str) -> None:
        """The text for a person at a terminal."""
        self.show({"said": words})

    def stop(self) -> None:
        """Nothing to close."""


def run_matrix(
    mapping: Mapping, say: Say, picture: Callable[[Callable[[MappingWord], None]], MappingView] | None = None
) -> None:
    """Map the board until all is done or the person stops; every press is kept before the board may forget it.

    `picture` makes a view from the function that takes its requests.
    """
    unfinished = progress_file(mapping.out)
    if mapping.mend:
        _profile_to_mend(mapping)
    elif mapping.out.exists() and not mapping.replace and not unfinished.exists():
        raise SchartenError.coded("profile_exists", path=mapping.out)
    wanted = {} if mapping.lines is None else dict(zip(("drives", "senses"), mapping.lines, strict=True))
    bench = Bench(mapping.port, mapping.baud, wanted)
    page: MappingView | None = None
    try:
        hello = bench.meet(mapping.lines)
        say(
            text(
                "matrix.board",
                board=hello.board,
                drives=hello.drives,
                senses=hello.senses,
                firmware=hello.firmware,
                port=mapping.port,
            )
        )
        for known in of_size((hello.drives, hello.senses)):
            singles = "separate" if known.separate_singles else "shared"
            say(text(f"matrix.known.{singles}", maker=text(f"boards.maker.{known.maker}"), tails=known.tails))
        wizard = _start(mapping, hello, say)
        if picture is not None:
            page = picture(bench.events.put)
            say(text("matrix.page", url=page.start()))
        say(text("matrix.keys"))
        bench.listen_to_keys()
        _Session(mapping, bench, page, say, wizard).run()
    finally:
        bench.close()
        if page is not None:
            page.stop()


def _start(mapping: Mapping, hello: Hello, say: Say) -> Wizard:
    """Where an interrupted run ended, if it was of this board; else the beginning."""
    seed = mapping.seed if mapping.seed is not None else secrets.randbelow(1 << 30)
    new = Wizard(mapping.name, hello.drives, hello.senses, seed)
    if mapping.mend:
        return _mended(_profile_to_mend(mapping), hello, mapping.mend, seed)
    file = progress_file(mapping.out)
    if mapping.fresh or not file.exists():
        return new
    kept = resume(file)
    if kept is None or (kept.drives, kept.senses) != (hello.drives, hello.senses):
        raise SchartenError.coded("progress_of_other", path=file, drives=hello.drives, senses=hello.senses)
    say(text("matrix.resumes", contacts=len(kept.pairs)))
    return kept


def _profile_to_mend(mapping: Mapping) -> BoardProfile:
    """The finished profile in which some beds are to be mapped again."""
    try:
        profile = parse_profile(mapping.out.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise SchartenError.coded("mend_unread", path=mapping.out, why=error.strerror) from error
    if not isinstance(profile, BoardProfile):
        raise SchartenError.coded("mend_unfit", path=mapping.out, why=profile)
    unknown = next((bed for bed in mapping.mend if bed not in expected_beds(profile.separate_singles)), None)
    if unknown is not None:
        code = "no_bed_here" if profile.separate_singles else "no_bed_shared"
        raise SchartenError.coded(code, bed=unknown)
    return profile


def _mended(profile: BoardProfile, hello: Hello, beds: tuple[Bed, ...], seed: int) -> Wizard:
    if (profile.drives, profile.senses) != (hello.drives, hello.senses):
        size, own = f"{profile.drives} x {profile.senses}", f"{hello.drives} x {hello.senses}"
        raise SchartenError.coded("mend_other_matrix", size=size, own=own)
    return mending(profile, beds, seed)


class _Session:
    """One run: takes items in order, tells terminal and page."""

    def __init__(
        self, mapping: Mapping, bench: Bench, page: MappingView | None, say: Say, wizard: Wizard
    ) -> None:
        self._mapping, self._bench, self._page, self._say = mapping, bench, page, say
        self._wizard = wizard
        self._file = progress_file(mapping.out)

    def run(self) -> None:
        """Until all is done or the person stops."""
        self._ask(MappingReply(True, ""))
        while self._wizard.phase is not Phase.DONE:
            event = self._bench.events.get()
            if event is Ended.QUIT:
                self._say(text("matrix.stopped", path=self._file))
                return
            given = self._input(event)
            if given is Ended.QUIT:
                self._bench.events.put(Ended.QUIT)
            elif given is not None:
                self._take(given)
            if isinstance(event, LineReceived):
                self._bench.done(event.session, event.line.seq)
        self._finish()

    def _take(self, given: Input) -> None:
        before = self._wizard
        self._wizard, answer = step(before, given)
        if self._wizard != before and not self._mapping.mend:
            keep(self._wizard, self._file)
        if not answer.same_press:
            self._ask(answer)

    def _input(self, event: BenchEvent) -> Input | Ended | None:
        match event:
            case LineReceived(line=HitLine(contact=contact)) if event.happened_ms >= self._bench.began_ms:
                return Press(contact, event.happened_ms)
            case LineReceived(line=ButtonLine(button=number)) if number == BUTTON_UNDO:
                return MappingWord.BACK
            case LineReceived(line=StuckLine(contact=contact, stuck=stuck)):
                self._say(text("matrix.stuck" if stuck else "matrix.free", contact=contact))
            case MappingWord():
                return event
            case Typed(text=typed):
                found = word(typed, _WORDS)
                if found is None:
                    self._say(text("matrix.keys"))
                return found
            case PortStatus(state=PortState.UP, words=words):
                self._say(words.partition(";")[0] if chosen_language() == ENGLISH else text("matrix.up"))
            case PortStatus(state=state, words=words, cure=cure, reason=reason) if (
                state is not PortState.OPENED
            ):
                self._say(source_words(reason, words, cure))
        return None

    def _ask(self, answer: MappingReply) -> None:
        wizard = self._wizard
        if answer.words:
            self._say(answer.words if answer.taken else text("no", words=answer.words))
        over, total = wizard.progress
        if wizard.bed is not None:
            self._say(
                text(
                    "matrix.press",
                    n=f"{over + 1:3}",
                    total=total,
                    bed=wizard.bed,
                    where=bed_words(wizard.bed),
                )
            )
        if self._page is not None:
            self._page.show(_shown(wizard, answer, self._mapping.out))

    def _finish(self) -> None:
        settings = SETTINGS | dict(_settings_before(self._mapping.out))
        profile = profile_of(self._wizard, settings)
        write_whole(self._mapping.out, profile_text(profile))
        self._file.unlink(missing_ok=True)
        kind = "separate" if profile.separate_singles else "shared"
        total = len(expected_beds(profile.separate_singles))
        self._say(text(f"matrix.done.{kind}", path=self._mapping.out, beds=len(profile.beds), total=total))
        for bed in profile.missing():
            self._say(text("matrix.left_out", bed=bed))
        for words in oddities(self._wizard):
            self._say(text("odd", words=words))
        like = same_wiring(profile)
        self._say(
            text("matrix.wiring_like" if like else "matrix.wiring", name=wiring_name(profile), like=like)
        )
        self._say(text("matrix.use", path=self._mapping.out))
        if settings["knock_threshold"] == 0:
            self._say(text("matrix.no_knocks"))


def _settings_before(out: Path) -> dict[str, int]:
    if not out.exists():
        return {}
    profile = parse_profile(out.read_text(encoding="utf-8", errors="replace"))
    return dict(profile.settings) if isinstance(profile, BoardProfile) else {}


def _shown(wizard: Wizard, answer: MappingReply, out: Path) -> dict[str, object]:
    """Build the page's data."""
    done = wizard.verified if wizard.phase is Phase.VERIFYING else tuple(bed for _, bed in wizard.pairs)
    over, total = wizard.progress
    return {
        "phase": wizard.phase,
        "bed": str(wizard.bed) if wizard.bed else None,
        "where": bed_words(wizard.bed) if wizard.bed else "",
        "done": [str(bed) for bed in done],
        "skipped": [str(bed) for bed in wizard.skipped],
        "answer": answer.words,
        "taken": answer.taken,
        "over": over,
        "of": total,
        "profile": text("matrix.profile", path=out),
    }
