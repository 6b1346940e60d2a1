"""The column store and the worker processes that fill it."""
