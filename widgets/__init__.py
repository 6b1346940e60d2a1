"""Generic terminal widgets: a virtual data grid, bars, head lines, overlays. No word of Ascend in here."""
