"""Writes the sample profiles beside this file, always the same bytes; `--check` only compares.

Usage: python sample_profiles/generate.py [--check] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from generator.current import CurrentExport
from generator.dumps import dump_files
from generator.legacy import LegacyExport
from generator.run import record

HERE = Path(__file__).resolve().parent
FOLDERS = ("mish_before", "mish_after", "legacy_before", "legacy_after", "dump_fp16", "dump_fp32")


def all_files() -> dict[str, bytes]:
    """Content of every file of all samples by path relative to the output folder."""
    before, after = record(mish=True), record(mish=False)
    exports: dict[str, CurrentExport | LegacyExport] = {
        "mish_before/PROF_000001_20240521093012345_ABCDEFGHIJKLMNOP/": CurrentExport(
            before, 1_716_283_813_021_407_360, 497_845_301_118_920, "20240521093110"
        ),
        "mish_after/PROF_000002_20240521101502871_BCDEFGHIJKLMNOPA/": CurrentExport(
            after, 1_716_286_503_547_118_240, 500_535_826_829_800, "20240521101558"
        ),
        "legacy_before/PROF_000001_20221118093012345_QRSTUVWXYZABCDEF/": LegacyExport(
            before, 1_668_763_813_021_407_360, 497_845_301_118_920
        ),
        "legacy_after/PROF_000002_20221118101502871_RSTUVWXYZABCDEFQ/": LegacyExport(
            after, 1_668_766_503_547_118_240, 500_535_826_829_800
        ),
    }
    texts = {root + name: text for root, export in exports.items() for name, text in export.files().items()}
    return {**{name: text.encode("utf-8") for name, text in texts.items()}, **dump_files()}


def differences(folder: Path, wanted: dict[str, bytes]) -> list[str]:
    """Paths that are missing, different or not ours."""
    present = {
        path.relative_to(folder).as_posix() for name in FOLDERS for path in (folder / name).rglob("*") if path.is_file()
    }
    both = present.intersection(wanted)
    changed = [name for name in both if (folder / name).read_bytes() != wanted[name]]
    return sorted([*changed, *present.symmetric_difference(wanted)])


def write(folder: Path, wanted: dict[str, bytes]) -> None:
    """Writes all files and removes those of earlier versions."""
    for name in differences(folder, wanted):
        if name not in wanted:
            (folder / name).unlink()
    for name, data in wanted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Write the bundled sample profiles.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a file differs")
    parser.add_argument("--output", type=Path, default=HERE, help="folder to write into (default: beside this file)")
    chosen = parser.parse_args()
    wanted = all_files()
    if not chosen.check:
        write(chosen.output, wanted)
        return 0
    different = differences(chosen.output, wanted)
    for name in different:
        print(f"differs: {name}", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
