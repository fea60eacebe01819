"""Adaptive smoothing: the fit under one prior, the weighing of priors, and what comes of it."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import Unfit
from sottovoce.base.progress import Meter
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.dense import DenseChannel
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.smooth.adaptive import adaptive
from sottovoce.estimators.smooth.coarsening import cell_edges, coarse_problem, expand
from sottovoce.estimators.smooth.map_fit import Problem
from sottovoce.estimators.smooth.posterior import Posterior
from sottovoce.estimators.smooth.prior_search import PriorSearch
from sottovoce.estimators.smooth.priors import (
    LINKS,
    ORDERS,
    Smoothness,
    inverse_link,
    link,
    prior_functions,
)

PRIORS = [Smoothness(kind, order, 0.0, 1) for kind in LINKS for order in ORDERS]


def wasserstein(one: Floats, other: Floats) -> float:
    return float(np.abs(np.cumsum(one - other)).mean())


def bell(bins: int, people: int) -> Floats:
    """Counts of a population around 0.6, with a long left tail."""
    middles = (np.arange(bins) + 0.5) / bins
    density = middles**4 * (1 - middles)
    return np.rint(people * density / density.sum()).astype(np.int64)


def spiky(bins: int, people: int) -> Floats:
    """Counts of a population half of which holds three values."""
    counts = np.full(bins, people // (2 * bins))
    counts[[bins // 5, bins // 2, bins - 3]] += np.array([people // 4, people // 8, people // 8])
    return counts


def small_problem(ring: bool = False) -> Problem:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=24), 1.5, output_bins=30, wrap=ring)
    tally = mechanism.simulate(bell(24, 5_000), source=sv.Seeded(5))
    near = np.full(24, 1 / 24)
    return coarse_problem(mechanism.channel(), tally.cells.astype(float), np.arange(25), near)


# -- links and priors ---------------------------------------------------------------


@pytest.mark.parametrize("kind", LINKS)
def test_links_are_positive_rising_and_inverted(kind: str) -> None:
    values = np.linspace(-1.5, 4.0, 50)
    heights, slopes = link(kind, values)
    step = 1e-6
    numeric = (link(kind, values + step)[0] - link(kind, values - step)[0]) / (2 * step)
    assert np.allclose(slopes, numeric, rtol=1e-6)
    assert link(kind, np.zeros(1))[0] == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(inverse_link(kind, heights), values, atol=1e-8)
    extreme = link(kind, np.array([-1e6, 1e6]))
    assert np.all(np.isfinite(extreme)) and np.all(extreme[0] >= 0)


def test_prior_of_order_one_is_brownian_motion() -> None:
    """Increments of the walk have the variance roughness^2 times their length, anywhere."""
    places = (np.arange(512) + 0.5) / 512
    prior = Smoothness("log", 1, 0.0, 0)
    functions, deviations = prior_functions(prior, places, ring=False)
    scaled = functions * deviations
    for begin, end in ((0, 128), (100, 140), (250, 500)):
        variance = np.sum((scaled[end] - scaled[begin]) ** 2)
        assert variance == pytest.approx((end - begin) / 512, rel=0.05)


def test_prior_on_a_ring_does_not_know_where_it_begins() -> None:
    places = (np.arange(96) + 0.5) / 96
    for order in ORDERS:
        functions, deviations = prior_functions(Smoothness("log", order, 0.0, 0), places, ring=True)
        covariance = (functions * deviations) @ (functions * deviations).T
        turned = np.roll(covariance, (7, 7), axis=(0, 1))
        # the last function of a pair may lack its partner
        assert np.allclose(covariance, turned, atol=2 * 2 * deviations[-1] ** 2)


# -- the fit under one prior --------------------------------------------------------


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_gradient_is_the_derivative_of_the_objective(prior: Smoothness) -> None:
    problem = small_problem()
    functions = problem.functions(prior)
    z = np.random.default_rng(3).normal(size=functions.shape[1]) / 4
    gradient = problem.gradient(prior, functions, z)
    for i in range(0, len(z), 5):
        step = np.zeros(len(z))
        step[i] = 1e-5
        up, down = (problem.objective(prior, functions, z + s) for s in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_fit_is_the_optimum_that_a_general_optimiser_finds(prior: Smoothness) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    problem = small_problem()
    functions = problem.functions(prior)
    fit = problem.solve(prior, np.full(24, 1 / 24), enough=1e-10)
    found = optimize.minimize(
        lambda z: problem.objective(prior, functions, z), np.zeros(functions.shape[1]),
        jac=lambda z: problem.gradient(prior, functions, z), method="BFGS",
        options={"gtol": 1e-6, "maxiter": 5_000},
    )  # fmt: skip
    assert problem.objective(prior, functions, fit.z) <= found.fun + 1e-6
    heights, _ = link(prior.link, functions @ found.x)
    assert np.allclose(fit.shares, heights / heights.sum(), atol=1e-5)


def test_evidence_is_the_integral_over_the_prior() -> None:
    """Against brute force: the likelihood summed over a fine grid of z, three cells, two waves."""
    matrix = np.array([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.1, 0.3, 0.6]])
    counts = np.array([1150.0, 1000.0, 850.0])
    places = (np.arange(3) + 0.5) / 3
    problem = Problem(matrix, counts, np.full(3, 1 / 3), places, places)
    axis = np.linspace(-5, 5, 1001)
    grid = np.stack([np.zeros(1001**2), *(g.ravel() for g in np.meshgrid(axis, axis))], axis=1)
    prior_weight = -(grid**2).sum(axis=1) / 2
    found, brute = [], []
    for prior in (Smoothness("log", 1, 0.0, -3), Smoothness("log", 1, 0.0, 1)):
        heights = np.exp(grid @ problem.functions(prior).T)
        expected = (heights / heights.sum(axis=1, keepdims=True)) @ matrix.T
        logs = np.log(expected) @ counts + prior_weight
        brute.append(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        fit = problem.solve(prior, np.full(3, 1 / 3), enough=1e-8)
        found.append(fit.log_marginal - prior.log_odds)
    assert found[0] - found[1] == pytest.approx(brute[0] - brute[1], abs=0.05)
    assert abs(brute[0] - brute[1]) > 0.5, "priors that could not be told apart"


def test_error_bars_are_the_inverse_of_the_curvature() -> None:
    """J H^-1 J' by differences of the fit: shares move with z as the covariance says."""
    problem = small_problem()
    prior = Smoothness("log", 2, 0.0, 1)
    fit = problem.solve(prior, np.full(24, 1 / 24), enough=1e-10)
    functions = problem.functions(prior)
    step = 1e-5

    def shares(z: Floats) -> Floats:
        heights = np.exp(functions @ z)
        return heights / heights.sum()

    units = np.eye(len(fit.z)) * step
    slopes = np.stack([(shares(fit.z + u) - shares(fit.z - u)) / (2 * step) for u in units], axis=1)
    raw = fit.shares[:, None] * functions
    expected = problem.matrix @ fit.shares
    curvature = (raw.T @ problem.matrix.T) @ np.diag(problem.counts.sum() / expected)
    curvature = curvature @ problem.matrix @ raw + np.eye(len(fit.z))
    covariance = slopes @ np.linalg.inv(curvature) @ slopes.T
    assert np.allclose(problem.covariance(fit), covariance, atol=1e-7)
    assert np.all(np.diag(problem.covariance(fit, 1.0)) > np.diag(covariance))


