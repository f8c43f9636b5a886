"""Arrays in, darts out."""
