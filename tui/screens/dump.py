"""Screen 7: is it still right. Pairs of operator dumps in execution order, where they part, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from tui.i18n import N_, _
from tui.model.dump import DIVERGING, CompareRequest, DumpComparison, PairRow
from tui.screens.dump_facts import consumers_of, producers_of
from tui.screens.dump_pairs import DumpPairs
from tui.screens.dump_table import FIRST_VIEW
from widgets.columns import ColumnState

MOVING = frozenset(("down", "page_down", "half_down", "last", "find", "goto", "filter", "notable_next", "sort_desc"))
"""What a user does who has gone somewhere himself."""
INVERTED = frozenset(("cosine", "cosine_finite"))
"""Metrics whose worst values are the smallest."""


class DumpScreen(DumpPairs):
    """Pairs of two dumps, or of a comparison that another tool made."""

    LABELS: ClassVar[Mapping[str, str]] = {
        "sort_desc": N_("worst"), "select": N_("choose"), "open_profile": N_("dumps"), "open_item": N_("histogram"),
    }  # fmt: skip
    FOOTER = (
        "open_item", "notable_next", "sort_desc", "select", "export", "filter", "details", "swap", "open_profile",
        "undo", "screen", "palette", "cancel",
    )  # fmt: skip

    def can(self, name: str) -> bool:
        """There are no times here; pairs are needed for what is about pairs."""
        if name in ("units", "reference", "baseline"):
            return False
        if name in ("link_back", "link_forward"):
            return self.request is not None and bool(self.request.graph) and self.pair is not None
        if name in ("notable_next", "notable_prev", "swap"):
            return self.has_rows if name != "swap" else self.request is not None and bool(self.request.path_b)
        if name == "cancel" and self.is_comparing:
            return True
        return super().can(name)

    def footer(self) -> Sequence[str]:
        """Stopping is only worth a place while something is compared."""
        if self.is_comparing:
            return ("cancel", *self.FOOTER)
        return [name for name in self.FOOTER if name != "cancel"]

    def opened(self, position: int) -> None:
        """Enter on a pair looks at it closely; on a group goes down."""
        at, comparison = self.pair_at(position), self.comparison
        if at < 0 or comparison is None or self.request is None:
            super().opened(position)
            return
        if comparison.rows[at].metrics is None or not comparison.rows[at].counted:
            self.app.tell(_("there are no values to look at: {why}").format(why=self._why(comparison.rows[at])))
            return
        from tui.screens.dump_tensor import TensorScreen

        def left(row: object) -> None:
            if isinstance(row, int) and row >= 0:
                self.go_to_table_row(row)

        self.app.push_screen(TensorScreen(comparison, at, self.request, self._title()), left)

    def _title(self) -> tuple[str, list[str]]:
        return self.title_facts(self.size.width >= 112)

    def _why(self, row: PairRow) -> str:
        from tui.dump.reasons import reason_of

        return reason_of(row) if row.metrics is None else _("this is a table of another tool")

    def _sort(self, descending: bool) -> None:
        """Worst first is smallest first for a cosine."""
        super()._sort(descending != (self.source_key() in INVERTED))

    def do_reset(self) -> None:
        """Execution order, all columns as they were, inputs left out."""
        self.app.state.put("columns", self.KIND, None)
        self.go_to_view(FIRST_VIEW, ColumnState())

    def do_notable_next(self) -> None:
        """Next tensor that differs."""
        self._step_notable(1)

    def do_notable_prev(self) -> None:
        """The one before."""
        self._step_notable(-1)

    def _step_notable(self, step: int) -> None:
        applied, comparison = self.applied, self.comparison
        if applied is None or comparison is None or applied.shown.groups is not None:
            return
        rows, at = applied.shown.rows.tolist(), self.grid.cursor_row
        places = range(at + 1, len(rows)) if step > 0 else range(at - 1, -1, -1)
        found = next((place for place in places if comparison.rows[rows[place]].verdict in DIVERGING), None)
        if found is None:
            self.app.tell(_("no further tensor differs"))
        else:
            self.grid.move_to(found)

    def do_link_back(self) -> None:
        """To what feeds the operator; to the one that differs where there is one."""
        self._go_to_linked(producers_of, _("nothing that was compared feeds it"))

    def do_link_forward(self) -> None:
        """To what the operator feeds."""
        self._go_to_linked(consumers_of, _("it feeds nothing that was compared"))

    def _go_to_linked(self, linked: Callable[[DumpComparison, PairRow], list[int]], nothing: str) -> None:
        comparison, pair = self.comparison, self.pair
        found = linked(comparison, pair) if comparison is not None and pair is not None else []
        if found:
            self.go_to_table_row(found[0])
        else:
            self.app.tell(nothing)

    def do_swap(self) -> None:
        """The golden side becomes the one under test."""
        request = self.request
        if request is not None:
            swapped = replace(
                request, path_a=request.path_b, path_b=request.path_a, graph=request.graph_b, graph_b=request.graph
            )
            self.compare(swapped)

    def do_open_profile(self) -> None:
        """Asks for dumps or a table."""
        from tui.screens.dump_opening import choose_what

        choose_what(self)

    def do_export(self) -> None:
        """Asks what to write: files for atc, tables, values."""
        from tui.screens.dump_taking import choose_export

        choose_export(self)

    def action_act(self, name: str) -> None:
        """What the user does while rows come keeps the cursor where he puts it."""
        self._was_moved = self._was_moved or name in MOVING
        super().action_act(name)

    def own_command(self) -> Sequence[str]:
        """`npuscope dump A B`."""
        request = self.request
        if request is None:
            return ()
        standard = CompareRequest("", "")
        options = (
            ("--graph", request.graph), ("--golden-graph", request.graph_b), ("--quant", request.quant),
            ("--threshold", "" if request.threshold == standard.threshold else f"{request.threshold:g}"),
            ("--dtype", request.dtype), ("--shape", ",".join(map(str, request.shape))),
        )  # fmt: skip
        more = [word for name, value in options if value for word in (name, value)]
        return ["npuscope", "dump", *(path for path in (request.path_a, request.path_b) if path), *more]

    def chosen_names(self) -> list[str]:
        """Operators of the selected rows; without any, what must stay in float32, else the one under the cursor."""
        comparison, grid = self.comparison, self.grid
        if comparison is None:
            return []
        picked = [comparison.rows[at] for at in map(self.pair_at, grid.selection) if at >= 0]
        if picked:
            return list(dict.fromkeys(name for row in picked for name in row.originals or (row.op_name,)))
        if comparison.keep_float32.by_name:
            return list(comparison.keep_float32.by_name)
        return [self.pair.op_name] if self.pair is not None else []

    def command_keep(self, text: str) -> str:
        """Writes a file that keeps operators in float32; returns why it cannot, or empty."""
        from tui.screens.dump_taking import write_precision_by_name

        return write_precision_by_name(self, text)

    def command_convert(self, text: str) -> str:
        """Writes both sides of the tensor under the cursor as .npy and .txt; returns why it cannot, or empty."""
        from tui.screens.dump_taking import convert

        return convert(self, text)

    def follow(self, target: str) -> None:
        """`compare` compares what the application was asked for; `pair:OP TENSOR` is a row of what is compared."""
        if target.startswith("pair:"):
            self._go_to_pair(target.partition(":")[2])
            return
        request: CompareRequest | None = self.app.dump_request
        if target == "compare" and request is not None and request is not self.request:
            self.compare(request)

    def _go_to_pair(self, name: str) -> None:
        rows = self.comparison.rows if self.comparison is not None else ()
        at = next((at for at, row in enumerate(rows) if f"{row.op_name} {row.tensor}".strip() == name), -1)
        if at >= 0:
            self.go_to_table_row(at)
