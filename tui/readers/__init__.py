"""Disk to model: discovery of what a path is, and one module per file format."""
