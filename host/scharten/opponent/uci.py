"""A chess engine in a process of its own, over the protocol UCI of python-chess, with bounds on all it can do.

It gets no shell, answers within a time, writes a bounded amount, and takes bounded memory; else `EngineProblem`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import resource
from collections.abc import Coroutine
from contextlib import suppress
from subprocess import DEVNULL
from typing import Any, Final, NamedTuple, Self, TypeVar

import chess
from chess.engine import INFO_SCORE, EngineError, EngineTerminatedError, Limit, UciProtocol

from scharten.errors import detail
from scharten.opponent.settings import EngineSettings
from scharten.play.evaluate import MATE
from scharten.words import ENGLISH

logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # it logs every line that it does not understand

START_S: Final = 20.0
"""An engine answers within this time of its start; one with a large network takes seconds to load it."""
GRACE_S: Final = 10.0
"""An engine may exceed its time for a move by this much: the machine may be busy."""
END_S: Final = 5.0
"""A killed engine is reaped within this time, or left to the system."""
MOST_BYTES: Final = 1 << 20
MOST_LINES: Final = 10_000
"""The most that an engine may write while it answers one request."""
ELO, SKILL = "elo", "skill"
_OPTIONS: Final = {ELO: "UCI_Elo", SKILL: "Skill Level"}
T = TypeVar("T")


class EngineProblem(Exception):  # noqa: N818  (a sentence for a person, not a fault of this program)
    """The engine could not be started, ended, wrote too much, or gave no answer: `detail.<reason>` says which."""

    def __init__(self, reason: str, /, **values: object) -> None:
        self.by_language = detail(reason, **values)
        super().__init__(self.by_language[ENGLISH])


class EngineMove(NamedTuple):
    """An engine's move in UCI, and the value for the side to move in hundredths of a pawn, None if unknown."""

    move: str
    value: int | None


class _Bounded(UciProtocol):
    """Kills an engine that writes too much, and keeps the move that it names."""

    def __init__(self) -> None:
        super().__init__()
        self.flooded = False
        self.best = ""
        self.renew()

    def renew(self) -> None:
        """Allow the output of another answer."""
        self._bytes, self._lines, self.best = MOST_BYTES, MOST_LINES, ""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)  # a pipe of text has no use for this protocol
        self._bytes -= len(data)
        self._lines -= data.count(b"\n")
        if min(self._bytes, self._lines) >= 0:
            super().pipe_data_received(fd, data)
        elif not self.flooded:
            self.flooded = True
            assert self.transport is not None
            self.transport.kill()

    def line_received(self, line: str) -> None:
        words = line.split(maxsplit=2)
        if words[:1] == ["bestmove"]:
            self.best = words[1].lower() if len(words) > 1 else ""


class UciEngine:
    """A running engine; only the thread that made it may use it."""

    def __init__(self, settings: EngineSettings) -> None:
        """Start it and wait for its options."""
        self._runner = asyncio.Runner()
        self._protocol: _Bounded | None = None
        try:
            self._within(START_S, self._start(settings))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _engine(self) -> _Bounded:
        assert self._protocol is not None
        return self._protocol

    @property
    def title(self) -> str:
        """The name that the engine gives itself."""
        return self._engine.id.get("name", "?")[:80]

    @property
    def variants(self) -> tuple[str, ...]:
        """The games it plays, by their names in UCI."""
        option = self._engine.options.get("UCI_Variant")
        return ("chess",) if option is None else tuple(option.var or ())

    @property
    def any_castling(self) -> bool:
        """Whether it castles in Fischer Random."""
        return "UCI_Chess960" in self._engine.options

    @property
    def strength(self) -> tuple[str, int, int] | None:
        """The kind of its strength with the least and the most; None where it has one strength only."""
        for kind, name in _OPTIONS.items():
            option = self._engine.options.get(name)
            if option is not None and option.min is not None and option.max is not None:
                return kind, option.min, option.max
        return None

    def limit_strength(self, strength: int) -> None:
        """Play at this strength, or the nearest in its range."""
        if self.strength is None:
            return
        kind, least, most = self.strength
        options: dict[str, bool | int] = {_OPTIONS[kind]: max(least, min(most, strength))}
        if kind == ELO and "UCI_LimitStrength" in self._engine.options:
            options["UCI_LimitStrength"] = True
        self._within(START_S, self._engine.configure(options))

    def move(
        self, board: chess.Board, seconds: float, game: object, nodes: int | None = None
    ) -> EngineMove | None:
        """Return its move within `seconds`, legal or not; None where it holds the game to be over.

        With `nodes` it searches that many positions if the time allows, and finds the same on each machine.
        """
        engine = self._engine
        engine.renew()
        value: int | None = None
        with suppress(_NotAMoveError):
            asked = engine.play(board, Limit(time=seconds, nodes=nodes), game=game, info=INFO_SCORE)
            score = self._within(seconds + GRACE_S, asked).info.get("score")
            value = None if score is None else score.relative.score(mate_score=MATE)
        if engine.best in ("", "(none)", "null", "0000"):
            return None
        if re.fullmatch(r"[a-z][1-9][a-z][1-9][a-z]?", engine.best) is None:
            raise EngineProblem("engine_no_move", given=engine.best[:20])
        return EngineMove(engine.best, value)

    def close(self) -> None:
        """End the process."""
        protocol = self._protocol
        if protocol is not None and protocol.transport is not None:
            with suppress(ProcessLookupError):
                protocol.transport.kill()
            with suppress(TimeoutError):
                self._runner.run(_settled(protocol.returncode))
            protocol.transport.close()
        self._runner.close()

    async def _start(self, settings: EngineSettings) -> None:
        loop = asyncio.get_running_loop()
        # A session of its own would survive the daemon's signal to the group of this process.
        transport, self._protocol = await loop.subprocess_exec(_Bounded, *settings.command, stderr=DEVNULL)
        most = settings.memory_mb << 20
        if hasattr(resource, "prlimit"):
            with suppress(ProcessLookupError):  # it has ended, which the next line reports
                resource.prlimit(transport.get_pid(), resource.RLIMIT_AS, (most, most))
        await self._protocol.initialize()
        if settings.options:
            await self._protocol.configure(dict(settings.options))

    def _within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """Wait for an answer; `EngineProblem` without one."""

        async def timed() -> T:
            return await asyncio.wait_for(work, seconds)

        try:
            return self._runner.run(timed())
        except TimeoutError as error:
            raise EngineProblem("engine_late", seconds=f"{seconds:.0f}") from error
        except EngineTerminatedError as error:
            flooded = self._protocol is not None and self._protocol.flooded
            raise EngineProblem("engine_flooded" if flooded else "engine_ended") from error
        except EngineError as error:
            if self._protocol is not None and self._protocol.best:
                raise _NotAMoveError from error
            raise EngineProblem("engine_refuses", error=str(error)[:200]) from error
        except OSError as error:
            raise EngineProblem("engine_absent", error=error.strerror or error) from error


async def _settled(end: asyncio.Future[int]) -> None:
    await asyncio.wait_for(end, END_S)


class _NotAMoveError(Exception):
    """python-chess does not know the move as legal: the referee judges it."""
