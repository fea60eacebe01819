"""Small tables: in order, in parts, and handed on to dataframes."""

from __future__ import annotations

import sys

import polars
import pytest

from sottovoce.base.errors import InvalidInput, MissingExtra
from sottovoce.base.frame import Frame

FRAME = Frame(
    {
        "value": ["b", "a", "c", "d"],
        "share": [0.25, 0.5, float("nan"), 0.25],
        "bin": [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (3.0, 4.0)],
    }
)


@pytest.mark.parametrize(
    ("by", "descending", "order"),
    [
        ("share", False, "bdac"),
        ("share", True, "abdc"),
        ("value", False, "abcd"),
        ("bin", True, "dcab"),
    ],
)
def test_rows_are_sorted_and_equal_ones_keep_their_order(by, descending, order):
    assert "".join(FRAME.sort(by, descending=descending)["value"]) == order
    assert FRAME["value"] == ["b", "a", "c", "d"]


def test_an_unknown_column_is_refused_with_the_nearest():
    with pytest.raises(InvalidInput, match="column of Frame .* Did you mean 'share'"):
        FRAME.sort("shares")


def test_the_first_rows():
    assert FRAME.head(2)["value"] == ["b", "a"] and len(FRAME.head()) == 4


def test_dataframes_have_the_same_cells():
    pandas = FRAME.to_pandas()
    assert pandas["value"].tolist() == FRAME["value"] and pandas["share"].isna().sum() == 1
    for table in (FRAME.to_polars(), polars.DataFrame(FRAME)):
        assert table["value"].to_list() == FRAME["value"]
        assert table["bin"].to_list()[0] == [0.0, 1.0]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_without_the_package_it_says_what_to_install(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=f"Install it: pip install {package}"):
        getattr(FRAME, f"to_{package}")()


def test_html_is_text_and_missing_numbers_are_empty():
    html = Frame({"a<b": ["<i>", "x"], "n": [float("nan"), 2.0]})._repr_html_()
    assert "a&lt;b" in html and "&lt;i&gt;" in html
    assert '<td style="text-align:right"></td>' in html and ">2</td>" in html
    assert "... 5 more rows" in Frame({"n": list(range(25))})._repr_html_()
