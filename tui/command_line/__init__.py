"""Commands without a screen, by what they are about, and what they share. `tui.cli` gathers them."""
