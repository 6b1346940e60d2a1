"""Options that aoe and atc share, and the checks of what they have in common (formats: tools 3.2, 4)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tui.i18n import _
from tui.model.problem import Problem
from tui.tools.command_line import ReadOptions
from tui.tools.options import Option, unknown_option, value_problems
from tui.tools.problems import wrong

FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "0": (".prototxt",),
    "1": (".air",),
    "3": (".pb",),
    "5": (".onnx",),
}
"""Suffixes of the models of each framework: Caffe, MindSpore, TensorFlow, ONNX."""

PRECISION_MODES = (
    "force_fp16", "force_fp32", "cube_fp16in_fp32out", "allow_mix_precision", "allow_mix_precision_fp16",
    "allow_mix_precision_bf16", "allow_fp32_to_fp16", "must_keep_origin_dtype", "allow_fp32_to_bf16",
)  # fmt: skip
DYNAMIC = ("dynamic_batch_size", "dynamic_image_size", "dynamic_dims")

SHARED = (
    Option("model", "path"),
    Option("weight", "path"),
    Option("framework", "choice", tuple(FRAMEWORKS)),
    Option("output", "text"),
    Option("output_type", "text"),
    Option("input_format", "choice", ("NCHW", "NHWC", "ND", "NCDHW", "NDHWC")),
    Option("input_shape", "text"),
    Option("dynamic_batch_size", "text"),
    Option("dynamic_image_size", "text"),
    Option("dynamic_dims", "text"),
    Option("precision_mode", "choice", PRECISION_MODES, default="force_fp16"),
    Option("op_select_implmode", "text"),
    Option("optypelist_for_implmode", "text"),
    Option("op_precision_mode", "path"),
    Option("modify_mixlist", "path"),
    Option("keep_dtype", "path"),
    Option("customize_dtypes", "path"),
    Option("out_nodes", "text"),
    Option("input_fp16_nodes", "text"),
    Option("insert_op_conf", "path"),
    Option("op_name_map", "path"),
    Option("is_input_adjust_hw_layout", "text"),
    Option("is_output_adjust_hw_layout", "text"),
    Option("disable_reuse_memory", "choice", ("0", "1")),
    Option("fusion_switch_file", "path"),
    Option("enable_scope_fusion_passes", "text"),
    Option("enable_single_stream", "choice", ("true", "false")),
    Option("enable_small_channel", "choice", ("0", "1")),
    Option("compress_weight_conf", "path"),
    Option("compression_optimize_conf", "path"),
    Option("buffer_optimize", "choice", ("l2_optimize", "l1_optimize", "off_optimize")),
    Option("sparsity", "choice", ("0", "1")),
    Option("host_env_os", "choice", ("linux",)),
    Option("host_env_cpu", "choice", ("x86_64", "aarch64")),
    Option("op_debug_level", "int", low=0, high=4, default="0"),
    Option("log", "choice", ("debug", "info", "warning", "error", "null"), default="null"),
    Option("virtual_type", "choice", ("0", "1")),
    Option("aicore_num", "text"),
    Option("help", "flag"),
)

FILES = ("model", "weight", "op_precision_mode", "modify_mixlist", "keep_dtype", "customize_dtypes", "insert_op_conf",
         "op_name_map", "fusion_switch_file", "compress_weight_conf", "compression_optimize_conf", "singleop",
         "tune_ops_file", "om")  # fmt: skip
"""Options that name a file which must exist."""


def value_checks(read: ReadOptions, table: Mapping[str, Option]) -> Iterator[Problem]:
    """Names and values one by one."""
    for name in read.valueless:
        yield wrong(f"--{name}", _("has no value"), _("write it as {form}").format(form=f"--{name}=…"))
    for word in read.rest:
        yield wrong(word, _("belongs to no option"), _("quote a value that has spaces"))
    for name, value in read.values.items():
        option = table.get(name)
        if option is None:
            yield unknown_option(name, table)
        else:
            yield from value_problems(option, value)


def file_checks(values: Mapping[str, str], cwd: str) -> Iterator[Problem]:
    """Files that are named but cannot be read."""
    for name in FILES:
        value = values.get(name)
        if not value:
            continue
        path = Path(cwd, value)
        if not path.is_file():
            yield wrong(f"--{name}", _("{path} is not there").format(path=path))
        elif not os.access(path, os.R_OK):
            yield wrong(f"--{name}", _("{path} may not be read by you").format(path=path))


def model_checks(values: Mapping[str, str]) -> Iterator[Problem]:
    """Framework, weights and the options for dynamic shapes."""
    framework, model = values.get("framework", ""), values.get("model", "")
    suffix = os.path.splitext(model)[1]
    fitting = FRAMEWORKS.get(framework, ())
    if model and framework in FRAMEWORKS and suffix not in fitting:
        right = next((number for number, suffixes in FRAMEWORKS.items() if suffix in suffixes), "")
        hint = _("for {suffix} write --framework={number}").format(suffix=suffix, number=right) if right else ""
        what = _("{number} reads {suffixes}, not {suffix}")
        yield wrong("--framework", what.format(number=framework, suffixes=" ".join(fitting), suffix=suffix), hint)
    if framework == "0" and not values.get("weight"):
        yield wrong("--weight", _("is needed for a Caffe model"))
    dynamic = [name for name in DYNAMIC if name in values]
    if len(dynamic) > 1:
        yield wrong(f"--{dynamic[1]}", _("cannot stand beside --{other}").format(other=dynamic[0]))


def framework_of(model: str) -> str:
    """Number of the framework by the suffix of a model; empty when it does not tell."""
    suffix = os.path.splitext(model)[1]
    return next((number for number, suffixes in FRAMEWORKS.items() if suffix in suffixes), "")
