"""A club's hall: a real Mosquitto with the club's accounts, daemons as boards, `scharten club`, and players."""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.programs import program
from lab.scripted_game import Throw, next_action
from scharten.club_broker.mosquitto_folder import ClubPlan, write_club
from scharten.system.secrets import read_password

CONFIG = """
[board]
id = "{board}"
[game]
settle_ms = 0
arming = "auto"
[broker]
url = "mqtt://127.0.0.1:{port}"
club = "hall"
credentials = "{secrets}"
[web]
port = 0
"""
Json = dict[str, Any]


class Hall:
    """Everything of one evening in a folder; any part may be killed and restarted."""

    def __init__(self, folder: Path, boards: int, ports: list[int], *, more: str = "") -> None:
        self.folder, (self.port, self.web_port) = folder, ports
        self.names = tuple(f"board{number}" for number in range(1, boards + 1))
        plan = ClubPlan(boards=self.names, club="hall", bind="127.0.0.1", port=self.port)
        write_club(plan, folder / "broker")
        self.accounts = folder / "broker" / "secrets"
        self._broker: subprocess.Popen[bytes] | None = None
        self._club: subprocess.Popen[bytes] | None = None
        text = {
            name: CONFIG.format(board=name, port=self.port + 1, secrets=self.accounts) + more
            for name in self.names
        }
        self.daemons = {name: DaemonProcess(folder / name, text[name]) for name in self.names}

    def start(self) -> None:
        """Start broker, boards and the club's service."""
        self.start_broker()
        self.start_club()
        daemons = list(self.daemons.values())
        # Started together they would slow each other on a small machine.
        for first in range(0, len(daemons), 2):
            for daemon in daemons[first : first + 2]:
                daemon.start()
            for daemon in daemons[first : first + 2]:
                _ = daemon.running

    def start_broker(self) -> None:
        """Start Mosquitto."""
        (self.folder / "broker" / "mosquitto.conf").chmod(0o644)
        conf = self.folder / "broker" / "hall.conf"
        conf.write_text((self.folder / "broker" / "mosquitto.conf").read_text() + f"user {_user()}\n")
        with (self.folder / "mosquitto.log").open("ab") as log:
            self._broker = subprocess.Popen([program("mosquitto"), "-c", str(conf)], stdout=log, stderr=log)

    def start_club(self) -> None:
        """Start `scharten club`."""
        command = [sys.executable, "-m", "scharten", "club", "--data", str(self.folder / "club")]
        command += ["--broker", f"mqtt://organiser@127.0.0.1:{self.port}", "--club", "hall"]
        command += ["--password-file", str(self.accounts / "organiser"), "--port", str(self.web_port)]
        with (self.folder / "club.log").open("ab") as log:
            self._club = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ})

    def end_club(self) -> None:
        """Send SIGKILL to the service."""
        assert self._club is not None
        self._club.kill()
        self._club.wait()

    def stop_club(self) -> None:
        """Send SIGTERM to the service, and wait until it has ended."""
        assert self._club is not None
        self._club.terminate()
        self._club.wait(40)

    def kill_club(self) -> None:
        """Send SIGKILL to the service, and start it again."""
        self.end_club()
        self.start_club()

    def kill_broker(self) -> None:
        """Send SIGKILL to the broker, and start it again: its retained messages are lost."""
        assert self._broker is not None
        self._broker.kill()
        self._broker.wait()
        self.start_broker()

    def kill_board(self, name: str) -> None:
        """Send SIGKILL to a board's daemon, and start it again."""
        self.daemons[name].kill()
        self.daemons[name].start()

    def peer(self, board: str, role: str) -> Peer:
        """Return a client at a board."""
        account = f"{board}-{role}"
        return Peer(
            "127.0.0.1",
            self.port,
            f"scharten/hall/{board}",
            role,
            read_password(self.accounts / account),
            account,
        )

    def end(self) -> None:
        """Stop everything."""
        for process in (self._club, self._broker):
            if process is not None:
                process.kill()
                process.wait()
        for daemon in self.daemons.values():
            daemon.end()


def _user() -> str:
    import pwd  # noqa: PLC0415

    return pwd.getpwuid(os.getuid()).pw_name


