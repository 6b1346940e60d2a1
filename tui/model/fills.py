"""What colours events on a timeline by: bands of their share, or one fill for a whole layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BANDS = ("low", "mid", "high")
"""Names of the colour bands, as `bands_of` counts them."""
QUIET_FILLS = {"steps": "neutral", "other": "neutral"}
"""Layers that are not coloured by bands."""
OVERLAP_FILLS = {"Computing": "bar", "Communication": "low", "Communication(Not Overlapped)": "mid", "Free": "mid"}
"""Fills of the events of the overlap analysis, by name; others are neutral."""


def bands_of(dur_ns: NDArray[np.int64], span_ns: int, limits: tuple[float, float]) -> NDArray[np.intp]:
    """Band of each duration by its share of the span; a share equal to a limit belongs to the upper band.

    Args:
        limits: (middle, high) in percent.
    """
    shares = np.asarray(dur_ns) * (100.0 / span_ns)
    return (shares >= limits[0]).astype(np.intp) + (shares >= limits[1])
