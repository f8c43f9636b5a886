"""Puts the firmware's images into the wheel, for `scharten-calibrate flash`: built here, never committed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IMAGES = ("mega2560.hex", "uno.hex", "pico.uf2")
TOOLS = ("make", "avr-gcc", "avr-objcopy", "arm-none-eabi-gcc", "arm-none-eabi-objcopy")


class ImagesHook(BuildHookInterface):
    """Without the compilers the wheel has no images, and says so: `flash` then names the cure."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the images and add them."""
        if version == "editable":
            return
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            self.app.display_warning(f"no firmware in this wheel: not installed: {', '.join(missing)}")
            return
        firmware = Path(self.root) / "firmware"
        subprocess.run(["make", "-s", "-C", str(firmware), "images"], check=True)
        for image in IMAGES:
            built = firmware / "build" / image
            build_data["force_include"][str(built)] = f"scharten_calibration/images/{image}"
