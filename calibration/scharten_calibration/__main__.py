"""`python -m scharten_calibration` is the command `scharten-calibrate`."""

from scharten_calibration.cli import main

main()
