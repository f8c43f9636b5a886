"""The players of this board, as pages, commands and the club query them; damaged tables are rebuilt."""

from __future__ import annotations

import csv
import io
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson
from scharten.game.protocol import Games
from scharten.journal.collected import CollectedGames
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.journal.records import replayed
from scharten.journal.replay import ReplayedInput, replay
from scharten.match.settings import Start, find_game, read_options
from scharten.play.scatter import Hand
from scharten.players.darts import DartHistory, PlayedGame, collect
from scharten.players.profiles import MOST_PLAYERS, Player, Profile, read_profile
from scharten.players.store import COPY, FILE, DamagedError, PlayerStore

T = TypeVar("T")
JOURNALS: Final = ("{stem}.sqlite3", "{stem}.old-*.sqlite3")
"""The current journal, and journals that were set aside for a new one."""


class RunningFigures(Protocol):
    """The figures of the list of players (`tallies.py`, which needs NumPy)."""

    def update(self) -> None:
        """Count new and changed games."""

    def figures_of(self, player: str) -> MutableJson:
        """Return a player's figures."""

    def hand_of(self, player: str) -> Hand | None:
        """Return how a player's darts land."""


class Heads(Protocol):
    """The figures from reviews (`heads.py`, which needs NumPy)."""

    def figures_of(self, player: str, games: Iterable[PlayedGame]) -> MutableJson | None:
        """Return a player's figures, None without a review."""


