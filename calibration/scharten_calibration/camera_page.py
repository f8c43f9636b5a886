"""The page where a person clicks the double 20, or four wires, in each camera's picture and accepts what was found."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import cv2
from aiohttp import web

from scharten.errors import Problem, SchartenError
from scharten.vision.calibrate.clicks import WIRE_NAMES
from scharten.vision.calibrate.fit import Calibration, overlay
from scharten_calibration.camera import Point, Say, Shot, try_point, try_shot, words_of
from scharten_calibration.page import HOST, asset_response, only_this_machine, page_response
from scharten_calibration.words import words


class CameraPage:
    """A `Person` at a browser on this machine."""

    def __init__(self, port: int, say: Say) -> None:
        self._port, self._say = port, say
        self._shots: tuple[Shot, ...] = ()
        self._found: dict[int, tuple[Point, Calibration]] = {}
        self._accepted: set[int] = set()
        self._done = threading.Event()

    def accept(self, shots: tuple[Shot, ...]) -> tuple[tuple[Point, Calibration], ...]:
        """Serve until every camera is accepted; Ctrl-C stops and writes nothing."""
        self._shots = shots
        asyncio.run(self._serve())
        return tuple(self._found[number] for number in range(len(shots)))

    async def _serve(self) -> None:
        app = web.Application(middlewares=[only_this_machine], client_max_size=1024)
        app.router.add_get("/", self._index)
        app.router.add_get("/{name:page\\.css|(?:camera|texts)\\.js}", self._asset)
        app.router.add_get("/picture/{number:\\d}", self._picture)
        app.router.add_get("/state", self._state)
        app.router.add_post("/point", self._point)
        app.router.add_post("/wires", self._wires)
        app.router.add_post("/accept", self._accept)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._port).start()
        except OSError as error:
            raise SchartenError.coded("click_page_port", port=self._port, why=error.strerror) from error
        self._say(words("camera.click", url=f"http://{HOST}:{runner.addresses[0][1]}/"))
        try:
            while not self._done.is_set():
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.5)  # the page reads its last answer
        finally:
            await runner.cleanup()

    async def _index(self, _request: web.Request) -> web.Response:
        return page_response("camera.html")

    async def _asset(self, request: web.Request) -> web.Response:
        return asset_response(request.match_info["name"])

    async def _picture(self, request: web.Request) -> web.Response:
        number = self._number(int(request.match_info["number"]))
        picture = self._shots[number].picture
        if number in self._found:
            found = self._found[number][1]
            picture = overlay(picture, found.model, found.leftover)
        return web.Response(body=cv2.imencode(".png", picture)[1].tobytes(), content_type="image/png")

    async def _state(self, _request: web.Request) -> web.Response:
        cameras = [
            {
                "device": shot.device,
                "point": shot.point if n not in self._found else self._found[n][0],
                "found": n in self._found,
                "accepted": n in self._accepted,
            }
            for n, shot in enumerate(self._shots)
        ]
        return web.json_response({"cameras": cameras, "wires": WIRE_NAMES})

    async def _point(self, request: web.Request) -> web.Response:
        try:
            data = await request.json()
            number, point = self._number(data["camera"]), (float(data["x"]), float(data["y"]))
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="a point is camera, x and y") from None
        found = await asyncio.to_thread(try_point, self._shots[number], point)
        return self._answer(number, point, found)

    async def _wires(self, request: web.Request) -> web.Response:
        try:
            data = await request.json()
            number = self._number(data["camera"])
            wires = tuple((float(x), float(y)) for x, y in data["points"])
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="wires are camera and points of x and y") from None
        shot = replace(self._shots[number], point=None, wires=wires)
        return self._answer(number, *await asyncio.to_thread(try_shot, shot))

    def _answer(self, number: int, point: Point | None, found: Calibration | Problem) -> web.Response:
        self._found.pop(number, None)
        self._accepted.discard(number)
        fine = isinstance(found, Calibration)
        if isinstance(found, Calibration) and point is not None:
            self._found[number] = (point, found)
        doubt = isinstance(found, Calibration) and found.leftover is not None
        return web.json_response({"fine": fine, "doubt": doubt, "words": words_of(found)})

    async def _accept(self, request: web.Request) -> web.Response:
        try:
            number = self._number((await request.json())["camera"])
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="camera is missing") from None
        if number not in self._found:
            raise web.HTTPConflict(text="this camera has no calibration to accept")
        self._accepted.add(number)
        if len(self._accepted) == len(self._shots):
            self._done.set()
        return web.json_response({"done": self._done.is_set()})

    def _number(self, number: object) -> int:
        if not isinstance(number, int) or not 0 <= number < len(self._shots):
            raise web.HTTPNotFound(text="there is no such camera")
        return number
