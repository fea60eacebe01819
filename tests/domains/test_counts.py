"""Whole numbers from 0 to a most: what is asked of them, and mechanisms for numbers on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.answers.numbers import WholeCumulative
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import domain_from_json

FRIENDS = sv.Counts(9)


@dataclass
class Known:
    """Errors that are the same for every sum."""

    error: float = 0.0

    def stderr(self, about):
        return np.full(FRIENDS.size, self.error)

    def stderr_of(self, weights, about):
        return self.error


def known(values, error=0.0, domain=FRIENDS):
    shares = np.bincount(values, minlength=domain.size) / len(values)
    return sv.Estimate(domain, shares, len(values), "known", "", Known(error))


# -- the domain --------------------------------------------------------------------------


def test_numbers_are_their_own_index_and_label():
    assert (FRIENDS.size, FRIENDS.most, str(FRIENDS)) == (10, 9, "Counts(9)")
    assert FRIENDS.indices([0, 9, 3]).tolist() == [0, 9, 3]
    assert FRIENDS.indices(np.array([0.0, 9.0, 3.0])).tolist() == [0, 9, 3]
    assert [FRIENDS.index(v) for v in (0, 9.0, np.int8(3))] == [0, 9, 3]
    assert FRIENDS.labels() == list(range(10))
    assert FRIENDS.midpoints.tolist() == list(range(10))
    assert sv.Counts(0).index(0) == 0


def test_json_and_identity():
    document = FRIENDS.to_json()
    assert document == {"kind": "counts", "version": 1, "most": 9}
    assert domain_from_json(document) == FRIENDS
    assert hash(domain_from_json(document)) == hash(FRIENDS)
    assert sv.Counts(8) != FRIENDS
    assert sv.Interval(-0.5, 9.5, bins=10) != FRIENDS
    rows = sv.Vector(FRIENDS, 2)
    assert domain_from_json(rows.to_json()) == rows


@pytest.mark.parametrize("value", [10, -1, 2.5, -0.5, 9.5, np.nan, np.inf, "3", True, None, 1j])
def test_what_is_no_such_number_is_refused(value):
    allowed = r"value of Counts\(9\) must be a whole number from 0 to 9; got "
    with pytest.raises(InvalidInput, match=allowed):
        FRIENDS.index(value)
    with pytest.raises(InvalidInput, match=r"of Counts\(9\) must be"):
        FRIENDS.indices([value])


@pytest.mark.parametrize("most", [-1, 2.5, "9", True, None])
def test_most_is_a_whole_number(most):
    with pytest.raises(InvalidInput, match="most of Counts must be a whole number"):
        sv.Counts(most)


def test_the_nearest_of_a_survey():
    oracle = sv.mechanism("grr", FRIENDS, 1.0)
    survey = sv.Survey("friends", "How many?", oracle, outside="nearest")
    assert [survey.admit(v) for v in (-3, 4, 12, 4.0, np.inf)] == [0, 4, 9, 4, 9]
    for value in (2.5, 99.5, np.nan, "many"):
        with pytest.raises(InvalidInput, match=r"Counts\(9\) must be"):
            survey.admit(value)


# -- answers ---------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 9), min_size=64, max_size=64),
    st.integers(0, 64),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_answers_are_those_of_the_numbers(values, q, a, b):
    e, values = known(values), np.array(values)
    low, high = min(a, b), max(a, b)
    assert np.isclose(e.mean().value, values.mean())
    assert np.isclose(e.variance().value, values.var())
    assert np.isclose(e.range(low, high).value, np.mean((values >= low) & (values <= high)))
    assert np.isclose(e.cdf(low + 0.25).value, np.mean(values <= low))
    assert np.isclose(e.share(a).value, np.mean(values == a))
    wanted = np.quantile(values, q / 64, method="averaged_inverted_cdf")
    assert e.quantile(q / 64).value == wanted
    if high > low:
        assert np.isclose(e.range(low + 0.25, low + 0.75).value, 0.0)


@pytest.mark.parametrize("bounds", [(-1, 3), (3, 10), (5, 4), (-0.5, 9.5)])
def test_ranges_are_between_the_least_and_the_greatest(bounds):
    e = known([1, 2])
    with pytest.raises(InvalidInput, match="whole number from 0 to 9, low first"):
        e.range(*bounds)
    with pytest.raises(InvalidInput, match="x of cdf must be a whole number from 0 to 9"):
        e.cdf(9.5)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_an_interval_holds_the_numbers_that_are_not_ruled_out(seed, q):
    """k is the quantile where F(k - 1) <= q <= F(k); each side has its own error."""
    rng = np.random.default_rng(seed)
    values = np.append(np.cumsum(np.append(0.0, rng.dirichlet(np.ones(10))))[:-1], 1.0)
    stderr = rng.random(11) * 0.1
    stderr[[0, -1]] = 0.0
    curve = WholeCumulative(FRIENDS.edges, values, stderr)
    below, up_to = (values - 2 * stderr)[:-1], (values + 2 * stderr)[1:]
    left = np.flatnonzero((below <= q) & (up_to >= q))
    assert curve.interval(q, 2.0) == (left.min(), left.max())
    assert left.min() <= curve.quantile(q) <= left.max()


def test_an_interval_of_one_number_is_not_certain():
    one = known([3] * 60 + [4] * 40, error=0.01)
    other = known([3] * 40 + [4] * 60, error=0.01)
    median = one.quantile(0.5)
    assert (median.value, median.low, median.high) == (3, 3, 3)
    assert 0 < median.stderr < 0.05
    found = sv.difference(one, other).quantile(0.5)
    assert (found.value, found.low, found.high) == (1, 1, 1)
    assert np.isclose(found.stderr, np.hypot(median.stderr, other.quantile(0.5).stderr))
    assert 0 < found.p_value < 1e-6


def test_medians_that_jump_need_not_differ():
    """F(3) is 0.501 and 0.499, with errors of 0.01: medians are 3 and 4, and the same for all one knows."""
    one, other = (known([3] * a + [4] * (1000 - a), error=0.01) for a in (501, 499))
    found = sv.difference(one, other).quantile(0.5)
    assert found.low < 0 < found.value
    assert found.p_value > 0.5


@pytest.mark.parametrize("most", [9, 300])
def test_pictures(most):
    values = np.random.default_rng(1).binomial(most, 0.3, 500)
    domain = sv.Counts(most)
    shares = np.bincount(values, minlength=domain.size) / 500
    e = sv.Estimate(domain, shares, 500, "known", "", Known(0.01))
    if most == 9:
        (axes,) = e.plot().axes
        assert axes.get_ylabel() == "share of respondents"
    (axes,) = e.plot("cdf", truth=shares).axes
    line = axes.lines[0]
    places, heights = line.get_data()
    assert line.get_drawstyle() == "steps-pre"
    for k in range(domain.size):  # from k to k + 1 the share up to k
        assert np.isclose(heights[np.searchsorted(places, k + 0.5)], shares[: k + 1].sum())


def test_coarse_picture_keeps_all_shares():
    domain = sv.Counts(300)
    oracle = sv.mechanism("grr", domain, 8.0)
    tally = oracle.simulate(np.arange(301), source=sv.Seeded(1))
    e = sv.estimate(tally, "unbiased")
    steps = e.plot().axes[0].patches[-1].get_data()
    assert len(steps.values) == 128
    assert np.isclose(steps.values.sum(), e.shares.sum())


# -- mechanisms for numbers -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sw", "pm", "gw", "sr"])
def test_devices_know_a_whole_number_and_nothing_finer(name):
    mechanism = sv.mechanism(name, FRIENDS, 1.0)
    assert mechanism.positions == FRIENDS.size
    assert mechanism.locate([0, 4, 9]).tolist() == [0, 4, 9]
    with pytest.raises(InvalidInput, match="steps of .* must be a whole number from 1 to 1"):
        sv.mechanism(name, FRIENDS, 1.0, steps=2)


@pytest.mark.parametrize("name", ["pm", "sr", "sw", "laplace", "hh", "grr"])
def test_means_are_those_of_whole_numbers(name):
    values = np.random.default_rng(2).binomial(9, 0.2, 40_000)
    mechanism = sv.mechanism(name, FRIENDS, 2.0)
    tally = mechanism.tally(mechanism.randomize(values, source=sv.Seeded(3)))
    found = sv.estimate(tally, goal="mean").mean()
    assert abs(found.value - values.mean()) < 5.5 * found.stderr  # chance 4e-8
    assert 5.5 * found.stderr < 0.5  # half a number more or less would be seen


def test_wide_bins_hold_whole_numbers():
    mechanism = sv.mechanism("grr", FRIENDS, 2.0, report_bins=5)
    assert mechanism.locate([0, 1, 2, 9]).tolist() == [0, 1, 2, 9]
    with pytest.raises(InvalidInput, match="report_bins of binned must be a divisor of 10"):
        sv.mechanism("grr", FRIENDS, 2.0, report_bins=4)
