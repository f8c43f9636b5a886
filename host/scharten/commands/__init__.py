"""The commands: `scharten.cli` takes each from its module by its name."""
