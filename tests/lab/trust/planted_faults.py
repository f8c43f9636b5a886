"""Faults to plant in a copy of the program, one at a time, each with the row of `make trust` that must find it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    """A change of one place in a file below `host/scharten`; `old` occurs there exactly once."""

    name: str
    file: str
    old: str
    new: str
    row: str


_STORE_FIRST = """        if judged.record is not None:
            self.storing = True
"""
_PUBLISH_FIRST = """        if judged.mark != self._digest:
            before_it, self.match = self.match, judged.match
            self._outlet.publish_state(self._snapshot())
            __import__("time").sleep(0.02)
            self.match = before_it
"""
_ACK_FIRST = """        if receipt is not None and self.sensor is not None:
            self.sensor.acknowledge(receipt)
"""

FAULTS: tuple[Planted, ...] = (
    Planted("a seat may read everybody's answers", "contract/roles.py", '(*_PUBLIC, f"answer/{role}")',
            '(*_PUBLIC, "answer/+")', "broker:forbidden-reads"),
    Planted("a display may write commands", "contract/roles.py", "Account.DISPLAY: Grant(_PUBLIC),",
            'Account.DISPLAY: Grant(_PUBLIC, ("command/+",)),', "broker:forbidden-writes"),
    Planted("lamps may command", "contract/roles.py", "Account.LAMPS: Grant(_PUBLIC, (_LIGHT,)),",
            'Account.LAMPS: Grant(_PUBLIC, (_LIGHT, "command/+")),', "broker:forbidden-writes"),
    Planted("a display may read commands", "contract/roles.py", "Account.DISPLAY: Grant(_PUBLIC),",
            'Account.DISPLAY: Grant((*_PUBLIC, "command/+")),', "broker:forbidden-reads"),
    Planted("the embedded broker checks no write", "broker/session.py",
            "if not self._routing.acl.may_publish(self.account, publish.topic):", "if False:",
            "broker:forbidden-writes"),
    Planted("the embedded broker checks no delivery", "broker/session.py",
            "if filters and self.acl.may_receive(session.account, topic):", "if filters:",
            "broker:forbidden-reads"),
    Planted("every password is right", "broker/accounts.py", "return known if right else None", "return known",
            "broker:wrong-passwords"),
    Planted("anybody may take a client id", "broker/embedded.py",
            "if held is not None and held.account is not account:", "if False:", "broker:client-id-theft"),
    Planted("a last will may say anything", "broker/embedded.py",
            "if connect.will and not self._acl.may_publish(account, connect.will.topic):", "if False:",
            "broker:last-wills"),
    Planted("retained commands are played", "mqtt/intake.py",
            "            self._client.publish(topic, b\"\", True)\n        if retained:",
            "            self._client.publish(topic, b\"\", True)\n        if False:", "broker:retained-commands"),
    Planted("published before stored", "daemon/referee_loop.py", _STORE_FIRST, _PUBLISH_FIRST + _STORE_FIRST,
            "power-cuts:order"),
    Planted("acknowledged before stored", "daemon/referee_loop.py", _STORE_FIRST, _ACK_FIRST + _STORE_FIRST,
            "power-cuts:cuts"),
    Planted("nothing is synchronised", "store/files.py", "PRAGMA synchronous = FULL", "PRAGMA synchronous = OFF",
            "power-cuts:cuts"),
    Planted("a line's checksum is ignored", "dartboard/lines.py", " or int(match[2], 16) != crc(match[1])", "",
            "board:damaged-lines"),
    Planted("every seventh line is dropped", "dartboard/link.py",
            "            return (LineReceived(self._session, line), *self._next_early(self._session))",
            "            self._stored = line.seq\n"
            "            return (*(() if line.seq % 7 == 0 else (LineReceived(self._session, line),)),"
            " *self._next_early(self._session))", "board:every-dart"),
    Planted("a line that comes twice counts twice", "dartboard/link.py",
            "        seen: tuple[Outcome, ...] = (Duplicate(self._session, line.seq),)",
            "        seen: tuple[Outcome, ...] = (LineReceived(self._session, line),)", "board:every-dart"),
    Planted("a silent board goes unnoticed", "sensors/board_talk.py",
            "quiet = now.steady_ms - self._line_ms > SILENT_MS", "quiet = False", "board:silent"),
    Planted("the chain is not followed", "store/chain.py", "if link(chain, row) != stored:", "if False:",
            "journal:changed"),
    Planted("the mark is not compared", "store/examine.py",
            "if wrong else _compared(found, db, form, seen, mark)", "if wrong else found", "journal:cut"),
    Planted("a file of another journal is taken for ours", "store/examine.py",
            "if mark.n and mark.chain and row != (mark.chain,):", "if False:", "journal:foreign"),
    Planted("an archived game is not compared with its seal", "archive/form.py",
            "        if _seal_of(db, id_) != sealed:", "        if False:", "archive"),
    Planted("a replay is not compared", "journal/replay.py", "if digest(match) != row.digest:", "if False:",
            "journal:digests"),
    Planted("files exchanged in play go unnoticed", "store/store.py",
            "if not self._open or self._files.are_unchanged():", "if True:", "journal:names"),
    Planted("a list of all rows is read at each start", "journal/journal.py",
            "numbers = LISTED if listed and self.lists_changes else",
            "numbers = 'SELECT n FROM inputs WHERE match = ?' if listed else", "start:one-game"),
    Planted("a repeated command is played again", "match/referee.py",
            "return next((body for by, name, body in (*match.answers, *match.passing) if (by, name) == key), None)",
            "return None", "daemon:replays"),
    Planted("seq is not checked", "match/referee.py", "if order.checks_seq and order.seq != match.seq:",
            "if False:", "daemon:forbidden-commands"),
    Planted("a seat may do what the arbiter may", "match/rights.py",
            "allowed = right.seats is not SeatRight.NEVER", "allowed = True", "daemon:forbidden-commands"),
    Planted("darts of the meantime count", "match/turns/darts.py", "    if happened_ms < match.since_ms:",
            "    if False:", "meantime:late"),
    Planted("a restart does not pause", "match/referee.py", "    return paused(match, match.now_ms).show(",
            "    return Step(match).show(", "history"),
    Planted("each origin may open the socket", "display/web_server.py",
            "origin_allowed(request, self.origins)", "True", "page:foreign-pages"),
    Planted("each host name is ours", "display/access.py",
            'request.headers.get("Host", "").lower() not in hosts()', "False", "page:foreign-pages"),
    Planted("a page's secret is not compared", "display/access.py",
            "hmac.compare_digest(_bytes(secret), _bytes(self._secrets[role]))", "True", "page:guesses"),
    Planted("pages talk without measure", "display/page.py", "return self._bucket.take()", "return True",
            "page:chatter"),
    Planted("silent pages stay", "display/web_server.py",
            "async with asyncio.timeout(self._serving.limits.first_message_s):",
            "async with asyncio.timeout(999):", "page:crowd"),
    Planted("a seat's link takes every place", "display/access.py",
            "            if len(pages) >= self._limits.pages_per_role:\n                oldest = next(iter(pages))",
            "            if sum(map(len, self._of_role.values())) >= 128:\n                return False\n"
            "            if False:\n                oldest = next(iter(pages))", "page:seat-link"),
    Planted("a role of a wrong type raises", "display/access.py",
            "if secret and isinstance(role, str) and role in self._secrets", "if secret and role in self._secrets",
            "page:strange-greetings"),
    Planted("NaN is JSON", "display/web_server.py", "raise ValueError(f\"{text} is not JSON\")",
            "return float(text)  # type: ignore[misc]", "page:strange-json"),
    Planted("a failed accept logs a traceback", "system/loop_thread.py",
            "asyncio.get_running_loop().set_exception_handler(_on_loop_error)", "pass", "daemon:no-descriptors"),
    Planted("a steady clock follows the date", "daemon/running.py", "            return self._zero + now",
            "            return self._date()", "date:steps"),
    Planted("dates past 2262 raise", "cli.py", "    clamp_date()\n", "", "date:past-2262"),
)  # fmt: skip
