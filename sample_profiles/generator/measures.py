"""Durations, core counts and pipe ratios of the operators: invented, seeded, and summing exactly to chosen totals."""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from generator.network import Op, build

SEED = 20240521
CORES = 8
CORE_MHZ = 900
CONV_0_NS = {True: 3_170_625, False: 1_415_182}
# type: (total ns, longest ns or None) of the profile with Mish
TOTALS = {
    "Conv2D": (46_310_412, 3_170_625),
    "Softplus": (19_870_288, 721_440),
    "Mul": (14_120_164, 512_013),
    "Tanh": (13_449_871, 488_206),
    "ConcatD": (5_019_733, 604_330),
    "TransData": (4_860_214, 900_112),
    "LeakyRelu": (3_610_127, 151_702),
    "Add": (2_369_906, 138_911),
    "ResizeNearest": (610_020, 338_014),
    "Cast": (470_052, 77_413),
    "MaxPool": (309_948, 131_506),
    "StridedSlice": (110_094, 24_010),
    "NonMaxSuppression": (1_840_200, 1_840_200),
}
CONV_LONGEST_NS = (1_482_310, 1_012_044, 984_410, 884_201, 690_508, 602_877)
CONV_QUANTILES = ((0.0, 92.0), (0.12, 160.0), (0.3, 290.0), (0.5, 414.5), (0.75, 459.0), (0.95, 545.0), (1.0, 560.0))
FIXED_NS = {"trans_TransData_0": 412_006, "trans_TransData_3": 640_120}
# type: (vec, mac, scalar, mte1, mte2, mte3), each with a spread
RATIOS = {
    "Conv2D": (0.06, 0.36, 0.14, 0.22, 0.60, 0.11),
    "Softplus": (0.85, 0.0, 0.06, 0.0, 0.31, 0.28),
    "Tanh": (0.84, 0.0, 0.05, 0.0, 0.36, 0.33),
    "Mul": (0.24, 0.0, 0.05, 0.0, 0.85, 0.44),
    "ConcatD": (0.0, 0.0, 0.08, 0.0, 0.89, 0.71),
    "TransData": (0.12, 0.0, 0.09, 0.0, 0.62, 0.86),
    "LeakyRelu": (0.33, 0.0, 0.05, 0.0, 0.82, 0.61),
    "Add": (0.26, 0.0, 0.05, 0.0, 0.86, 0.47),
    "ResizeNearest": (0.18, 0.0, 0.12, 0.0, 0.54, 0.83),
    "Cast": (0.29, 0.0, 0.07, 0.0, 0.74, 0.52),
    "MaxPool": (0.81, 0.0, 0.10, 0.0, 0.42, 0.23),
    "StridedSlice": (0.0, 0.0, 0.35, 0.0, 0.48, 0.40),
}
CONV_0_RATIOS = {True: (0.04, 0.21, 0.12, 0.18, 0.74, 0.09), False: (0.05, 0.46, 0.13, 0.20, 0.79, 0.12)}
PIPES = ("vec", "mac", "scalar", "mte1", "mte2", "mte3")


@dataclass(frozen=True)
class Counters:
    """What the core counted during one task: cycles of all cores together and shares of the pipes (0 … 1)."""

    aicore_ns: int
    total_cycles: int
    ratios: tuple[Decimal, ...]
    icache_miss_rate: Decimal
    cube_utilization_pct: Decimal


def rng_of(*words: object) -> random.Random:
    """Random numbers that depend on the words alone, not on what was drawn before."""
    return random.Random(":".join(str(word) for word in (SEED, *words)))


