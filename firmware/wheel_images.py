"""Add the firmware's images to the wheel for `scharten-calibrate flash`; with SCHARTEN_COMPILED=1 also machine code.

Both are built here, never committed. `mypyc` compiles what `compiled` of the hook's table in pyproject.toml names; the
Python of each stays in the wheel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IMAGES = ("mega2560.hex", "uno.hex", "pico.uf2")
TOOLS = ("make", "avr-gcc", "avr-objcopy", "arm-none-eabi-gcc", "arm-none-eabi-objcopy")


class ImagesHook(BuildHookInterface):
    """Without the compilers the wheel has no images and prints a warning; `flash` then names the cure."""

    def dependencies(self) -> list[str]:
        """Return the packages that build the compiled wheel."""
        return ["mypy>=1.14", "setuptools", "pydantic>=2.10,<3", "numpy>=2"] if self._compiled else []

    @property
    def _compiled(self) -> bool:
        return os.environ.get("SCHARTEN_COMPILED") == "1"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the images and modules of the wheel and add them."""
        if version == "editable":
            return
        if self._compiled:
            self._compile(build_data)
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            self.app.display_warning(f"no firmware in this wheel: not installed: {', '.join(missing)}")
            return
        firmware = Path(self.root) / "firmware"
        subprocess.run(["make", "-s", "-C", str(firmware), "images"], check=True)
        for image in IMAGES:
            built = firmware / "build" / image
            build_data["force_include"][str(built)] = f"scharten_calibration/images/{image}"

    def _compile(self, build_data: dict[str, Any]) -> None:
        """Compile in a separate folder, so that the checkout keeps only Python."""
        self._kept = tempfile.TemporaryDirectory()
        folder = Path(self._kept.name)
        shutil.copytree(Path(self.root) / "host" / "scharten", folder / "scharten")
        files = [f"{module.replace('.', '/')}.py" for module in self.config["compiled"]]
        options = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent", *files]
        script = (
            "from setuptools import setup\nfrom mypyc.build import mypycify\n"
            f"setup(name='scharten-compiled', packages=[], ext_modules=mypycify({options!r}, opt_level='2'), "
            "script_args=['-q', 'build_ext', '--inplace'])\n"
        )
        subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)
        for built in [*folder.glob("*.so"), *folder.glob("scharten/**/*.so")]:
            build_data["force_include"][str(built)] = str(built.relative_to(folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder of compiled modules."""
        if self._compiled and version != "editable":
            self._kept.cleanup()
