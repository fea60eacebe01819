"""Reports in the types that other engines give them, and the types and values that are refused."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch


def reports_of(mechanism, count=40):
    held = np.random.default_rng(1).integers(0, mechanism.domain.size, count)
    return mechanism.randomize_indices(held, sv.Seeded(1))


def as_spark(table):
    """A table as Spark gives it back: no metadata, signed integers, no fixed lengths."""
    columns = []
    for column in table.columns:
        kind = column.type
        if pa.types.is_uint64(kind):
            values = [decimal.Decimal(x) for x in column.to_pylist()]
            columns.append(pa.array(values, pa.decimal128(20, 0)))
        elif pa.types.is_unsigned_integer(kind):
            columns.append(column.cast(pa.int64()))
        elif pa.types.is_fixed_size_binary(kind):
            columns.append(column.cast(pa.binary()))
        else:
            columns.append(column.cast(pa.list_(pa.int32())))
    return pa.table(columns, names=table.column_names)


def test_reports_are_the_same_from_the_types_of_other_engines(mechanism):
    reports = reports_of(mechanism)
    table = as_spark(reports.to_arrow())
    plain = sv.Reports(mechanism, reports.columns)  # that they were simulated is not known
    assert sv.Reports.from_arrow(table, mechanism=mechanism) == plain
    assert sv.Reports.from_arrow(table.to_batches()[0], mechanism=mechanism) == plain
    part = sv.Reports.from_arrow(table.slice(7, 20), mechanism)
    assert all(np.array_equal(part.columns[k], plain.columns[k][7:27]) for k in plain.columns)
    assert len(sv.Reports.from_arrow(table[:0], mechanism)) == 0
    with pytest.raises(CorruptBytes, match="no sottovoce.format"):
        sv.Reports.from_arrow(table)


def test_metadata_still_decides_where_it_is_there():
    m = sv.mechanism("grr", sv.Categories(3), 1.0)
    other = sv.mechanism("grr", sv.Categories(3), 2.0)
    table = reports_of(m).to_arrow()
    assert sv.Reports.from_arrow(table).mechanism == m
    with pytest.raises(Mismatch, match=other.fingerprint):
        sv.Reports.from_arrow(table, other)


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(),
                                  pa.decimal128(20, 0), pa.dictionary(pa.int8(), pa.int64())])  # fmt: skip
def test_any_type_of_whole_numbers(kind):
    m = sv.mechanism("grr", sv.Categories(3), 1.0)
    column = pa.array([0, 2, 1]).cast(pa.int64())
    column = column.dictionary_encode() if pa.types.is_dictionary(kind) else column.cast(kind)
    found = sv.Reports.from_arrow(pa.table({"value": column}), m)
    assert found.columns["value"].tolist() == [0, 2, 1]
    if not pa.types.is_dictionary(kind):
        empty = pa.array([0, None], kind)
        with pytest.raises(InvalidInput, match="row 2 of column 'value' .* 0 to 2; got None"):
            sv.Reports.from_arrow(pa.table({"value": empty}), m)
        with pytest.raises(InvalidInput, match="row 3 of column 'value' .* 0 to 2; got 3"):
            sv.Reports.from_arrow(pa.table({"value": pa.array([0, 1, 3]).cast(kind)}), m)


def test_seeds_of_64_bits_arrive_whole_and_others_are_refused():
    m = sv.mechanism("seeded-hashing", sv.Categories(10), 1.0)
    largest, kind = 2**64 - 1, pa.decimal128(21, 0)
    cells = pa.array([0, 1])

    def read(*seeds):
        column = pa.array([decimal.Decimal(seed) for seed in seeds], kind)
        return sv.Reports.from_arrow(pa.table({"seed": column, "cell": cells}), m)

    assert read(7, largest).columns["seed"].tolist() == [7, largest]
    for wrong in (largest + 1, -1):
        with pytest.raises(InvalidInput, match=f"row 2 of column 'seed' .*; got {wrong}"):
            read(7, wrong)


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_bytes_of_another_length_are_refused_by_row(kind):
    m = sv.mechanism("oue", sv.Categories(20), 1.0)
    column = pa.array([b"abc", b"ab\0", b"ab"], kind)
    with pytest.raises(InvalidInput, match="row 3 of column 'bits' .* 3 bytes; got 2"):
        sv.Reports.from_arrow(pa.table({"bits": column}), m)
    with pytest.raises(InvalidInput, match="row 1 of column 'bits' .* zero in the 4 bits"):
        sv.Reports.from_arrow(pa.table({"bits": pa.array([b"ab\xff"], kind)}), m)
    for wrong in (pa.array(["abc"]), pa.array([1]), pa.array([b"ab"], pa.binary(2))):
        with pytest.raises(InvalidInput, match="column 'bits' .* of 3 bytes per row; got 'type"):
            sv.Reports.from_arrow(pa.table({"bits": wrong}), m)


def test_lists_of_another_length_or_with_gaps_are_refused_by_row():
    domain = sv.KeyValues(["x", "y", "z"], -1, 1, bins=8)
    m = sv.mechanism("key-value", domain, 1.0, keys="unary", numbers="piecewise")
    (field,) = m.fields
    good = [0] * field.count
    for rows, words in [
        ([good, good[1:]], f"row 2 of column 'cell' .* {field.count} whole numbers; got"),
        ([good, [*good[1:], None]], "row 2 of column 'cell' .* got None"),
        ([good, good, [*good[1:], field.size]], f"row 3 of column 'cell' .* got {field.size}"),
        ([None], "row 1 of column 'cell' .* got None"),
    ]:
        for kind in (pa.list_(pa.int64()), pa.large_list(pa.int64())):
            with pytest.raises(InvalidInput, match=words):
                sv.Reports.from_arrow(pa.table({"cell": pa.array(rows, kind)}), m)
    with pytest.raises(InvalidInput, match="whole numbers per row"):
        sv.Reports.from_arrow(pa.table({"cell": pa.array([1])}), m)


def test_a_field_that_is_there_twice_is_refused():
    m = sv.mechanism("grr", sv.Categories(3), 1.0)
    twice = pa.table([pa.array([1]), pa.array([1])], names=["value", "value"])
    with pytest.raises(CorruptBytes, match="more than one column"):
        sv.Reports.from_arrow(twice, m)
