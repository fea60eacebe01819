"""Consistency methods: their laws as properties, and independent oracles for each formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.estimators.catalogue import METHODS
from sottovoce.estimators.consistency.power import power, power_exponent
from sottovoce.estimators.consistency.projections import (
    base_cut,
    maximum_likelihood_approximation,
    norm,
    norm_cut,
    norm_hyb,
    norm_mul,
    norm_sub,
    threshold,
)
from sottovoce.estimators.unbiased import UnbiasedShares

STEPS = {m.name: m for m in METHODS if m.step is not None and not m.completed_by}
"""Those on shares; filters have tests of their own."""
SUM_TO_ONE = ("norm", "norm-mul", "norm-sub", "norm-hyb", "mle-apx", "power-ns")
NEVER_NEGATIVE = (
    "base-pos", "base-cut", "norm-mul", "norm-sub", "norm-cut", "norm-hyb", "mle-apx", "power",
    "power-ns",
)  # fmt: skip


def raw_of(shares, n=10_000, epsilon=1.0, name="oue"):
    shares = np.asarray(shares, dtype=float)
    return UnbiasedShares(
        shares, n, sv.mechanism(name, sv.Categories(len(shares)), epsilon).channel()
    )


def noisy(seed, size=300, n=20_000, epsilon=1.0, name="oue", zipf=1.2):
    weights = 1.0 / np.arange(1, size + 1) ** zipf
    counts = np.floor(n * weights / weights.sum()).astype(int)
    mechanism = sv.mechanism(name, sv.Categories(size), epsilon)
    tally = mechanism.simulate(counts, source=sv.Seeded(seed))
    return UnbiasedShares(sv.estimate(tally, "unbiased").shares, tally.n, mechanism.channel())


SHARES = st.lists(st.floats(-0.5, 1.5, width=32), min_size=2, max_size=40)


# -- laws, on anything --------------------------------------------------------------


@pytest.mark.parametrize("name", SUM_TO_ONE)
@given(SHARES)
def test_sums_to_one(name, shares):
    assert abs(STEPS[name].apply(raw_of(shares), {}).sum() - 1) < 1e-12 * len(shares)


@pytest.mark.parametrize("name", NEVER_NEGATIVE)
@given(SHARES)
def test_never_negative(name, shares):
    assert STEPS[name].apply(raw_of(shares), {}).min() >= 0


@pytest.mark.parametrize("name", STEPS)
@given(SHARES)
def test_keeps_the_order(name, shares):
    before = np.asarray(shares)
    after = STEPS[name].apply(raw_of(shares), {})
    order = np.argsort(before, kind="stable")
    assert np.all(np.diff(after[order]) >= -1e-12)
    ties = np.diff(before[order]) == 0
    np.testing.assert_allclose(np.diff(after[order])[ties], 0, atol=1e-12)


@pytest.mark.parametrize("name", STEPS)
@given(SHARES, st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_values(name, shares, shuffler):
    order = list(range(len(shares)))
    shuffler.shuffle(order)
    straight = STEPS[name].apply(raw_of(shares), {})
    mixed = STEPS[name].apply(raw_of(np.asarray(shares)[order]), {})
    np.testing.assert_allclose(mixed, straight[order], atol=1e-9)


@given(SHARES)
def test_a_distribution_stays(shares):
    """What is consistent already is left alone by projections."""
    proper = np.abs(np.asarray(shares)) + 0.01
    proper /= proper.sum()
    for method in (norm, norm_mul, norm_sub):
        np.testing.assert_allclose(method(raw_of(proper)), proper, atol=1e-12)


# -- independent oracles -------------------------------------------------------------


@given(SHARES)
def test_norm_sub_is_constrained_least_squares(shares):
    """Against a bisection on the multiplier of the KKT conditions."""
    target = np.asarray(shares)
    delta = optimize.brentq(lambda t: np.maximum(target + t, 0).sum() - 1, -3, 3, xtol=1e-15)
    np.testing.assert_allclose(norm_sub(raw_of(shares)), np.maximum(target + delta, 0), atol=1e-9)


def test_norm_sub_is_what_a_solver_finds():
    raw = noisy(1, size=30)
    start = np.full(30, 1 / 30)
    found = optimize.minimize(
        lambda f: ((f - raw.shares) ** 2).sum(), start, jac=lambda f: 2 * (f - raw.shares),
        bounds=[(0, 1)] * 30, constraints={"type": "eq", "fun": lambda f: f.sum() - 1},
        method="SLSQP", options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    np.testing.assert_allclose(norm_sub(raw), found.x, atol=1e-7)


def test_mle_apx_solves_its_objective_where_nothing_is_cut():
    """On D1 the authors' formula is the stationary point of the normal likelihood (eq. 13)."""
    raw = noisy(2, size=12, n=400_000, zipf=0.7)
    p, q = raw.support_probabilities.p, raw.support_probabilities.q
    x = q + (p - q) * raw.shares

    def objective(f):
        return 1e4 * ((x - q - (p - q) * f) ** 2 / (q * (1 - q) + (p - q) * (1 - p - q) * f)).sum()

    found = optimize.minimize(
        objective, np.full(12, 1 / 12), bounds=[(0, 1)] * 12,
        constraints={"type": "eq", "fun": lambda f: f.sum() - 1},
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 2000},
    )  # fmt: skip
    ours = maximum_likelihood_approximation(raw)
    assert ours.min() > 0
    np.testing.assert_allclose(ours, found.x, atol=2e-5)
    assert objective(ours) <= objective(norm_sub(raw)) + 1e-12


