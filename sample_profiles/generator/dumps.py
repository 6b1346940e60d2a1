"""The dump folders of both sides, as `acl.json` with `dump_mode: all` leaves them."""

from __future__ import annotations

from generator.detector import FLOAT16_SIDE, FLOAT32_SIDE, MAP, Op, Precision, Tensor, network
from generator.dump_file import FLOAT16, FLOAT32, NC1HWC0, NCHW, ND, Stored, dump_bytes, stored

MODEL = "fasterrcnn"
STREAM = 7
STEP_US = 412


def dump_files() -> dict[str, bytes]:
    """Content of every file of both dumps by path."""
    half = _files(FLOAT16_SIDE, FLOAT16, 1_716_283_813_000_000)
    full = _files(FLOAT32_SIDE, FLOAT32, 1_716_369_702_000_000)
    return {
        **{f"dump_fp16/20240521093012/0/{MODEL}/1/0/{name}": data for name, data in half.items()},
        **{f"dump_fp32/20240522092142/0/{MODEL}/1/0/{name}": data for name, data in full.items()},
    }


def _files(precision: Precision, dtype: int, start_us: int) -> dict[str, bytes]:
    """File name → bytes, the operators one after the other."""
    files: dict[str, bytes] = {}
    for place, op in enumerate(network(precision)):
        time_us = start_us + place * STEP_US
        files[f"{op.type}.{op.name}.{place + 3}.{STREAM}.{time_us}"] = _dump(op, dtype, time_us)
    return files


def _dump(op: Op, dtype: int, time_us: int) -> bytes:
    inputs, outputs = ([_stored(tensor, dtype) for tensor in side] for side in (op.inputs, op.outputs))
    return dump_bytes(op.name, time_us, inputs, outputs)


def _stored(tensor: Tensor, dtype: int) -> Stored:
    """Maps lie in blocks of channels in float16, as the cube unit wants them."""
    values, shape = tensor
    blocked = dtype == FLOAT16 and shape == MAP
    return stored(values, shape, dtype, NC1HWC0 if blocked else NCHW if len(shape) == 4 else ND)
