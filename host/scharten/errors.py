"""The one exception that reaches a person; everything else that goes wrong in the core is a value.

Exception
└── SchartenError       a sentence for the person in the room, and what to do about it
"""


class SchartenError(Exception):
    """What went wrong and the cure, both in words; the command line prints them and exits with 1."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure

    def __str__(self) -> str:
        return f"{self.message}\n{self.cure}" if self.cure else self.message