def test_mle_apx_is_near_the_solution_where_values_are_cut():
    """Taking out negatives one round at a time is the authors' approximation: its cost is small."""
    raw = noisy(9, size=12, n=3000, zipf=1.5)
    p, q = raw.support_probabilities.p, raw.support_probabilities.q
    x = q + (p - q) * raw.shares

    def objective(f):
        return ((x - q - (p - q) * f) ** 2 / (q * (1 - q) + (p - q) * (1 - p - q) * f)).sum()

    ours = maximum_likelihood_approximation(raw)
    assert np.count_nonzero(ours == 0) >= 2
    found = optimize.minimize(
        lambda f: 1e4 * objective(f), norm_sub(raw), bounds=[(0, 1)] * 12,
        constraints={"type": "eq", "fun": lambda f: f.sum() - 1},
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 2000},
    )  # fmt: skip
    best = objective(found.x) * (1 - 1e-6)  # where the solver stops depends on its linear algebra
    assert best <= objective(ours) <= 1.01 * best


def test_mle_apx_is_near_norm_sub_for_many_respondents():
    raw = noisy(3, size=300, n=1_000_000)
    apart = np.abs(maximum_likelihood_approximation(raw) - norm_sub(raw)).max()
    assert 0 < apart < 0.05 * raw.sigma[0]


def brute_power(raw):
    """Eq. 10 over every count, no cells and no table."""
    counts = np.arange(1.0, raw.n + 1)
    s = power_exponent(raw.n, raw.size)
    spread = raw.n * raw.sigma[0]
    out = []
    for y in raw.shares * raw.n:
        log = -((counts - y) ** 2) / (2 * spread**2) - s * np.log(counts)
        w = np.exp(log - log.max())
        out.append((w @ counts) / w.sum() / raw.n)
    return np.array(out)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_power_is_the_sum_over_all_counts(epsilon):
    raw = noisy(4, size=120, n=30_000, epsilon=epsilon)
    wrong = np.abs(power(raw) - brute_power(raw)) / raw.sigma[0]
    assert wrong[raw.shares < 8 * raw.sigma[0]].max() < 1e-3
    assert wrong.max() < 0.02  # far above the noise: the first term of the expansion


@pytest.mark.parametrize(("n", "size"), [(10_000, 20), (1_000_000, 1024), (50_000, 17_000)])
def test_power_exponent_gives_the_mean_count(n, size):
    s, counts = power_exponent(n, size), np.arange(1.0, n + 1)
    assert (counts ** (1 - s)).sum() / (counts**-s).sum() == pytest.approx(n / size, rel=2e-3)


def test_power_exponent_with_fewer_respondents_than_values():
    assert power_exponent(100, 1000) == 1.01


