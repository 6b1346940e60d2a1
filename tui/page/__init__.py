"""Building blocks of self-contained HTML pages."""
