"""The referee in the room for Scharten, almost chess on a dartboard."""

import os

__version__ = "0.2.0"

# Read by OpenCV when it is loaded: a small file may claim to be a picture of a gigapixel.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(64 << 20))
