"""The options of msprof (formats: tools 2.2), and which of them belong to which way of working."""

from __future__ import annotations

from collections.abc import Mapping

from tui.tools.options import Option, number, switch

UINT32_MAX = 4294967295

METRICS = (
    "ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0", "MemoryUB", "ResourceConflictRatio", "L2Cache",
    "PipelineExecuteUtilization", "MemoryAccess",
)  # fmt: skip
TASK_TIMES = ("on", "off", "l0", "l1", "l2", "l3")
HOST_SYS = ("cpu", "mem", "disk", "network", "osrt", "numa")

OFFLINE_MODES = ("parse", "query", "export", "analyze")
"""Switches that work on what was collected, in the order in which msprof looks at them."""

_ALL = (
    Option("output", "path"),
    Option("storage-limit", "text", unit="MB"),
    Option("type", "choice", ("text", "db"), default="text"),
    Option("application", "text"),
    Option("environment", "text"),
    Option("python-path", "path"),
    switch("ascendcl", "on"),
    switch("model-execution", deprecated=True),
    switch("runtime-api"),
    switch("hccl", deprecated=True),
    Option("task-time", "choice", TASK_TIMES, default="on"),
    Option("ge-api", "choice", ("off", "l0", "l1"), default="off"),
    switch("task-memory"),
    switch("ai-core", "on"),
    Option("aic-mode", "choice", ("task-based", "sample-based")),
    number("aic-freq", 1, 100, "100", ("aic-mode", "sample-based"), "Hz"),
    Option("aic-metrics", "text", METRICS, default="PipeUtilization", needs=("ai-core", "on")),
    switch("aicpu"),
    switch("l2", not_chips=("310",)),
    switch("msproftx"),
    Option("mstx-domain-include", "text"),
    Option("mstx-domain-exclude", "text"),
    number("delay", 1, UINT32_MAX, unit="s"),
    number("duration", 1, UINT32_MAX, unit="s"),
    switch("dynamic"),
    Option("pid", "text"),
    switch("instr-profiling", chips=("910B", "910", "910_93")),
    number("instr-profiling-freq", 300, 30000, "1000", ("instr-profiling", "on")),
    switch("sys-hardware-mem"),
    number("sys-hardware-mem-freq", 1, 10000, "50", ("sys-hardware-mem", "on"), "Hz"),
    Option("llc-profiling", "choice", ("read", "write", "capacity", "bandwidth"), needs=("sys-hardware-mem", "on")),
    switch("sys-cpu-profiling"),
    number("sys-cpu-freq", 1, 50, "50", ("sys-cpu-profiling", "on"), "Hz"),
    switch("sys-profiling"),
    number("sys-sampling-freq", 1, 10, "10", ("sys-profiling", "on"), "Hz"),
    switch("sys-pid-profiling"),
    number("sys-pid-sampling-freq", 1, 10, "10", ("sys-pid-profiling", "on"), "Hz"),
    switch("sys-io-profiling", not_chips=("310P",)),
    number("sys-io-sampling-freq", 1, 100, "100", ("sys-io-profiling", "on"), "Hz"),
    switch("sys-interconnection-profiling", not_chips=("310", "310B")),
    number("sys-interconnection-freq", 1, 50, "50", ("sys-interconnection-profiling", "on"), "Hz"),
    switch("dvpp-profiling"),
    number("dvpp-freq", 1, 100, "50", ("dvpp-profiling", "on"), "Hz"),
    number("sys-period", 1, 2592000, unit="s"),
    Option("sys-devices", "text"),
    Option("host-sys", "list", HOST_SYS),
    number("host-sys-pid", 1, UINT32_MAX),
    Option("host-sys-usage", "list", ("cpu", "mem")),
    number("host-sys-usage-freq", 1, 50, "50", unit="Hz"),
    switch("parse"),
    switch("query"),
    switch("export"),
    switch("analyze"),
    number("iteration-id", 0, UINT32_MAX, "1"),
    number("model-id", 0, UINT32_MAX),
    Option("summary-format", "choice", ("csv", "json"), default="csv"),
    Option("reports", "path"),
    switch("clear"),
    Option("rule", "list", ("communication", "communication_matrix")),
    Option("task-block", "choice", ("all", "on", "off"), default="off"),
    switch("sys-lp"),
    number("sys-lp-freq", 1, 100, "100", ("sys-lp", "on"), "Hz"),
    switch("ai-vector-core"),
    Option("aiv-mode", "choice", ("task-based", "sample-based")),
    number("aiv-freq", 1, 100, "100", ("aiv-mode", "sample-based"), "Hz"),
    Option("aiv-metrics", "text", METRICS),
    number("l2-freq", 1, 100, needs=("l2", "on"), unit="Hz"),
    Option("help", "flag"),
)

MSPROF: Mapping[str, Option] = {option.name: option for option in _ALL}
"""By name, without the dashes."""

IGNORED_OFFLINE = frozenset(MSPROF) - {
    *OFFLINE_MODES, "output", "iteration-id", "model-id", "summary-format", "python-path", "clear", "type", "reports",
    "rule", "help",
}  # fmt: skip
"""Collection options: useless beside an offline mode."""

FORBIDDEN: Mapping[str, frozenset[str]] = {
    "parse": frozenset(("rule", "iteration-id", "model-id", "summary-format", "clear", "type", "reports")),
    "query": frozenset(("rule", "iteration-id", "model-id", "summary-format", "clear", "type", "reports")),
    "export": frozenset(("rule",)),
    "analyze": frozenset(("iteration-id", "model-id", "summary-format", "reports")),
}
"""Options that must not stand beside an offline mode."""

FORBIDDEN_WITH_DB = frozenset(("iteration-id", "model-id", "summary-format", "clear", "reports"))
"""Options that must not stand beside `--export=on --type=db`."""

INSTR_EXCLUDES = (
    "ascendcl", "model-execution", "runtime-api", "hccl", "task-time", "aicpu", "ai-core", "aic-mode", "aic-freq",
    "aic-metrics", "l2",
)  # fmt: skip

SYSTEM_DATA = (
    "ai-core", "sys-hardware-mem", "sys-cpu-profiling", "sys-profiling", "sys-pid-profiling", "sys-io-profiling",
    "sys-interconnection-profiling", "dvpp-profiling", "llc-profiling", "sys-lp", "instr-profiling", "aic-metrics",
)  # fmt: skip
"""What a whole-system collection can collect from devices."""