# -- resolution -----------------------------------------------------------------------


def test_cells_are_narrow_where_people_are() -> None:
    channel = sv.mechanism("sw", sv.Interval(0, 1, bins=4096), 1.0).channel()
    shares = np.full(4096, 0.5 / 4096)
    shares[1000] += 0.5
    edges = cell_edges(channel, shares)
    assert edges[0] == 0 and edges[-1] == 4096 and np.all(np.diff(edges) > 0)
    assert 1000 in edges and 1001 in edges
    assert np.diff(edges).max() <= 2 * 4096 / 256 + 1


def test_spread_keeps_totals_and_sign() -> None:
    rng = np.random.default_rng(2)
    edges = np.concatenate([[0], np.cumsum(rng.integers(1, 9, size=40))])
    cells = rng.dirichlet(np.full(40, 0.3))
    cells[5:8] = 0
    shares = expand(cells / cells.sum(), edges)
    assert np.all(shares >= 0)
    assert np.allclose(np.add.reduceat(shares, edges[:-1]), cells / cells.sum(), atol=1e-12)


def test_grouped_reports_tell_nearly_the_same() -> None:
    """A wave's cells may be counted together, those of a shuffled channel may not."""
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=64), 1.0, output_bins=2048)
    channel = mechanism.channel()
    counts = mechanism.simulate(bell(64, 50_000), source=sv.Seeded(1)).cells.astype(float)
    edges, near = np.arange(65), np.full(64, 1 / 64)
    assert len(coarse_problem(channel, counts, edges, near).counts) < 2048
    order = np.random.default_rng(0).permutation(2048)
    shuffled = DenseChannel(channel.dense()[order])
    assert len(coarse_problem(shuffled, counts[order], edges, near).counts) == 2048


