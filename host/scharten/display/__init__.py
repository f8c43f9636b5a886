"""The display server and its page."""
