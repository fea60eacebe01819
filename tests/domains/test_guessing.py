"""Kinds of questions, guessed from answers."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.domains.guessing import guess_kind

DRAWS = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("cells", "domain"),
    [
        (["yes", "no", ""], sv.YesNo()),
        (["true", "false"], sv.YesNo()),
        ([True, False], sv.YesNo()),
        (["1", "4", "5"], sv.Ratings(1, 5)),
        ([7, 1, None], sv.Ratings(1, 7)),
        (["0", "10"], sv.Ratings(0, 10)),
        (["-2", "2"], sv.Ratings(-2, 2)),
        (["12", "0", "3"], sv.Counts(20)),
        (["12.0", "0.0", "3.0"], sv.Counts(20)),
        (["18.5", "97.2"], sv.Interval(15, 100, bins=17)),
        (["18", "97"], sv.Interval(15, 100, bins=17)),
        (["-3.5", "3.5"], sv.Interval(-3.5, 3.5, bins=14)),
        (["2026-03-05", "2026-11-30"], sv.Dates("2026-01-01", "2026-12-31", step="week")),
        (["2019-03-05T10:00", "2026-11-30"], sv.Dates("2019-01-01", "2026-12-31", step="month")),
        (["1950-03-05", "2026-11-30"], sv.Dates("1950-01-01", "2026-12-31", step="year")),
        (["tea", "coffee", "tea"], sv.Categories(["coffee", "tea"])),
        (["a;b", "a", "b;c"], sv.Choices(["a", "b", "c"], most=2)),
        (["tea"], sv.Categories(["tea", "other"])),
        (["3", "Prefer not to say", "5"], sv.MayDecline(sv.Ratings(1, 5), "Prefer not to say")),
        (["yes", "no answer"], sv.MayDecline(sv.YesNo(), "no answer")),
    ],
)  # fmt: skip
def test_kinds(cells, domain):
    guess = guess_kind(cells)
    assert guess.domain == domain and guess.why
    answered = [cell for cell in cells if cell not in ("", None)]
    read = guess.domain.reader()
    assert len(guess.domain.indices([read(str(cell)) for cell in answered])) == len(answered)


def test_skewed_amounts_have_bins_on_a_logarithmic_scale_with_an_open_end():
    amounts = DRAWS.lognormal(7.5, 1.8, 2_000).round(2)
    domain = guess_kind(map(str, amounts)).domain
    assert domain.scale == "log" and domain.open_end and domain.low == 0
    assert 0.001 < (amounts > domain.high).mean() + (amounts < domain.edges[1]).mean() < 0.05
    assert len(domain.indices(amounts)) == 2_000
    with_zeros = guess_kind(["0"] * 100 + [str(x) for x in amounts])
    assert "a few far above most: bins on a logarithmic scale" in with_zeros.why


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["", None], "no answers"),
        ([f"person {i}" for i in range(40)], "40 different texts: free text, or names of people"),
        (["a|b", "a"], "lists separated by '|', of 2 options: tick all that apply; they are read with ';'"),
        (["2026-02-30", "2026-02-01"], "dates, some of which do not exist"),
    ],
)  # fmt: skip
def test_what_no_kind_fits(cells, why):
    guess = guess_kind(cells)
    assert guess.domain is None and why in guess.why


def test_empty_cells_are_said():
    assert guess_kind(["3", "", "4"]).why.endswith("; 1 empty cells, which are refused as answers")
