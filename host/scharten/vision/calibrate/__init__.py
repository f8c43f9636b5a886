"""From a picture of the empty board to a camera model."""
