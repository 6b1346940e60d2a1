"""Round edges for the bins of a histogram, with the end of float16 among them where it lies inside."""

from __future__ import annotations

import math

import numpy as np

from tui.model.dump import FP16_MAX

_STEPS = (1.0, 2.0, 2.5, 4.0, 5.0, 8.0, 10.0)
MOST_DECIMALS = 6


def round_edges(least: float, most: float, bins: int) -> tuple[float, ...]:
    """About `bins` bins between round numbers that cover `least` … `most`; rising, at least two edges.

    An edge near ±65504 is moved just beyond it, so that a bin holds either what float16 can be or what it cannot.
    """
    if not least < most:
        half = max(abs(least) * 0.5, 0.5)
        least, most = least - half, most + half
    step = _step(least, most, max(1, bins))
    first, last = math.floor(least / step), math.ceil(most / step)
    edges = [number * step for number in range(first, max(last, first + 1) + 1)]
    edges[0], edges[-1] = min(edges[0], least), max(edges[-1], most)
    for limit in (-FP16_MAX, float(np.nextafter(FP16_MAX, np.inf))):
        if least < limit < most:
            nearest = min(range(len(edges)), key=lambda at: abs(edges[at] - limit))
            is_inner = 0 < nearest < len(edges) - 1
            edges = sorted([*edges[:nearest], *edges[nearest + 1 :], limit] if is_inner else [*edges, limit])
    return tuple(dict.fromkeys(edges))


def _step(least: float, most: float, bins: int) -> float:
    """The smallest round step that needs no more than `bins` bins."""
    exponent = math.floor(math.log10((most - least) / bins))
    for power in (exponent, exponent + 1, exponent + 2):
        for factor in _STEPS:
            step = factor * 10.0**power
            if math.ceil(most / step) - math.floor(least / step) <= bins:
                return step
    return most - least


def edge_labels(edges: tuple[float, ...]) -> tuple[tuple[str, str], ...]:
    """(low, high) of each bin as shown, in a common unit that the high end carries: `65.5`, `72 k`."""
    exponent = _exponent(max(abs(edges[0]), abs(edges[-1])))
    unit = {3: " k", 6: " M", 0: ""}.get(exponent, f" e{exponent}")
    texts = _texts([edge / 10.0**exponent for edge in edges])
    return tuple((low, high + unit) for low, high in zip(texts, texts[1:]))


def _exponent(largest: float) -> int:
    """A multiple of three; 0 where plain numbers are short enough."""
    if largest == 0 or 0.01 <= largest < 10_000:
        return 0
    return 3 * math.floor(math.log10(largest) / 3)


def _texts(values: list[float]) -> list[str]:
    """As few decimals as tell the edges apart; each edge without needless zeros, `−` for minus."""
    step = min(abs(high - low) for low, high in zip(values, values[1:]))
    for decimals in range(MOST_DECIMALS):
        texts = [f"{value:.{decimals}f}" for value in values]
        if all(abs(float(text) - value) < 0.02 * step for text, value in zip(texts, values)):
            return [_trimmed(text) for text in texts]
    return [_trimmed(f"{value:.{MOST_DECIMALS}f}") for value in values]


def _trimmed(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    text = "0" if text == "-0" else text
    return text.replace("-", "−")
