"""Comparing methods on simulated surveys: the ranking, its uncertainty, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.cli.app import app
from sottovoce.estimators.choose import GOALS
from sottovoce.estimators.compare.candidates import Candidate, candidates_for, score_for
from sottovoce.estimators.compare.comparison import Contender, ranked
from sottovoce.estimators.errors.plausible_truths import (
    Neighbours,
    as_response,
    draw_truths,
    log_density_apart,
)
from sottovoce.estimators.filters.spectrum import noise_power
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.unbiased import unbiased_shares

PEOPLE = 50_000


def _tally(name, domain, epsilon, shares, people=PEOPLE, seed=1):
    mechanism = sv.mechanism(name, domain, epsilon)
    counts = np.random.default_rng(3).multinomial(people, shares / shares.sum())
    return mechanism.simulate(counts, source=sv.Seeded(seed)), counts / people


def _zipf(size):
    return 1 / np.arange(1.0, size + 1) ** 1.5


def _smooth(bins):
    return 1.2 + np.sin(2 * np.pi * (np.arange(bins) + 0.5) / bins)


@pytest.fixture(scope="module")
def zipf():
    return _tally("oue", sv.Categories(300), 1.0, _zipf(300))


@pytest.fixture(scope="module")
def smooth():
    return _tally("oue", sv.Interval(0, 10, bins=200), 1.0, _smooth(200))


# -- the ranking -----------------------------------------------------------------------


def test_rare_values_rank_exchangeable_first_as_it_truly_is(zipf):
    tally, truth = zipf
    names = ["unbiased", "exchangeable", "norm-sub", "iiw + norm-sub"]
    found = sv.compare(tally, methods=names)
    fresh = [tally.mechanism.simulate((truth * PEOPLE).round().astype(int), source=sv.Seeded(s)) for s in range(50, 70)]  # fmt: skip
    score = score_for("distribution", tally.mechanism.domain)[1]
    true = {}
    for one in found.contenders:
        parts = one.candidate.method, one.candidate.then
        told = [sv.estimate(each, parts[0], then=parts[1]) for each in fresh]
        true[one.name] = np.mean([score(estimate, truth) for estimate in told])
    assert [one.name for one in found.contenders] == sorted(true, key=true.get)
    assert found.best == "exchangeable"
    assert found.contenders[0].error == pytest.approx(true["exchangeable"], rel=0.5)


def test_smooth_numbers_rank_filters_above_the_plain_projection(smooth):
    tally, _ = smooth
    assert sv.compare(tally, methods=["norm-sub", "iiw + norm-sub"]).best == "iiw + norm-sub"
    found = sv.compare(tally, "subset", methods=["unbiased", "norm-sub", "iiw"])
    assert found.best == "iiw"
    plain = next(one for one in found.contenders if one.name == "unbiased")
    ratio, spread = plain.ratio(found.contenders[0])
    assert ratio - 3 * spread > 1


def test_a_ratio_is_paired_and_exact_for_proportional_errors():
    errors = np.array([1.0, 5.0, 2.0, 9.0])
    one, two = Contender(Candidate("a"), errors, 0.1), Contender(Candidate("b"), 3 * errors, 0.1)
    assert two.ratio(one) == pytest.approx((3.0, 0.0))
    assert one.stderr == pytest.approx(errors.std(ddof=1) / 2)
    zero = Contender(Candidate("c"), np.zeros(4), 0.1)
    assert zero.ratio(zero) == (1.0, 0.0)
    assert one.ratio(zero) == (math.inf, math.inf)


def test_a_slow_candidate_is_ranked_on_the_surveys_it_was_run_on():
    easy_then_hard = np.array([1.0, 1.0, 10.0, 10.0])
    often = Contender(Candidate("often"), easy_then_hard, 0.1)
    slow = Contender(Candidate("slow"), np.array([2.0, 2.0]), 9.0)
    assert slow.error < often.error
    assert [one.name for one in ranked([slow, often])] == ["often", "slow"]


def test_the_same_reports_give_the_same_ranking(zipf):
    tally, _ = zipf
    first, second = (sv.compare(tally, methods=["norm-sub", "power"], replicates=4) for _ in "12")
    for one, two in zip(first.contenders, second.contenders, strict=True):
        np.testing.assert_array_equal(one.errors, two.errors)


QUICK_GOALS = ("distribution", "range")


@pytest.mark.parametrize(
    "goal",
    [pytest.param(g, marks=() if g in QUICK_GOALS else pytest.mark.slow) for g in GOALS],
)
def test_every_goal_has_candidates_on_numbers(smooth, goal):
    tally, _ = smooth
    found = sv.compare(tally, goal, methods=None, replicates=2, seconds=5)
    assert len(found.contenders) > 5
    assert all(math.isfinite(one.error) and one.error > 0 for one in found.contenders)
    assert found.goal == goal


def test_waves_compare_likelihood_methods_and_for_the_mean_the_plain_average():
    tally, _ = _tally("sw", sv.Interval(0, 1, bins=32), 2.0, _smooth(32), people=5000)
    found = sv.compare(tally, "mean", methods=["unbiased", "ems", "em"], replicates=4)
    assert {one.name for one in found.contenders} == {"unbiased", "ems", "em"}
    told = sv.compare(tally, "mean", methods=["unbiased"], replicates=2).estimate()
    assert told.shares is None
    assert 0 < told.mean().value < 1


def test_hierarchies_reports_of_wide_bins_and_means_alone():
    shares = _smooth(32)
    tree, _ = _tally("hh", sv.Interval(0, 1, bins=32), 1.0, shares, people=20_000)
    found = sv.compare(tree, "range", methods=["hh-ci", "norm-sub", "hh-admm"], replicates=4)
    assert found.contenders[-1].error < 0.2
    wide = sv.mechanism("oue", sv.Interval(0, 1, bins=32), 1.0, report_bins=8)
    counts = np.random.default_rng(1).multinomial(5000, shares / shares.sum())
    binned = sv.compare(wide.simulate(counts, source=sv.Seeded(1)), "range", methods=["norm-sub"], replicates=2)  # fmt: skip
    assert len(binned.estimate().shares) == 32
    rounding, truth = _tally("sr", sv.Interval(0, 1, bins=32), 1.0, shares, people=20_000)
    only = sv.compare(rounding, "mean", replicates=4)
    assert only.best == "unbiased"
    assert only.estimate().mean().value == pytest.approx(truth @ (np.arange(32) + 0.5) / 32, abs=0.1)  # fmt: skip


def test_one_report_and_two_values():
    mechanism = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    two = sv.compare(mechanism.simulate([600, 400], source=sv.Seeded(1)), replicates=4)
    assert len(two.contenders) > 5
    assert two.estimate().share("yes").value == pytest.approx(0.6, abs=0.2)
    one = sv.compare(mechanism.simulate([1, 0], source=sv.Seeded(1)), replicates=4)
    assert all(math.isfinite(each.error) for each in one.contenders)
    numbers = sv.mechanism("oue", sv.Interval(0, 1, bins=200), 1.0)
    lone = numbers.simulate(np.eye(1, 200, 7, dtype=int)[0], source=sv.Seeded(1))
    assert sv.compare(lone, "range", methods=["norm-sub", "iiw"], replicates=2).contenders


# -- what came out -----------------------------------------------------------------------


def test_frame_text_and_picture(zipf):
    tally, _ = zipf
    found = sv.compare(tally, "top", methods=["norm-sub", "norm + base-pos"], replicates=5)
    frame = found.frame()
    assert frame["ratio"][0] == 1.0
    assert frame["ratio"] == sorted(frame["ratio"])
    assert frame["runs"] == [5, 5]
    assert found.best in str(found)
    assert "10 largest" in str(found)
    assert found.best in repr(found)
    axes = found.plot().axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == frame["method"]


def test_progress_goes_up_to_one(zipf):
    tally, _ = zipf
    told = []
    sv.compare(tally, methods=["norm-sub", "power"], replicates=3, progress=lambda text, part: told.append((text, part)))  # fmt: skip
    parts = [part for _, part in told]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert told[0][0] == "norm-sub"


def test_the_winner_is_run_on_the_reports_and_says_why(zipf):
    tally, _ = zipf
    found = sv.compare(tally, methods=["exchangeable", "unbiased"], replicates=5)
    told = found.estimate()
    np.testing.assert_array_equal(told.shares, sv.estimate(tally, "exchangeable").shares)
    assert "5 simulated surveys" in told.why
    assert "unbiased" in told.why
    assert "not of having chosen it" in told.why
    assert found.estimate("unbiased").method == "unbiased"
    with pytest.raises(InvalidInput, match="one of exchangeable, unbiased"):
        found.estimate("power")


@pytest.mark.slow
def test_auto_by_bootstrap_takes_the_best():
    tally, _ = _tally("grr", sv.Categories(12), 1.0, _smooth(12))
    found, told = sv.compare(tally, "top"), sv.estimate(tally, auto="bootstrap", goal="top")
    assert told.why.startswith(found.best)
    np.testing.assert_array_equal(told.shares, found.estimate().shares)
    one = sv.mechanism("grr", sv.Categories(["only"]), 1.0)
    assert sv.estimate(one.simulate([5]), auto="bootstrap").method == "certain"


# -- slow candidates ---------------------------------------------------------------------


def test_slow_candidates_are_left_out_with_the_reason(zipf):
    tally, _ = zipf
    found = sv.compare(tally, methods=["norm-sub", "mle"], replicates=5, seconds=0.02)
    assert [one.name for one in found.contenders] == ["norm-sub"]
    assert "a run takes" in found.left_out["mle"]
    assert "left out: mle" in str(found)
    with pytest.raises(Unfit, match="no candidate could be run in seconds=1e-06"):
        sv.compare(tally, methods=["mle"], seconds=1e-6)


# -- refused -------------------------------------------------------------------------------


def test_bad_input(zipf):
    tally, _ = zipf
    with pytest.raises(InvalidInput, match="goal of compare must be one of distribution"):
        sv.compare(tally, "median")
    with pytest.raises(InvalidInput, match="at least 2; got 1"):
        sv.compare(tally, replicates=1)
    with pytest.raises(InvalidInput, match="seconds of compare"):
        sv.compare(tally, seconds=0)
    with pytest.raises(InvalidInput, match="at least one name"):
        sv.compare(tally, methods=[])
    with pytest.raises(InvalidInput, match="Tally or Reports"):
        sv.compare([1, 2])
    with pytest.raises(Unfit, match="hh-ci does not apply .* what applies: unbiased"):
        sv.compare(tally, methods=["hh-ci"])
    with pytest.raises(Unfit, match="unknown method 'nonsense'. Known: auto"):
        sv.compare(tally, methods=["nonsense"])
    with pytest.raises(Unfit, match="nothing can follow"):
        sv.compare(tally, methods=["em + norm-sub"])
    with pytest.raises(Unfit, match="its shares are those of unbiased; what is: unbiased"):
        sv.compare(tally, methods=["post-pos"])
    with pytest.raises(Unfit, match="goals that would work: distribution, subset, top"):
        sv.compare(tally, "mean")
    with pytest.raises(InvalidInput, match="auto of estimate"):
        sv.estimate(tally, "norm-sub", auto="bootstrap")
    with pytest.raises(InvalidInput, match="auto of estimate must be one of"):
        sv.estimate(tally, auto="luck")
    with pytest.raises(Unfit, match="nothing to compare"):
        sv.compare(sv.mechanism("grr", sv.Categories(["only"]), 1.0).simulate([5]))


def test_a_goal_that_no_candidate_serves_says_what_would_work():
    tally, _ = _tally("sr", sv.Interval(0, 1, bins=8), 1.0, _smooth(8), people=100)
    with pytest.raises(Unfit, match="goal='mean', or reports of another mechanism"):
        sv.compare(tally, "distribution")


def test_distances_of_histograms_are_asked_of_distributions_only(smooth):
    mechanism = smooth[0].mechanism
    found, unfit = candidates_for(mechanism, "distribution")
    assert "unbiased" in unfit
    assert all(one.then or one.method not in ("iiw", "dw", "amrp") for one in found)
    for candidate in found:
        shares = sv.estimate(
            smooth[0], candidate.method, then=candidate.then, **candidate.options
        ).shares
        assert shares.min() >= -1e-9
        assert shares.sum() == pytest.approx(1)


# -- plausible truths ----------------------------------------------------------------------


def test_reports_tell_whether_neighbours_are_alike():
    order = np.random.default_rng(1).permutation(200)
    for shares, alike in ((_smooth(200) ** 4, True), ((_smooth(200) ** 4)[order], False)):
        tally, _ = _tally("oue", sv.Interval(0, 1, bins=200), 3.0, shares)
        raw = unbiased_shares(tally)
        model = Neighbours(raw, np.full(100, noise_power(raw)))
        assert (model.log_density > log_density_apart(raw)) == alike


@pytest.mark.parametrize("size", [9, 10, 65])
def test_the_density_of_bands_is_that_of_normal_shares(size):
    """Without power the prior says: normal noise about equal shares, which has a plain formula."""
    tally, _ = _tally("oue", sv.Categories(size), 1.0, np.ones(size))
    raw = unbiased_shares(tally)
    model = Neighbours(raw, np.full(size // 2, 1e9))  # noise beside which no power is seen
    spread = 1e9 / size
    apart = raw.shares - raw.shares.mean()
    plain = -0.5 * size * np.log(2 * np.pi * spread) - 0.5 * apart @ apart / spread
    bands = model._log_posterior.shape[0]
    assert plain + bands * np.log(0.5) <= model.log_density <= plain


def test_truths_are_distributions_about_the_real_one(smooth):
    tally, truth = smooth
    drawn = np.array(draw_truths(Observed(tally), 40, sv.Seeded(5)))
    assert drawn.min() >= 0
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    plain = unbiased_shares(tally).shares
    off = np.mean((drawn - truth) ** 2)
    assert off < 0.5 * np.mean((plain - truth) ** 2)


def test_shares_of_any_oracle_have_the_likelihood_of_normal_noise():
    """Log-likelihoods of two distributions differ as those of normal noise do, to a few percent."""
    tally, truth = _tally("oue", sv.Interval(0, 1, bins=64), 1.0, _smooth(64))
    raw = unbiased_shares(tally)
    noise = noise_power(raw)
    given = as_response(Observed(tally), raw, noise)
    shares = raw.shares + (1 - raw.shares.sum()) / 64

    def normal(w):
        return -0.5 * np.sum((shares - w) ** 2) / (noise / 64)

    def response(w):
        return given.cells @ np.log(given.channel.forward(w))

    flat = np.full(64, 1 / 64)
    assert response(truth) - response(flat) == pytest.approx(normal(truth) - normal(flat), rel=0.05)


# -- command line --------------------------------------------------------------------------


def test_the_command_ranks_and_tells_json(zipf, tmp_path):
    tally, _ = zipf
    tally.write(tmp_path / "t.svt")
    told = CliRunner().invoke(app, ["compare", str(tmp_path / "t.svt"), "--goal", "top", "--replicates", "3", "--method", "norm-sub", "--method", "unbiased"])  # fmt: skip
    assert told.exit_code == 0, told.output
    assert "norm-sub" in told.stdout
    as_json = CliRunner().invoke(app, ["compare", str(tmp_path / "t.svt"), "--replicates", "3", "--method", "mle", "--method", "unbiased", "--seconds", "0.02", "--json"])  # fmt: skip
    found = json.loads(as_json.stdout)
    assert found["best"] == "unbiased"
    assert list(found["left_out"]) == ["mle"]
    assert found["methods"][0]["ratio"] == 1
    refused = CliRunner().invoke(app, ["compare", str(tmp_path / "t.svt"), "--goal", "mean"])
    assert refused.exit_code != 0
    assert "goals that would work" in refused.stderr


def test_time_that_runs_out_before_the_surveys_do_is_no_error(zipf, monkeypatch):
    """By a clock of its own, 5 ms a look, so that a busy machine changes nothing."""
    looks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(looks) * 0.005)
    monkeypatch.setattr(import_module("sottovoce.estimators.compare.compare"), "time", clock)
    found = sv.compare(zipf[0], methods=["exchangeable", "norm-sub"], replicates=50, seconds=0.12)
    assert found.contenders
    assert all(5 <= len(one.errors) < 50 for one in found.contenders)


def test_a_method_of_ones_own_is_compared_too(monkeypatch):
    registry = import_module("sottovoce.estimators.methods")
    for name in ("_METHODS", "_NAMES"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))
    equal = registry.Method("equal", "all alike", lambda raw: np.full(raw.size, 1 / raw.size))
    registry.register_method(equal)
    alike = sv.mechanism("grr", sv.Categories(5), 0.1).simulate([20] * 5, source=sv.Seeded(1))
    assert "equal" in {c.name for c in candidates_for(alike.mechanism, "distribution")[0]}
    found = sv.compare(alike, methods=["unbiased", "equal"], replicates=5)
    assert found.contenders[0].name == "equal"
