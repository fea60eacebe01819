"""Variance in two phases: against the truth, with honest errors, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch

INTERVAL = sv.Interval(-2, 6, bins=32)


def ask(survey, values, seed):
    """The whole way: the first half, the public mean, the second half, the answer."""
    half = len(values) // 2
    first = survey.first.tally(survey.first.randomize(values[:half], source=sv.Seeded(seed)))
    mean = survey.mean(first)
    second = survey.second(mean)
    squares = survey.squares(values[half:], mean)
    return first, second.tally(second.randomize(squares, source=sv.Seeded(seed + 1)))


@pytest.mark.parametrize("name", ["piecewise", "stochastic-rounding"])
def test_unbiased_with_honest_errors(name):
    """40 surveys: z-scores of mean 0 and spread 1.  Of a variance 20% larger, they are not."""
    survey = sv.TwoPhaseVariance(INTERVAL, 2.0, name)
    random, truth = np.random.default_rng(1), 64 * 5 * 2 / (49 * 8)  # of 8 Beta(5, 2)
    found = []
    for seed in range(40):
        values = random.beta(5, 2, 20_000) * 8 - 2
        found.append(survey.answer(*ask(survey, values, 2 * seed)))
    values, errors = np.array([(one.value, one.stderr) for one in found]).T
    scores, bound = (values - truth) / errors, 5.2 / np.sqrt(40)
    assert abs(scores.mean()) < bound
    assert 0.5 < scores.std() < 1.6
    assert abs(np.mean((values - 1.2 * truth) / errors)) > bound


def test_the_error_of_the_mean_is_subtracted():
    """With few people in the first phase it matters: the squares are larger by it on average."""
    survey = sv.TwoPhaseVariance(INTERVAL, 1.0)
    first, second = ask(survey, np.linspace(-2, 6, 400), 1)
    mean = sv.estimate(first, "unbiased").mean()
    squares = sv.estimate(second, "unbiased").mean()
    found = survey.answer(first, second)
    assert np.isclose(found.value, squares.value - mean.stderr**2)
    assert np.isclose(found.stderr**2, squares.stderr**2 + 2 * mean.stderr**4)


def test_close_where_there_are_many():
    survey = sv.TwoPhaseVariance(INTERVAL, 4.0)
    values = np.clip(np.random.default_rng(2).normal(1, 1.2, 400_000), -2, 6)
    found = survey.answer(*ask(survey, values, 1))
    assert found.label == "variance"
    assert found.stderr < 0.02
    assert abs(found.value - values.var()) < 5.5 * found.stderr


def test_what_a_device_computes():
    survey = sv.TwoPhaseVariance(INTERVAL, 1.0)
    assert survey.squares([-2, 1, 6], 1.0).tolist() == [9, 0, 25]
    assert survey.squares(3.5, 1.0).tolist() == [6.25]
    assert survey.second(1.0).domain == sv.Interval(0, 25, bins=32)
    assert survey.second(4.0).domain == sv.Interval(0, 36, bins=32)
    assert survey.second(4.0).epsilon == survey.first.epsilon == 1.0


def test_options_reach_the_mechanism():
    survey = sv.TwoPhaseVariance(INTERVAL, 1.0, "laplace", {"bits": 40})
    assert survey.first == sv.mechanism("laplace", INTERVAL, 1.0, bits=40)
    assert survey.second(0.0).bits == 40


def test_the_public_mean_lies_in_the_interval():
    survey = sv.TwoPhaseVariance(INTERVAL, 0.1)
    tally = survey.first.tally(survey.first.randomize([6.0] * 40, source=sv.Seeded(3)))
    mean = survey.mean(tally)
    assert -2 <= mean <= 6
    assert mean == round(mean, 7)


def test_refusals():
    survey = sv.TwoPhaseVariance(INTERVAL, 1.0)
    values = np.linspace(-2, 6, 2000)
    first, second = ask(survey, values, 1)
    with pytest.raises(Mismatch, match="the first phase is answered with piecewise"):
        survey.answer(second, second)
    with pytest.raises(Mismatch, match="the second phase is answered with piecewise"):
        survey.answer(first, first)
    with pytest.raises(InvalidInput, match="second_tally of TwoPhaseVariance must be a Tally"):
        survey.answer(first, [1, 2])
    with pytest.raises(InvalidInput, match="at least 1; got 0"):
        survey.mean(sv.Tally.empty(survey.first))
    with pytest.raises(InvalidInput, match="a number from -2 to 6"):
        survey.squares([7.0], 1.0)
    for mean in (7.0, float("nan"), "one"):
        with pytest.raises(InvalidInput, match="mean of TwoPhaseVariance must be a number from -2"):
            survey.second(mean)
    with pytest.raises(InvalidInput, match="interval of TwoPhaseVariance must be an Interval"):
        sv.TwoPhaseVariance(sv.Categories(3), 1.0)
    with pytest.raises(InvalidInput, match="epsilon"):
        sv.TwoPhaseVariance(INTERVAL, -1.0)
