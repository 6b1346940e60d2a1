"""Things that lie beside profiles and are none: what each is, in one sentence, and what to do with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.i18n import N_
from tui.readers.folders import Listing


@dataclass(frozen=True)
class ForeignKind:
    """A kind of output that npuscope does not read as a profile. Texts are catalogue keys."""

    key: str
    what: str
    consequence: str
    hint: str
    folder: str = ""
    """Pattern of the folder's name, empty when it is known by its files."""
    file: str = ""
    """Pattern of the name of a file in it."""
    content: bytes = b""
    """Pattern in the first bytes of a file; looked at when the name fits."""


FOREIGN: tuple[ForeignKind, ...] = (
    ForeignKind(
        "opprof",
        N_("output of msprof op, the profiler of a single operator, not a collection of msprof"),
        N_("its CSV files open as plain tables; there is no timeline of the run"),
        N_("for a whole run collect with: msprof --output=DIR APP"),
        folder=r"OPPROF_.*",
        file=r"(?:OpBasicInfo|PipeUtilization|ArithmeticUtilization|Memory(?:L0|UB)?|L2Cache|ResourceConflictRatio)(?:_\d+)?\.csv",
    ),
    ForeignKind(
        "visualize",
        N_("visualize_data.bin of msprof op, a binary file for MindStudio Insight"),
        N_("it cannot be shown here"),
        N_("open it in MindStudio Insight, or open the CSV files of its OPPROF folder"),
        file=r"visualize_data\.bin",
    ),
    ForeignKind(
        "memscope",
        N_("output of msMemScope, the memory leak detector"),
        N_("its CSV files open as plain tables; its database is for MindStudio Insight"),
        N_("for a profile collect with: msprof --output=DIR APP"),
        folder=r"(?:msmemscope_.*|memscopeDumpResults|leaksDumpResults)",
        file=r"(?:memscope|leaks)_dump_.*\.(?:db|csv)",
    ),
    ForeignKind(
        "platform",
        N_("PLATFORM folder, counters of the whole machine beside a collection"),
        N_("its CSV files open as plain tables"),
        N_("open the PROF folder beside it"),
        folder=r"PLATFORM_.*",
    ),
    ForeignKind(
        "raw-slices",
        N_("raw slices of a collection that was never exported"),
        N_("there are no tables and no timeline to show"),
        N_("parse them with the toolkit of their version: msprof --export=on --output=DIR"),
        file=r".+\.slice_\d+(?:\.done)?",
    ),
    ForeignKind(
        "aoe",
        N_("result of a tuning run (AOE or Auto Tune), not a profile"),
        N_("it is listed only"),
        N_("profile the tuned model with: msprof --output=DIR APP"),
        file=r"(?:aoe_result|tune_result)_.*\.json",
    ),
    ForeignKind(
        "fusion",
        N_("fusion statistics of a converted model, not a profile"),
        N_("it is listed only"),
        N_("profile the model with: msprof --output=DIR APP"),
        file=r"fusion_result\.json",
    ),
    ForeignKind(
        "comparison",
        N_("table of a precision comparison, not a profile"),
        N_("it opens as a plain table"),
        N_("see it as a comparison: npuscope dump FILE, or :dump FILE here"),
        file=r"(?:compare_result|advisor_summary|result)_\d+\.(?:csv|txt)",
    ),
    ForeignKind(
        "dump-config",
        N_("configuration of an operator dump, not a profile"),
        N_("it is listed only"),
        N_("open a PROF folder or a framework output"),
        file=r".*\.json",
        content=rb'\A\s*\{\s*"dump"\s*:',
    ),
    ForeignKind(
        "dump",
        N_("dumped tensors or tensor statistics, not a profile"),
        N_("they are listed only"),
        N_("compare two of them: npuscope dump A B, or screen 7"),
        file=r"(?:.*\.npy|.*\.pt|.*\.bin|(?:dump|stack|construct)\.json|[A-Za-z0-9]+\.[\w.\-]+\.\d+\.\d+\.\d{10,})",
    ),
    ForeignKind(
        "console",
        N_("console text of a tool, not a profile"),
        N_("it is listed only"),
        N_("open the PROF folder whose name the text gives"),
        file=r"(?:msprof.*\.log|npu_smi.*\.txt|.*\.log)",
    ),
)
"""In the order they are tried; the first that fits counts."""


def foreign_folder(name: str) -> ForeignKind | None:
    """The foreign kind that a folder's name alone tells."""
    return next((kind for kind in FOREIGN if kind.folder and re.fullmatch(kind.folder, name)), None)


def foreign_file(name: str, first_bytes: bytes = b"") -> ForeignKind | None:
    """The foreign kind of a file by its name and, where the name says little, its first bytes."""
    return next((kind for kind in FOREIGN if kind.file and _fits(kind, name, first_bytes)), None)


def _fits(kind: ForeignKind, name: str, first_bytes: bytes) -> bool:
    if not re.fullmatch(kind.file, name):
        return False
    return not kind.content or bool(re.search(kind.content, first_bytes))


def has_raw_slices(listing: Listing) -> bool:
    """Whether a folder holds raw slices."""
    return any(re.search(r"\.slice_\d+(?:\.done)?$", entry.name) for entry in listing.files)
