"""Means: an average kept within its bounds, and which method auto takes for how many reports."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.answer import answer
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.estimators.bounded_mean import bounded
from sottovoce.estimators.cell_means import average_noise
from sottovoce.estimators.choose import RULES, choose, find_rule
from sottovoce.experiments.mixture_reduction import means as figures
from sottovoce.experiments.mixture_reduction import values

SCORE = sv.Interval(-1, 1, bins=24)
CASES = [(0.0, 0.5), (0.9, 0.1), (1.5, 0.3), (-4.0, 0.2), (3.0, 10.0), (0.3, 1e-3), (-1.0, 0.2)]


def kept(a, s, low=-1.0, high=1.0, confidence=0.95):
    return bounded(answer(a, s, "mean", confidence), low, high)


def bump(n, domain=SCORE):
    """Few people low, many high."""
    x = (np.arange(domain.bins) + 0.5) / domain.bins
    weights = x**4 * (1 - x)
    return np.round(n * weights / weights.sum()).astype(int)


# -- an average within bounds ----------------------------------------------------------------------


@pytest.mark.parametrize(("a", "s"), CASES)
def test_value_is_the_mean_of_a_normal_law_cut_off(a, s):
    """Against scipy's truncated normal law, and against a fine sum where that is not exact."""
    truncated = pytest.importorskip("scipy.stats").truncnorm((-1 - a) / s, (1 - a) / s, a, s)
    found = kept(a, s)
    assert found.value == pytest.approx(truncated.mean(), abs=1e-9)
    assert found.stderr == pytest.approx(truncated.std(), abs=1e-9)
    means = np.linspace(-1, 1, 2_000_001)
    odds = np.exp((np.abs(a - np.clip(a, -1, 1)) ** 2 - (means - a) ** 2) / (2 * s**2))
    odds[[0, -1]] /= 2
    assert found.value == pytest.approx(odds @ means / odds.sum(), abs=1e-6)


def accepted(a, s, m, draws):
    """Whether m is kept by a simulated likelihood-ratio test at 95%: no formula of ours in it."""

    def statistic(x):
        return (x - m) ** 2 - (x - np.clip(x, -1, 1)) ** 2

    return statistic(a) <= np.quantile(statistic(m + s * draws), 0.95)


@pytest.mark.parametrize(("a", "s"), [case for case in CASES if case[1] > 0.05])
def test_interval_is_that_of_a_likelihood_ratio_test(a, s):
    draws, found = np.random.default_rng(1).normal(size=400_000), kept(a, s)
    assert -1 <= found.low <= found.value <= found.high <= 1
    apart = 0.02 * min(s, found.high - found.low)
    for end, inwards in ((found.low, apart), (found.high, -apart)):
        assert accepted(a, s, end + inwards, draws)
        if abs(end) < 1:
            assert not accepted(a, s, end - inwards, draws)


@pytest.mark.parametrize("confidence", [0.5, 0.93, 0.95, 0.999])
@pytest.mark.parametrize("s", [0.05, 0.4, 3.0])
def test_interval_holds_every_truth_as_often_as_it_says(s, confidence):
    """Exactly: the averages that keep m in their interval have that probability together."""
    normal = pytest.importorskip("scipy.stats").norm
    averages = np.linspace(-1 - 5 * s, 1 + 5 * s, 1201)
    found = [kept(a, s, confidence=confidence) for a in averages]
    lows, highs = np.array([f.low for f in found]), np.array([f.high for f in found])
    assert np.all(np.diff(lows) >= -1e-9)
    assert np.all(np.diff(highs) >= -1e-9)
    assert all(f.low <= f.value <= f.high for f in found)
    step = averages[1] - averages[0]
    for m in (-1.0, -0.97, -0.5, 0.0, 0.8, 1.0):
        holding = averages[(lows <= m + 1e-9) & (m - 1e-9 <= highs)]
        first, last = holding.min(), holding.max()
        below = 0.0 if first == averages[0] else normal.cdf((first - m) / s)
        above = 0.0 if last == averages[-1] else normal.sf((last - m) / s)
        covered = 1 - below - above
        if confidence < 0.92:  # where it may be stretched to hold the value
            assert confidence - 0.9 * step / s < covered < 0.71
        else:
            assert covered == pytest.approx(confidence, abs=0.9 * step / s)