def rounded(value: Decimal, places: int) -> Decimal:
    """Value at a fixed number of decimals, ties to even as Python's own `round`."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)


def durations_ns(ops: list[Op], mish: bool) -> dict[str, int]:
    """Duration of every operator by name. The profile without Mish repeats the others within half a percent."""
    before = _durations_with_mish(ops if mish else _with_mish())
    if mish:
        return before
    return {op.name: _after_ns(op, before.get(op.name)) for op in ops}


def _with_mish() -> list[Op]:
    return build(True)


def _after_ns(op: Op, before_ns: int | None) -> int:
    if op.name == "Conv_0":
        return CONV_0_NS[False]
    rng = rng_of("after", op.name)
    if before_ns is None:
        return int((58_000 + op.cost * 0.0092) * (0.985 + 0.03 * rng.random()))
    return int(before_ns * (0.996 + 0.008 * rng.random()))


def _durations_with_mish(ops: list[Op]) -> dict[str, int]:
    result: dict[str, int] = {}
    for kind, (total_ns, longest_ns) in TOTALS.items():
        members = [op for op in ops if op.kind == kind]
        wanted = _conv_wish(members) if kind == "Conv2D" else _linear_wish(members, total_ns, longest_ns)
        fixed = {name: ns for name, ns in {**FIXED_NS, **wanted[1]}.items() if any(op.name == name for op in members)}
        result.update(_settled(wanted[0], fixed, total_ns))
    return result


def _conv_wish(members: list[Op]) -> tuple[dict[str, float], dict[str, int]]:
    """Convolutions by rank of their work: the first far above all others, a few large ones, a broad middle."""
    fixed = {"Conv_0": CONV_0_NS[True]}
    ranked = sorted((op for op in members if op.name != "Conv_0"), key=lambda op: (-op.cost, op.name))
    fixed.update({op.name: ns for op, ns in zip(ranked, CONV_LONGEST_NS)})
    rest = ranked[len(CONV_LONGEST_NS) :]
    wishes = {}
    for rank, op in enumerate(rest):
        level = 1.0 - rank / (len(rest) - 1)
        wishes[op.name] = _quantile(level) * 1000.0 * (0.994 + 0.012 * rng_of("conv", op.name).random())
    return wishes, fixed


def _quantile(level: float) -> float:
    for (low, low_us), (high, high_us) in zip(CONV_QUANTILES, CONV_QUANTILES[1:]):
        if level <= high:
            return low_us + (high_us - low_us) * (level - low) / (high - low)
    return CONV_QUANTILES[-1][1]


def _linear_wish(members: list[Op], total_ns: int, longest_ns: int) -> tuple[dict[str, float], dict[str, int]]:
    """A start-up cost plus a cost per element, the largest operator taking exactly `longest_ns`."""
    top = max(members, key=lambda op: (op.cost, op.name))
    others = [op for op in members if op.name != top.name]
    if not others:
        return {}, {top.name: longest_ns}
    mean_ns = (total_ns - longest_ns) / len(others)
    mean_cost = sum(op.cost for op in others) / len(others)
    slope = (longest_ns - mean_ns) / max(top.cost - mean_cost, 1.0) * 0.9
    wishes = {}
    for op in others:
        wish = mean_ns + slope * (op.cost - mean_cost)
        wishes[op.name] = max(wish, mean_ns * 0.2) * (0.97 + 0.06 * rng_of("linear", op.name).random())
    return wishes, {top.name: longest_ns}


def _settled(wishes: dict[str, float], fixed: dict[str, int], total_ns: int) -> dict[str, int]:
    """Wishes scaled to whole nanoseconds so that they and the fixed ones sum to `total_ns` exactly."""
    free = {name: wish for name, wish in wishes.items() if name not in fixed}
    left_ns = total_ns - sum(fixed.values())
    scale = left_ns / sum(free.values()) if free else 0.0
    whole = {name: int(wish * scale) for name, wish in free.items()}
    for name in sorted(whole)[: left_ns - sum(whole.values())]:
        whole[name] += 1
    return {**whole, **fixed}


def blocks(op: Op, mish: bool) -> int:
    """Number of cores' worth of blocks the operator was split into; 31 operators do not fill the last wave."""
    if op.core != "AI_CORE":
        return 1
    if op.name == "Conv_0":
        return 2 if mish else CORES
    if op.kind == "StridedSlice":
        return 1
    if op.kind == "MaxPool" or (op.kind == "Cast" and op.name in _SMALL_CASTS):
        return 4
    if op.kind == "Conv2D" and op.outputs[0].shape[2:] == (19, 19) and op.inputs[1].shape[2] == 1:
        return 6
    return CORES if op.outputs[0].elements < 4_000_000 else 2 * CORES


_SMALL_CASTS = ("trans_Cast_3", "trans_Cast_4", "trans_Cast_5", "trans_Cast_8")


def counters(op: Op, duration_ns: int, block_num: int, mish: bool) -> Counters | None:
    """Counters of one task, or None where the core does not run it."""
    if op.core != "AI_CORE":
        return None
    rng = rng_of("pmu", op.name)
    waves = -(-block_num // CORES)
    busy_ns = int(duration_ns * (0.962 + 0.03 * rng.random()))
    cycles = busy_ns * CORE_MHZ * block_num // (1000 * waves)
    aicore_ns = int(rounded(Decimal(cycles * 1000 * waves) / (CORE_MHZ * block_num), 0))
    cube = rounded(Decimal(100_000 * cycles) / (CORE_MHZ * CORES * duration_ns), 3)
    miss = rounded(Decimal(int(rng.random() * 40)) / 1000, 3)
    return Counters(aicore_ns, cycles, _ratios(op, rng, mish), miss, cube)


def _ratios(op: Op, rng: random.Random, mish: bool) -> tuple[Decimal, ...]:
    if op.name == "Conv_0":
        return tuple(rounded(Decimal(str(ratio)), 3) for ratio in CONV_0_RATIOS[mish])
    tilt = (rng.random() - 0.5) * 0.16
    if op.kind == "Conv2D" and op.inputs[1].shape[2] == 3:
        tilt += 0.1
    found = []
    for pipe, ratio in zip(PIPES, RATIOS[op.kind]):
        lean = tilt if pipe == "mac" else -tilt if pipe == "mte2" else 0.0
        spread = ratio * (0.95 + 0.1 * rng.random()) + (lean if op.kind == "Conv2D" else 0.0)
        found.append(rounded(Decimal(int(spread * 1000)) / 1000, 3))
    return tuple(found)
