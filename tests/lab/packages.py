"""The product's packages: listed as CycloneDX (`make sbom`), and checked for known vulnerabilities (`make audit`).

python -m lab.packages sbom requirements.lock pyproject.toml > sbom.json
python -m lab.packages audit requirements.lock
python -m lab.packages licences requirements.lock
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)\s*(?:;\s*([^\\]+?))?\s*\\?$")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Pin:
    """One line of a lock: a package, its version, the condition for it, and the digests of its files."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    @property
    def purl(self) -> str:
        """The package URL."""
        return f"pkg:pypi/{self.name.lower().replace('_', '-')}@{self.version}"


def pins(lock: str) -> Iterator[Pin]:
    """Every package of a lock file with hashes."""
    for entry in re.split(r"\n(?=\S)", lock):
        head = PIN.match(entry.split("\n", 1)[0].strip())
        if head:
            yield Pin(head[1], head[2], head[3] or "", tuple(HASH.findall(entry)))


def sbom(lock: str, project: str) -> dict[str, object]:
    """Return the list of parts, CycloneDX 1.5; the same lock gives the same text."""
    about = tomllib.loads(project)["project"]
    parts = [
        {
            "type": "library",
            "bom-ref": pin.purl,
            "name": pin.name,
            "version": pin.version,
            "purl": pin.purl,
            "properties": [
                *({"name": "scharten:file-sha256", "value": digest} for digest in pin.hashes),
                *([{"name": "scharten:marker", "value": pin.marker}] if pin.marker else []),
            ],
        }
        for pin in pins(lock)
    ]
    this = f"pkg:pypi/{about['name']}@{about['version']}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, lock + project)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": this,
                "name": about["name"],
                "version": about["version"],
                "purl": this,
                "licenses": [{"license": {"id": about["license"]}}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": this, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def audit(lock: Path) -> int:
    """Ask the vulnerability databases; return 1 if a package has a known one, 0 if none has or no database answered."""
    command = [
        "uv",
        "tool",
        "run",
        "pip-audit",
        "-r",
        str(lock),
        "--disable-pip",
        "--require-hashes",
        "-f",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"{lock}: not audited, no database answers ({done.stderr.strip().splitlines()[-1:]})")
        return 0
    unsafe = [package for package in found if package.get("vulns")]
    skipped = [package for package in found if "skip_reason" in package]
    for item in unsafe:
        for hole in item["vulns"]:
            print(
                f"{item['name']} {item['version']}: {hole['id']}, mended in {hole['fix_versions'] or 'no version'}"
            )
    if len(skipped) == len(found):
        print(f"{lock}: not audited, no database answers")
        return 0
    print(
        f"{lock}: {len(found)} packages, {len(unsafe)} with a known hole, {len(skipped)} that no database knows"
    )
    return int(bool(unsafe))


COMPATIBLE = re.compile(
    r"apache|bsd|isc|mit\b|mit license|mpl|mozilla|psf|python software|unlicense|public domain|zlib|0bsd|lgpl|gpl",
    re.I,
)
"""Licences compatible with GPL-3.0-or-later."""
FOREIGN = re.compile(r"proprietary|non-?commercial|agpl|affero|gpl-?2\.0-only|gplv2$|sspl|busl", re.I)


def _first(values: list[str] | None) -> str:
    return values[0] if values else ""


def licence_of(name: str) -> str:
    """Return the licence that an installed package declares, or ""."""
    about = metadata(name)
    named = _first(about.get_all("License-Expression"))
    classified = [
        item.rpartition(" :: ")[2]
        for item in about.get_all("Classifier") or ()
        if item.startswith("License ::")
    ]
    return named or ", ".join(classified) or _first(about.get_all("License")).partition("\n")[0][:80]


def licences(lock: Path) -> int:
    """Print the licence of each locked package; return 1 if one is unknown or incompatible with ours."""
    wrong = 0
    for pin in pins(lock.read_text()):
        try:
            found = licence_of(pin.name)
        except PackageNotFoundError:
            print(f"{pin.name:28}not installed here ({pin.marker})")
            continue
        fine = bool(COMPATIBLE.search(found)) and not FOREIGN.search(found)
        wrong += not fine
        print(
            f"{pin.name:28}{found}{'' if fine else '   <-- does not go with GPL-3.0-or-later, or is unknown'}"
        )
    return int(wrong > 0)


def main() -> int:
    """Print the list, or audit."""
    what, lock, *rest = sys.argv[1:]
    if what == "audit":
        return audit(Path(lock))
    if what == "licences":
        return licences(Path(lock))
    print(json.dumps(sbom(Path(lock).read_text(), Path(rest[0]).read_text()), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
