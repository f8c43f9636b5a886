"""Numbers in the sentences of commands."""


def count(number: int, what: str) -> str:
    """Return a number with its noun: "1 throw", "2 throws"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
