"""Setting up this machine: what is plugged in, what is wrong with it, the configuration file as a page writes it."""