# -- the method -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 40])
@pytest.mark.parametrize("people", [1, 7, 20_000])
@pytest.mark.parametrize("where", ["one value", "everywhere"])
def test_always_a_distribution_with_finite_errors(size: int, people: int, where: str) -> None:
    counts = np.zeros(size, dtype=np.int64)
    if where == "one value":
        counts[size // 2] = people
    else:
        counts += people // size
        counts[0] += people - counts.sum()
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=size), 2.0)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(9)), "adaptive")
    assert np.all(estimate.shares >= 0) and estimate.shares.sum() == pytest.approx(1, abs=1e-9)
    assert np.all(np.isfinite(estimate.stderr)) and np.all(estimate.stderr > 0)
    for about in (estimate, estimate.for_population()):
        assert np.isfinite(about.mean().stderr) and about.mean().stderr > 0
    if people == 20_000:
        assert wasserstein(estimate.shares, counts / people) < 0.05


def test_one_cell_holds_all_reports() -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=32), 1.0)
    cells = np.zeros(mechanism.cells, dtype=np.int64)
    cells[17] = 1_000
    tally = sv.Tally(mechanism, 1_000, cells)
    fit = adaptive(Observed(tally))
    assert np.all(np.isfinite(fit.shares)) and fit.shares.sum() == pytest.approx(1)


def test_single_value_has_share_one() -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=1), 1.0)
    estimate = sv.estimate(mechanism.simulate([50], source=sv.Seeded(1)), "adaptive")
    assert estimate.shares.tolist() == [1.0]


def test_same_tally_same_answer() -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=50), 1.0)
    tally = mechanism.simulate(bell(50, 30_000), source=sv.Seeded(2))
    first, second = (sv.estimate(tally, "adaptive") for _ in range(2))
    assert np.array_equal(first.shares, second.shares) and first.why == second.why
    assert "best: " in first.why


@pytest.mark.parametrize("counts", [bell(40, 50_000), spiky(40, 50_000)], ids=["bell", "spiky"])
def test_the_axis_may_be_read_backwards(counts: Floats) -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=40), 1.0)
    channel = mechanism.channel()

    class Backwards(Channel):
        inputs, cells = channel.inputs, channel.cells

        def forward(self, shares: Floats) -> Floats:
            return channel.forward(shares[::-1])[::-1]

        def adjoint(self, values: Floats) -> Floats:
            return channel.adjoint(values[::-1])[::-1]

    tally = mechanism.simulate(counts, source=sv.Seeded(3))
    forwards, backwards = Observed(tally), Observed(tally)
    backwards.__dict__["channel"] = Backwards()
    backwards.__dict__["cells"] = forwards.cells[::-1].copy()
    assert np.allclose(adaptive(forwards).shares, adaptive(backwards).shares[::-1], atol=1e-6)


