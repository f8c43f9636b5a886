"""The newest pictures of the cameras of a rig, for a calibration that shows something to them."""

from __future__ import annotations

import time

from scharten.errors import SchartenError
from scharten.sensors.rig_files import RigFile
from scharten.sensors.shared_pictures import request_pictures
from scharten.sensors.video import CameraReader, Picture
from scharten.vision.shots import whole

_FPS = 30
_OPEN_S = 8.0
_LIVE_PICTURES = 3  # of each pattern; a running referee shares one, as it has a game to watch


class LiveCameras:
    """The cameras of a rig: opened here, or shared by the referee that has them open."""

    def __init__(self, rig: RigFile) -> None:
        self._rig = rig
        self._shared = bool(request_pictures(rig.path))
        self._readers: tuple[CameraReader, ...] = ()
        if self._shared:
            return
        self._readers = tuple(
            CameraReader(
                c.device, (c.model.width, c.model.height), _FPS, epoch=time.monotonic(), news=lambda: None
            )
            for c in rig.cameras
        )
        end = time.monotonic() + _OPEN_S
        while not all(reader.newest() for reader in self._readers):
            time.sleep(0.05)
            if time.monotonic() > end:
                lost = next(reader.condition() for reader in self._readers if not reader.newest())
                self.close()
                raise SchartenError.coded("camera_dark_start", camera=lost.name, why=lost.detail)

    @property
    def burst(self) -> int:
        """How many pictures of each pattern are taken together."""
        return 1 if self._shared else _LIVE_PICTURES

    def newest(self) -> tuple[Picture, ...]:
        """A picture of each camera that was taken after the call."""
        if self._shared:
            pictures = request_pictures(self._rig.path)
            if len(pictures) < len(self._rig.cameras):
                raise SchartenError.coded("referee_shares_none")
            return tuple(pictures[camera.device] for camera in self._rig.cameras)
        before = [shot[0] if (shot := reader.newest()) else -1 for reader in self._readers]
        end = time.monotonic() + _OPEN_S
        while time.monotonic() < end:
            shots = [reader.newest() for reader in self._readers]
            if all(shot and shot[0] > number for shot, number in zip(shots, before, strict=True)):
                return tuple(whole(shot[1]) for shot in shots if shot)
            time.sleep(0.003)
        raise SchartenError.coded("camera_stopped")

    def close(self) -> None:
        """Free the devices."""
        for reader in self._readers:
            reader.stop()