def test_norm_cut_by_hand():
    assert norm_cut(raw_of([0.5, 0.3, 0.3, -0.1])).tolist() == [0.5, 0, 0, 0]  # ties go together
    assert norm_cut(raw_of([0.5, 0.3, 0.15, 0.2])).tolist() == [0.5, 0.3, 0, 0.2]
    assert norm_cut(raw_of([0.5, 0.2, -0.1])).tolist() == [0.5, 0.2, 0]
    np.testing.assert_allclose(norm_cut(raw_of([1.2, 0.1])), [1, 0])
    np.testing.assert_allclose(norm_cut(raw_of([0.8, 0.8])), [0.5, 0.5])


def test_norm_cut_of_shares_whose_sum_rounds_above_one():
    """17 positive shares that sum to 1 but for the last digit, in whatever order."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        shares = rng.dirichlet(np.ones(17))
        np.testing.assert_array_equal(norm_cut(raw_of(shares)), shares)


def test_norm_hyb_by_hand():
    raw = raw_of([0.6, 0.3, 0.05, 0.02, -0.02], n=100_000, epsilon=3.0)
    kept = norm_hyb(raw, k=2)
    # the rest (0.07 in all) would have to rise to 0.1: everything is projected
    np.testing.assert_allclose(kept, norm_sub(raw))
    raw = raw_of([0.6, 0.3, 0.09, 0.05, -0.02], n=100_000, epsilon=3.0)
    np.testing.assert_allclose(norm_hyb(raw, k=2), [0.6, 0.3, 0.07, 0.03, 0], atol=1e-12)
    # the kept alone exceed 1: as many as stay below it
    raw = raw_of([0.7, 0.6, 0.3, 0.2], n=100_000, epsilon=3.0)
    np.testing.assert_allclose(norm_hyb(raw, k=3), [0.7, 0.3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(norm_hyb(raw, k=0), norm_sub(raw))


def test_norm_mul_without_a_positive_share():
    np.testing.assert_allclose(norm_mul(raw_of([-0.1, -0.2])), norm_sub(raw_of([-0.1, -0.2])))


def test_threshold_and_base_cut():
    raw = noisy(5, size=1000)
    t = threshold(raw, 2.0)[0]
    assert t == pytest.approx(2.8782 * raw.sigma[0], rel=1e-4)  # Phi^-1(0.998)
    assert threshold(raw, 0.05)[0] > t
    assert threshold(raw, 600)[0] == threshold(raw, 5000)[0] == 0.0
    cut = base_cut(raw)
    assert np.all((cut == 0) == (raw.shares < t))
    assert base_cut(raw_of([0.5, -0.1])).tolist() == [0.5, 0]
    for wrong in (0, -1, float("nan"), "two"):
        with pytest.raises(InvalidInput, match="alpha of threshold must be a positive number"):
            base_cut(raw, alpha=wrong)


def test_about_two_values_pass_the_threshold_by_chance():
    """Nobody holds 999 of 1000 values: about 2 pass, as alpha says (Poisson, 200 surveys)."""
    mechanism = sv.mechanism("oue", sv.Categories(1000), 1.0)
    counts, source = np.eye(1000, dtype=int)[0] * 50_000, sv.Seeded(6)
    passed = [
        int(
            (
                sv.estimate(mechanism.simulate(counts, source=source), "base-cut").shares[1:] > 0
            ).sum()
        )
        for _ in range(200)
    ]
    assert abs(np.mean(passed) - 2.0) < 5.5 * np.sqrt(2.0 / 200)


@pytest.mark.parametrize("name", ["grr", "ss"])
def test_norm_does_nothing_where_shares_sum_to_one(name):
    raw = noisy(7, size=40, name=name)
    np.testing.assert_allclose(norm(raw), raw.shares, atol=1e-12)


@pytest.mark.slow
def test_variance_of_norm():
    """(d - 1)/d of the unbiased variance: ten values, 20,000 surveys, five standard deviations."""
    mechanism, source = sv.mechanism("oue", sv.Categories(10), 1.0), sv.Seeded(8)
    counts = np.full(10, 100)
    base, normed = [], []
    for _ in range(20_000):
        raw = UnbiasedShares(
            sv.estimate(mechanism.simulate(counts, source=source), "unbiased").shares, 1000,
            mechanism.channel(),
        )  # fmt: skip
        base.append(raw.shares)
        normed.append(norm(raw))
    ratio = np.var(normed, axis=0).mean() / np.var(base, axis=0).mean()
    assert abs(ratio - 0.9) < 0.008


# -- through estimate() --------------------------------------------------------------


def tally_of(size=300, name="oue", seed=1):
    counts = np.floor(20_000 / np.arange(1, size + 1) ** 1.2).astype(int)
    mechanism = sv.mechanism(name, sv.Categories(size), 1.0)
    return mechanism.simulate(counts, source=sv.Seeded(seed))


def test_chaining():
    tally = tally_of()
    chained = sv.estimate(tally, "power", then="norm-sub")
    np.testing.assert_allclose(chained.shares, sv.estimate(tally, "power-ns").shares)
    assert chained.method == "power + norm-sub"
    twice = sv.estimate(tally, "norm", then=["base-pos", "norm-sub"])
    assert twice.method == "norm + base-pos + norm-sub"
    with pytest.raises(Unfit, match="unbiased cannot follow another method; what can: base-pos"):
        sv.estimate(tally, "norm", then="unbiased")


def test_options_reach_the_method():
    tally = tally_of()
    few = sv.estimate(tally, "norm-hyb", k=3)
    unbiased = sv.estimate(tally, "unbiased")
    top = np.argsort(-unbiased.shares)[:3]
    np.testing.assert_array_equal(few.shares[top], unbiased.shares[top])
    with pytest.raises(InvalidInput, match="option k of norm-sub must be left out; got 3"):
        sv.estimate(tally, "norm-sub", k=3)
    with pytest.raises(
        InvalidInput, match="option beta of norm-hyb must be one of alpha, k; got 1"
    ):
        sv.estimate(tally, "norm-hyb", beta=1)


def test_post_pos_clips_answers_not_shares():
    tally = tally_of()
    plain, clipped = sv.estimate(tally, "unbiased"), sv.estimate(tally, "post-pos")
    np.testing.assert_array_equal(plain.shares, clipped.shares)
    lowest = int(np.argmin(plain.shares))
    assert plain.share(lowest).value < 0 == clipped.share(lowest).value
    assert clipped.total(range(100)).value == pytest.approx(plain.total(range(100)).value)
    assert min(clipped.frame()["share"]) == 0.0
    np.testing.assert_array_equal(plain.stderr, clipped.stderr)


@pytest.mark.parametrize(
    ("goal", "size", "method"),
    [
        ("distribution", 300, "exchangeable"), ("subset", 300, "exchangeable"),
        ("distribution", 17, "exchangeable"), ("subset", 17, "exchangeable"),
        ("top", 300, "exchangeable"), ("top", 17, "exchangeable"),
        ("mean", 300, "unbiased"), ("range", 17, "unbiased"),
    ],
)  # fmt: skip
def test_auto_by_goal(goal, size, method):
    e = sv.estimate(tally_of(size), goal=goal)
    assert e.method == method
    assert e.why


def test_an_unknown_goal():
    with pytest.raises(
        InvalidInput, match="goal of estimate must be one of distribution, mean, range"
    ):
        sv.estimate(tally_of(), goal="world peace")


def test_methods_shows_guideline_and_rule():
    frame = sv.methods(sv.mechanism("oue", sv.Categories(300), 1.0))
    rows = {row["method"]: row for row in frame}
    assert rows["base-cut"]["guideline"] == "single values"
    assert "number unknown" in rows["norm"]["guideline"]
    assert rows["norm-hyb"]["guideline"].startswith("sets of values")
    assert rows["exchangeable"]["rule"] == "distribution, subset, top"
    assert rows["norm"]["rule"] == ""


ON_SHARES = ["unbiased", *STEPS]


@pytest.mark.parametrize("name", ON_SHARES)
def test_forty_thousand_values(name):
    """d = 42,178: every method runs (its speed is measured in the benchmarks)."""
    size = 42_178
    mechanism = sv.mechanism("oue", sv.Categories(size), 1.0)
    counts = np.floor(300_000 / np.arange(1, size + 1)).astype(int)
    e = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1)), name)
    assert np.isfinite(e.shares).all()
