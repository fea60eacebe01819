"""Several services, one answer: means, distributions, their errors, and what must not matter."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch, SottovoceError, Unfit
from sottovoce.fusion.condensed import condensed
from sottovoce.fusion.moments import mean_variances, moments_of

LINE = sv.Interval(-1, 1, bins=32)
MIX = (("sr", 0.5), ("laplace", 1.0), ("pm", 1.0), ("sw", 2.0))


def population(n: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).beta(2, 5, n) * 2 - 1


def asked(values, services=MIX, seed=0, domain=LINE):
    mechanisms = [sv.mechanism(name, domain, epsilon) for name, epsilon in services]
    reports = [
        m.randomize(values, source=sv.Seeded(1000 * seed + i)) for i, m in enumerate(mechanisms)
    ]
    return mechanisms, reports


def test_one_service_is_the_plain_method():
    mechanisms, reports = asked(population(3000), (("sw", 1.0),))
    tally = mechanisms[0].tally(reports[0])
    for inner in ("em", "ems", "mr"):
        fused = sv.fuse_distribution(mechanisms, reports, inner=inner)
        plain = sv.estimate(tally, inner)
        assert np.abs(fused.shares - plain.shares).max() < 1e-9
        assert fused.iterations == plain.iterations
    exact = sv.fuse_distribution(mechanisms, reports, inner="mle")
    best = sv.estimate(tally, "mle")
    assert abs(exact.history[-1] - best.history[-1]) < 0.02
    mean = sv.fuse_mean(mechanisms, reports)
    plain = sv.estimate(tally, "unbiased", goal="mean").mean()
    assert mean.value == pytest.approx(plain.value, abs=1e-12)
    assert mean.population_stderr == pytest.approx(plain.stderr, rel=0.05)


def test_neither_order_matters():
    values, random = population(2000), np.random.default_rng(1)
    mechanisms, reports = asked(values)
    keys = random.permutation(2000)
    shuffle = random.permutation(2000)
    turned = [
        sv.Reports(m, {k: c[shuffle] for k, c in r.columns.items()})
        for m, r in zip(mechanisms, reports, strict=True)
    ]
    once = sv.fuse(mechanisms, reports, keys=[keys] * 4)
    again = sv.fuse(mechanisms[::-1], turned[::-1], keys=[keys[shuffle]] * 4)
    for method in ("population", "ua", "uwa"):
        assert once.mean(method).value == pytest.approx(again.mean(method).value, abs=1e-10)
    for inner in ("em", "ems"):
        one, other = once.distribution(inner=inner), again.distribution(inner=inner)
        assert np.abs(one.shares - other.shares).max() < 1e-10


def test_population_weights_are_inverse_variances():
    values = population(20_000)
    mechanisms, reports = asked(values)
    services = sv.fuse(mechanisms, reports)
    shares = np.bincount(LINE.indices(values), minlength=32) / len(values)
    exact = np.array([one.variance @ shares for one in services.numbers])
    moments = moments_of(services.numbers, LINE)
    assert moments.first == pytest.approx(values.mean(), abs=0.05)
    assert moments.second == pytest.approx(np.mean(values**2), abs=0.08)
    assert mean_variances(services.numbers, LINE, moments) == pytest.approx(exact, rel=0.05)
    weights = list(services.mean().weights.values())
    assert weights == pytest.approx((1 / exact) / (1 / exact).sum(), rel=0.05)


def test_the_mean_is_unbiased_and_its_interval_right():
    """400 surveys: bias within noise, 95% intervals that hold; a bias of a quarter error is seen."""
    values, trials = population(800), 400
    misses, scaled = 0, np.empty(trials)
    for seed in range(trials):
        mean = sv.fuse_mean(*asked(values, seed=seed + 1))
        scaled[seed] = (mean.value - values.mean()) / mean.stderr
        misses += not mean.low <= values.mean() <= mean.high
    assert abs(scaled.mean()) < 5 / np.sqrt(trials)
    assert abs((scaled + 0.25 + 5 / np.sqrt(trials)).mean()) > 5 / np.sqrt(trials)
    assert 0.02 * trials * 0.2 < misses < 0.05 * trials + 5 * np.sqrt(0.05 * trials)
    assert scaled.std() == pytest.approx(1.0, abs=0.18)


def test_uwa_is_biased_where_population_is_not():
    values = np.full(60_000, 0.95)
    services = (("sr", 3.0), ("laplace", 3.0), ("pm", 3.0), ("sw", 3.0))
    fusion = sv.fuse(*asked(values, services))
    honest, biased = fusion.mean("population"), fusion.mean("uwa")
    truth = LINE.midpoints[LINE.index(0.95)]
    assert abs(honest.value - truth) < 5 * honest.stderr + 0.05
    assert abs(biased.value - honest.value) > 5 * honest.stderr


def test_uwa_by_the_definition():
    """Posterior of every user from a flat prior, written out; weights from mean variances."""
    values = population(300)
    fusion = sv.fuse(*asked(values))
    likelihood = np.prod([factor.rows(slice(None)) for factor in fusion.factors], axis=0)
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    expected = np.stack([posterior @ one.variance for one in fusion.numbers], axis=1)
    weights = (1 / expected) / (1 / expected).sum(axis=1, keepdims=True)
    told = np.stack([one.numbers for one in fusion.numbers], axis=1)
    assert fusion.mean("uwa").value == pytest.approx((weights * told).sum(axis=1).mean(), rel=1e-9)
    assert fusion.mean("ua").value == pytest.approx(told.mean(), rel=1e-12)


def test_missing_services():
    values, random = population(6000), np.random.default_rng(4)
    mechanisms, _ = asked(values)
    people = [np.flatnonzero(random.random(6000) < part) for part in (0.9, 0.5, 0.7, 0.3)]
    reports = [
        m.randomize(values[who], source=sv.Seeded(i))
        for i, (m, who) in enumerate(zip(mechanisms, people, strict=True))
    ]
    fusion = sv.fuse(mechanisms, reports, keys=people)
    some = np.unique(np.concatenate(people))
    mean = fusion.mean()
    assert mean.n == len(some)
    assert abs(mean.value - values[some].mean()) < 5 * mean.stderr
    assert mean.services["users"] == [len(who) for who in people]
    fused = fusion.distribution(inner="ems")
    assert fused.shares.sum() == pytest.approx(1.0)
    assert fused.n == len(some)


def test_more_services_tell_more():
    values = population(30_000)
    mechanisms, reports = asked(values, (("pm", 1.0), ("sw", 1.0), ("sw", 1.0)))
    truth = np.bincount(LINE.indices(values), minlength=32) / len(values)
    fused = sv.fuse_distribution(mechanisms, reports, inner="adaptive")
    alone = sv.estimate(mechanisms[1].tally(reports[1]), "adaptive")
    assert (
        np.abs(np.cumsum(fused.shares - truth)).mean()
        < np.abs(np.cumsum(alone.shares - truth)).mean()
    )
    assert fused.mean().stderr < alone.mean().stderr


def test_groups_keep_the_likelihood():
    """Users in groups: the same derivative near the fit, and nearly the same likelihood."""
    mechanisms, reports = asked(population(5000))
    whole = sv.fuse(mechanisms, reports).observations
    small = condensed(whole)
    assert len(small.cells) < 4100 and small.cells.sum() == pytest.approx(5000)
    random = np.random.default_rng(1)
    here, there = random.dirichlet(np.full(32, 20.0)), random.dirichlet(np.full(32, 20.0))
    apart = [o.em_step(here)[1] - o.em_step(there)[1] for o in (whole, small)]
    assert apart[1] == pytest.approx(apart[0], rel=0.02)


def test_errors_of_a_fused_distribution():
    values = population(4000)
    fused = sv.fuse_distribution(*asked(values, (("pm", 1.0), ("sw", 1.0))), inner="ems")
    truth = np.bincount(LINE.indices(values), minlength=32) / len(values)
    assert fused.stderr.shape == (32,) and (fused.stderr > 0).all()
    assert np.mean(np.abs(fused.shares - truth) < 3 * fused.stderr) > 0.8
    assert fused.for_population().mean().stderr > fused.mean().stderr


def test_sixteen_services():
    values = population(500)
    services = [(name, 0.1) for name in ("sr", "laplace", "pm", "sw")] * 4
    fusion = sv.fuse(*asked(values, services))
    assert fusion.observations.joint.structured
    assert fusion.distribution(inner="em", max_iterations=5).shares.sum() == pytest.approx(1.0)
    assert sum(fusion.mean().weights.values()) == pytest.approx(1.0)
    assert "1.6" in fusion.mean().why


def test_bad_input():
    mechanisms, reports = asked(population(50))
    with pytest.raises(InvalidInput, match="method of fuse_mean must be one of"):
        sv.fuse_mean(mechanisms, reports, method="best")
    with pytest.raises(InvalidInput, match="inner of fuse_distribution must be one of"):
        sv.fuse_distribution(mechanisms, reports, inner="norm-sub")
    with pytest.raises(InvalidInput, match="option speed of adaptive"):
        sv.fuse_distribution(mechanisms, reports, speed=1)
    with pytest.raises((Mismatch, InvalidInput)):
        sv.fuse_mean(mechanisms[::-1], reports)
    with pytest.raises(SottovoceError):
        sv.fuse_mean([], [])
    colours = sv.mechanism("grr", sv.Categories(["red", "blue"]), 1.0)
    told = [colours.randomize(["red"] * 9, source=sv.Seeded(1))] * 2
    with pytest.raises(Unfit, match="a mean needs numbers"):
        sv.fuse_mean([colours] * 2, told)
    assert sv.fuse_distribution([colours] * 2, told).shares.sum() == pytest.approx(1.0)
    with pytest.raises(InvalidInput, match="without an order"):
        sv.fuse_distribution([colours] * 2, told, inner="ems")


def test_a_single_value():
    one = sv.Interval(0, 1, bins=1)
    mechanisms, reports = asked(np.full(5, 0.5), (("sw", 1.0), ("pm", 1.0)), domain=one)
    assert sv.fuse_distribution(mechanisms, reports).shares.tolist() == [1.0]
