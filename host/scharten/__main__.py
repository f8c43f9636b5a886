"""`python -m scharten` is the command `scharten`."""

from scharten.cli import main

main()