def test_far_from_the_bounds_it_is_the_plain_average():
    plain = answer(0.2, 0.01, "mean", 0.95)
    found = kept(0.2, 0.01)
    for part in ("value", "stderr", "low", "high"):
        assert getattr(found, part) == pytest.approx(getattr(plain, part), abs=1e-12)


def test_bounds_turned_around_and_moved():
    one, other, moved = kept(1.2, 0.3), kept(-1.2, 0.3), kept(112.0, 3.0, 90.0, 110.0)
    assert one.value == pytest.approx(-other.value)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    ends = [100 + 10 * part for part in (one.value, one.low, one.high)]
    assert [moved.value, moved.low, moved.high] == pytest.approx(ends)


def test_extremes_are_numbers():
    for a, s in ((1e6, 1e-3), (-1e6, 1e6), (0.0, 1e9), (1.0, 1e-300), (0.5, 0.0), (7.0, 0.0)):
        found = kept(a, s)
        assert -1 <= found.low <= found.value <= found.high <= 1, (a, s)
        assert np.isfinite([found.value, found.stderr]).all()


# -- as a method -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sr", "pm", "sw", "gw", "laplace", "grr", "olh", "hr"])
def test_applies_wherever_an_average_tells_the_mean(name):
    mechanism = sv.mechanism(name, SCORE, 0.3)
    tally = mechanism.simulate(bump(300), source=sv.Seeded(1))
    e, plain = sv.estimate(tally, "bounded-mean"), sv.estimate(tally, "unbiased").mean()
    mean = e.mean()
    assert e.method == "bounded-mean"
    assert e.shares is None
    assert -1 <= mean.low <= mean.value <= mean.high <= 1
    assert mean.stderr < plain.stderr
    if plain.low < -1 or plain.high > 1:
        assert mean.high - mean.low < plain.high - plain.low
    assert e.for_population().mean().high <= 1
    with pytest.raises(NotIdentified, match="what can be asked of it: mean"):
        e.quantile(0.5)
    wider = e.mean(confidence=0.99)
    assert wider.low <= mean.low <= mean.high <= wider.high
    row = next(r for r in sv.methods(mechanism) if r["method"] == "bounded-mean")
    assert row["applies"] == "to the mean only"


def test_refused_where_there_is_no_average():
    yes = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    for mechanism in (yes, sv.mechanism("sw", SCORE, 1.0, wrap=True)):
        tally = mechanism.simulate([50] * mechanism.domain.size, source=sv.Seeded(1))
        with pytest.raises(Unfit, match="bounded-mean does not apply.*no unbiased average"):
            sv.estimate(tally, "bounded-mean")


def test_bad_input():
    grr = sv.mechanism("grr", SCORE, 1.0)
    tally = grr.simulate(bump(300), source=sv.Seeded(1))
    with pytest.raises(Unfit, match="bounded-mean estimates only the mean: nothing can follow it"):
        sv.estimate(tally, "bounded-mean", then="norm-sub")
    with pytest.raises(Unfit, match="bounded-mean estimates only the mean: nothing can follow it"):
        sv.compare(tally, "mean", methods=["bounded-mean + norm-sub"])
    with pytest.raises(
        Unfit, match="bounded-mean is not a candidate for goal 'range'.*only the mean"
    ):
        sv.compare(tally, "range", methods=["bounded-mean"])
    with pytest.raises(InvalidInput, match="option prior of bounded-mean must be left out; got 3"):
        sv.estimate(tally, "bounded-mean", prior=3)
    with pytest.raises(InvalidInput, match="n of tally of randomized-response must be at least 1"):
        sv.estimate(sv.Tally.empty(grr), "bounded-mean")
    for confidence in (0, 1, float("nan")):
        with pytest.raises(InvalidInput, match="confidence of answer must be a number between"):
            sv.estimate(tally, "bounded-mean").mean(confidence=confidence)
    for users in (0, -5, 2.5, "many"):
        with pytest.raises(
            InvalidInput, match="users of methods must be a whole number of at least 1"
        ):
            sv.methods(grr, users=users)


