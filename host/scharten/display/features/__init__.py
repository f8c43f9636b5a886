"""The features of a board's page; `daemon/features.py` lists them."""
