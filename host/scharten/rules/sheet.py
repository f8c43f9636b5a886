"""Score sheets, both ways (rules 9)."""

from scharten.rules.sheet_read import SheetError, read_sheet
from scharten.rules.sheet_write import Entry, Sheet, positions, write_sheet

__all__ = ["Entry", "Sheet", "SheetError", "positions", "read_sheet", "write_sheet"]
