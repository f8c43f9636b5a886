"""The journal: stores every accepted input with its events and digest, and reads it back."""
