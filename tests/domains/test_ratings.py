"""Ratings are whole numbers from any to any; bins that would bias them are refused where people choose."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.core.registry import registered
from sottovoce.surveys.toml import survey_from_toml
from sottovoce.surveys.wording import doubts
from support.commands import refusal, run, run_json

STARS, BALANCE = sv.Ratings(1, 5), sv.Ratings(-2, 2)
SHARES = np.array([0.08, 0.12, 0.25, 0.35, 0.20])


# -- what a rating is ----------------------------------------------------------------------------


@pytest.mark.parametrize("domain", [STARS, BALANCE, sv.Ratings(10**12 - 3, 10**12)], ids=str)
def test_a_rating_is_a_whole_number_in_the_middle_of_its_bin(domain):
    low, high = domain.span
    numbers = list(range(low, high + 1))
    assert domain.labels() == numbers
    assert domain.indices(numbers).tolist() == list(range(domain.size))
    assert domain.midpoints.tolist() == numbers
    for number in numbers:
        kinds = int, float, np.int64, np.float64, *((np.int32,) if abs(number) < 2**31 else ())
        assert {domain.index(kind(number)) for kind in kinds} == {number - low}


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8", "f4", "f8"])
def test_arrays_of_any_whole_type_go_straight_in(dtype):
    assert STARS.indices(np.array([1, 5, 3], dtype=dtype)).tolist() == [0, 4, 2]
    mechanism = sv.mechanism("grr", STARS, 1.0)
    assert len(mechanism.randomize(np.array([1, 5, 3], dtype=dtype))) == 3


@pytest.mark.parametrize("value", [3.5, 6, 0, -1, True, "3", None, np.nan, np.inf])
def test_what_is_no_rating_is_refused(value):
    message = r"value of Ratings\(1, 5\) must be a whole number from 1 to 5; got"
    with pytest.raises(InvalidInput, match=message):
        STARS.index(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with pytest.raises(InvalidInput, match=f"{message}|a missing value .* in row 1"):
            STARS.indices([1, value])


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (1.0, 5, "low of Ratings must be a whole number"),
        (True, 5, "low of Ratings must be a whole number"),
        (1, "5", "high of Ratings must be a whole number"),
        (5, 5, "high of Ratings must be a whole number from 6"),
        (5, 1, "high of Ratings must be a whole number from 6"),
        (0, 2_500_000, "high of Ratings must be a whole number from 1 to 2499999"),
        (-(10**12) - 1, 0, "low of Ratings must be a whole number from -1000000000000"),
        (10**12 - 1, 10**12 + 1, "high of Ratings must be a whole number"),
    ],
)
def test_bounds_that_are_refused(low, high, message):
    with pytest.raises(InvalidInput, match=message):
        sv.Ratings(low, high)


def test_ratings_are_no_counts_and_no_interval():
    assert sv.Ratings(0, 5) != sv.Counts(5) != sv.Interval(-0.5, 5.5, bins=6)
    assert len({sv.Ratings(0, 5), sv.Ratings(0, 5), sv.Counts(5)}) == 2
    with pytest.raises(InvalidInput, match="domain of degree-noise must be Counts"):
        sv.mechanism("degree-noise", sv.Ratings(0, 5), 1.0)


# -- every answer, by hand -----------------------------------------------------------------------


def test_answers_are_those_of_the_numbers_themselves():
    """At epsilon 20 every answer is reported as it is, but for one in 100 million."""
    people = np.array([10, 20, 30, 25, 15])
    exact = sv.mechanism("grr", BALANCE, 20.0)
    e = sv.estimate(exact.simulate(people, source=sv.Seeded(1)), "unbiased")
    numbers = np.repeat(np.arange(-2, 3), people)
    np.testing.assert_allclose(e.mean().value, numbers.mean(), atol=1e-6)
    np.testing.assert_allclose(e.variance().value, numbers.var(), atol=1e-6)
    for q in (0.05, 0.25, 0.5, 0.75, 0.99):
        assert e.quantile(q).value == np.quantile(numbers, q, method="inverted_cdf")
    for low, high in itertools.combinations(range(-2, 3), 2):
        within = ((numbers >= low) & (numbers <= high)).mean()
        np.testing.assert_allclose(e.range(low, high).value, within, atol=1e-6)
    np.testing.assert_allclose(e.cdf(-1).value, 0.3, atol=1e-6)
    assert e.share(-2).label == -2 and [each.label for each in e.top(2)] == [0, 1]


@pytest.mark.parametrize(
    "name", sorted(
        {cls.name for cls in registered() if not cls.name.startswith(("sensitive-", "choice-"))}
        - {"degree-noise", "sampled-coordinate", "key-value", "table", "binned", "question-sets", "drawn-option"}
    )
)  # fmt: skip
def test_every_mechanism_for_numbers_or_categories_takes_ratings(name):
    options = {"fixed-hashing": {"hash_count": 50}, "memoized": {"lifetime": 4.0}}.get(name, {})
    mechanism = sv.mechanism(name, BALANCE, 2.0, **options)
    assert mechanism.certificate().holds(2.0)
    values = np.repeat(np.arange(-2, 3), (SHARES * 40_000).astype(int))
    tally = mechanism.tally(mechanism.randomize(values, source=sv.Seeded(3)))
    found = sv.estimate(tally, goal="mean").mean()
    assert abs(found.value - values.mean()) < 5.5 * found.stderr  # chance 4e-8
    assert 5.5 * found.stderr < 0.5  # half a number more or less would be seen


def test_vectors_and_wide_bins_of_ratings():
    rows = sv.mechanism("vector", sv.Vector(STARS, 2), 1.0)
    assert len(rows.randomize([[1, 5], [3, 3]])) == 2
    wide = sv.mechanism("grr", sv.Ratings(-5, 6), 2.0, report_bins=4)
    assert wide.locate([-5, -3, -2, 6]).tolist() == [0, 2, 3, 11]
    with pytest.raises(InvalidInput, match="report_bins of binned must be a divisor of 12"):
        sv.mechanism("grr", sv.Ratings(-5, 6), 2.0, report_bins=5)


# -- the mean of ratings from 1 to 5 -----------------------------------------------------------------


def coverage(name, epsilon, n, surveys, seed=0):
    """How often 95% intervals of the mean hold it: in the population, and among the respondents."""
    mechanism, numbers = sv.mechanism(name, STARS, epsilon), np.arange(1, 6)
    rng, held = np.random.default_rng([seed, n, round(10 * epsilon)]), np.zeros(2)
    for survey in range(surveys):
        people = rng.multinomial(n, SHARES)
        e = sv.estimate(mechanism.simulate(people, source=sv.Seeded(1000 * seed + survey)))
        every, asked = e.for_population().mean(), e.mean()
        held += (
            every.low <= SHARES @ numbers <= every.high,
            asked.low <= people @ numbers / n <= asked.high,
        )
    return held / surveys  # fmt: skip


@pytest.mark.parametrize("epsilon", [0.5, pytest.param(3.0, marks=pytest.mark.slow)])
def test_intervals_of_the_mean_hold_it(epsilon):
    """150 surveys: 95% lie within 6 standard errors; the biased mean of misaligned bins does not."""
    found = coverage("grr", epsilon, 5000, 150)
    assert (found > 0.95 - 6 * np.sqrt(0.95 * 0.05 / 150)).all()
    trap = sv.mechanism("grr", sv.Interval.agreed(1, 5, 5), 3.0)
    people = (SHARES * 5000).astype(int)
    biased = sv.estimate(trap.simulate(people, source=sv.Seeded(1))).mean()
    assert not biased.low <= SHARES @ np.arange(1, 6) <= biased.high


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000, 50_000])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_coverage_of_the_mean_is_93_to_97_percent(epsilon, n):
    """2,000 surveys: from 93.5 to 96.5%, but for three standard errors of such a count."""
    found, error = coverage("grr", epsilon, n, 2000), np.sqrt(0.935 * 0.065 / 2000)
    assert (found > 0.935 - 3 * error).all() and (found < 0.965 + 3 * error).all()


# -- bins that mislead ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "bins"), [(1, 5, 5), (0, 2, 3), (-1, 1, 3), (0, 10, 11), (0, 255, 256), (-7, -3, 5)]
)  # fmt: skip
def test_one_bin_per_whole_number_is_refused_where_people_choose(low, high, bins):
    hint = rf"Whole numbers are Ratings\({low}, {high}\); for real numbers take more or fewer bins"
    with pytest.raises(InvalidInput, match=rf"{bins} bins do not center on the {bins} .*{hint}"):
        sv.Interval(low, high, bins=bins)
    with pytest.raises(InvalidInput, match=rf"low={low - 0.5:g}, high={high + 0.5:g} every whole"):
        sv.KeyValues(["film"], low, high, bins=bins)
    numbers = "--low", low, "--high", high, "--bins", bins
    assert f"Whole numbers are --ratings {low} {high}" in refusal("survey", "new", "-", *numbers)
    assert f"Whole numbers are --ratings {low} {high}" in refusal(
        "plan", "-e", 1, "--users", 9, *numbers
    )


@pytest.mark.parametrize(
    ("low", "high", "bins"),
    [
        (1, 5, 4),
        (1, 5, 6),
        (0, 1, 2),
        (3, 4, 2),
        (0, 1, 1),
        (0.5, 5.5, 5),
        (1, 5.5, 5),
        (0, 10, 10),
    ],
)
def test_other_bins_are_taken(low, high, bins):
    assert sv.Interval(low, high, bins=bins).bins == bins
    assert sv.KeyValues(["film"], low, high, bins=bins).interval.bins == bins


TOML = """
name = "stars"
question = "How many?"
[domain]
kind = "interval"
low = 1
high = 5
bins = 5
[mechanism]
name = "grr"
epsilon = 1.0
"""


def test_what_was_agreed_on_is_read_and_what_is_written_by_hand_is_not():
    """A collector goes on with surveys that it has; a file for a new one is refused."""
    with pytest.raises(InvalidInput, match=r"bins of \[domain\].*Ratings\(1, 5\)"):
        survey_from_toml(TOML)
    agreed = sv.Survey("stars", "?", sv.mechanism("grr", sv.Interval.agreed(1, 5, 5), 1.0))
    read = sv.Survey.from_json(agreed.to_json())
    assert read == agreed and read.fingerprint == agreed.fingerprint
    assert read.mechanism.tally(read.mechanism.randomize([1, 3.5])).n == 2
    assert any(
        "its bins do not center on the whole numbers from 1 to 5" in each for each in doubts(read)
    )
    pairs = sv.KeyValues(["film"], 1, 5, bins=4).to_json()
    pairs["interval"]["bins"] = 5
    assert sv.KeyValues.from_json(pairs).interval.bins == 5
    halves = sv.Survey("halves", "?", sv.mechanism("grr", sv.Interval(0, 1, bins=2), 1.0))
    assert any("do not center on the whole numbers from 0 to 1" in each for each in doubts(halves))


# -- the command line ----------------------------------------------------------------------------------


def test_ratings_on_the_command_line(tmp_path):
    file, values, reports = tmp_path / "stars.toml", tmp_path / "v.csv", tmp_path / "r.parquet"
    run("survey", "new", file, "--ratings", -2, 2, "-m", "grr", "--question", "How was it?")
    assert 'kind = "ratings"\nlow = -2\nhigh = 2\n' in file.read_text()
    assert run_json("survey", "check", file)["mechanism"]["domain"] == "Ratings(-2, 2)"
    assert "a whole number from -2 to 2" in run("survey", "show", file).stdout
    stars = "-m", "grr", "-e", 3, "--ratings", 1, 5
    values.write_text("stars\n" + "1\n5\n3\n" * 50)
    run("randomize", values, "--column", "stars", *stars, "-o", reports)
    found = run_json("estimate", reports, "--mean", "--share", "3")
    assert [row["label"] for row in found["answers"]] == [3, "mean"]
    values.write_text("stars\n3\n3.5\n")
    wrong = "randomize", values, "--column", "stars", *stars, "-o", reports, "--force"
    assert "a whole number from 1 to 5; got 3.5" in refusal(*wrong)
    planned = run_json("plan", "--ratings", 1, 5, "-e", 1, "--users", 900)
    assert planned["domain"] == "Ratings(1, 5)"
    assert planned["default_client"].startswith("Clients with default limits answer 5 windows")
