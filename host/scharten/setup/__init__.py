"""The set-up of this machine: connected devices, checks and cures, and the configuration file."""
