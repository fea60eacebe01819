"""Intervals for whoever looks every day: the multiplier by its table, coverage by simulation."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.anytime import Looks, always_valid_p, mixture_scale, multiplier
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit

COLORS = sv.Categories(["red", "green", "blue", "white"])
HOURS = sv.Interval(0, 12, bins=12)
HUMP = np.array([1, 2, 4, 8, 12, 14, 12, 8, 4, 2, 1, 1]) * 300


def colors(name="oue", n=100, epsilon=1.0, seed=1, method="auto"):
    mechanism = sv.mechanism(name, COLORS, epsilon)
    counts = np.array([4, 3, 2, 1]) * n
    return sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), method)


def hours(name, epsilon=1.0, seed=1, **way):
    mechanism = sv.mechanism(name, HOURS, epsilon)
    return sv.estimate(mechanism.simulate(HUMP, source=sv.Seeded(seed)), **way)


# -- the multiplier ---------------------------------------------------------------------------


def test_the_multiplier_has_the_published_values():
    taus = [0.01, 0.03, 0.1, 0.3, 0.5, 1, 2, 3, 10, 30, 100]
    table = [8.944, 5.606, 3.823, 3.189, 3.079, 3.035, 3.064, 3.100, 3.246, 3.398, 3.566]
    np.testing.assert_allclose(multiplier(np.array(taus), 0.05), table, atol=5.1e-4)
    assert [round(float(multiplier(1, alpha)), 3) for alpha in (0.1, 0.01)] == [2.764, 3.572]


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.05, 0.01, 1e-6])
def test_it_is_least_at_one_and_widths_fall(alpha):
    """W on its lower branch by another way: (1 + x) e^-x = alpha^2; d m^2 / d tau is 0 at 1."""
    x = mixture_scale(alpha)
    assert math.isclose((1 + x) * math.exp(-x), alpha**2, rel_tol=1e-12)
    square = [float(multiplier(1 + step, alpha)) ** 2 for step in (-1e-4, 1e-4)]
    assert abs(square[1] - square[0]) / 2e-4 < 1e-6
    taus = np.geomspace(1e-4, 1e4, 200)
    reach = multiplier(taus, alpha)
    assert reach.min() >= float(multiplier(1, alpha))
    assert np.all(np.diff(reach * np.sqrt(1 / taus)) < 0)


def test_the_p_value_is_the_level_whose_interval_reaches_zero():
    for tau in (0.03, 1.0, 40.0):
        reach = float(multiplier(tau, 0.05))
        assert math.isclose(float(always_valid_p(reach, tau, 0.05)), 0.05, rel_tol=1e-9)
        assert float(always_valid_p(0.0, tau, 0.05)) == 1.0
        assert float(always_valid_p(2 * reach, tau, 0.05)) < 0.05


def test_where_intervals_are_narrowest():
    assert Looks.planned(20_000) == Looks(10_000.0)
    assert Looks.planned() == Looks(1_000.0)
    assert Looks.planned(minimum_batch=50) == Looks(500.0)
    for wrong in (0, -1, 2.5, "many"):
        with pytest.raises(InvalidInput, match="planned of anytime must be a whole number"):
            colors().anytime(wrong)


# -- answers ----------------------------------------------------------------------------------


def test_answers_are_those_of_the_unbiased_estimate_wider():
    shown, plain = colors(), colors(method="unbiased")
    assert shown.method != "unbiased"
    view = shown.anytime(planned=4_000)
    reach = float(multiplier(plain.n / 2_000, 0.05))
    for ask in (
        lambda e: e.share("red"),
        lambda e: e.total(["red", "blue"]),
        lambda e: e.linear([1, 2, 3, 4]),
        lambda e: e.top(4)[3],
    ):
        wide, narrow = ask(view), ask(plain)
        assert (wide.value, wide.stderr) == (narrow.value, narrow.stderr)
        assert wide.high - wide.value == pytest.approx(reach * narrow.stderr)
    assert shown.share("red", anytime=True) == shown.anytime().share("red")
    assert shown.total(["red"], anytime=True) == shown.anytime().total(["red"])
    assert view.frame()["low"][0] == pytest.approx(view.share("red").low)
    wider = shown.for_population().anytime(planned=4_000)
    assert wider.about == "population" and wider.share("red").stderr > view.share("red").stderr
    assert pickle.loads(pickle.dumps(view)).share("red") == view.share("red")  # noqa: S301
    with pytest.raises(InvalidInput, match="confidence of answer must be a number between 0 and 1"):
        view.share("red", confidence=2)


def test_numbers_and_their_quantiles():
    told = hours("hierarchy")
    view, plain = told.anytime(), told.unbiased
    for ask in (lambda e: e.mean(), lambda e: e.range(2, 5), lambda e: e.cdf(4.5)):
        wide, narrow = ask(view), ask(plain)
        assert wide.value == narrow.value and wide.low < narrow.low < narrow.high < wide.high
    median, usual = view.quantile(0.5), plain.quantile(0.5)
    assert median.value == usual.value and median.low < usual.low < usual.high < median.high
    for ask in (lambda e: e.cdf(3, anytime=True), lambda e: e.range(2, 5, anytime=True)):
        assert ask(told).high - ask(told).low > 2 * 3 * ask(told).stderr
    assert told.mean(anytime=True) == told.anytime().mean()
    with pytest.raises(Unfit, match="variance has no anytime interval: it is not a sum of shares"):
        view.variance()


def test_means_of_mechanisms_that_identify_no_shares():
    bounded = hours("sr", method="bounded-mean")
    assert bounded.mean(anytime=True) == bounded.anytime().mean()
    assert bounded.anytime().mean().stderr == bounded.unbiased.mean().stderr
    wave = hours("sw")
    assert wave.shares is not None and wave.anytime().shares is None
    assert wave.anytime().mean().low < wave.mean().value < wave.anytime().mean().high
    with pytest.raises(NotIdentified, match="share needs shares, and this estimate has none"):
        wave.anytime().share(3)


def test_pairs_of_keys_and_numbers():
    domain = sv.KeyValues(["film", "song"], 0, 5, bins=4)
    mechanism = sv.mechanism("pckv-ue", domain, 4.0)
    tally = mechanism.simulate(np.arange(1, 9) * 500, source=sv.Seeded(1))
    told = sv.estimate(tally)
    view = told.anytime()
    wide, narrow = view.frequency("film"), told.unbiased.frequency("film")
    assert wide.value == narrow.value and wide.low < narrow.low
    assert told.frequency("film", anytime=True) == wide
    mean = view.mean("film")
    assert mean.high - mean.low > (m := told.unbiased.mean("film")).high - m.low
    with pytest.raises(Unfit, match="distribution has no anytime interval"):
        view.distribution("film")


def test_few_supports_are_not_certain():
    """Nobody speaks for a value: its empirical variance is half of what noise alone has."""
    mechanism = sv.mechanism("oue", COLORS, 4.0)
    cells = np.array([5, 5, 5, 5, 5, 5, 0, 10])
    estimate = sv.estimate(sv.Tally(mechanism, 10, cells), "unbiased")
    odds = mechanism.channel().support_probabilities
    least = math.sqrt(odds.q * (1 - odds.q) / 10) / (odds.p - odds.q)
    assert estimate.share("white").stderr < 0.8 * least
    assert estimate.anytime().share("white").stderr == pytest.approx(least)
    assert estimate.anytime().total(["white"]).stderr == pytest.approx(least)


# -- differences ------------------------------------------------------------------------------


def test_differences_are_wider_and_their_p_values_larger():
    one, two = colors(seed=1, n=500), colors(seed=2, n=250, epsilon=2.0)
    plain = sv.difference(one, two)
    view = plain.anytime(planned=6_000)
    first, second = (side.n * side.share("red").stderr ** 2 for side in plain.sides)
    stderr = plain.share("red").stderr
    tau = (first + second) / 3_000 / stderr**2
    wide = view.share("red")
    assert wide.high - wide.value == pytest.approx(float(multiplier(tau, 0.05)) * stderr, rel=1e-3)
    assert wide.p_value > plain.share("red").p_value
    assert np.all(view.adjusted >= view.p_value)
    total = view.total(["red"])
    assert (total.low, total.high) == pytest.approx((wide.low, wide.high), rel=1e-3)
    assert total.p_value == pytest.approx(wide.p_value, rel=1e-3)
    assert (total.p_value < 0.05) == (not total.low <= 0 <= total.high)
    numbers = sv.difference(hours("hierarchy"), hours("hierarchy", seed=2))
    assert numbers.anytime().mean().low < numbers.mean().low
    for question in (lambda d: d.quantile(0.5), lambda d: d.variance()):
        with pytest.raises(Unfit, match="has no anytime interval: not a sum of shares"):
            question(numbers.anytime())
    waves = sv.difference(hours("sw"), hours("sw", seed=2)).anytime()
    assert waves.mean().p_value > 0.05
    with pytest.raises(NotIdentified, match="needs shares, and this estimate has none"):
        waves.share(3)


# -- coverage ---------------------------------------------------------------------------------

DAYS, SURVEYS, SHARE = 30, 2_000, 0.1
FALSE_ALARM = 4.9
"""Standard errors beyond which a rate is rejected: a chance of 1e-6."""


def held_at_every_look(epsilon, factor=1.0, *, anytime, surveys=SURVEYS, people=1_000, seed=3):
    """The share of simulated surveys whose intervals hold the share at each of 30 looks.

    Supports are drawn as the library's law says, for all surveys at once; intervals are the library's
    own formula on the unbiased share, for the population.
    """
    rng = np.random.default_rng(seed)
    odds = sv.mechanism("oue", COLORS, epsilon).channel().support_probabilities
    chance = odds.q + SHARE * (odds.p - odds.q)
    n = people * np.arange(1, DAYS + 1)
    supports = rng.binomial(people, chance, (surveys, DAYS)).cumsum(axis=1) / n
    shares = (supports - odds.q) / (odds.p - odds.q)
    stderr = factor * np.sqrt(supports * (1 - supports) / n) / (odds.p - odds.q)
    reach = multiplier(n / (people * DAYS / 2), 0.05) if anytime else 1.959964
    return np.mean(np.all(np.abs(shares - SHARE) <= reach * stderr, axis=1))


def test_intervals_hold_the_share_at_every_look():
    """Anytime .985 of surveys, fixed .714; an error bar of 0.7 times is found out (below .95)."""
    noise = FALSE_ALARM * math.sqrt(0.25 / SURVEYS)
    for epsilon in (1.0, 4.0):
        assert held_at_every_look(epsilon, anytime=True) > 0.95
        assert abs(held_at_every_look(epsilon, anytime=False) - 0.714) < noise
    assert held_at_every_look(1.0, 0.7, anytime=True) < 0.95
