"""The settings of each kind of sensor, as `[source.<kind>]` of the configuration has them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel


class SensorSettings(BaseModel):
    """A table of the file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SerialSection(SensorSettings):
    """The electronic board's serial port, by its persistent name."""

    port: str = ""
    baud: Literal[115200, 250000] = 115200


class CameraSection(SensorSettings):
    """One to three cameras: a device, a file or a URL each, and the calibration written for them."""

    devices: tuple[str, ...] = Field((), max_length=3)
    calibration: str = "cameras"
    fps: int = Field(30, ge=1, le=120)
    replays_mb: int = Field(500, ge=0, le=1_000_000)


class GranBoardAddress(RootModel[str]):
    """The GranBoard's Bluetooth address, or "" for the first board found."""

    root: str = ""
