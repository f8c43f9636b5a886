"""The referee in the room for Scharten, almost chess on a dartboard."""

__version__ = "0.1.0"
