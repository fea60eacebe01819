"""Tallies from counts that something else made: strict about every number."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.core.cell_expression import FieldValue

GRR = sv.mechanism("grr", sv.Categories(3), 1.0)
OUE = sv.mechanism("oue", sv.Categories(2), 1.0)


def test_cells_in_any_order_and_only_some():
    tally = sv.Tally.from_counts(GRR, [2, 0], [5, 7])
    assert (tally.n, tally.cells.tolist()) == (12, [7, 0, 5])
    assert sv.Tally.from_counts(GRR, [], []) == sv.Tally.empty(GRR)


def test_counts_of_every_tally_give_it_back(mechanism):
    tally = mechanism.simulate(np.full(mechanism.domain.size, 3), source=sv.Seeded(1))
    seen = np.flatnonzero(tally.cells)[::-1]
    assert sv.Tally.from_counts(mechanism, seen, tally.cells[seen]) == tally


@pytest.mark.parametrize(
    "counts",
    [
        np.array([5, 7], dtype=np.uint64),
        np.array([5, 7], dtype=np.int8),
        [Decimal(5), Decimal("7.000")],
        np.array([5, Decimal(7)], dtype=object),
    ],
)
def test_any_kind_of_whole_numbers(counts):
    assert sv.Tally.from_counts(GRR, [0, 1], counts).cells.tolist() == [5, 7, 0]


@pytest.mark.parametrize(
    ("cells", "counts", "words"),
    [
        ([0, 1], [1], "as many as cells"),
        ([0, 0], [1, 1], "distinct; got 'cell 0 twice'. To merge counts"),
        ([3], [1], "from 0 to 2; got 3"),
        ([-7], [1], "from 0 to 2; got -7"),
        ([0], [-1], "counts of tally of randomized-response must be from 0"),
        ([0], [2**60], "counts of tally of randomized-response must be from 0"),
        ([0], [2**64], "64 bits"),
        ([0], [2**63], "64 bits"),
        ([0, 1], [2**53 - 1, 2**53 - 1], "n of tally of randomized-response"),
        ([0.0], [1], "flat sequence of whole numbers"),
        ([0], [1.0], "flat sequence of whole numbers"),
        ([0], [True], "flat sequence of whole numbers"),
        (
            [True, 1],
            np.array([1, True], dtype=object),
            "whole numbers, none of them empty; got True",
        ),
        ([0], [None], "none of them empty; got None"),
        ([0], ["1"], "flat sequence of whole numbers"),
        ([0], [Decimal("1.5")], "none of them empty; got Decimal"),
        ([0], [Decimal("NaN")], "none of them empty; got Decimal"),
        ([0], [Decimal("Infinity")], "none of them empty; got Decimal"),
        ([[0]], [[1]], "flat sequence of whole numbers"),
    ],
)
def test_what_is_refused(cells, counts, words):
    with pytest.raises(InvalidInput, match=words):
        sv.Tally.from_counts(GRR, cells, counts)


def test_blocks_must_agree():
    assert sv.Tally.from_counts(OUE, [0, 1, 3], [1, 2, 3]).n == 3
    with pytest.raises(InvalidInput, match="each block sums to n"):
        sv.Tally.from_counts(OUE, [0, 1], [2, 2])


# -- expressions ---------------------------------------------------------------------------


def test_an_expression_leaves_its_columns_alone():
    columns = {"a": np.array([3, 9], dtype=np.uint8), "b": np.array([200, 250], dtype=np.uint8)}
    before = {name: column.copy() for name, column in columns.items()}
    a, b = FieldValue("a"), FieldValue("b")
    for expression, known in (
        (a, [3, 9]),
        (a + b, [203, 259]),
        (a * 1000 + b, [3200, 9250]),
        ((a + b) * 7 // 5, [284, 362]),
        ((a * 2).at_most(7), [6, 7]),
        (a // 2, [1, 4]),
        (b.at_most(220), [200, 220]),
    ):
        assert expression.of_columns(columns).tolist() == known
    assert all(np.array_equal(columns[name], before[name]) for name in columns)


def test_an_expression_is_written_as_people_write_it():
    a, b = FieldValue("a"), FieldValue("b")
    assert repr(a * 3 // 5) == "(a * 3) // 5"
    assert repr((a + b).at_most(9) * 2) == "(min(a + b, 9)) * 2"
