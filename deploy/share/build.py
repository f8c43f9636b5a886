"""Write what a desktop and a shell look for below share/: manual pages, completions, menu entry, icon.

python deploy/share/build.py build/share

Manual pages and completions are made from the command lines themselves. `make deb` and `make dist` pack the files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typer.main import get_command

from scharten.cli import build as referee
from scharten_calibration.cli import build as calibration

BUILDERS = {"scharten": referee, "scharten-calibrate": calibration}
FILES = {
    "scharten": {
        "/etc/scharten/scharten.toml": "the configuration; /usr/share/doc/scharten/configuration.md lists every key",
        "/var/lib/scharten": "games, players, calibrations, and the links' secrets",
    },
    "scharten-calibrate": {},
}
COMPLETIONS = {
    "bash": "bash-completion/completions/{}",
    "zsh": "zsh/site-functions/_{}",
    "fish": "fish/vendor_completions.d/{}.fish",
}
"""Where each shell looks for a program's completion."""
HERE = Path(__file__).parent
ICON = HERE.parents[1] / "host/scharten/display/static/icon-192.png"
COPIED = {
    HERE / "scharten.desktop": "applications/scharten.desktop",
    HERE / "scharten.metainfo.xml": "metainfo/scharten.metainfo.xml",
    ICON: "icons/hicolor/192x192/apps/scharten.png",
}


def write(folder: Path) -> None:
    """Write every file below `folder`, which stands for share/."""
    for program in BUILDERS:
        _write(folder / f"man/man1/{program}.1", manual(program).encode())
        for shell, place in COMPLETIONS.items():
            _write(folder / place.format(program), completion(program, shell).encode())
    for source, place in COPIED.items():
        _write(folder / place, source.read_bytes())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def manual(program: str) -> str:
    """Return the manual page of a program: its commands with their options, and its files."""
    root = get_command(BUILDERS[program]())
    other = next(name for name in BUILDERS if name != program)
    lines = [
        f'.TH {program.upper()} 1 "" "scharten" "User Commands"',
        f".SH NAME\n{_plain(program)} \\- {_text(str(root.help)).rstrip('.')}",
        f".SH SYNOPSIS\n.B {_plain(program)}\n.I COMMAND\n.RI [ OPTIONS ]",
        ".SH COMMANDS",
        *_commands(program, root),
        *_files(FILES[program]),
        f".SH SEE ALSO\n.BR {_plain(other)} (1)",
    ]
    return "\n".join(lines) + "\n"


def completion(program: str, shell: str) -> str:
    """Return the script with which a shell (bash, zsh, fish) completes the program's commands and options."""
    environment = {**os.environ, f"_{program.upper().replace('-', '_')}_COMPLETE": f"source_{shell}"}
    module, wanted = BUILDERS[program].__module__, "'--version'" if program == "scharten" else ""
    code = (
        f"from {module} import build; build({wanted})(prog_name={program!r})"  # without the commands' modules
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip() + "\n"


def _commands(path: str, group: Any) -> Iterator[str]:
    for name, command in group.commands.items():
        title = f"{path} {name}"
        if hasattr(command, "commands"):
            yield from _commands(title, command)
            continue
        values = [str(param.name).upper() for param in command.params if param.param_type_name == "argument"]
        yield f".SS {_plain(title)} {' '.join(values)}"
        yield _text(str(command.help))
        for param in command.params:
            if param.param_type_name == "option" and not param.hidden:
                kind = (
                    ""
                    if param.is_flag
                    else f" {str(param.display_type_rich(ctx=None)).strip('<>').split(' ')[0].upper()}"
                )
                yield f".TP\n.B {_plain(', '.join(param.opts) + kind)}\n{_text(str(param.help or ''))}"


def _files(files: Mapping[str, str]) -> Iterator[str]:
    if files:
        yield ".SH FILES"
    for path, words in files.items():
        yield f".TP\n.I {_plain(path)}\n{_text(words)}"


def _text(words: str) -> str:
    """Return words as roff: its own signs escaped, paragraphs kept."""
    paragraphs = [" ".join(part.split()) for part in words.replace("\b", "").split("\n\n")]
    return "\n.PP\n".join(_plain(part) for part in paragraphs if part)


def _plain(words: str) -> str:
    escaped = words.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    write(Path(sys.argv[1]))