def test_wide_bins_and_one_bin():
    wide = sv.mechanism("grr", sv.Interval(-1, 1, bins=100), 0.5, report_bins=4)
    tally = wide.simulate(bump(200, wide.domain), source=sv.Seeded(2))
    mean = sv.estimate(tally, "bounded-mean").mean()
    assert -1 <= mean.low <= mean.high <= 1
    one = sv.mechanism("sr", sv.Interval(0, 6, bins=1), 1.0)
    assert sv.estimate(one.simulate([9], source=sv.Seeded(1)), "bounded-mean").mean().value == 3.0


def test_differences_are_cautious():
    mechanism, source = sv.mechanism("sr", SCORE, 0.2), sv.Seeded(3)
    one, other = (
        sv.estimate(mechanism.simulate(bump(200), source=source), goal="mean") for _ in range(2)
    )
    change = sv.difference(one, other).mean()
    assert change.low < 0 < change.high
    assert change.p_value > 0.05


@pytest.mark.slow
def test_surveys_repeated():
    """Four hundred people at epsilon 0.1: the truth is in 95% of intervals, the error below the average's.

    Of 1,000 surveys 91.6% to 98.4% is five standard errors either way; intervals of plain averages
    that are a quarter shorter hold it in 86%.
    """
    mechanism, source, people = sv.mechanism("sr", SCORE, 0.1), sv.Seeded(4), bump(400)
    truth = people @ SCORE.midpoints / people.sum()
    tallies = [mechanism.simulate(people, source=source) for _ in range(1000)]
    found = [sv.estimate(tally, "bounded-mean").mean() for tally in tallies]
    plain = [sv.estimate(tally, "unbiased").mean() for tally in tallies]
    assert 0.916 < np.mean([a.low <= truth <= a.high for a in found]) < 0.984
    short = [abs(a.value - truth) <= 0.75 * 1.96 * a.stderr for a in plain]
    assert np.mean(short) < 0.916
    error = np.mean([abs(a.value - truth) for a in found])
    assert error < 0.6 * np.mean([abs(a.value - truth) for a in plain])


# -- what auto takes -------------------------------------------------------------------------------


def test_noise_to_expect_of_an_average():
    """By the formulas of the mechanisms for people everywhere alike, ``E v^2 = 1/3``, and as seen."""
    fine = sv.Interval(-1, 1, bins=512)
    for epsilon in (0.3, 1.0, 3.0):
        s, e = math.exp(epsilon / 2), math.exp(epsilon)
        piecewise = 1 / 3 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
        rounding = ((e + 1) / (e - 1)) ** 2 - 1 / 3
        for name, variance in (("pm", piecewise), ("sr", rounding)):
            told = average_noise(sv.mechanism(name, fine, epsilon), 100)
            assert told == pytest.approx(math.sqrt(variance / 100) / 2, rel=2e-3)
    moved = average_noise(sv.mechanism("pm", sv.Interval(50, 90, bins=512), 1.0), 100)
    assert moved == pytest.approx(average_noise(sv.mechanism("pm", fine, 1.0), 100), rel=1e-9)


@pytest.mark.parametrize(
    ("name", "n", "method"),
    [
        *((name, 200, "bounded-mean") for name in ("sr", "pm", "sw", "laplace")),
        *((name, n, "adaptive") for name in ("pm", "sw", "gw", "laplace") for n in (20_000, None)),
        *(("sr", n, "unbiased") for n in (20_000, 10**8, None)),
        ("grr", 20, "adaptive"), ("hh", 20, "adaptive"),
    ],
)  # fmt: skip
def test_rules_for_the_mean(name, n, method):
    assert choose(sv.mechanism(name, SCORE, 0.5), "mean", n).method == method


