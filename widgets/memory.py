"""Keeps the garbage collector from pausing the screen."""

from __future__ import annotations

import gc

THRESHOLDS = (5_000, 20, 20)
"""Each look at the youngest objects takes 2 ms then, well below a frame; at ten times as many it is one."""


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
    gc.enable()
    gc.set_threshold(*THRESHOLDS)
