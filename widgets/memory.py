"""Keeps the garbage collector from pausing the screen."""

from __future__ import annotations

import gc

THRESHOLDS = (50_000, 20, 20)


def settle_memory() -> None:
    """Tells the collector that what is loaded stays, and lets it run more rarely; for the end of loading.

    Without it the collector walks all loaded objects in the midst of painting; pauses while scrolling were up to three
    times as long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
