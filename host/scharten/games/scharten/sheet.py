"""Score sheets, both ways (rules 9)."""

from scharten.games.scharten.sheet_read import SheetError, read_sheet
from scharten.games.scharten.sheet_write import Entry, Sheet, positions, write_sheet

__all__ = ["Entry", "Sheet", "SheetError", "positions", "read_sheet", "write_sheet"]
