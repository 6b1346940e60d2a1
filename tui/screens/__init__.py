"""One module per screen. Screens do not import screens."""
