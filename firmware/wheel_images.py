"""Check the firmware's images before they go into a wheel; with SCHARTEN_COMPILED=1 add machine code.

`make -C firmware keep` writes the images into the package. `mypyc` compiles what `compiled` of the hook's table in
pyproject.toml names; the Python of each stays in the wheel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARED = "build/share"
"""Manual pages, completions and the menu entry, where `make dist` has written them."""
IMAGES = "calibration/scharten_calibration/images"
LEAVE_OUT = "SCHARTEN_WITHOUT_FIRMWARE"
"""Environment variable: with the value 1 a wheel is built whatever state the images are in."""


class ImagesHook(BuildHookInterface):
    """Refuse to build a wheel whose images are missing or damaged."""

    def dependencies(self) -> list[str]:
        """Return the packages that build the compiled wheel."""
        return ["mypy>=1.14", "setuptools", "pydantic>=2.10,<3", "numpy>=2"] if self._compiled else []

    @property
    def _compiled(self) -> bool:
        return os.environ.get("SCHARTEN_COMPILED") == "1"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Check the images and build the modules of the wheel."""
        if version == "editable":
            return
        if self._compiled:
            self._compile(build_data)
        shared = Path(self.root) / SHARED
        build_data["shared_data"] = {
            str(path): f"share/{path.relative_to(shared)}" for path in shared.rglob("*") if path.is_file()
        }
        wrong = wrong_images(Path(self.root) / IMAGES)
        if wrong and os.environ.get(LEAVE_OUT) != "1":
            raise ValueError(
                f"firmware images are missing or not those of {IMAGES}/SHA256SUMS: {', '.join(wrong)}. "
                f"Renew them with `make -C firmware keep`, or build without a check: {LEAVE_OUT}=1"
            )

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


def wrong_images(folder: Path) -> list[str]:
    """Return the names in the folder's SHA256SUMS whose file is missing or differs."""
    sums = folder / "SHA256SUMS"
    if not sums.is_file():
        return ["SHA256SUMS"]
    lines = [
        line.split() for line in sums.read_text(encoding="ascii").splitlines() if not line.startswith("#")
    ]
    return [name for digest, name in lines if digest != _digest(folder / name)]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
