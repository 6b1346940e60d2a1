"""Codes of the texts of a column: the same whatever way a block of cells is looked up."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tui.readers.csv_cells import TextPool, stripped
from tui.store.strings import StringTable, packed

BLOCKS = st.lists(st.lists(st.text('ab" \t\r\n名', max_size=5), max_size=8), max_size=5)


@given(BLOCKS)
def test_codes_stand_for_the_stripped_texts(blocks: list[list[str]]) -> None:
    pool = TextPool()
    texts: list[str] = []
    for block in blocks:
        codes = pool.codes(np.array(block, object))
        texts += pool.take_fresh()
        assert [texts[code] for code in codes] == [stripped(cell) for cell in block]
    assert len(set(texts)) == len(texts)


def test_a_quoted_cell_is_the_plain_one_of_an_earlier_block() -> None:
    pool = TextPool()
    assert pool.codes(np.array(["Conv2D", "Mul"], object)).tolist() == [0, 1]
    assert pool.codes(np.array(['"Mul"', " Conv2D\t", '""Mul""'], object)).tolist() == [1, 0, 2]
    assert pool.codes(np.array(['"Mul"', '""Mul""', "Mul", "Add"], object)).tolist() == [1, 2, 1, 3]
    assert pool.take_fresh() == ["Conv2D", "Mul", '"Mul"', "Add"]


@given(st.lists(st.text(max_size=6), max_size=6))
def test_packed_texts_come_back(texts: list[str]) -> None:
    data, ends = packed([text for text in texts if text.isprintable()], 0)
    assert list(StringTable(data, ends)) == [text for text in texts if text.isprintable()]
