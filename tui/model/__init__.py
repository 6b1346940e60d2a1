"""The columnar profile: tables, columns and their units, and pure answers over them."""
