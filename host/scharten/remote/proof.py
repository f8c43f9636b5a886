"""The guest's proof: the host sends every stored input with its digest, the guest stores both and plays them again.

A host that lies about a dart is caught twice: its inputs must give its digests in the guest's own referee, and the
readings of the guest's board must stand there as that board sent them.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import NOT_JUDGED, JournalReader
from scharten.journal.stored_inputs import decode_stored
from scharten.match.codec import UnreadableInputError
from scharten.match.digest import digest
from scharten.match.inputs import Reading
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import Match, begin
from scharten.remote.messages import GuestReading, Proof

log = logging.getLogger(__name__)

GAMES = "remote-games"
"""The folder of proofs in the data folder."""
AGAIN_ROWS = 100
PATIENCE_MS = 1_000
"""How long the guest's count may be behind until the host sends again."""


class ProofSender:
    """Sends each stored input, and earlier ones again when the guest lacks them."""

    def __init__(self, journal: Path, publish: Callable[[bytes], bool]) -> None:
        self._journal, self._publish = journal, publish
        self._match, self._count, self._have, self._behind_ms = "", 0, 0, 0
        self._counted: tuple[str, str] | None = None
        self._lock = threading.Lock()  # the referee's thread counts, the worker reads

    @property
    def rows(self) -> int:
        """How many inputs of the game the journal has."""
        return self._count

    def begin(self, match: str) -> None:
        """Count the rows of a game that the journal has already."""
        with self._lock:
            self._match, self._have, self._behind_ms = match, 0, 0
            rows = list(self._rows(match)) if match else []
            self._count = len(rows)
            self._counted = (rows[-1].body, rows[-1].digest) if rows else None

    def on_stored(self, match: str, body: str, events: str, digest: str, start: str) -> None:
        """Send one stored input; call it in the referee's thread."""
        with self._lock:
            if match != self._match or self._counted == (body, digest):
                return  # `begin` read it from the journal before this call
            n, self._count = self._count, self._count + 1
        self._publish(_proof(match, n, body, events, digest, start if n == 0 else None))

    def sent_all(self, match: str, have: int, now_ms: int) -> bool:
        """Whether the guest has everything, or may still get it by itself."""
        with self._lock:
            if not self._match or (match == self._match and have >= self._count):
                self._behind_ms = 0
                return True
            if have > self._have or not self._behind_ms:
                self._behind_ms = now_ms  # it still arrives
            self._have = have
            waits = match == self._match and now_ms - self._behind_ms < PATIENCE_MS
            if not waits:
                self._behind_ms = now_ms
            return waits

    def send_again(self, match: str = "", have: int = 0) -> None:
        """Send the next inputs that the guest lacks, who has this many of `match`; reads the journal."""
        first = have if match == self._match else 0
        if first >= self._count:
            return
        try:
            rows = list(islice(self._rows(self._match), first, first + AGAIN_ROWS))
            start = self._start() if first == 0 else None
        except SchartenError as error:
            log.warning("the guest's proof waits: %s", error)
            return
        for n, row in enumerate(rows, first):
            self._publish(_proof(self._match, n, row.body, row.events, row.digest, start if n == 0 else None))

    def _rows(self, match: str) -> Any:
        reader = JournalReader(self._journal)
        try:
            yield from reader.inputs(match)
        finally:
            reader.close()

    def _start(self) -> str:
        reader = JournalReader(self._journal)
        try:
            return next(stored.start for stored in reader.matches() if stored.id == self._match)
        finally:
            reader.close()


def _proof(match: str, n: int, body: str, events: str, digest: str, start: str | None) -> bytes:
    proof = {
        "v": 1,
        "match": match,
        "n": n,
        "digest": digest,
        "input": json.loads(body),
        "judged": NOT_JUDGED not in events,
    }
    return json.dumps({**proof, **({"start": json.loads(start)} if start else {})}).encode()


class ProofKeeper:
    """Plays the host's inputs again and stores them as lines of JSON; `differs` names the first difference."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.match, self.have, self.differs = "", 0, ""
        self._state: Match | None = None
        self._sent: dict[tuple[int, int], Mapping[str, Any]] = {}

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return self._state is not None and self._state.result is not None

    def load(self, match: str) -> None:
        """Play a stored proof again, after a start in the middle of a game."""
        path = self._path(match)
        lines = path.read_bytes().splitlines() if match and path.exists() else []
        for line in lines:
            try:
                proof = Proof.model_validate_json(line)
            except ValueError:
                break  # the machine stopped while it wrote this line
            self._play(proof)
        if lines and self.have < len(lines):
            path.write_bytes(b"".join(line + b"\n" for line in lines[: self.have]))

    def sent(self, reading: GuestReading, *, dated: bool) -> None:
        """Remember what the own board sent, to compare it with the host's inputs.

        Without `dated` its time is not compared: an earlier process may have sent it with its own measure of the
        host's clock.
        """
        self._sent[reading.id[0], reading.id[1]] = {
            **reading.what.model_dump(mode="json", exclude_defaults=True),
            **({"at_ms": reading.at_ms} if dated else {}),
        }
        while len(self._sent) > 1000:
            self._sent.pop(next(iter(self._sent)))

    def take(self, proof: Proof) -> None:
        """Store and judge the next input; one that is not next comes again."""
        next_one = proof.n == (self.have if proof.match == self.match else 0)
        if not next_one or (proof.n == 0 and proof.match == self.match):
            return
        path = self._path(proof.match)
        path.parent.mkdir(exist_ok=True)
        with path.open("wb" if proof.n == 0 else "ab") as file:
            file.write(proof.model_dump_json().encode() + b"\n")
        self._play(proof)

    def _path(self, match: str) -> Path:
        return self._folder / GAMES / f"{''.join(c for c in match if c.isalnum())[:40]}.jsonl"

    def _play(self, proof: Proof) -> None:
        if proof.n == 0:
            self.match, self.have, self.differs, self._state = proof.match, 0, "", None
        self.have = proof.n + 1
        if self.differs:
            return
        try:
            found = self._judged(proof)
        except (UnreadableInputError, ValueError, SchartenError) as error:
            found = f"input {proof.n} is unreadable: {error}"[:200]
        if found:
            log.error("the host's game differs: %s", found)
        self.differs = found

    def _judged(self, proof: Proof) -> str:
        """Play one input; return how it differs, "" if it does not."""
        if proof.n == 0:
            self._state = begin(Start.model_validate_json(json.dumps(proof.start)), GAMES_BY_KEY)
        assert self._state is not None
        given = decode_stored(proof.input)
        if isinstance(given, Reading) and given.receipt is not None and given.place is not None:
            sent = self._sent.get((given.receipt.session, given.receipt.number))
            if sent is not None and any(proof.input.get(key) != value for key, value in sent.items()):
                return f"input {proof.n} is not the dart that this board sent"
        if proof.n == 0:
            self._state = begun_by(self._state, given)
        elif proof.judged:
            self._state = step(self._state, given)[0]
        return "" if digest(self._state) == proof.digest else f"input {proof.n} gives another game here"
