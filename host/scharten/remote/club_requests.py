"""The messages of a club's organiser on `remote`: done one after the other in a thread, because they may wait."""

from __future__ import annotations

import queue
from collections import OrderedDict
from collections.abc import Callable, Mapping

from scharten.contract.remote import RemoteRequest, parse_remote
from scharten.contract.roles import Account
from scharten.errors import Problem
from scharten.match.answers import answer
from scharten.match.codes import RefusalCode
from scharten.mqtt.intake import RemoteIntake
from scharten.remote.control import RemoteControl
from scharten.system.worker import Worker

MOST_WAITING = 8
KNOWN = 32
"""A repeated request with one of the last ids gets the first answer again, and is not done twice."""
_FULL = Problem(RefusalCode.NOT_ALLOWED, "too many requests wait", {"why": "busy"}, "Send it again later.")


class ClubRequests:
    """`send` publishes an answer for a role. At most `MOST_WAITING` requests wait."""

    def __init__(
        self,
        requests: RemoteIntake,
        control: RemoteControl,
        send: Callable[[str, Mapping[str, object]], object],
    ) -> None:
        self._control, self._send = control, send
        self._waiting: queue.Queue[RemoteRequest | None] = queue.Queue(MOST_WAITING)
        self._answered: OrderedDict[str, Mapping[str, object]] = OrderedDict()
        self.worker = Worker("club-requests", self._run)
        requests.listener = self._message

    def stop(self) -> None:
        """End after the request that is being done."""
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._waiting.put(None)
        self.worker.join(5)

    def _message(self, payload: bytes) -> None:
        request = parse_remote(payload)
        if isinstance(request, Problem):
            self._publish(answer(None, request))
            return
        try:
            self._waiting.put_nowait(request)
        except queue.Full:
            self._publish(answer(request.id, _FULL))

    def _run(self) -> None:
        while True:
            self.worker.blocked = True
            request = self._waiting.get()
            self.worker.blocked = False
            self.worker.rounds += 1
            if request is None:
                return
            if request.id not in self._answered:
                self._answered[request.id] = self._do(request)
                while len(self._answered) > KNOWN:
                    self._answered.popitem(last=False)
            self._publish(self._answered[request.id])

    def _do(self, request: RemoteRequest) -> Mapping[str, object]:
        done = self._control.request(request.model_dump(mode="json"))
        refusal = {key: done[key] for key in ("accepted", "code", "words", "args") if key in done}
        return {**answer(request.id), **refusal, "remote": self._control.status()}

    def _publish(self, body: Mapping[str, object]) -> None:
        self._send(Account.ORGANISER.value, body)
