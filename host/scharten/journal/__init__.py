"""What is kept: every accepted input with its events and digest, and reading it back."""