class PlayerBook:
    """The register and the figures from a folder's journals; one query at a time, from any thread.

    `warn` receives a message when damaged tables were rebuilt.
    """

    def __init__(
        self, folder: Path, journal: str, games: Games, warn: Callable[[str], object] = lambda message: None
    ) -> None:
        self._folder, self._journal, self._games, self._warn = folder, journal, games, warn
        self._store = PlayerStore(folder)
        self._lock = threading.RLock()
        self._checked = False
        self._missing = self._store.missing  # before the first query creates the file
        self._unreadable: set[str] = set()
        self._collected = CollectedGames(folder)
        self._read_at: dict[str, int] = {}
        self._running: RunningFigures | None = None
        self._heads: Heads | None = None
        self._agreed: tuple[int, frozenset[str]] | None = None

    # --- the register ---

    def players(self) -> list[Player]:
        """Return the players who can be chosen, in the order of registration."""
        return [player for player in self._query(self._store.players) if not player.gone]

    def save(self, profile: object, player: str | None = None) -> Player | Problem:
        """Register a new player, or change the `player` with this id; return the player, or why it is refused."""
        read = read_profile(profile)
        if isinstance(read, Problem):
            return read
        with self._lock:
            players = self.players()
            known = next((registered for registered in players if registered.id == player), None)
            if player is not None and known is None:
                return Problem("no_such_player", "there is no such player", cure="Read the list again.")
            taken = [other for other in players if other.profile.name.lower() == read.name.lower()]
            if any(other is not known for other in taken):
                words = f"there is a {read.name} already"
                return Problem("name_taken", words, {"name": read.name}, "Add another letter.")
            if known is None and len(players) >= MOST_PLAYERS:
                return Problem("too_many_players", f"there are {MOST_PLAYERS} players, which is the most")
            since = known.since_ms if known else time.time_ns() // 1_000_000
            saved = Player(known.id if known else secrets.token_hex(5), read, since)
            self._query(lambda: self._store.save(saved))
            return saved

    def delete(self, player: str) -> bool:
        """Delete a player with every dart; games then show "deleted player". Return False for an unknown player."""
        with self._lock:
            self.sync()
            return self._query(lambda: self._store.delete(player))

    def names(self) -> dict[str, MutableJson]:
        """Return all players as JSON by id, deleted players without a name."""
        return {player.id: player.as_json() for player in self._query(self._store.players)}

    def deleted(self) -> frozenset[str]:
        """Return the ids of deleted players, whose names no page shows."""
        return frozenset(player.id for player in self._query(self._store.players) if player.gone)

    def forget(self, players: Collection[str]) -> bool:
        """Note deleted players of the club who are not in this register; return whether any was new."""
        with self._lock:
            self.sync()
            return self._query(lambda: self._store.forget(players))

    def revision(self) -> int:
        """Return a number that changes with every write of any process."""
        return self._store.revision()

    def to_choose(self) -> list[MutableJson]:
        """Return the players without figures, at once: it reads no journal and waits for no other query."""
        last = self._query(self._store.last_played)
        return [
            {**player.as_json(), "since_ms": player.since_ms, "last_ms": last.get(player.id)}
            for player in self.players()
        ]

    # --- figures ---

    def overview(self) -> list[MutableJson]:
        """Return all players with number of games and scatter, from running tallies."""
        with self._lock:
            self.sync()
            players, running = self.players(), self._tallies()
            return [
                {**player.as_json(), "since_ms": player.since_ms, **running.figures_of(player.id)}
                for player in players
            ]

    def _tallies(self) -> RunningFigures:
        """Return the running tallies, brought up to date."""
        from scharten.players.tallies import Tallies

        running = self._running = self._running or Tallies(self._store)
        self._query(running.update)
        return running

    def hand(self, player: str) -> Hand | None:
        """Return how a player's darts land, None with too few darts at a known aim."""
        with self._lock:
            self.sync()
            return self._tallies().hand_of(player)

    def with_heads(self) -> list[MutableJson]:
        """Return the overview with each player's `head`, None for a player without a review."""
        with self._lock:
            players, games = self.overview(), self._query(self._store.games)
            return [{**row, "head": self.head(str(row["id"]), games)} for row in players]

    def all(self) -> MutableJson:
        """Return the figures of all players together."""
        from scharten.players.statistics import statistics

        return statistics(self._history())

    def player(self, player: str) -> MutableJson | None:
        """Return the figures of one player, or None for an unknown or deleted player."""
        from scharten.players.statistics import player_statistics

        history, names = self._history(player), self.names()
        if player not in names or names[player].get("gone"):
            return None
        return {
            **names[player],
            **player_statistics(player, history, names),
            "head": self.head(player, history.games),
        }

    def stand_in_refused(self, player: str) -> str | None:
        """Return why the computer may not play as this player, None if it may; asked often, so answered quickly."""
        revision = self.revision()
        if self._agreed is None or self._agreed[0] != revision:
            agreed = frozenset(known.id for known in self.players() if known.profile.stand_in)
            self._agreed = revision, agreed
        if player in self._agreed[1]:
            return None
        return "the player as whom it plays has not agreed to it, or has withdrawn that"

    def stand_ins(self) -> list[MutableJson]:
        """Return the players who agreed that the computer plays as they do, with hand and head as measured."""
        from scharten.players.stand_ins import stand_in

        agreed = {player.id for player in self.players() if player.profile.stand_in}
        if not agreed:
            return []
        return [stand_in(row, self.head(str(row["id"]))) for row in self.overview() if row["id"] in agreed]

    def head(self, player: str, games: Iterable[PlayedGame] | None = None) -> MutableJson | None:
        """Return what a player's choices gave away in reviewed games, None without a review."""
        from scharten.players import heads

        with self._lock:
            if games is None:
                self.sync()
                games = self._query(self._store.games)
            reviews = self._heads = self._heads or heads.Heads(self._folder)
            return reviews.figures_of(player, games)

    def csv(self, player: str | None = None) -> str:
        """Return every dart of a player, or of all players, as CSV."""
        from scharten.players.statistics import CSV_HEAD, csv_rows

        text = io.StringIO()
        csv.writer(text).writerows((CSV_HEAD, *csv_rows(self._history(player))))
        return text.getvalue()

    def scatter(self, player: str) -> MutableJson:
        """Return the scatter of a player; for a player without darts, the prior."""
        from scharten.players.statistics import scatter_of

        return scatter_of(dart for _, dart in self._history(player).darts)

    def handicap(
        self, players: tuple[str, str], game: str, options: dict[str, Any], white_sits_at: int
    ) -> MutableJson | Problem:
        """Return the foul limits that give two players the same risk, White first, or why there are none."""
        from scharten.players.handicap import handicap

        played = find_game(self._games, game)
        chosen = played if isinstance(played, Problem) else read_options(played, {**options, "kind": "loud"})
        if isinstance(played, Problem) or isinstance(chosen, Problem):
            return played if isinstance(played, Problem) else chosen  # type: ignore[return-value]
        scatters = [self.scatter(player) for player in players]
        found = handicap(played, chosen, (scatters[0]["mm"], scatters[1]["mm"]), white_sits_at)
        return found if isinstance(found, Problem) else {**found.as_json(), "scatter": scatters}

    # --- from the journals ---

    def sync(self) -> int:
        """Store games from the journals that the tables do not have yet; return how many were read."""
        with self._lock:
            self._check()
            return self._query(self._read_journals)

    def rebuild(self) -> tuple[int, int]:
        """Rebuild games and darts from every journal; return how many of each."""
        with self._lock:
            self._check()
            self._query(self._store.forget_games)
            self._read_at.clear()
            self.sync()
            return len(self._query(self._store.games)), len(self._query(self._store.darts))

    def _read_journals(self) -> int:
        known, own, read = self._store.inputs_by_match(), set[str](), 0
        for reader, stored in self._stored_matches():
            own.add(stored.id)
            if known.get(stored.id) != stored.inputs and stored.id not in self._unreadable:
                read += self._store_game(reader, stored)
        return read + self._read_collected(known, own)

    def _read_collected(self, known: Mapping[str, int], own: Collection[str]) -> int:
        """Store new and changed games of other boards; return how many. A file is read once for as long as it stays."""
        read = 0
        for match, written_ns in self._collected.changed():
            if match not in own and self._read_at.get(match) != written_ns:
                self._read_at[match] = written_ns
                read += self._store_collected(match, known.get(match))
        return read

    def _store_collected(self, match: str, known: int | None) -> int:
        """Replay another board's game and store it, unless it is `known`; return how many games were stored."""
        record, steps = self._collected.read(match), list[ReplayedInput]()
        if isinstance(record, Problem):
            return self._leave_out(match, record)
        if record["last"] == known:
            return 0
        played = replayed(record, steps.append)
        if isinstance(played, Problem):
            return self._leave_out(match, played)
        found = collect(match, steps)
        if found is None:
            return 0
        self._store.save_game(self._collected.folder.name, record["last"], *found)
        return 1

    def _leave_out(self, match: str, why: Problem) -> int:
        """Warn that another board's game does not count; return how many games were stored: none."""
        self._warn(f"a game of another board was left out of the figures of players: {match}: {why.words}")
        return 0

    def _stored_matches(self) -> Iterator[tuple[JournalReader, StoredMatch]]:
        """Yield every match of every journal, with its open reader."""
        stem = Path(self._journal).stem
        for pattern in JOURNALS:
            for path in sorted(self._folder.glob(pattern.format(stem=stem))):
                with closing(JournalReader(path)) as reader:
                    for stored in reader.matches():
                        yield reader, stored

    def _store_game(self, reader: JournalReader, stored: StoredMatch) -> int:
        """Replay a match and store its game; return how many games were stored."""
        start = Start.model_validate_json(stored.start)
        if not any(start.players) and not reader.has_practice(stored.id):
            return 0  # only guests played
        try:
            found = collect(stored.id, replay(reader, stored, self._games))
        except SchartenError as error:
            self._unreadable.add(stored.id)
            self._warn(f"a game was left out of the figures of players: {error.message}")
            return 0
        if found is None:
            return 0
        self._store.save_game(reader.path.name, stored.inputs, *found)
        return 1

    # --- damage ---

    def _check(self) -> None:
        """Verify the whole file once."""
        if not self._checked:
            self._checked = True
            self._query(self._store.check)

    def _query(self, question: Callable[[], T]) -> T:
        """Return the store's answer; rebuild damaged tables first."""
        self._warn_if_missing()
        try:
            return question()
        except DamagedError as error:
            with self._lock:
                self._recover(str(error))
            try:
                return question()
            except DamagedError as second:
                raise SchartenError.coded("players_damaged", folder=self._folder, why=second) from second

    def _warn_if_missing(self) -> None:
        """Warn once if games name players although the register is missing; deleted players are then unknown."""
        if not self._missing:
            return
        with self._lock:
            missing, self._missing = self._missing, False
        if missing and (named := self._in_journals()):
            self._warn(
                f"the register of players and its copy are gone, though games name {len(named)} of them: put a backup "
                f"back (`scharten restore`), or {FILE} and {COPY} into {self._folder}"
            )

    def _recover(self, why: str) -> None:
        damaged, players = self._store.start_over()
        self._read_at.clear()
        known = {player.id for player in players}
        for player in self._in_journals():
            if player.id not in known:
                self._store.save(player)
                known.add(player.id)
        games = self._read_journals()
        self._warn(
            f"the table of players was damaged ({why}) and was rebuilt: {len(known)} players, {games} games; "
            f"the damaged file is kept as {damaged.name}"
        )

    def _in_journals(self) -> list[Player]:
        """Return the players that games name, for a register that was lost with its copy."""
        found: dict[str, Player] = {}
        for _, stored in self._stored_matches():
            start = Start.model_validate_json(stored.start)
            for id_, name in zip(start.players, start.names, strict=True):
                if id_ and name:
                    found[id_] = Player(id_, Profile(name=name), start.t_ms)
        return list(found.values())

    def _history(self, player: str | None = None) -> DartHistory:
        """Return the darts of a player, or of all players, after reading new games from the journals."""
        with self._lock:
            self.sync()
            return DartHistory(self._query(lambda: self._store.darts(player)), self._query(self._store.games))
