"""Columns of pandas, Polars and Arrow, of every type that answers come in."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.columns import missing_row, plain_column

DRINKS = sv.Categories(["tea", "coffee"])
AGES = sv.Interval(0, 100, bins=10)
STARS = sv.Ratings(1, 5)
DAYS = sv.Dates("2026-01-01", "2026-12-31", step="month")
DAY = datetime.date(2026, 5, 31)


def pandas_columns():
    pandas = pytest.importorskip("pandas")
    arrow = pytest.importorskip("pyarrow")
    series = pandas.Series
    names = ["tea", "coffee"]
    yield from (
        (DRINKS, series(names, dtype=kind), [0, 1])
        for kind in ("object", "string", "category", "str")
    )
    yield DRINKS, series(names, dtype=pandas.ArrowDtype(arrow.string())), [0, 1]
    yield DRINKS, pandas.Index(names), [0, 1]
    yield sv.YesNo(), series([True, False]), [1, 0]
    yield sv.YesNo(), series([True, False], dtype="boolean"), [1, 0]
    yield STARS, series([1, 5], dtype="Int8"), [0, 4]
    yield STARS, series([1, 5], dtype="UInt32"), [0, 4]
    yield STARS, series([1, 5], dtype=pandas.ArrowDtype(arrow.int64())), [0, 4]
    yield STARS, series([1, 5]).astype("category"), [0, 4]
    yield sv.Categories(9), series([1, 5], dtype="Int64"), [1, 5]
    yield AGES, series([1.5, 99], dtype="Float64"), [0, 9]
    yield AGES, series([Decimal("1.5"), Decimal(99)]), [0, 9]
    yield DAYS, series(pandas.to_datetime(["2026-05-31", "2026-01-01"])), [4, 0]
    yield (
        DAYS,
        series(pandas.to_datetime(["2026-05-31", "2026-01-01"])).dt.tz_localize("Asia/Tokyo"),
        [4, 0],
    )
    yield DAYS, series(["2026-05-31", "2026-01-01"], dtype="string"), [4, 0]
    yield DAYS, series([DAY, datetime.date(2026, 1, 1)]), [4, 0]


def polars_columns():
    polars = pytest.importorskip("polars")
    series = polars.Series
    yield DRINKS, series(["tea", "coffee"]), [0, 1]
    yield DRINKS, series(["tea", "coffee"], dtype=polars.Categorical), [0, 1]
    yield DRINKS, series(["tea", "coffee"], dtype=polars.Enum(["tea", "coffee"])), [0, 1]
    yield sv.YesNo(), series([True, False]), [1, 0]
    yield STARS, series([1, 5], dtype=polars.UInt8), [0, 4]
    yield sv.Categories(9), series([1, 5]), [1, 5]
    yield AGES, series([1.5, 99.0], dtype=polars.Float32), [0, 9]
    yield AGES, series([Decimal("1.5"), Decimal("99.0")]), [0, 9]
    yield DAYS, series([DAY, datetime.date(2026, 1, 1)]), [4, 0]
    yield DAYS, series([datetime.datetime(2026, 5, 31, 9), datetime.datetime(2026, 1, 1)]), [4, 0]
    yield sv.MayDecline(DRINKS, "-"), series(["tea", "-"]), [0, 2]


def arrow_columns():
    arrow = pytest.importorskip("pyarrow")
    names = ["tea", "coffee"]
    yield from (
        (DRINKS, arrow.array(names, kind), [0, 1])
        for kind in (arrow.string(), arrow.large_string())
    )
    yield DRINKS, arrow.array(names).dictionary_encode(), [0, 1]
    yield DRINKS, arrow.chunked_array([["tea"], ["coffee"]]), [0, 1]
    yield sv.YesNo(), arrow.array([True, False]), [1, 0]
    yield STARS, arrow.array([1, 5], arrow.int8()), [0, 4]
    yield sv.Categories(9), arrow.chunked_array([[1], [5]]), [1, 5]
    yield AGES, arrow.array([1.5, 99.0], arrow.float32()), [0, 9]
    yield AGES, arrow.array([Decimal("1.5"), Decimal("99.0")]), [0, 9]
    yield DAYS, arrow.array([DAY, datetime.date(2026, 1, 1)]), [4, 0]
    yield (
        DAYS,
        arrow.array([datetime.datetime(2026, 5, 31, 9), datetime.datetime(2026, 1, 1)]),
        [4, 0],
    )
    yield sv.MayDecline(STARS), arrow.array(["Prefer not to say"]), [5]


@pytest.mark.parametrize("columns", [pandas_columns, polars_columns, arrow_columns])
def test_columns_of_every_type_are_read(columns):
    for domain, column, expected in columns():
        kind = getattr(column, "dtype", None) or column.type
        assert domain.indices(column).tolist() == expected, (type(column), kind)
        m = sv.mechanism("grr", domain, 1.0)
        assert len(m.randomize(column)) == len(expected)


def test_whole_tables_are_read_as_records():
    pandas, polars, arrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    record = sv.Record(
        {"drink": DRINKS, "stars": STARS, "smokes": sv.YesNo(), "moved": DAYS, "age": AGES}
    )
    columns = {
        "drink": ["tea", "coffee"], "stars": [1, 5], "smokes": [True, False], "moved": [DAY, DAY],
        "age": [Decimal("10.5"), Decimal("99.5")],
    }  # fmt: skip
    expected = [[0, 0, 1, 4, 1], [1, 4, 0, 4, 9]]
    for table in (pandas.DataFrame(columns), polars.DataFrame(columns), arrow.table(columns)):
        assert record.rows(table).tolist() == expected
    frame = pandas.DataFrame(columns).astype(
        {"drink": "category", "stars": "Int64", "smokes": "boolean"}
    )
    assert record.rows(frame).tolist() == expected
    frame["stars"] = pandas.array([1, None], dtype="Int64")
    with pytest.raises(
        InvalidInput,
        match="answer to 'stars' of a column must be an answer in every row; got .* in row 1",
    ):
        record.rows(frame)


def test_missing_values_are_refused_with_their_row():
    pandas, polars, arrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    columns = [
        (DRINKS, pandas.Series(["tea", None], dtype="category")),
        (DRINKS, pandas.Series(["tea", pandas.NA], dtype="string")),
        (sv.YesNo(), pandas.Series([True, None], dtype="boolean")),
        (STARS, pandas.Series([1, None], dtype="Int64")),
        (AGES, pandas.Series([1.0, None])),
        (DAYS, pandas.Series(pandas.to_datetime(["2026-05-31", None]))),
        (DRINKS, polars.Series(["tea", None])),
        (STARS, polars.Series([1, None])),
        (DRINKS, arrow.array(["tea", None])),
        (AGES, arrow.array([1.0, None])),
        (DRINKS, ["tea", None]),
        (DRINKS, np.array(["tea", None], dtype=object)),
        (AGES, [1.0, None]),
        (AGES, [1.0, float("nan")]),
        (AGES, np.array([1.0, np.nan])),
        (STARS, [1, None]),
        (sv.Categories(9), [1, None]),
        (DAYS, ["2026-05-31", None]),
        (DAYS, np.array(["2026-05-31", "NaT"], dtype="datetime64[D]")),
        (sv.MayDecline(STARS), ["Prefer not to say", None]),
    ]
    for domain, column in columns:
        with pytest.raises(InvalidInput) as error:
            domain.indices(column)
        assert "an answer in every row; got 'a missing value" in str(error.value), (domain, column)
        assert "in row 1" in str(error.value)
        assert "MayDecline" in str(error.value)


def test_what_is_no_column_stays():
    pandas, arrow = map(pytest.importorskip, ("pandas", "pyarrow"))
    assert plain_column(3) == 3
    assert plain_column(pandas.Timestamp("2026-05-31")) == pandas.Timestamp("2026-05-31")
    assert plain_column(arrow.scalar("tea")) == "tea"
    assert missing_row(["a", 1, 2.5]) is None
    assert missing_row(np.array([1, 2])) is None
