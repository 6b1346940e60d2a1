"""Extracts the messages that users see, brings translations up to date and compiles them.

Usage: python scripts/messages.py [--check]

English is the language of the source and needs no catalogue. A new language starts as an empty
`tui/locale/LANG/LC_MESSAGES/npuscope.po`. `--check` writes nothing and exits with 1 when a file would change.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "tui" / "locale"
DOMAIN = "npuscope"
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}
WIDTH = 120


def extracted() -> Catalog:
    """All marked messages below `tui/`."""
    catalog = Catalog(project=DOMAIN, copyright_holder="the npuscope authors", fuzzy=False)
    found = extract_from_dir(ROOT / "tui", method_map=[("**.py", "python")], keywords=KEYWORDS, comment_tags=("i18n:",))
    for _file, _line, message, comments, context in found:
        catalog.add(message, auto_comments=comments, context=context)
    return catalog


def as_text(catalog: Catalog) -> bytes:
    """The catalogue as .po text: sorted, and without dates or places, so that it changes only when a message does."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, width=WIDTH, no_location=True, sort_output=True, omit_header=catalog.locale is None)
    return buffer.getvalue()


def wanted_files() -> Iterator[tuple[Path, bytes]]:
    """Each file that should exist and its content."""
    template = extracted()
    yield LOCALE / f"{DOMAIN}.pot", as_text(template)
    for path in sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.parent.parent.name, domain=DOMAIN)
        catalog.update(template, no_fuzzy_matching=True, update_header_comment=False)
        catalog.obsolete.clear()
        yield path, as_text(catalog)
        compiled = io.BytesIO()
        write_mo(compiled, catalog)
        yield path.with_suffix(".mo"), compiled.getvalue()


def main() -> int:
    """Writes or compares; the exit code."""
    parser = argparse.ArgumentParser(description="Extract and compile the message catalogues.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a file would change")
    check = parser.parse_args().check
    stale = [(path, content) for path, content in wanted_files() if not path.exists() or path.read_bytes() != content]
    for path, content in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is not up to date: run python scripts/messages.py", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
