"""Fusion against the formulas of the paper, written out in dense numpy, user by user.

Nothing here uses the library's own way to a result: likelihoods are products of rows of a dense
matrix, unbiased numbers and variances are those of the textbook, posteriors are sums over all values.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv

EPSILONS = {"sr": 0.7, "laplace": 1.1, "pm": 0.9, "sw": 1.3}
DOMAIN = sv.Interval(-1, 1, bins=32)


class Dense:
    """Users with a report to each service: everything written out."""

    def __init__(self, mechanisms, reports):
        self.values = mechanisms[0].domain.midpoints
        self.tables = [m.channel().dense() for m in mechanisms]
        self.cells = [cells_one_by_one(m, r) for m, r in zip(mechanisms, reports, strict=True)]
        self.numbers = [
            straight_numbers(table, self.values)[cells]
            for table, cells in zip(self.tables, self.cells, strict=True)
        ]
        self.variances = [
            table.T @ straight_numbers(table, self.values) ** 2 - self.values**2
            for table in self.tables
        ]
        self.likelihood = np.ones((len(reports[0]), len(self.values)))
        for table, cells in zip(self.tables, self.cells, strict=True):
            self.likelihood *= table[cells]

    def ua(self):
        return float(np.mean(self.numbers))

    def uwa(self):
        """Algorithms 1 and 2, with the sum in line 4 over services."""
        total = 0.0
        for i, row in enumerate(self.likelihood):
            posterior = row / row.sum()
            spread = np.array([posterior @ variance for variance in self.variances])
            weights = (1 / spread) / (1 / spread).sum()
            total += weights @ [numbers[i] for numbers in self.numbers]
        return total / len(self.likelihood)

    def population(self, shares):
        """Weights by the mean variance under given shares."""
        weights = 1 / np.array([shares @ variance for variance in self.variances])
        return float(weights @ np.mean(self.numbers, axis=1) / weights.sum())

    def ule(self, tolerance):
        """Algorithm 3, with the denominator of equation 15 over values."""
        shares, before = np.full(len(self.values), 1 / len(self.values)), -math.inf
        now, passes = np.log(self.likelihood @ shares).sum(), 0
        while now - before > tolerance:
            posterior = self.likelihood * shares
            posterior /= posterior.sum(axis=1, keepdims=True)
            shares = posterior.mean(axis=0)
            before, now, passes = now, np.log(self.likelihood @ shares).sum(), passes + 1
        return shares, passes


def cells_one_by_one(mechanism, reports):
    """The cell of each report, by counting it alone."""
    return np.array(
        [int(mechanism.count(reports[i : i + 1]).argmax()) for i in range(len(reports))]
    )


def straight_numbers(table, values):
    """Numbers of cells that are right on average: a line through the outputs' places, but for the ends.

    ``table' x`` must be the values.  Of all solutions this is the one of least square under
    equal shares among those that are straight between the ends.
    """
    cells = len(table)
    inner = np.linspace(-1, 1, cells)
    basis = [np.ones(cells), inner]
    if cells > 2:  # the ends of noise that was cut off stand for what is beyond
        basis.append(
            np.where(np.arange(cells) == 0, -1.0, np.where(np.arange(cells) == cells - 1, 1.0, 0.0))
        )
    columns = np.stack(basis, axis=1)
    solution, *_ = np.linalg.lstsq(table.T @ columns, values, rcond=None)
    return columns @ solution


@pytest.fixture(scope="module")
def survey():
    values = 2 * np.random.default_rng(25).beta(2, 5, 300) - 1
    mechanisms = [sv.mechanism(name, DOMAIN, epsilon) for name, epsilon in EPSILONS.items()]
    source = sv.Seeded(7)
    return mechanisms, [m.randomize(values, source=source) for m in mechanisms], values


# -- the oracle is the paper's ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("sr", lambda E, v: ((E + 1) / (E - 1)) ** 2 - v**2),
        (
            "pm",
            lambda E, v: (
                v**2 / (math.sqrt(E) - 1) + (math.sqrt(E) + 3) / (3 * (math.sqrt(E) - 1) ** 2)
            ),
        ),
    ],
)
def test_the_oracles_variances_are_the_textbooks(survey, name, formula):
    dense, place = Dense(*survey[:2]), list(EPSILONS).index(name)
    expected = formula(math.exp(EPSILONS[name]), dense.values)
    np.testing.assert_allclose(dense.variances[place], expected, rtol=2e-3)


def test_the_oracle_undoes_the_square_wave_as_the_paper_does(survey):
    """``(x - q/2 - q b)/(2 b (p - q))`` on [0, 1], then to [-1, 1]: the variance is four times that."""
    dense, place, epsilon = Dense(*survey[:2]), list(EPSILONS).index("sw"), EPSILONS["sw"]
    E = math.exp(epsilon)
    b = (epsilon * E - E + 1) / (2 * E * (E - 1 - epsilon))
    q = 1 / (2 * b * E + 1)
    p = q * E
    cells = len(dense.tables[place])
    middles = -b + (np.arange(cells) + 0.5) * (1 + 2 * b) / cells
    undone = 2 * (middles - q / 2 - q * b) / (2 * b * (p - q)) - 1
    ours = straight_numbers(dense.tables[place], dense.values)
    np.testing.assert_allclose(ours, undone, atol=4e-3 * np.ptp(undone))
    v = (dense.values + 1) / 2
    spread = (
        q * (b**3 - (b + v) ** 3 - (b - v) ** 3 + (b + 1) ** 3) / 3
        - (q + 2 * b * q + 4 * b * p * v - 4 * b * q * v) ** 2 / 4
        + 2 * b * p * (b**2 + 3 * v**2) / 3
    )
    expected = 4 * spread / (2 * b * (p - q)) ** 2
    np.testing.assert_allclose(dense.variances[place], expected, rtol=5e-3)


def test_cut_off_laplace_noise_varies_less_than_the_textbooks(survey):
    dense, place = Dense(*survey[:2]), list(EPSILONS).index("laplace")
    assert dense.variances[place].max() < 8 / EPSILONS["laplace"] ** 2


# -- and the library agrees with it ------------------------------------------------------------


@pytest.mark.parametrize("names", [["sr", "pm", "sw"], ["sr", "laplace", "pm", "sw"], ["sw", "sw"]])
def test_means(survey, names):
    mechanisms, reports = chosen(survey, names)
    dense = Dense(mechanisms, reports)
    assert math.isclose(fused(mechanisms, reports, "ua"), dense.ua(), abs_tol=1e-5)
    assert math.isclose(fused(mechanisms, reports, "uwa"), dense.uwa(), abs_tol=1e-5)


def test_population_weights_are_those_of_the_users(survey):
    mechanisms, reports, values = survey
    dense = Dense(mechanisms, reports)
    true = np.bincount(DOMAIN.indices(values), minlength=DOMAIN.bins) / len(values)
    ideal = dense.population(true)
    found = sv.fuse_mean(mechanisms, reports)
    weights = np.array(list(found.weights.values()))
    best = 1 / np.array([true @ variance for variance in dense.variances])
    np.testing.assert_allclose(weights, best / best.sum(), atol=0.03)
    assert abs(found.value - ideal) < 0.1 * found.stderr


@pytest.mark.parametrize("names", [["sr", "pm", "sw"], ["laplace", "pm"], ["pm", "pm", "sw", "sr"]])
@pytest.mark.parametrize("tolerance", [0.5, 0.01])
def test_distributions(survey, names, tolerance):
    mechanisms, reports = chosen(survey, names)
    shares, passes = Dense(mechanisms, reports).ule(tolerance)
    found = sv.fuse_distribution(mechanisms, reports, inner="em", tolerance=tolerance)
    assert found.iterations == passes
    np.testing.assert_allclose(found.shares, shares, atol=1e-10)


def chosen(survey, names):
    """Services of these names; one that is named again asked the same people again."""
    mechanisms, reports, values = survey
    places = [list(EPSILONS).index(name) for name in names]
    told = [
        reports[place]
        if name not in names[:k]
        else mechanisms[place].randomize(values, source=sv.Seeded(100 + k))
        for k, (name, place) in enumerate(zip(names, places, strict=True))
    ]
    return [mechanisms[place] for place in places], told


def fused(mechanisms, reports, method):
    return sv.fuse_mean(mechanisms, reports, method=method).value
