"""What a value may be: indices, labels, JSON, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput
from sottovoce.domains.base import domain_from_json

TEXT = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1)
NAMES = st.lists(TEXT | st.integers(-5, 5), min_size=1, max_size=20, unique=True)


@given(NAMES)
def test_categories_round_trip(names):
    domain = sv.Categories(names)
    assert [domain.index(name) for name in names] == list(range(len(names)))
    assert domain.labels() == names
    assert domain_from_json(domain.to_json()) == domain
    texts = [name for name in names if isinstance(name, str)]
    if texts == names:
        assert domain.indices(names).tolist() == list(range(len(names)))


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.integers(1, 1000), st.floats(0, 1))
def test_interval_puts_a_value_between_its_edges(low, width, bins, fraction):
    domain = sv.Interval(low, low + width, bins)
    value = min(low + fraction * width, domain.high)
    index = domain.index(value)
    assert domain.edges[index] <= value <= domain.edges[index + 1]
    assert domain_from_json(domain.to_json()) == domain
    for i, edge in enumerate(domain.edges[:-1]):
        assert domain.index(float(edge)) == i


def test_names_are_taken_as_they_are():
    """numpy would make the same text of 1 and "1"; a truth value is no number."""
    assert sv.Categories([1, "1"]).indices([1, "1"]).tolist() == [0, 1]
    assert sv.Categories([1, "a"]).indices([1, "a"]).tolist() == [0, 1]
    assert sv.Categories(["a", "b"]).indices(np.array(["b", "a"])).tolist() == [1, 0]
    assert sv.Categories([1, 2]).indices(np.array([2, 1], dtype=np.int8)).tolist() == [1, 0]
    for wrong in ([True], [1.0], [[1]], [None]):
        with pytest.raises(InvalidInput, match=r"must be one of \[1, 2\]"):
            sv.Categories([1, 2]).indices(wrong)


def test_interval_edges():
    assert sv.Interval(0, 1, bins=100).index(0.29) == 29
    domain = sv.Interval(0, 120, bins=12)
    assert [domain.index(x) for x in (0, 9.999, 10, 119.9, 120)] == [0, 0, 1, 11, 11]
    assert domain.indices(np.array([0, 120], dtype=np.int16)).tolist() == [0, 11]
    np.testing.assert_allclose(domain.overlap(5, 25), [0.5, 1, 0.5] + [0] * 9)
    assert str(domain) == "Interval(0, 120, bins=12)"


def test_key_values():
    domain = sv.KeyValues(["film", "book"], 0, 5, bins=10)
    assert domain.size == 20
    assert domain.index(("book", 4.9)) == 19
    assert domain.indices([("film", 0), ("book", 5)]).tolist() == [0, 19]
    assert domain.label(19) == ("book", (4.5, 5.0))
    assert domain_from_json(domain.to_json()) == domain
    assert len(sv.mechanism("grr", domain, 1.0).randomize([("film", 1), ("book", 2)])) == 2
    assert len(sv.mechanism("grr", domain, 1.0).randomize(("film", 1))) == 1
    with pytest.raises(InvalidInput, match="must be one of .*'film', 'book'.*; got 'song'"):
        domain.index(("song", 1))
    with pytest.raises(InvalidInput, match="pairs"):
        domain.indices([("film", 1), "book"])
    with pytest.raises(InvalidInput, match=r"a pair \(key, number\)"):
        domain.index("film")
    with pytest.raises(InvalidInput, match="a number from 0 to 5; got 6"):
        domain.index(("film", 6))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sv.Categories(["\ud800"]), "values of Categories must be valid Unicode text"),
        (
            lambda: sv.Categories(["a\0"]),
            "values of Categories must be text without NUL characters",
        ),
        (lambda: sv.Categories([]), "values of Categories must be at least one name; got []"),
        (lambda: sv.Categories(["a", "a"]), "values of Categories must be distinct names; got 'a'"),
        (
            lambda: sv.Categories(0),
            "size of Categories must be a whole number of at least 1; got 0",
        ),
        (lambda: sv.Categories("abc"), "a size or a list of distinct names; got 'abc'"),
        (lambda: sv.Categories(True), "a size or a list of distinct names; got True"),
        (lambda: sv.Categories(2.5), "a size or a list of distinct names; got 2.5"),
        (
            lambda: sv.Categories([1.5]),
            "values of Categories must be text or whole numbers; got 1.5",
        ),
        (
            lambda: sv.Interval(1, 1),
            "high of Interval must be a finite number above low = 1; got 1",
        ),
        (
            lambda: sv.Interval(2, 1),
            "high of Interval must be a finite number above low = 2; got 1",
        ),
        (lambda: sv.Interval(0, float("inf")), "high of Interval must be a finite number"),
        (lambda: sv.Interval(-1e308, 1e308), "high of Interval must be a finite number above low"),
        (lambda: sv.Interval(float("nan"), 1), "low of Interval must be a finite number; got nan"),
        (lambda: sv.Interval("0", 1), "low of Interval must be a finite number; got '0'"),
        (
            lambda: sv.Interval(0, 1, bins=0),
            "bins of Interval must be a whole number from 1 to 2500000; got 0",
        ),
        (lambda: sv.Interval(0, 1, bins=2.0), "bins of Interval must be a whole number"),
    ],
)
def test_bad_domains(make, message):
    with pytest.raises(InvalidInput) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("domain", "values", "message"),
    [
        (
            sv.Categories(3),
            [0, 3],
            "value of Categories(3) must be a whole number from 0 to 2; got 3",
        ),
        (sv.Categories(3), [-1], "a whole number from 0 to 2; got -1"),
        (sv.Categories(3), -1, "a whole number from 0 to 2; got -1"),
        (sv.Categories(3), [0.0, 1.0], "whole numbers; got 'an array of dtype float64'"),
        (sv.Categories(3), [True, False], "whole numbers; got 'an array of dtype bool'"),
        (sv.Categories(3), True, "a whole number from 0 to 2; got True"),
        (sv.Categories(3), 1.0, "a whole number from 0 to 2; got 1.0"),
        (sv.Categories(3), float("nan"), "a whole number from 0 to 2; got nan"),
        (sv.Categories(3), [], "values of Categories(3) must be at least one value; got []"),
        (sv.Categories(3), [[0, 1]], "one value or a flat list; got 'an array of shape (1, 2)'"),
        (sv.Categories(["a", "b"]), ["a", "c"], "must be one of ['a', 'b']; got 'c'"),
        (sv.Categories(["a", "b"]), "c", "must be one of ['a', 'b']; got 'c'"),
        (sv.Categories(["a", "b"]), None, "must be one of ['a', 'b']; got None"),
        (sv.Categories(["a", "b"]), [1.5], "must be one of ['a', 'b']; got 1.5"),
        (
            sv.Categories(["a", "b"]),
            np.array(["a", None], dtype=object),
            "a missing value (None) in row 1",
        ),
        (sv.Interval(0, 1), [0.5, float("nan")], "a missing value (nan) in row 1"),
        (sv.Interval(0, 1), float("nan"), "a number from 0 to 1; got nan"),
        (sv.Interval(0, 1), float("inf"), "a number from 0 to 1; got inf"),
        (sv.Interval(0, 1), [1.0000001], "a number from 0 to 1; got 1.0000001"),
        (sv.Interval(0, 1), ["0.5"], "numbers; got 'an array of dtype <U3'"),
        (sv.Interval(0, 1), "0.5", "a number from 0 to 1; got '0.5'"),
        (sv.Interval(0, 1), [], "at least one value"),
        (sv.Interval(0, 1), [[0.5]], "one number or a flat list"),
    ],
)
@pytest.mark.parametrize("name", ["grr", "oue", "olh", "olh-seeded", "flh", "ss", "hr"])
def test_bad_values_reach_no_mechanism(domain, values, message, name):
    """One bad value refuses the whole batch, and nothing is drawn."""

    class Untouched:
        secure = True

        def words(self, count):
            raise AssertionError("randomness was drawn for a bad value")

    with pytest.raises(InvalidInput) as error:
        sv.mechanism(name, domain, 1.0).randomize(values, source=Untouched())
    assert message in str(error.value)


def test_unknown_kind():
    with pytest.raises(
        CorruptBytes,
        match="unknown kind of domain 'tree'; this version knows categories, choices, counts",
    ):
        domain_from_json({"kind": "tree"})
    with pytest.raises(CorruptBytes, match="a categories domain is incomplete: 'values'"):
        domain_from_json({"kind": "categories"})
