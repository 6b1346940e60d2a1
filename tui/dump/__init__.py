"""Operator dumps: reading files and folders, layouts, pairing, metrics, and what to do about a bad operator."""
