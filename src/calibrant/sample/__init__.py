"""Label sheets: which answers to label next, blind, with weights that make the log whole again.

Filled in and given back (`check --truth sheet.csv --join id,question`), a sheet's weights make every number an estimate
for the whole log and not for the sheet.
"""

from __future__ import annotations

from calibrant.sample.draw import BANDS, sample
from calibrant.sample.sheet import COLUMNS, QuestionPlan, Sheet, SheetRow, sheet_notices

__all__ = ["BANDS", "COLUMNS", "QuestionPlan", "Sheet", "SheetRow", "sample", "sheet_notices"]
