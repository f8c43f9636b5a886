"""A language made of English: every letter with an accent where it has one, every text 30 % longer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import scharten.words

TAG = "qps"
_ACCENTS = str.maketrans("aeiouyAEIOUY", "áéíóúýÁÉÍÓÚÝ")
_PLAIN_WORD = re.compile(r"\b(?=[A-Za-z]{2})[A-Za-z]*[aeiou][A-Za-z]*\b")
_DATA = re.compile(r"""\S*[/._@=:"'\d]\S*|\b(?:Scharten|Anna|Bert)\b""")


def pseudo(template: str) -> str:
    """A text in the pseudo-language: the names of its places stay, all words change."""
    accented = re.sub(
        r"\[(?:blue|/)\]|\{\w+(?=[:}])|[^{\[]+|[{\[]",
        lambda part: part[0] if part[0][0] in "{[" else part[0].translate(_ACCENTS),
        template,
    )
    return f"{accented} {'~' * (len(template) * 3 // 10)}".rstrip() if " " in template else accented


def write(folder: Path) -> Path:
    """Write the language's folder, as a translator would, and return the folder that holds it."""
    target = folder / TAG
    target.mkdir(parents=True)
    for path in (Path(scharten.words.__file__).parent / "en").glob("*.json"):
        english = json.loads(path.read_text(encoding="utf-8"))
        texts = {
            key: text if key.startswith("letter.") or key == "language.locale" else pseudo(text)
            for key, text in english.items()
        }
        (target / path.name).write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")
    helps = json.loads(
        (Path(scharten.words.__file__).parent / "de" / "help.json").read_text(encoding="utf-8")
    )
    (target / "help.json").write_text(
        json.dumps({english: pseudo(english) for english in helps}, ensure_ascii=False), encoding="utf-8"
    )
    return folder


def english_words(shown: str) -> list[str]:
    """The words of a shown text that have a vowel without an accent; addresses, file names and players are data."""
    return _PLAIN_WORD.findall(_DATA.sub(" ", shown))
