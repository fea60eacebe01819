"""Counters: by groups, in any order, from batches of any engine, and what they refuse."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch, Unfit
from sottovoce.core import counter as counting
from sottovoce.core import group_cells

GRR = sv.mechanism("grr", sv.Categories(["a", "b", "c"]), 1.0)
REGIONS = np.array(["north", "south", "east"])


def drawn(mechanism, count=600, seed=1):
    """Reports, and a region and a year of each."""
    random = np.random.default_rng(seed)
    held = random.integers(0, mechanism.domain.size, count)
    reports = mechanism.randomize_indices(held, sv.Seeded(seed))
    return reports, REGIONS[random.integers(0, 3, count)], random.integers(2024, 2026, count)


def table_of(reports, regions, years):
    table = reports.to_arrow().append_column("region", pa.array(regions.tolist()))
    return table.append_column("year", pa.array(years))


def by_hand(mechanism, reports, labels):
    """The tally of every group by selecting its rows."""
    found = {}
    for group in sorted(set(labels)):
        rows = np.array([label == group for label in labels])
        columns = {name: column[rows] for name, column in reports.columns.items()}
        found[group] = mechanism.tally(sv.Reports(mechanism, columns))
    return found


def test_groups_are_counted_as_if_each_were_alone(mechanism):
    reports, regions, years = drawn(mechanism)
    table = table_of(reports, regions, years)
    labels = list(zip(regions.tolist(), map(str, years), strict=True))
    wanted = by_hand(mechanism, reports, labels)
    for batches in (
        [table],
        table.to_batches(max_chunksize=50),
        [table[:1], table[1:1], table[1:]],
    ):
        counter = sv.Counter(mechanism, by=["region", "year"])
        for batch in batches:
            counter.add(batch)
        assert counter.tallies() == wanted
    assert counter.rows == 600 and counter.groups == 6
    columns = {**reports.columns, "region": regions.tolist(), "year": years}
    counter = sv.Counter(mechanism, by="region")
    counter.add(columns)
    assert counter.tallies() == by_hand(mechanism, reports, [(r,) for r in regions.tolist()])


def test_partials_of_many_counters_merge_to_the_whole_in_any_order(mechanism):
    reports, regions, years = drawn(mechanism)
    table = table_of(reports, regions, years)
    partials = []
    for start in range(0, 600, 150):
        counter = sv.Counter(mechanism, by=["year", "region"])
        counter.add(table[start : start + 150])
        partials += counter.partials()
        assert counter.partials() == []  # handed on, and forgotten
    whole = sv.Counter(mechanism, by=["year", "region"])
    whole.merge(pickle.loads(pickle.dumps(partials[::-1])))  # noqa: S301 - our own bytes
    labels = list(zip(map(str, years), regions.tolist(), strict=True))
    assert whole.tallies() == by_hand(mechanism, reports, labels)
    assert sum(partial.n for partial in partials) == 600
    assert all(np.all(partial.counts > 0) for partial in partials)


def test_without_groups_there_is_one_tally_also_of_nothing(mechanism):
    counter = sv.Counter(mechanism)
    assert counter.tallies() == {(): sv.Tally.empty(mechanism)}
    assert counter.partials() == [] and sv.Counter(mechanism, by="region").tallies() == {}
    reports, _, _ = drawn(mechanism)
    counter.add(reports[:10])
    assert counter.tallies() == {(): mechanism.tally(reports[:10])}
    counter.add(reports[10:].to_arrow())  # a tally does not end the counting
    assert counter.tallies() == {(): mechanism.tally(reports)}


@pytest.mark.parametrize("name", ["grr", "olh", "oue"])
def test_many_groups_are_kept_sparse_and_stay_exact(name, monkeypatch):
    monkeypatch.setattr(group_cells, "_LARGE", 100)
    monkeypatch.setattr(group_cells, "_MERGE", 500)
    mechanism = sv.mechanism(name, sv.Categories(20), 1.0)
    reports, _, _ = drawn(mechanism, 3000)
    labels = [f"g{i}" for i in np.random.default_rng(2).integers(0, 200, 3000)]
    counter = sv.Counter(mechanism, by="group")
    table = reports.to_arrow().append_column("group", pa.array(labels))
    for batch in table.to_batches(max_chunksize=700):
        counter.add(batch)
    half = sv.Counter(mechanism, by="group")
    half.merge(counter.partials())
    counter.add(table[:0])
    counter.merge(half.partials())
    assert counter.tallies() == by_hand(mechanism, reports, [(label,) for label in labels])


def test_a_counter_says_when_to_hand_on_and_loses_nothing(monkeypatch):
    monkeypatch.setattr(counting, "_FULL", 2000)
    monkeypatch.setattr(counting, "_ROWS", 100)
    mechanism = sv.mechanism("oue", sv.Categories(20), 1.0)
    reports, _, _ = drawn(mechanism, 3000)
    labels = [f"g{i}" for i in range(30) for _ in range(100)]
    table = reports.to_arrow().append_column("group", pa.array(labels))
    counter, partials, most = sv.Counter(mechanism, by="group"), [], 0
    for batch in table.to_batches(max_chunksize=100):
        counter.add(batch)
        if counter.is_full:
            partials += counter.partials()
            most += 1
            assert not counter.is_full
    assert most > 1
    whole = sv.Counter(mechanism, by="group")
    whole.merge([*partials, *counter.partials()])
    assert whole.tallies() == by_hand(mechanism, reports, [(label,) for label in labels])


def test_small_batches_are_gathered_before_they_are_counted(monkeypatch):
    mechanism = sv.mechanism("oue", sv.Categories(64), 1.0)
    reports, _, _ = drawn(mechanism, 1000)
    sizes = []
    count = type(mechanism).count
    monkeypatch.setattr(
        type(mechanism), "count", lambda self, r: sizes.append(len(r)) or count(self, r)
    )
    monkeypatch.setattr(counting, "_ROWS", 300)
    counter = sv.Counter(mechanism)
    for start in range(0, 1000, 50):
        counter.add(reports[start : start + 50])
    assert counter.tallies()[()].n == 1000
    assert sizes == [300, 300, 300, 100]


def test_labels_are_the_text_of_cells_whatever_their_type():
    for cells in (["1", "2"], [1, 2], np.array([1, 2]), pa.array([1, 2]),
                  pa.array(["1", "2"]).dictionary_encode(), pa.chunked_array([["1"], ["2"]])):  # fmt: skip
        counter = sv.Counter(GRR, by="g")
        columns = {"value": [0, 1], "g": cells}
        counter.add(pa.table(columns) if isinstance(cells, pa.ChunkedArray) else columns)
        assert list(counter.tallies()) == [("1",), ("2",)]


def test_a_refused_batch_leaves_the_counter_as_it_was_and_names_row_and_column():
    counter = sv.Counter(GRR, by="g")
    counter.add({"value": [0, 1, 2], "g": ["x", "y", "x"]})
    before = counter.tallies()
    wrong = [
        ({"value": [0, 3], "g": ["x", "x"]}, "row 5 of column 'value' .* from 0 to 2; got 3"),
        (pa.table({"value": [0, -1], "g": ["x", "x"]}), "row 5 of column 'value' .* got -1"),
        (pa.table({"value": [None, 1], "g": ["x", "x"]}), "row 4 of column 'value' .* got None"),
        (pa.table({"value": [0, 1], "g": ["x", None]}), "row 5 of column 'g' .* not empty"),
        ({"value": [0, 1], "g": [None, "x"]}, "row 4 of column 'g' .* not empty"),
        (
            {"value": [0, 1], "g": pa.DictionaryArray.from_arrays([0, 1], ["x", None])},
            "row 5 of column 'g' .* not empty",
        ),
        ({"value": [0, 1], "g": ["x"]}, "row 5 of column 'g'"),
        ({"value": [0.0, 1.0], "g": ["x", "y"]}, "column 'value' .* whole numbers"),
        (pa.table({"value": [0.0], "g": ["x"]}), "column 'value' .* whole numbers; .*double"),
    ]
    for batch, words in wrong:
        with pytest.raises(InvalidInput, match=words):
            counter.add(batch)
    with pytest.raises(Unfit, match="no public column 'g' in the batch .*value, gg.*mean 'gg'"):
        counter.add(pa.table({"value": [1], "gg": ["x"]}))
    with pytest.raises(CorruptBytes, match=r"lack the columns \['value'\] .*there are: g\)"):
        counter.add(pa.table({"g": ["x"]}))
    with pytest.raises(InvalidInput, match="batch of Counter .* groups by"):
        counter.add(drawn(GRR)[0])
    other = sv.mechanism("grr", GRR.domain, 2.0)
    with pytest.raises(Mismatch, match=other.fingerprint):
        counter.add(table_of(*drawn(other)).append_column("g", pa.array(["x"] * 600)))
    assert (counter.rows, counter.groups) == (3, 2) and counter.tallies() == before


@pytest.mark.parametrize(("by", "words"), [("value", "public columns, not fields"),
                                           (["g", "g"], "each once"), ([3], "names of columns")])  # fmt: skip
def test_columns_that_cannot_be_groups_are_refused(by, words):
    with pytest.raises(InvalidInput, match=f"by of Counter .*{words}"):
        sv.Counter(GRR, by=by)
    with pytest.raises(InvalidInput, match="mechanism of Counter"):
        sv.Counter("grr")


def test_partials_that_do_not_belong_are_refused():
    counter = sv.Counter(GRR, by="g")
    one = np.array([1])
    for partial, words in [
        (counting.Partial((), 1, one, one), "group of partial .* labels of"),
        (counting.Partial(("x",), 1, one + 2, one), "cells of partial .* from 0 to 2"),
        (counting.Partial(("x",), 1, one[:0], one), "cells of partial"),
    ]:
        with pytest.raises(InvalidInput, match=words):
            counter.merge([partial])
    counter.merge([counting.Partial(("x",), 2, one, one)])  # the tally finds what does not add up
    with pytest.raises(InvalidInput, match="each block sums to n"):
        counter.tallies()
