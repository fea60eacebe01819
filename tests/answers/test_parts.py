"""The answers to one question of a record: as for a survey of that question alone, with right errors."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.estimators.parts import question_tally
from support.copies import pickled

AGE = sv.Interval(0, 60, bins=12)
PEOPLE = sv.Record({"age": AGE, "os": sv.Categories(["mac", "linux", "win"]), "vi": sv.YesNo()})
LAW = np.exp(-0.5 * ((np.arange(12) - 4) / 2.5) ** 2)
LAW /= LAW.sum()
JOINT = LAW[:, None, None] * np.array([0.5, 0.4, 0.1])[:, None] * np.array([0.7, 0.3])


def counts(n):
    return np.rint(n * JOINT).astype(int).ravel()


def estimate_of(design, n=20_000, seed=1, epsilon=2.0, **options):
    mechanism = sv.mechanism("record", PEOPLE, epsilon, design=design, **options)
    return sv.estimate(mechanism.simulate(counts(n), source=sv.Seeded(seed)))


# -- which survey it is -------------------------------------------------------------------------------


def test_a_question_asked_alone_is_a_survey_of_its_oracle():
    """The cells of its set, the channel of its oracle: shares as when these are estimated themselves."""
    mechanism = sv.mechanism("record", PEOPLE, 2.0, design="sample")
    tally = mechanism.simulate(counts(20_000), source=sv.Seeded(3))
    estimate = sv.estimate(tally)
    ends = mechanism.channel().bounds
    for place, name in enumerate(PEOPLE.names):
        cells, oracle = tally.cells[ends[place] : ends[place + 1]], mechanism.oracles[place].oracle
        alone = sv.estimate(sv.Tally(oracle, int(cells.sum()), cells), "unbiased")
        part = estimate.part(name, "unbiased")
        np.testing.assert_array_equal(part.shares, alone.shares)
        np.testing.assert_allclose(
            part.for_population().stderr, alone.for_population().stderr, rtol=1e-12
        )
        assert part.n == alone.n
        assert f"{alone.n:,} of {tally.n:,} respondents were asked" in part.why
        assert np.all(part.stderr > alone.stderr)  # others were not asked


def test_of_randomized_response_on_a_table_it_is_the_margin():
    """The survey that says as much has the margin of the counts, and epsilon by its p and q."""
    mechanism = sv.mechanism("record", PEOPLE, 2.0, design="joint", hash_ranges=[0])
    tally = mechanism.simulate(counts(20_000), source=sv.Seeded(4))
    single, exact = question_tally(tally, 1)
    margin = tally.cells.reshape(12, 3, 2).sum(axis=(0, 2))
    assert not exact and single.n == tally.n
    assert np.abs(single.cells - margin).max() <= 1
    p = (np.exp(2) + 23) / (np.exp(2) + 71)  # the own cell, and the others of its row
    q = 24 / (np.exp(2) + 71)
    assert single.mechanism.epsilon == pytest.approx(np.log(p / q), rel=1e-3)


@pytest.mark.parametrize("design", ["sample", "pairs", "mixed", "joint"])
def test_the_method_is_that_of_the_question(design):
    estimate = estimate_of(design)
    age, os = estimate.part("age"), estimate.part("os")
    assert (age.method, os.method) == ("adaptive", "exchangeable")
    assert (age.domain, os.domain) == PEOPLE.domains[:2]
    assert age.unbiased.method == os.unbiased.method == "unbiased"
    assert np.abs(age.shares - LAW).sum() < np.abs(age.unbiased.shares - LAW).sum()
    assert estimate.part("os", "norm-sub").method == "norm-sub"
    assert pickled(age).quantile(0.5) == age.quantile(0.5)
    np.testing.assert_allclose(pickled(age).unbiased.shares, age.unbiased.shares)
    assert estimate.for_population().part("age").about == "population"
    assert age.anytime(40_000).mean().low < age.unbiased.mean().low
    assert [answer.label for answer in os.top(2)] == ["mac", "linux"]


def test_options_and_goals_reach_the_method():
    estimate = estimate_of("mixed")
    assert estimate.part("os", goal="mean").method == "unbiased"
    with pytest.raises(InvalidInput, match="option alpha of norm-sub"):
        estimate.part("os", "norm-sub", alpha=1.0)
    with pytest.raises(Unfit, match="unknown method 'norm_sub'"):
        estimate.part("os", "norm_sub")


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", [pytest.param("sample", marks=pytest.mark.slow), "mixed"])
def test_errors_hold_the_truth(design):
    """50 surveys of drawn people: shares and means, about both; 95% of 150 shares err by 1.8%."""
    random = np.random.default_rng(5)
    mechanism = sv.mechanism("record", PEOPLE, 1.0, design=design)
    held: dict[str, list[bool]] = {}
    middles = AGE.midpoints
    for seed in range(50):
        people = random.multinomial(20_000, JOINT.ravel())
        seen = people.reshape(12, 3, 2) / 20_000
        estimate = sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)))
        for about, truth in (("respondents", seen), ("population", JOINT)):
            asked = estimate.for_population() if about == "population" else estimate
            for name, own in (("age", truth.sum(axis=(1, 2))), ("os", truth.sum(axis=(0, 2)))):
                low, high = asked.part(name).bounds()
                held.setdefault(f"{about} {name}", []).extend((low <= own) & (own <= high))
            mean = asked.part("age").mean()
            true = float(truth.sum(axis=(1, 2)) @ middles)
            held.setdefault(f"{about} mean", []).append(mean.low <= true <= mean.high)
    rates = {name: np.mean(found) for name, found in held.items()}
    assert all(0.82 < rate <= 1 for rate in rates.values()), rates
    assert all(0.87 < rates[f"{about} os"] <= 1 for about in ("respondents", "population")), rates


def test_differences_are_of_unbiased_shares():
    first, second = (estimate_of("mixed", seed=seed).part("os") for seed in (1, 2))
    change = sv.difference(first, second)
    np.testing.assert_allclose(change.shares, second.unbiased.shares - first.unbiased.shares)
    assert np.all(change.adjusted > 0.001)
    assert change.why == "compares unbiased estimates"


def test_a_trend_is_of_one_question():
    mechanism = sv.mechanism("record", PEOPLE, 2.0, design="mixed")
    tallies = [
        mechanism.simulate(counts(n), source=sv.Seeded(n)).of_window(f"2026-11-{16 + day}")
        for day, n in enumerate((9_000, 10_000, 11_000))
    ]
    trend = sv.trend(tallies, question="os")
    series = trend.share("mac")
    np.testing.assert_allclose(
        [answer.value for answer in series.answers],
        [sv.estimate(tally).part("os").share("mac").value for tally in tallies],
    )
    assert all(abs(answer.value - 0.5) < 5 * answer.stderr for answer in series.answers)


def test_the_variance_of_numbers_is_unbiased():
    """The mean over 100 surveys of 500: without what the noise of the mean adds it is far too small."""
    mechanism = sv.mechanism("record", PEOPLE, 1.0, design="pairs")
    people = counts(500)
    law = people.reshape(12, -1).sum(axis=1) / people.sum()
    true = float(law @ AGE.midpoints**2 - (law @ AGE.midpoints) ** 2 + 25 / 12)
    found = []
    for seed in range(100):
        part = sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed))).part(
            "age", "unbiased"
        )
        own = part.error_model.stderr_of(AGE.midpoints - 30, "respondents") ** 2
        found.append((part.variance().value, own))
    values, added = np.array(found).T
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - true) < 4.5 * error
    assert added.mean() > 3 * error


def test_reports_about_numbers_have_a_plot():
    (axes,) = estimate_of("mixed").part("age").plot().axes
    assert "adaptive" in axes.get_title(loc="left")
