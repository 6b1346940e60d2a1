"""Takes the README's picture from the product itself: `npuscope demo` at 120 x 40, as SVG.

Usage: python scripts/picture.py [--keys KEYS] [--size COLUMNSxROWS] [FILE]

KEYS are pressed first, by Textual's names, separated by blanks (`3 down enter`).
"""

from __future__ import annotations

import argparse
import asyncio
import re
from pathlib import Path

from tui.app import NpuscopeApp
from tui.config import LoadedSettings, Settings
from tui.samples import samples_dir

REST_S = 0.6
DEFAULT = Path(__file__).resolve().parent.parent / "docs" / "overview.svg"


async def picture(keys: list[str], size: tuple[int, int]) -> str:
    """The screen after the keys, as SVG."""
    settings = Settings(colors="256", glyphs="blocks", lang="en")
    samples = samples_dir()
    app = NpuscopeApp(samples / "mish_before", LoadedSettings(settings))
    app.offer_dumps(samples / "dump_fp16", samples / "dump_fp32")
    async with app.run_test(size=size) as pilot:
        while app.findings is None or app.is_judging:  # the last that comes of a profile
            await pilot.pause(REST_S)
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            for _ in range(2):  # what is read when the cursor has come to rest begins later
                await pilot.pause(REST_S)
                await app.workers.wait_for_complete()
            await pilot.pause()
        return without_web_fonts(app.export_screenshot(title="npuscope demo"))


def without_web_fonts(svg: str) -> str:
    """Leaves the fonts to whoever looks: the picture fetches nothing."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    """Writes the picture."""
    parser = argparse.ArgumentParser(description="Take the README's picture from the product.")
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--keys", default="", help="keys to press first")
    parser.add_argument("--size", default="120x40", help="columns x rows")
    chosen = parser.parse_args()
    columns, rows = map(int, chosen.size.split("x"))
    svg = asyncio.run(picture(chosen.keys.split(), (columns, rows)))
    chosen.file.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