class Organiser:
    """The organiser's page as a program: it sends commands, stores the newest view, and reconnects to a restarted
    service."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self.view: Json = {}
        self.invitation = ""
        self._answers: dict[str, Json] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._news = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    async def close(self) -> None:
        """Disconnect."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def ask(self, kind: str, **fields: object) -> Json:
        """Repeat a command until it is answered; return the answer."""
        for _ in range(60):
            name = secrets.token_hex(8)
            if self._socket is not None and not self._socket.closed:
                payload = {"v": 1, "id": name, "type": kind, **fields}
                try:
                    await self._socket.send_json({"topic": "command", "payload": payload})
                    return await asyncio.wait_for(self._answer(name), 5)
                except (TimeoutError, ConnectionError):
                    pass
            await asyncio.sleep(0.3)
        raise AssertionError(f"nobody answers {kind}")

    async def do(self, kind: str, **fields: object) -> None:
        """Send a command that must be accepted."""
        answer = await self.ask(kind, **fields)
        assert answer["accepted"], answer

    async def wait(self, true_of: Any, seconds: float, what: str) -> Json:
        """Return the first view that fulfils the condition."""

        async def look() -> Json:
            async with self._news:
                await self._news.wait_for(lambda: bool(self.view) and bool(true_of(self.view)))
                return self.view

        try:
            return await asyncio.wait_for(look(), seconds)
        except TimeoutError:
            raise AssertionError(f"waited {seconds} s for {what}: {_short(self.view)}") from None

    async def _answer(self, name: str) -> Json:
        async with self._news:
            await self._news.wait_for(lambda: name in self._answers)
            return self._answers.pop(name)

    async def _read(self) -> None:
        address = f"http://127.0.0.1:{self._hall.web_port}"
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    secret = json.loads((self._hall.folder / "club" / "club-secrets.json").read_text())
                    async with session.ws_connect(
                        f"{address}/ws", headers={"Origin": address}, max_msg_size=2**22
                    ) as socket:
                        await socket.send_json({"v": 1, "role": "organiser", "secret": secret["organiser"]})
                        self._socket = socket
                        async for message in socket:
                            await self._take(json.loads(message.data))
                except (aiohttp.ClientError, OSError, ValueError):
                    pass
                await asyncio.sleep(0.2)

    async def _take(self, message: Json) -> None:
        async with self._news:
            if message["topic"] == "evening":
                self.view = message["payload"]
            elif message["topic"] == "match":
                self.invitation = message["payload"]["text"]
            elif message["topic"] == "answer":
                self._answers[message["payload"]["id"]] = message["payload"]
            self._news.notify_all()


def _short(view: Json) -> str:
    last = (view.get("rounds") or [{}])[-1]
    games = [
        (item["table"], item["board"], bool(item["match"]), item["result"])
        for item in last.get("pairings", ())
    ]
    boards = [(item["name"], item["online"], item["phase"]) for item in view.get("boards", ())]
    return f"round {last.get('number')}: {games}; {boards}; broker {view.get('broker')}; match {view.get('match')}"


class Players(threading.Thread):
    """The players at one board: a few moves, then a resignation or an agreed draw; sometimes a correction."""

    def __init__(self, hall: Hall, board: str, seed: str, corrections: float) -> None:
        super().__init__(name=f"players-{board}", daemon=True)
        self._chance, self._corrections = random.Random(seed), corrections
        self._table, self._arbiter = hall.peer(board, "table"), hall.peer(board, "arbiter")
        self._ended: set[str] = set()
        self._leaving = threading.Event()
        self.games = self.corrected = self.darts = 0

    def stop(self) -> None:
        """Disconnect from the board."""
        self._leaving.set()
        self.join(20)
        for peer in (self._table, self._arbiter):
            peer.close()

    def run(self) -> None:
        """Play every game that starts."""
        while not self._leaving.wait(0.05):
            try:
                self._look()
            except (AssertionError, RuntimeError, ValueError, KeyError):
                time.sleep(0.2)  # the board or the broker was killed: try again

    def _look(self) -> None:
        state = self._table.state
        match = state.get("match")
        if not match or match in self._ended or not any((state.get("players") or {}).values()):
            return
        if state.get("result"):
            self._ended.add(match)
            self.games += 1
            if self._chance.random() < self._corrections:
                self._correct(match)
        elif state["phase"] == "paused":
            self._table.ask("resume", seconds=3)
        elif state["phase"] in ("turn", "settling"):
            self._turn(state)

    def _turn(self, state: Json) -> None:
        wanted = next_action(state) if state["turns"] < 3 and state["drops"] else None
        if isinstance(wanted, Throw):
            self._throw(state, wanted)
            return
        if state["turns"] < 3 and state["moves"]:
            move = self._chance.choice(state["moves"])
            self._table.ask("move", seconds=3, move=move, side=state["side"])
            return
        if self._chance.random() < 0.25:
            if state["draw_offer"] is None:
                self._table.ask("offer_draw", seconds=3, side="white")
            self._table.ask("answer_draw", seconds=3, accept=True, side="black")
        else:
            self._table.ask("resign", seconds=3, side=self._chance.choice(("white", "black")))

    def _throw(self, state: Json, dart: Throw) -> None:
        """Throw a dart at the simulated board; the arbiter answers a question after it."""
        self._table.throw(x_mm=dart.x_mm, y_mm=dart.y_mm)
        self.darts += 1
        later = self._table.wait(
            lambda item: item["turns"] != state["turns"] or item["question"] is not None, 3
        )
        if later["question"] is not None:
            self._table.ask("choose_bed", seconds=3, bed=later["question"]["choices"][0]["bed"])

    def _correct(self, match: str) -> None:
        """The arbiter reopens the game and sets another result."""
        self._arbiter.wait(lambda state: state["match"] == match, 3)
        if self._arbiter.ask("set_result", seconds=3, result=None)["accepted"]:
            self.corrected += 1
            wanted = self._chance.choice(("1-0", "0-1", "½-½"))
            while not self._ruled(wanted) and not self._leaving.wait(0.1):
                pass

    def _ruled(self, wanted: str) -> bool:
        try:
            return bool(self._arbiter.ask("set_result", seconds=3, result=wanted)["accepted"])
        except AssertionError:  # the board or the broker was killed, or is slow
            return False


def wait_for_service(hall: Hall) -> None:
    """Wait until the club's secrets exist."""
    wait_for((hall.folder / "club" / "club-secrets.json").exists, 60, "the club's service")
