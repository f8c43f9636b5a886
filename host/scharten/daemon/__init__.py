"""The daemon: its parts, and the only place where they are wired together."""
