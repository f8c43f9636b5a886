"""Where inputs come from: serial line, cameras, commands, the simulated board."""
