"""Batches of whole numbers in bins that do not center on them are a warning, single values never."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sottovoce as sv
from support.commands import run

TENS, KEYS = sv.Interval(0, 10, bins=10), ["a", "b"]


def heard(mechanism, values, **more):
    """What is said while values are randomized, and the reports."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reports = mechanism.randomize(values, **more)
    assert all(each.category is sv.Misaligned for each in caught)
    assert all(each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught], reports


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (TENS, [0, 3, 10]),
        (TENS, np.array([1.0, 2.0])),
        (TENS, np.arange(11, dtype=np.uint8)),
        (sv.Interval(0, 1, bins=2), [0, 1, 1]),
        (sv.Interval(0, 100), [3, 4]),
        (sv.Interval(0, 120, bins=60), [20, 31]),
        (sv.Interval(1, 7, bins=6), [1, 7]),
    ],
)
def test_whole_numbers_off_center_are_a_warning(domain, values):
    said, _ = heard(sv.mechanism("sw", domain, 1.0), values)
    low, high = domain.span
    assert len(said) == 1
    assert f"the bins of {domain} do not center on them" in said[0]
    assert f"Use Ratings({low:.0f}, {high:.0f})" in said[0]


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (TENS, [0, 3.5]),
        (TENS, [3]),
        (TENS, [3] * 100),
        (TENS, 3),
        (TENS, np.int64(3)),
        (sv.Interval(0.5, 5.5, bins=5), [1, 2, 5]),
        (sv.Interval(-0.5, 9.5, bins=5), [0, 9, 4]),
        (sv.Interval(0, 120, bins=24), [20, 31]),
        (sv.Interval(0, 1e6), [30_000, 41_233]),
        (sv.Ratings(1, 5), [1, 2, 5]),
        (sv.Counts(5), [1, 2, 5]),
        (sv.Categories(5), [1, 2, 4]),
    ],
)
def test_nothing_is_said_of_others(domain, values):
    assert heard(sv.mechanism("grr", domain, 1.0), values)[0] == []


@pytest.mark.parametrize(
    ("made", "one", "many"),
    [
        (sv.mechanism("vector", sv.Vector(TENS, 2), 1.0), [1, 2], [[1, 2], [3, 4]]),
        (sv.mechanism("gaussian", sv.Vector(TENS, 2), 1.0, delta=0.01), [1, 2], [[1, 2], [3, 4]]),
        (sv.mechanism("pckv-ue", sv.KeyValues(KEYS, 0, 10, bins=10), 1.0), ("a", 3), [("a", 3), ("b", 1)]),
        (
            sv.mechanism("pckv-ue", sv.KeyValues(KEYS, 0, 10, bins=10, pairs=2), 1.0),
            {"a": 3, "b": 4}, [{"a": 3, "b": 4}, {"a": 1}],
        ),
    ],
    ids=lambda each: getattr(each, "name", ""),
)  # fmt: skip
def test_rows_and_pairs_count_by_people(made, one, many):
    """What one person holds is a single value, whatever its length."""
    assert heard(made, one)[0] == []
    assert len(heard(made, many)[0]) == 1


def test_reports_are_the_same_with_the_warning_and_without():
    mechanism, values = sv.mechanism("sw", TENS, 1.0), list(range(11)) * 20
    said, reports = heard(mechanism, values, source=sv.Seeded(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mechanism.randomize(values, source=sv.Seeded(1)) == reports
    assert len(said) == 1
    positions = mechanism.locate(values)
    assert mechanism.randomize_positions(positions, sv.Seeded(1)) == reports


def test_python_shows_it_once_for_many_batches():
    mechanism = sv.mechanism("sw", TENS, 1.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for size in range(2, 6):
            mechanism.randomize(list(range(size)))
    assert len(caught) == 1


# -- files ---------------------------------------------------------------------------------------


def randomized(tmp_path, cells, *domain):
    source = tmp_path / "people.csv"
    source.write_text("age\n" + "".join(f"{cell}\n" for cell in cells))
    arguments = "--column", "age", "-m", "sw", "-e", 1, *domain, "--force"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run("randomize", source, *arguments, "-o", tmp_path / "r.parquet")
    return [str(each.message) for each in caught]


def test_a_file_is_looked_at_whole(tmp_path, monkeypatch):
    """A value that is not whole, in any part of a file, means that values are not whole."""
    monkeypatch.setattr("sottovoce.cli.shared.tables.CHUNK", 5)
    numbers = "--low", 0, "--high", 10, "--bins", 10
    (said,) = randomized(tmp_path, list(range(11)) * 2, *numbers)
    assert "the bins of Interval(0, 10, bins=10) do not center on them" in said
    assert randomized(tmp_path, [*range(11), 3.5], *numbers) == []
    assert randomized(tmp_path, [3.5, *range(11)], *numbers) == []
    assert randomized(tmp_path, [3], *numbers) == []
    assert randomized(tmp_path, range(11), "--ratings", 0, 10) == []
