"""Find words that are not plain English: `python tests/plain_english.py [PATH ...]`, without paths everything.

Names are read from the tokens of Python and from the words of scripts and C; prose is comments, docstrings, strings
and Markdown. Prints one line for each finding, and ends with status 1 if there is any.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

NAMES = {"one", "each", "there", "told", "of", "same", "again", "after", "anew"}
"""No name may be just this word: particles and pronouns name nothing."""
NAME_PARTS = {"told", "wish", "wishes", "wished", "anew", "afresh", "reckon", "reckoned", "deaf", "lent", "lend",
              "borrow", "borrowed", "hear", "heard", "hears"}  # fmt: skip
"""No name may contain this word."""
PROSE = re.compile(
    r"\b(told|anew|afresh|wish(?:es|ed)?|so many|reckon(?:ed|s)?|lends?|lent|borrow(?:s|ed)?|deaf|a stranger|strangers?"
    r"|(?:is|are|was|were) said|(?:is|are|was|were) heard|nobody is|lost and doubled|whoever|whatever is)\b",
    re.IGNORECASE,
)
DOCSTRING = re.compile(r'[a-zA-Z]*"""\s*(What|Who|Whose)\b')
"""No docstring may begin with a question word: it begins with the thing, or with the verb."""
SCRIPT_NAMES = re.compile(
    r"\b(?:const|let|function) [\[{]?(one|each|there|told|same|again)\b|\((one|each)\) =>|\b(one|each) =>"
)
SUFFIXES = {".py", ".js", ".mjs", ".c", ".h", ".md", ".css"}
EXEMPT = {
    "tests/plain_english.py",
    "tests/lab/english.py",
    "tests/lab/trust/fuzz.py",
    "docs/rules.md",
    "docs/games.md",
    "docs/glossary.md",
}
"""This list, the bench that counts them, samples of stored inputs, the rules with their
sources' terms, and the glossary that names the words."""


ALLOWED = {
    ("host/scharten/contract/models.py", "name of"),
    ("host/scharten/contract/snapshot.py", "name of"),
    ("host/scharten/journal/stored_inputs.py", "told"),
    ("host/scharten/display/static/js/panels/players.js", "wishes"),
}
"""Keys of the contract, of old journals and of texts, which keep their names."""


def main(paths: list[str]) -> int:
    """Print every finding below the paths; 1 if there is one."""
    found = 0
    for path in files(paths):
        for line, word in findings(path):
            if (path.as_posix(), word) not in ALLOWED:
                found += 1
                print(f"{path}:{line}: {word}")
    print(f"{found} findings")
    return 1 if found else 0


def files(paths: list[str]) -> Iterator[Path]:
    """The tracked files below the paths that hold prose or code of ours."""
    listed = subprocess.run(["git", "ls-files", *paths], capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = Path(name)
        if path.suffix in SUFFIXES and name not in EXEMPT and "CHANGELOG" not in name and path.is_file():
            yield path


def findings(path: Path) -> Iterator[tuple[int, str]]:
    """Line numbers and what stands there that should not."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        text = text.replace("np.ones(", "np.full(")  # the library's name
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                if token.string in NAMES or NAME_PARTS & set(token.string.strip("_").lower().split("_")):
                    yield token.start[0], f"name {token.string}"
            elif token.type in (tokenize.COMMENT, tokenize.STRING):
                if question := DOCSTRING.match(token.string):
                    yield token.start[0], f"docstring begins {question[1]}"
                yield from _prose(token.string, token.start[0])
        return
    if path.suffix == ".md":
        text = re.sub(
            r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE
        )
    yield from _prose(text, 1)
    if path.suffix in (".js", ".mjs"):
        for number, line in enumerate(text.splitlines(), 1):
            for match in SCRIPT_NAMES.finditer(line):
                yield number, f"name {match[0]}"


def _prose(text: str, first: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), first):
        for match in PROSE.finditer(line):
            yield number, match[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
