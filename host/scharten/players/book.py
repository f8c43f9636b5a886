"""The players of this board as pages, commands and the club ask for them; tables that are damaged are built anew."""

from __future__ import annotations

import csv
import io
import secrets
import threading
import time
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson
from scharten.game.protocol import Games
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.journal.replay import replay
from scharten.match.settings import Start, find_game, read_options
from scharten.players.darts import Kept, PlayedGame, ThrownDart, collect
from scharten.players.profiles import MOST_PLAYERS, Player, Profile, read_profile
from scharten.players.store import COPY, FILE, DamagedError, PlayerStore

T = TypeVar("T")
JOURNALS: Final = ("{stem}.sqlite3", "{stem}.old-*.sqlite3")
"""The journal that goes on, and those that were set aside for a new one."""


class PlayerBook:
    """The register, and what the journals of a folder say of its players; one question at a time, from any thread.

    `tell` hears in words when the tables were damaged and built anew.
    """

    def __init__(
        self, folder: Path, journal: str, games: Games, tell: Callable[[str], object] = lambda words: None
    ) -> None:
        self._folder, self._journal, self._games, self._tell = folder, journal, games, tell
        self._store = PlayerStore(folder)
        self._one = threading.RLock()
        self._checked = False
        self._gone = self._store.gone  # looked at before it is made anew
        self._unreadable: set[str] = set()
        self._overview: tuple[object, list[MutableJson]] = (None, [])

    # --- the register ---

    def players(self) -> list[Player]:
        """Who can be chosen, in the order in which they came."""
        return [player for player in self._sound(self._store.players) if not player.gone]

    def keep(self, profile: object, player: str | None = None) -> Player | Problem:
        """Keep somebody new, or change who is there; a refusal says what cannot be."""
        read = read_profile(profile)
        if isinstance(read, Problem):
            return read
        with self._one:
            there = self.players()
            known = next((one for one in there if one.id == player), None)
            if player is not None and known is None:
                return Problem("no_such_player", "there is no such player", cure="Read the list again.")
            if any(one.profile.name.lower() == read.name.lower() and one is not known for one in there):
                words = f"there is a {read.name} already"
                return Problem("name_taken", words, {"name": read.name}, "Add another letter.")
            if known is None and len(there) >= MOST_PLAYERS:
                return Problem("too_many_players", f"there are {MOST_PLAYERS} players, which is the most")
            since = known.since_ms if known else time.time_ns() // 1_000_000
            kept = Player(known.id if known else secrets.token_hex(5), read, since)
            self._sound(lambda: self._store.put(kept))
            return kept

    def delete(self, player: str) -> bool:
        """Forget a player with every dart; games keep "deleted player". False where there is none."""
        with self._one:
            self.sync()
            return self._sound(lambda: self._store.delete(player))

    def names(self) -> dict[str, MutableJson]:
        """Everybody as JSON by id, the deleted ones without a name."""
        return {player.id: player.told() for player in self._sound(self._store.players)}

    def gone(self) -> frozenset[str]:
        """The ids of who was deleted: no page shows their names."""
        return frozenset(player.id for player in self._sound(self._store.players) if player.gone)

    def forget(self, players: Collection[str]) -> bool:
        """Forget players of the club who are not in this register; whether anybody was new."""
        with self._one:
            self.sync()
            return self._sound(lambda: self._store.forget(players))

    def written(self) -> int:
        """Another number once the tables were written, by whomever."""
        return self._store.written()

    # --- what the darts say ---

    def overview(self) -> list[MutableJson]:
        """Everybody with the numbers of darts and games and the scatter; worked out when the tables have changed."""
        with self._one:
            self.sync()
            players, written = self.players(), self._store.written()
            if self._overview[0] != written:
                darts, games = self._sound(self._store.darts), self._sound(self._store.games)
                own: dict[str, list[ThrownDart]] = {player.id: [] for player in players}
                for _, dart in darts:
                    own.setdefault(dart.player, []).append(dart)
                self._overview = written, [_listed(player, games, own[player.id]) for player in players]
            return self._overview[1]

    def all(self) -> MutableJson:
        """What the darts of all players together say."""
        from scharten.players.statistics import statistics

        with self._one:
            self.sync()
            return statistics(self._kept(None))

    def player(self, player: str) -> MutableJson | None:
        """One player's page as JSON; None where there is none."""
        from scharten.players.statistics import of_player

        with self._one:
            self.sync()
            names = self.names()
            if player not in names or names[player].get("gone"):
                return None
            return {**names[player], **of_player(player, self._kept(player), names)}

    def csv(self, player: str | None = None) -> str:
        """Every dart of a player, or of all, as CSV."""
        from scharten.players.statistics import CSV_HEAD, csv_rows

        with self._one:
            self.sync()
            kept = self._kept(player)
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(CSV_HEAD)
        writer.writerows(csv_rows(kept))
        return text.getvalue()

    def scatter(self, player: str) -> MutableJson:
        """The scatter of a player; of one without darts, the prior."""
        from scharten.players.statistics import scatter_of

        with self._one:
            self.sync()
            darts = self._sound(lambda: self._store.darts(player))
        return scatter_of(dart for _, dart in darts)

    def handicap(
        self, players: tuple[str, str], game: str, options: dict[str, Any], white_sits_at: int
    ) -> MutableJson | Problem:
        """The foul limits that even out two players, White first; a refusal says why there are none."""
        from scharten.players.handicap import handicap

        played = find_game(self._games, game)
        chosen = played if isinstance(played, Problem) else read_options(played, {**options, "kind": "loud"})
        if isinstance(played, Problem) or isinstance(chosen, Problem):
            return played if isinstance(played, Problem) else chosen  # type: ignore[return-value]
        scatters = [self.scatter(player) for player in players]
        found = handicap(played, chosen, (scatters[0]["mm"], scatters[1]["mm"]), white_sits_at)
        return found if isinstance(found, Problem) else {**found.told(), "scatter": scatters}

    # --- from the journals ---

    def sync(self) -> int:
        """Take in what the journals have and the tables have not; gives how many games were read."""
        with self._one:
            self._check()
            return self._sound(self._read_journals)

    def rebuild(self) -> tuple[int, int]:
        """Build games and darts anew out of every journal: (games, darts)."""
        with self._one:
            self._check()
            self._sound(self._store.forget_games)
            self.sync()
            return len(self._sound(self._store.games)), len(self._sound(self._store.darts))

    def _read_journals(self) -> int:
        known, read = self._store.counted(), 0
        stem = Path(self._journal).stem
        for pattern in JOURNALS:
            for path in sorted(self._folder.glob(pattern.format(stem=stem))):
                with closing(JournalReader(path)) as reader:
                    for stored in reader.matches():
                        done = known.get(stored.id, ("", -1))[1] == stored.inputs
                        if not done and stored.id not in self._unreadable:
                            read += self._take_in(reader, stored)
        return read

    def _take_in(self, reader: JournalReader, stored: StoredMatch) -> int:
        start = Start.model_validate_json(stored.start)
        if not any(start.players) and not reader.has_practice(stored.id):
            return 0  # guests
        try:
            found = collect(stored.id, replay(reader, stored, self._games))
        except SchartenError as error:
            self._unreadable.add(stored.id)
            self._tell(f"a game was left out of the figures of players: {error.message}")
            return 0
        if found is None:
            return 0
        self._store.put_game(reader.path.name, stored.inputs, *found)
        return 1

    # --- damage ---

    def _check(self) -> None:
        """The first time, look at the whole file."""
        if not self._checked:
            self._checked = True
            self._sound(self._store.check)

    def _sound(self, ask: Callable[[], T]) -> T:
        """The answer; damaged tables are set aside and built anew first."""
        self._tell_if_gone()
        try:
            return ask()
        except DamagedError as error:
            with self._one:
                self._build_anew(str(error))
            try:
                return ask()
            except DamagedError as again:
                raise SchartenError(
                    f"The table of players in {self._folder} is damaged again at once ({again}).",
                    "Check the disk.",
                ) from again

    def _tell_if_gone(self) -> None:
        """Where games name players and nobody is kept the register was removed; who had been deleted is unknown."""
        with self._one:
            gone, self._gone = self._gone, False
        if gone and (named := self._in_journals()):
            self._tell(
                f"the register of players and its copy are gone, though games name {len(named)} of them: put a backup "
                f"back (`scharten restore`), or {FILE} and {COPY} into {self._folder}"
            )

    def _build_anew(self, why: str) -> None:
        kept, players = self._store.start_anew()
        known = {player.id for player in players}
        for player in self._in_journals():
            if player.id not in known:
                self._store.put(player)
                known.add(player.id)
        games = self._read_journals()
        self._tell(
            f"the table of players was damaged ({why}) and was built anew: {len(known)} players, {games} games; "
            f"what was there is kept as {kept.name}"
        )

    def _in_journals(self) -> list[Player]:
        """Players that games name, for a register that was lost with its copy."""
        found: dict[str, Player] = {}
        stem = Path(self._journal).stem
        for pattern in JOURNALS:
            for path in sorted(self._folder.glob(pattern.format(stem=stem))):
                with closing(JournalReader(path)) as reader:
                    for stored in reader.matches():
                        start = Start.model_validate_json(stored.start)
                        for id_, name in zip(start.players, start.names, strict=True):
                            if id_ and name:
                                found[id_] = Player(id_, Profile(name=name), start.t_ms)
        return list(found.values())

    def _kept(self, player: str | None) -> Kept:
        return Kept(self._sound(lambda: self._store.darts(player)), self._sound(self._store.games))


def _listed(player: Player, games: list[PlayedGame], darts: list[ThrownDart]) -> MutableJson:
    """A player's line in the list."""
    from scharten.players.statistics import scatter_of

    own = [game for game in games if player.id in game.players]
    return {
        **player.told(),
        "since_ms": player.since_ms,
        "games": len(own),
        "last_ms": max((game.started_ms for game in own), default=None),
        "scatter": scatter_of(darts),
    }
