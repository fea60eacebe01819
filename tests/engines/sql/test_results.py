"""Results of the counting query become tallies, or are refused with what is wrong."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, Mismatch, Unfit
from sottovoce.engines.sql.results import tallies_of_result

GRR = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
OWNER = f"m{GRR.fingerprint}"


def result(*rows, names=("region", "mechanism", "cell", "reports")):
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


GOOD = result(
    ("north", OWNER, 2, 5), ("south", OWNER, 0, 1), ("north", OWNER, 0, 7), ("south", OWNER, 2, 2)
)


def tallies(columns, by=None):
    found = tallies_of_result(GRR, columns, by, "result.csv")
    return {group: tally.cells.tolist() for group, tally in found.items()}


def test_groups_and_all_of_them():
    assert tallies(GOOD, "region") == {"north": [7, 0, 5], "south": [1, 0, 2]}
    assert tallies(GOOD) == {"": [8, 0, 7]}


def test_columns_that_are_not_asked_for_are_merged():
    days = GOOD | {"window": ["mon", "mon", "tue", "tue"]}
    assert tallies(days, "region") == tallies(GOOD, "region")
    assert tallies(days, "window") == {"mon": [1, 0, 5], "tue": [7, 0, 2]}


def test_names_in_capitals():
    """As Snowflake and Oracle give them."""
    folded = {name.upper(): column for name, column in GOOD.items()}
    assert tallies(folded, "region") == tallies(GOOD, "REGION") == tallies(GOOD, "region")
    with pytest.raises(CorruptBytes, match="has the column 'CELL' twice"):
        tallies(GOOD | {"CELL": [1] * 4})


def test_no_rows():
    assert tallies(result()) == {"": [0, 0, 0]}
    assert tallies(result(), "region") == {}


def test_decimals_and_arrays():
    columns = GOOD | {"reports": [Decimal(5), Decimal(1), Decimal("7.00"), Decimal(2)]}
    columns["cell"] = np.array([2, 0, 0, 2], dtype=np.uint8)
    assert tallies(columns, "region") == tallies(GOOD, "region")


@pytest.mark.parametrize(
    ("columns", "by", "error", "words"),
    [
        (GOOD, "regions", Unfit, "no column to group by 'regions' in result.csv .*Did you mean"),
        (result((1, 2), names=("cell", "reports")), None, Unfit, "no column 'mechanism'"),
        (result((OWNER, 2), names=("mechanism", "reports")), None, Unfit, "no column 'cell'"),
        (result((OWNER, 2), names=("mechanism", "cell")), None, Unfit, "no column 'reports'"),
        (result(("n", "m" + "0" * 32, 1, 2)), None, Mismatch, "counts of m000"),
        (result(("n", None, 1, 2)), None, Mismatch, "counts of None, not of"),
        (result((None, OWNER, 1, 2)), "region", CorruptBytes, "'region' is empty in 1 rows"),
        (result(("n", OWNER, 3, 2)), None, CorruptBytes, "from 0 to 2; got 3"),
        (result(("n", OWNER, -9, 2)), None, CorruptBytes, "from 0 to 2; got -9"),
        (result(("n", OWNER, -1, 2)), None, CorruptBytes, "2 with an empty column 'value'"),
        (result(("n", OWNER, None, 2)), None, CorruptBytes, "none of them empty; got None"),
        (result(("n", OWNER, 1, 2.0)), None, CorruptBytes, "whole numbers"),
        (result(("n", OWNER, 1, -2)), None, CorruptBytes, "counts of tally .* got -2"),
        (result(("n", OWNER, 1, 2), ("n", OWNER, 1, 2)), None, CorruptBytes, "cell 1 twice"),
    ],
)
def test_what_is_refused(columns, by, error, words):
    with pytest.raises(error, match=words):
        tallies(columns, by)
