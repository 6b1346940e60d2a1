"""Keeps the garbage collector from pausing the screen."""

from __future__ import annotations

import gc

THRESHOLDS = (50_000, 20, 20)


def settle_memory(collect: bool = True) -> None:
    """Tells the collector that what is there stays, and lets it run more rarely; for the ends of start and of loading.

    Without it the collector walks all loaded objects in the midst of painting; pauses while scrolling were up to three
    times as long.

    Args:
        collect: False right after the start, when there is hardly any garbage and a look at everything takes long.
    """
    if collect:
        gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
