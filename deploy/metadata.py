"""The long description and the addresses of the published package.

Links and pictures of README.md are relative to the checkout; on a package index they need a whole address. The project
names no host: the publisher sets SCHARTEN_URL to the page of the repository, such as https://example.org/scharten.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


class Metadata(MetadataHookInterface):
    """Fill `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to the metadata of pyproject.toml."""
        url = os.environ.get("SCHARTEN_URL", "").rstrip("/")
        tag = f"v{metadata['version']}"
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": published(text, url, tag)}
        metadata["urls"] = addresses(url, tag)


def published(text: str, url: str, tag: str) -> str:
    """Return Markdown whose relative links lead to the release at `url`; without `url` they become plain words."""

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if not url:
            return "" if picture else words
        return f"{picture}[{words}]({url}/{'raw' if picture else 'blob'}/{tag}/{target})"

    return LINK.sub(link, text)


def addresses(url: str, tag: str) -> dict[str, str]:
    """Return the package's addresses below the repository's page."""
    if not url:
        return {}
    return {
        "Homepage": url,
        "Documentation": f"{url}/blob/{tag}/README.md",
        "Changes": f"{url}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }
