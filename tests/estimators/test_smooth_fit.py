"""The parts of ``adaptive``: the likelihood as a parabola, the fit under one prior, atoms, covariances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.progress import Meter
from sottovoce.channels.base import Floats
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.smooth.adaptive import posterior
from sottovoce.estimators.smooth.atoms import promising_atoms
from sottovoce.estimators.smooth.coarsening import coarse_readings
from sottovoce.estimators.smooth.information import Readings
from sottovoce.estimators.smooth.map_fit import Problem
from sottovoce.estimators.smooth.prior_search import PriorSearch
from sottovoce.estimators.smooth.priors import (
    LINKS,
    ORDERS,
    Axis,
    Smoothness,
    inverse_link,
    link,
    log_density_of_atoms,
    prior_deviations,
    prior_functions,
)

PRIORS = [Smoothness(kind, order, 0.0, 1) for kind in LINKS for order in ORDERS]
NONE = np.zeros(0, dtype=np.int64)


def bell(bins: int) -> Floats:
    """A distribution around 0.6, with a long left tail."""
    middles = (np.arange(bins) + 0.5) / bins
    density = middles**4 * (1 - middles)
    return density / density.sum()


def small_problem(atoms: tuple[int, ...] = (), scatter: int = 0) -> Problem:
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=24), 1.5, output_bins=30)
    counts = np.random.default_rng(4).multinomial(5_000, bell(24))
    tally = mechanism.simulate(counts, source=sv.Seeded(5))
    readings = coarse_readings(mechanism.channel(), tally.cells.astype(float), np.arange(25))
    near = 0.7 * bell(24) + 0.3 / 24
    return Problem(readings.around(near), Axis(np.full(24, 1 / 24), near), np.array(atoms, int))


# -- the parabola --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sw", "grr", "oue"])
def test_the_parabola_has_the_derivatives_of_the_likelihood(name: str) -> None:
    """Slope and curvature against differences of the log-likelihood written out.

    Bits are taken as normal: mean n x, and the covariance that bits of people drawn from w have.
    """
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=6), 1.0)
    channel = mechanism.channel()
    counts = np.array([900, 1500, 2500, 3000, 1500, 600])
    tally = mechanism.simulate(counts, source=sv.Seeded(5)).cells.astype(float)
    readings, near = coarse_readings(channel, tally, np.arange(7)), np.full(6, 1 / 6)
    n, matrix = 10_000, readings.matrix
    parabola = readings.around(near)

    def log_likelihood(w: Floats) -> float:
        x = matrix @ w
        if not readings.bits:
            return float(readings.counts @ np.log(x))
        at = matrix @ near
        noise = np.diag(at - matrix**2 @ near) + matrix @ np.diag(near) @ matrix.T
        covariance = n * (noise - np.outer(at, at))
        off = readings.counts - n * x
        return float(-off @ np.linalg.solve(covariance, off) / 2)

    away = np.eye(6)[1:] - np.eye(6)[:-1]  # moves that keep the sum
    step = 1e-4
    for one in away:
        ahead, back = log_likelihood(near + step * one), log_likelihood(near - step * one)
        assert one @ parabola.slope == pytest.approx((ahead - back) / (2 * step), rel=1e-3, abs=2)
        if readings.bits:
            bend = -(ahead - 2 * log_likelihood(near) + back) / step**2
        else:  # expected curvature: at the expected counts
            bend = n * float(np.sum((matrix @ one) ** 2 / (matrix @ near)))
        assert one @ parabola.bend @ one == pytest.approx(bend, rel=1e-3)


def test_scatter_is_integrated_out() -> None:
    """Against the normal integral written out with the inverse covariance of the scatter."""
    random = np.random.default_rng(1)
    matrix = random.dirichlet(np.full(9, 2.0), size=5).T
    near = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    counts = 1_000 * (matrix @ random.dirichlet(np.full(5, 9.0)))
    parabola = Readings(matrix, counts, 1_000.0).around(near)
    moves = 0.3 * (np.diag(near) - np.outer(near, near))
    smooth, followed = parabola.scattered(moves)
    basis = np.linalg.svd(np.ones((1, 5)))[2][1:].T  # moves that keep the sum
    variance = basis.T @ moves @ moves.T @ basis
    w = np.array([0.15, 0.15, 0.3, 0.2, 0.2])
    pull = basis.T @ parabola.pull(w)
    precision = np.linalg.inv(variance) + basis.T @ parabola.bend @ basis
    gain = pull @ np.linalg.solve(precision, pull) / 2
    logdet = np.linalg.slogdet(precision @ variance)[1]
    expected = parabola.height(w, parabola.pull(w)) + gain - logdet / 2
    assert smooth.height(w, smooth.pull(w)) == pytest.approx(expected, rel=1e-9)
    assert np.allclose(followed, basis @ np.linalg.inv(precision) @ basis.T)


# -- links and priors ---------------------------------------------------------------


@pytest.mark.parametrize("ring", [False, True])
def test_scatter_moves_people_between_near_cells_only(ring: bool) -> None:
    shares = np.random.default_rng(2).dirichlet(np.full(20, 3.0))
    axis = Axis(np.full(20, 0.05), shares, ring)
    assert np.allclose(axis.moves.sum(axis=0), 0.0, atol=1e-15)
    assert np.allclose(np.diag(axis.moves), axis.level)
    near = [0, 1, 2, 3, 4, 5, 6, 18, 19] if ring else [0, 1, 2, 3, 4, 5, 6]
    assert np.flatnonzero(axis.moves[:, 2]).tolist() == near


@pytest.mark.parametrize("kind", LINKS)
def test_links_are_positive_rising_and_inverted(kind: str) -> None:
    values = np.linspace(-1.5, 4.0, 50)
    heights, slopes, bends = link(kind, values)
    step = 1e-5
    above, below = link(kind, values + step), link(kind, values - step)
    assert np.allclose(slopes, (above[0] - below[0]) / (2 * step), rtol=1e-6)
    assert np.allclose(bends, (above[1] - below[1]) / (2 * step), rtol=1e-5, atol=1e-8)
    assert link(kind, np.zeros(1))[0] == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(inverse_link(kind, heights), values, atol=1e-8)
    extreme = link(kind, np.array([-1e6, 1e6]))
    assert np.all(np.isfinite(extreme)) and np.all(extreme[0] >= 0)


def test_prior_of_order_one_is_brownian_motion() -> None:
    """Increments of the walk have the variance roughness^2 times their length, anywhere."""
    places = (np.arange(512) + 0.5) / 512
    deviations = prior_deviations(Smoothness("log", 1, 0.0, 0), 512, ring=False)
    scaled = prior_functions(1, places, ring=False) * deviations
    for begin, end in ((0, 128), (100, 140), (250, 500)):
        variance = np.sum((scaled[end] - scaled[begin]) ** 2)
        assert variance == pytest.approx((end - begin) / 512, rel=0.05)


def test_prior_on_a_ring_does_not_know_where_it_begins() -> None:
    places = (np.arange(96) + 0.5) / 96
    for order in ORDERS:
        deviations = prior_deviations(Smoothness("log", order, 0.0, 0), 96, ring=True)
        scaled = prior_functions(order, places, ring=True) * deviations
        covariance = scaled @ scaled.T
        turned = np.roll(covariance, (7, 7), axis=(0, 1))
        # the last function of a pair may lack its partner
        assert np.allclose(covariance, turned, atol=2 * 2 * deviations[-1] ** 2)


def test_sizes_of_atoms_are_exponential_with_an_unknown_mean() -> None:
    """Against the integral over the rate: exponential with mean 1/0.1, of two atoms."""
    rates = np.linspace(0, 400, 400_001)
    density = 0.1 * np.exp(-0.1 * rates) * rates**2 * np.exp(-0.3 * rates)
    integral = np.sum(density) * (rates[1] - rates[0])
    assert log_density_of_atoms(2, 0.3) == pytest.approx(np.log(integral), rel=1e-4)


# -- the fit under one prior --------------------------------------------------------


@pytest.mark.parametrize("scatter", [0, 3])
@pytest.mark.parametrize("atoms", [(), (4, 15)])
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_gradient_is_the_derivative_of_the_objective(
    prior: Smoothness, atoms: tuple[int, ...], scatter: int
) -> None:
    problem, prior = small_problem(atoms), replace(prior, scatter=scatter)
    functions = problem.functions(prior)
    z = np.random.default_rng(3).normal(size=functions.shape[1]) / 4
    z = np.concatenate([z, np.full(len(atoms), 0.03)])
    gradient = problem.gradient(prior, functions, z)
    for i in [*range(0, len(z), 5), *range(functions.shape[1], len(z))]:
        step = np.zeros(len(z))
        step[i] = 1e-5
        up, down = (problem.objective(prior, functions, z + s) for s in (step, -step))
        assert gradient[i] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("atoms", [(), (4,)])
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_fit_is_the_optimum_that_a_general_optimiser_finds(
    prior: Smoothness, atoms: tuple[int, ...]
) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    problem = small_problem(atoms)
    functions = problem.functions(prior)
    fit = problem.solve(prior, np.full(24, 1 / 24), enough=1e-9)
    start = np.concatenate([np.zeros(functions.shape[1]), np.full(len(atoms), 0.02)])
    found = optimize.minimize(
        lambda z: problem.objective(prior, functions, z), start,
        jac=lambda z: problem.gradient(prior, functions, z), method="L-BFGS-B",
        bounds=[(None, None)] * functions.shape[1] + [(1e-4, 0.5)] * len(atoms),
        options={"gtol": 1e-7, "ftol": 1e-14, "maxiter": 5_000, "maxfun": 100_000},
    )  # fmt: skip
    used = len(fit.z) - len(atoms)
    z = np.zeros(len(start))
    z[:used], z[functions.shape[1] :] = fit.z[:used], fit.z[used:]
    assert problem.objective(prior, functions, z) <= found.fun + 0.1, "but for faint functions"


def test_evidence_is_the_integral_over_the_prior() -> None:
    """Against brute force: the likelihood summed over a fine grid of z, three cells, two waves."""
    matrix = np.array([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.1, 0.3, 0.6]])
    counts = np.array([1060.0, 1000.0, 940.0])
    near = np.array([0.36, 0.33, 0.31])
    problem = Problem(
        Readings(matrix, counts, 3_000.0).around(near), Axis(np.full(3, 1 / 3), near), NONE
    )
    axis = np.linspace(-5, 5, 1001)
    grid = np.stack([g.ravel() for g in np.meshgrid(axis, axis)], axis=1)
    prior_weight = -(grid**2).sum(axis=1) / 2
    found, brute = [], []
    for prior in (Smoothness("log", 1, 0.0, -3), Smoothness("log", 1, 0.0, 1)):
        heights = np.exp(grid @ problem.functions(prior).T)
        expected = (heights / heights.sum(axis=1, keepdims=True)) @ matrix.T
        logs = np.log(expected) @ counts + prior_weight
        brute.append(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
        fit = problem.solve(prior, np.full(3, 1 / 3), enough=1e-8)
        found.append(fit.log_marginal - prior.log_odds)
    assert found[0] - found[1] == pytest.approx(brute[0] - brute[1], abs=0.1)
    assert abs(brute[0] - brute[1]) > 0.5, "priors that could not be told apart"


# -- atoms -----------------------------------------------------------------------------


def test_the_evidence_of_an_atom_is_as_promised() -> None:
    """One elimination step against a fit with the atom; nothing is promised where there is none."""
    shares = 0.9 * bell(24)
    shares[3] += 0.1
    mechanism = sv.mechanism("grr", sv.Interval(0, 1, bins=24), 2.0)
    prior, near = Smoothness("log", 2, 0.0, 1), np.full(24, 1 / 24)
    for truth, atoms in ((shares, [3]), (bell(24), [])):
        counts = np.rint(40_000 * truth).astype(np.int64)
        cells = mechanism.simulate(counts, source=sv.Seeded(1)).cells.astype(float)
        readings = coarse_readings(mechanism.channel(), cells, np.arange(25))
        problem = Problem(readings.around(truth), Axis(np.full(24, 1 / 24), near), NONE)
        plain = problem.solve(prior, near)
        assert promising_atoms(problem, plain).tolist() == atoms
        if atoms:
            with_atom = problem.with_atoms(np.array(atoms)).solve(prior, near)
            assert with_atom.log_marginal > plain.log_marginal + 20
            assert with_atom.z[-1] == pytest.approx(0.1, abs=0.01)


# -- covariances ------------------------------------------------------------------------


def test_covariance_is_that_of_the_posterior() -> None:
    """J H^-1 J' by differences of the fit, also with scatter: the precisions of both added."""
    problem, prior = small_problem(), Smoothness("log", 1, 0.0, 1)
    fit = problem.solve(prior, np.full(24, 1 / 24), enough=1e-9)
    functions, step = problem.functions(prior), 1e-5
    z = np.append(fit.z, np.zeros(functions.shape[1] - len(fit.z)))

    def shares(z: Floats) -> Floats:
        heights = np.exp(functions @ z)
        return heights / heights.sum()

    units = np.eye(len(z)) * step
    slopes = np.stack([(shares(z + u) - shares(z - u)) / (2 * step) for u in units], axis=1)
    bend = problem.parabola.bend
    covariance = slopes @ np.linalg.inv(slopes.T @ bend @ slopes + np.eye(len(z))) @ slopes.T
    assert np.allclose(problem.covariance(fit), covariance, atol=1e-8)
    assert np.all(np.diag(problem.covariance(fit, 1.0)) > np.diag(covariance))

    scattered = problem.solve(replace(prior, scatter=0.4), fit.smooth, enough=1e-9)
    away = np.linalg.svd(np.ones((1, 24)))[2][1:].T
    heights = scattered.smooth[:, None] * functions
    moved = heights - np.outer(scattered.smooth, heights.sum(axis=0))
    own = 0.4 * problem.axis.moves
    prior_of_shares = away.T @ (moved @ moved.T + own @ own.T) @ away
    both = np.linalg.inv(np.linalg.inv(prior_of_shares) + away.T @ bend @ away)
    assert np.allclose(problem.covariance(scattered), away @ both @ away.T, atol=1e-8)


@pytest.mark.parametrize(("name", "epsilon"), [("sw", 1.0), ("oue", 3.0)])
def test_errors_are_as_large_as_they_say(name: str, epsilon: float) -> None:
    """Mean squared errors over 40 surveys against the variances, about people and population."""
    mechanism, truth = sv.mechanism(name, sv.Interval(0, 1, bins=32), epsilon), bell(32)
    random = np.random.default_rng(8)
    weights = np.stack([np.arange(32) < 16, np.arange(32) / 32, (np.arange(32) // 4) == 5]) * 1.0
    squares: dict[str, list[Floats]] = {"population": [], "respondents": []}
    for seed in range(40):
        counts = random.multinomial(20_000, truth)
        found = posterior(Observed.of(mechanism.simulate(counts, source=sv.Seeded(seed))))
        for about, right in (("population", truth), ("respondents", counts / 20_000)):
            errors = [found.stderr_of(w, about) for w in weights]
            squares[about].append((weights @ (found.shares - right) / errors) ** 2)
    for about, some in squares.items():
        # 40 squares of a standard normal have a mean from 0.4 to 2.1, but for 1 in 10^5
        assert np.all(np.mean(some, axis=0) < 2.1), about
        assert np.all(np.mean(some, axis=0) > 0.25), about


def test_a_search_prefers_a_rough_prior_where_data_are_rough() -> None:
    mechanism = sv.mechanism("grr", sv.Interval(0, 1, bins=40), 3.0)
    rough = np.where(np.arange(40) % 7 < 3, 3.0, 1.0)
    best = []
    for shares in (bell(40), rough / rough.sum()):
        cells = mechanism.channel().forward(shares) * 100_000
        readings = coarse_readings(mechanism.channel(), cells, np.arange(41))
        problem = Problem(readings.around(shares), Axis(np.full(40, 1 / 40), shares), NONE)
        search = PriorSearch(problem, Meter(None, "test", "priors", "log marginal", 1))
        search.climb(Smoothness("log", 2, 0.0, 1), shares)
        best.append(search.best.smoothness.level)
    assert best[1] > best[0] + 1