def test_more_reports_or_epsilon_lead_from_bounds_to_a_distribution():
    order = ("bounded-mean", "adaptive")
    for name in ("pm", "sw", "gw", "laplace"):
        for epsilon in (0.1, 1.0, 4.0):
            mechanism = sv.mechanism(name, SCORE, epsilon)
            taken = [order.index(choose(mechanism, "mean", 4**k).method) for k in range(16)]
            assert taken == sorted(taken)
            assert set(taken) == {0, 1}


def test_only_the_mean_depends_on_the_number_of_reports():
    assert {goal for rule in RULES if rule.reports for goal in rule.goals} == {"mean"}
    for name in ("sr", "pm", "grr", "hh"):
        mechanism = sv.mechanism(name, SCORE, 0.1)
        for goal in ("distribution", "subset", "top", "range"):
            assert find_rule(mechanism, goal, 5) == find_rule(mechanism, goal)


def test_auto_and_methods_tell_the_same():
    mechanism = sv.mechanism("pm", SCORE, 1.0)
    for n, told in (
        (60, "its bounds are worth knowing"),
        (2_000, "smoothness learned from the reports"),
    ):
        e = sv.estimate(mechanism.simulate(bump(n), source=sv.Seeded(1)), goal="mean")
        assert told in e.why
        rows = sv.methods(mechanism, users=e.n)
        assert [r["method"] for r in rows if "mean" in r["rule"]] == [e.method]


@pytest.mark.parametrize("name", ["pm", "sw"])
def test_few_reports_tell_more_to_a_likelihood_than_to_an_average(name):
    """The error of auto over that of the plain average, from the same tallies."""
    mechanism, source, people = sv.mechanism(name, SCORE, 2.0), sv.Seeded(5), bump(2_000)
    truth = people @ SCORE.midpoints / people.sum()
    errors = []
    for _ in range(24):
        tally = mechanism.simulate(people, source=source)
        told = sv.estimate(tally, goal="mean"), sv.estimate(tally, "unbiased")
        assert [e.method for e in told] == ["adaptive", "unbiased"]
        means = told[0].shares @ SCORE.midpoints, told[1].mean().value
        errors.append([abs(mean - truth) for mean in means])
    auto, plain = np.mean(errors, axis=0)
    assert auto < 0.95 * plain


# -- figures 2 and 3 -------------------------------------------------------------------------------


def test_figures():
    (mixture,), _ = values.load(["s-mn"], None)
    panel = figures.Panel(mixture, 500, 1.0, ("sr", "pm", "pm-clipped", "pm-bounded", "pm-em"))
    errors = panel.draw(sv.Seeded(1))["bias"]
    assert errors.shape == (5,)
    assert errors[1] == errors[2]  # an average within bounds is not clipped
    assert np.abs(errors).max() < 0.5
    np.testing.assert_array_equal(errors, panel.draw(sv.Seeded(1))["bias"])
    assert figures.panels_of(mixture) == (2_000, 10_000, 300_000)
    assert {line.partition("-")[2] for line in (*figures.LINES, *figures.ADAPTIVE)} <= set(
        figures.TITLES
    )


def test_curves_with_and_without_signs(monkeypatch):
    (mixture,), _ = values.load(["s-mn"], None)
    monkeypatch.setattr(figures, "EPSILONS", (1.0, 3.0))
    monkeypatch.setattr(figures, "LINES", ("sr", "pm"))
    monkeypatch.setattr(figures, "ADAPTIVE", ("pm", "sw"))
    monkeypatch.setattr(figures, "FEWEST", (300,))
    few = figures.means([mixture], 3, 2, workers=1)
    measures = ("bias-300", "bias-adaptive-300", "bias-300000")
    assert set(few) == {("s-mn", measure) for measure in measures}
    curve = few["s-mn", "bias-300"]
    assert curve.values.shape == (2, 2, 3)
    sizes = figures.absolute(few)
    assert set(sizes) == {(name, measure.replace("bias", "mean")) for name, measure in few}
    np.testing.assert_array_equal(sizes["s-mn", "mean-300"].values, np.abs(curve.values))
    assert sizes["s-mn", "mean-300"].mean(3.0, "pm") < sizes["s-mn", "mean-300"].mean(1.0, "pm")
