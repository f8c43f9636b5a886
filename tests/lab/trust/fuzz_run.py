"""`make fuzz`: feed every parser for a minute, several side by side.

PYTHONPATH=tests python -m lab.trust.fuzz_run [--seconds 60] [--lanes 6] [PARSER ...]
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from lab.trust.fuzz import CORPUS, PARSERS, fuzz_for


def main() -> int:
    """Print a line for each parser; return 1 if a parser crashed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description="Feed every parser for some time.")
    parser.add_argument("--seconds", type=float, default=60, help="for each parser (60)")
    parser.add_argument("--lanes", type=int, default=6, help="parsers side by side (6)")
    parser.add_argument("names", nargs="*", metavar="PARSER", choices=[*PARSERS, []], help="these alone")
    asked = parser.parse_args()
    fell = 0
    with ProcessPoolExecutor(asked.lanes) as pool:
        running = {name: pool.submit(fuzz_for, name, asked.seconds) for name in asked.names or PARSERS}
        for name, found in running.items():
            fed, error = found.result()
            fell += bool(error)
            print(f"{name:24}{fed:>9,} texts  {error or 'no fault'}", flush=True)
    if fell:
        print(f"{fell} parsers fell over; the texts are kept in {CORPUS}")
    return int(fell > 0)


if __name__ == "__main__":
    sys.exit(main())
