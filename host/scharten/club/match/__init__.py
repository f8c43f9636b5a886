"""A match between two clubs: each table is one game at two boards, one in each club."""
