"""Begins and ends (`B`, `E`) of one lane → slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.readers.trace_columns import Columns


@dataclass(frozen=True)
class Spans:
    """Paired begins and ends."""

    slices: Columns
    unended: int
    """Begins without an end: they last to the last time of the lane's begins and ends."""
    stray: int
    """Ends without a begin."""


def paired(rows: Columns) -> Spans:
    """Pairs each end with the youngest open begin of its lane.

    Args:
        rows: Begins and ends of one lane in file order, as `trace_columns.SPANS`.
    """
    order = np.argsort(rows["start_ns"], kind="stable")
    times = rows["start_ns"][order].tolist()
    ends_at = {}
    waiting: list[int] = []
    stray = 0
    for row, time_ns, name in zip(order.tolist(), times, rows["name"][order].tolist()):
        if name >= 0:
            waiting.append(row)
        elif waiting:
            ends_at[waiting.pop()] = time_ns
        else:
            stray += 1
    ends_at.update(dict.fromkeys(waiting, times[-1] if times else 0))
    chosen = np.array(sorted(ends_at), np.int64)
    slices = {name: column[chosen] for name, column in rows.items()}
    ends_ns = np.array([ends_at[row] for row in chosen.tolist()], np.int64)
    slices["dur_ns"] = ends_ns - slices["start_ns"]
    return Spans(slices, len(waiting), stray)