def test_a_ring_may_begin_anywhere() -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 24, bins=48), 2.0, wrap=True)
    hours = np.arange(48)
    counts = np.rint(2_000 * (1 + 0.8 * np.cos(2 * np.pi * (hours - 46) / 48))).astype(np.int64)
    fits = []
    for shift in (0, 20):
        cells = mechanism.channel().forward(np.roll(counts, shift).astype(float))
        tally = sv.Tally(mechanism, int(np.rint(cells).sum()), np.rint(cells).astype(np.int64))
        fits.append(np.roll(adaptive(Observed(tally)).shares, -shift))
    assert wasserstein(fits[0], fits[1]) < 1e-3
    assert wasserstein(fits[0], counts / counts.sum()) < 2e-3


@pytest.mark.parametrize("name", ["grr", "olh", "hr", "pm"])
def test_any_ordered_channel_of_one_block(name: str) -> None:
    counts = bell(32, 200_000)
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=32), 2.0)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(4)), "adaptive")
    assert wasserstein(estimate.shares, counts / counts.sum()) < 0.01


def test_refused_without_order_or_exact_likelihood() -> None:
    for mechanism in (
        sv.mechanism("grr", sv.Categories(8), 1.0),
        sv.mechanism("oue", sv.Interval(0, 1, bins=8), 1.0),
    ):
        tally = mechanism.simulate([10] * 8, source=sv.Seeded(1))
        with pytest.raises(Unfit, match="adaptive"):
            sv.estimate(tally, "adaptive")


def test_progress_is_told() -> None:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=20), 1.0)
    told: list[tuple[str, float]] = []
    tally = mechanism.simulate(bell(20, 5_000), source=sv.Seeded(2))
    fit = adaptive(Observed(tally), progress=lambda text, part: told.append((text, part)))
    assert isinstance(fit.error_model, Posterior)
    search = fit.error_model.search
    expected = f"adaptive: {len(search.tried)} priors, log marginal {search.best.log_marginal:.6g}"
    assert told[-1] == (expected, 1.0)


# -- how good it is -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "most"), [(bell(40, 50_000), 0.9), (spiky(40, 50_000), 0.6)], ids=["bell", "spiky"]
)
def test_nearer_to_the_truth_than_ems(counts: Floats, most: float) -> None:
    """Mean distance against EMS's on the same tallies; one much too smooth prior would fail.

    The intervals of cumulative shares hold the truth about as often as they say.
    """
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=40), 1.0, output_bins=40)
    truth = counts / counts.sum()
    cumulative = np.cumsum(truth)
    edges, near = np.arange(41), np.full(40, 1 / 40)
    rows, held = [], []
    for seed in range(10):
        tally = mechanism.simulate(counts, source=sv.Seeded(seed))
        problem = coarse_problem(mechanism.channel(), tally.cells.astype(float), edges, near)
        wrong = PriorSearch(problem, Meter(None, "test", "priors", "log marginal", 1)).try_one(
            Smoothness("log", 1, 0.0, -2), near
        )
        found, smoothed = (sv.estimate(tally, method) for method in ("adaptive", "ems"))
        tried = (found.shares, smoothed.shares, wrong.shares)
        rows.append([wasserstein(shares, truth) for shares in tried])
        answers = [found.cdf((k + 1) / 40) for k in range(4, 36, 4)]
        missed = np.abs([a.value for a in answers] - cumulative[4:36:4])
        held.append(missed <= 1.96 * np.array([a.stderr for a in answers]))
    adapted, smooth, much_too_smooth = np.mean(rows, axis=0)
    assert adapted < most * smooth
    assert much_too_smooth > most * smooth
    assert np.mean(held) >= 0.8
