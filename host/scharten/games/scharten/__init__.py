"""The rules of the game: values in, values out."""
