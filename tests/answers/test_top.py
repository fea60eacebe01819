"""The most frequent values: false discoveries are bounded, ranks hold, and both are said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.answers.top import NOISE, false_discoveries, ranks_of


def unbiased(counts, oracle="oue", epsilon=1.0, seed=1):
    mechanism = sv.mechanism(oracle, sv.Categories(len(counts)), epsilon)
    return sv.estimate(mechanism.simulate(np.array(counts), source=sv.Seeded(seed)), "unbiased")


def test_p_values_are_those_of_the_exact_binomial_tail():
    """Randomized response, five chance supports a value: far in the tail, within a tenth of a log."""
    mechanism = sv.mechanism("grr", sv.Categories(200), 1.0)
    odds = mechanism.channel().support_probabilities
    n = 1000
    for count in (12, 18, 25):
        cells = np.full(200, (n - count) // 199)
        cells[0] = count
        cells[1] += n - cells.sum()
        estimate = sv.estimate(sv.Tally(mechanism, n, cells), "unbiased")
        adjusted = false_discoveries(estimate)[0]
        exact = stats.binom.sf(count - 1, n, odds.q) * 200
        half = stats.binom.sf(count, n, odds.q) * 200
        assert math.log(half) - 0.1 < math.log(adjusted) < math.log(exact) + 0.1


@pytest.mark.parametrize(("oracle", "epsilon"), [("oue", 1.0), ("grr", 3.0), ("hr", 1.0)])
def test_false_discoveries_are_bounded(oracle, epsilon):
    """20 of 300 values are held; of those told from 0 at most 5% are not, over 200 surveys."""
    counts = np.zeros(300, dtype=int)
    counts[:20] = np.geomspace(4000, 200, 20)
    false, found = [], 0
    for seed in range(200):
        told = false_discoveries(unbiased(counts, oracle, epsilon, seed)) <= NOISE
        false.append(told[20:].sum() / max(told.sum(), 1))
        found += told[:20].sum()
    assert np.mean(false) < NOISE + 4 * np.std(false) / math.sqrt(200)
    assert found / 200 > 5


def test_all_ranks_hold_at_once():
    """In 95 of 100 surveys no value is outside its ranks; they are not all ranks either."""
    counts = np.array([5000, 4900, 3000, 1500, 700, 300, 100, 0, 0, 0])
    wrong, widths = 0, []
    for seed in range(300):
        estimate = unbiased(counts, "grr", 2.0, seed)
        ranks = ranks_of(estimate, list(range(10)), 0.95)
        for place, (first, last) in enumerate(ranks):
            least = 1 + int((counts > counts[place]).sum())
            most = 10 - int((counts < counts[place]).sum())
            if not first <= most or not last >= least:
                wrong += 1
                break
        widths.append(ranks[2][1] - ranks[2][0])
    assert wrong <= 30
    assert np.mean(widths) < 1


def test_an_answer_says_how_it_stands():
    counts = np.zeros(1000, dtype=int)
    counts[:3] = 30_000, 20_000, 10_000
    mechanism = sv.mechanism("oue", sv.Categories(1000), 1.0)
    top = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1))).top(25)
    assert [one.ranks for one in top[:3]] == [(1, 1), (2, 2), (3, 3)]
    assert str(top[0]).endswith(", rank 1")
    assert not any(one.is_noise for one in top[:3])
    assert all(one.is_noise for one in top[5:])
    assert str(top[-1]).endswith(", cannot be distinguished from 0")


def test_where_there_are_no_unbiased_shares_nothing_is_said():
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=8), 1.0)
    top = sv.estimate(mechanism.simulate([50] * 8, source=sv.Seeded(1))).top(3)
    assert [one.standing for one in top] == ["", "", ""]


def test_a_single_value_has_the_first_rank():
    mechanism = sv.mechanism("table", sv.Categories(1), weights=[[1]])
    (only,) = sv.estimate(mechanism.simulate([5], source=sv.Seeded(1))).top()
    assert only.standing == "rank 1"
