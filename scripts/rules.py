"""Writes docs/rules.md from the rules and their thresholds.

Usage: python scripts/rules.py [--check]

`--check` writes nothing and exits with 1 when the page differs from the rules.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tui.findings.engine import RULES
from tui.findings.rule import Rule
from tui.findings.thresholds import Thresholds, load_thresholds

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"
NOBODY = Path(__file__).with_name("no-thresholds.toml")
HEAD = """\
# Rules

What `npuscope report`, `npuscope table findings` and the Findings screen go by. Each rule measures, compares with its
thresholds, and says what it measured, what that usually means and what to try. A rule whose data were not collected is
listed as *not evaluated* with what is missing and, where there is one, the option that would have produced it.

**Recoverable time** is an upper bound: no more than the rows of the finding take, than the device was free (for rules
about the host), and than the span of the profile. Findings overlap, so the bounds of several do not add up.
**Severity** is fixed where the table says so, else the share of the span that the rows of the finding cover: High from
{high_pct} %, Medium from {medium_pct} %, else Low. Rows that overlap count once (union of intervals), of several
devices the busiest counts. **Order**: errors of the data, then by recoverable time, then those without one.

Time is looked at from the first run of the model to the last one where the timeline shows runs (`aclmdlExecute`), or in
the iterations that were chosen: what the host does before that is set-up, not waiting.

**Thresholds** are those of `tui/findings/thresholds.toml`. A file `thresholds.toml` in the settings folder
(`$XDG_CONFIG_HOME/npuscope`) takes their place one by one, under the same headings and names:

    [CO17]
    device_pct = 15

A changed threshold is marked with `*` in every inequality, followed by its default.

**Sources**: A = rules of the advisor of msprof-analyze, rule and check read together · R = recipes of msprof-analyze ·
D = documentation of msprof and MindStudio Insight · S = the reference cases of performance and accuracy tuning · T =
documentation of dump comparison · N = ours, the threshold is a proposal. Where the advisor's check contradicts its own
rule the rule is followed: every operator is looked at, not the first alone; 20 µs of CO01 are those of AI CPU tasks;
the cube is full from 0.8; `Block Num` of a cube-led mixed task is compared with the cube cores.
"""

FAMILIES = {
    "DQ": "Is the data fit to be read?",
    "OV": "Where does the time go?",
    "HO": "Host side",
    "CO": "Device compute",
    "CM": "Communication",
    "CP": "Against a baseline",
    "AC": "Operator dumps",
    "AO": "Tuning runs",
}
FORMULAS = """
## Formulas

| rule | recoverable time |
|---|---|
| OV01, OV02 | free time of the device with most of it: overlap analysis, else tasks, else step trace, else operators |
| OV03 | free time after the small blocks, communication left out |
| HO01, HO02, HO05, HO07, HO11 | time of the calls (HO11: above their median), at most the free time |
| HO09 | the longest gaps between two tasks; a gap in which an uncounted task ran does not count |
| CO01, CO03, CO04, CO10, CO14, CO19 | time that the rows cover |
| CO06 | duration × (1 − blocks ÷ (rounds × cores)) |
| CO07 | duration × (1 − highest ratio ÷ 0.8) |
| CO08 | duration × (1 − max(mac ÷ 0.8, mte2 ÷ 0.95)) |
| CO11 | duration × share of the nominal frequency that is lost |
| CO12 | host-bound: first start to last end − durations; moving data: durations |
| CO15 | duration × (1 − 1 ÷ memory_bound) |
| CO16 | duration × (1 − cube utilisation) |
| CO17 | the duration, of what only stands out among its type: duration − median of the type |
| CO18 | what lies above the median of the same type and shapes |
| CO20 | sum of waits of the device, at most the free time |
| CO21 | duration × ratio |
| CM05 | largest − smallest time of the ranks |
| CM06 | transfer time × (1 − slowest ÷ fastest bandwidth) |
| CP01, CP04 | what was lost against the baseline |
"""


def cell(text: str) -> str:
    """A text inside of a Markdown table."""
    return text.replace("|", "\\|")


def row(rule: Rule, thresholds: Thresholds) -> str:
    """One line of a family's table."""
    values = {limit.name: f"**{limit.text}**" for limit in thresholds.of(rule.id)}
    fires, says = rule.fires.format(**values), " ".join(part for part in (rule.means, rule.advice) if part)
    return f"| {rule.id} | {cell(rule.about)} | {cell(fires)} | {cell(says)} | {rule.source} |"


def page() -> Iterator[str]:
    """The whole page, line by line."""
    thresholds = load_thresholds(NOBODY)
    shares = {limit.name: limit.text for limit in thresholds.of("severity")}
    yield HEAD.format(**shares)
    for family, title in FAMILIES.items():
        yield f"## {family}: {title}\n"
        yield "| rule | looks at | fires when | means, and what to try | source |"
        yield "|---|---|---|---|---|"
        yield from (row(rule, thresholds) for rule in RULES if rule.id.startswith(family))
        yield ""
    yield FORMULAS.strip()


def main() -> int:
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    wanted = "\n".join(page()) + "\n"
    if not parser.parse_args().check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if current != wanted:
        print("docs/rules.md is not up to date: run scripts/rules.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
