"""Laplace and Gaussian: exact privacy by brute force, small tables, channel, mean and channel."""

from __future__ import annotations

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import integrate, stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.channels.base import Channel
from sottovoce.channels.dense import DenseChannel
from sottovoce.channels.noise import CensoredNoiseChannel
from sottovoce.core.registry import mechanism_from_json
from sottovoce.mechanisms import _gaussian_privacy as privacy
from sottovoce.mechanisms._noise_on_grid import FIXED_POINT, NoiseTable
from sottovoce.privacy.audit import audit_black_box
from support.documents import integer_weights, read_again, with_weights


def laplace(bins, epsilon, **options):
    return sv.mechanism("laplace", sv.Interval(0, 1, bins=bins), epsilon, **options)


def gaussian(bins, epsilon, **options):
    return sv.mechanism("gaussian", sv.Interval(0, 1, bins=bins), epsilon, **options)


def rows_of(mechanism):
    """The integer weights of every cell for every bin, straight from the definition."""
    noise, size = mechanism.noise, mechanism.noise_size
    weights = [noise.tail, *noise.heights[:0:-1], *noise.heights, noise.tail]
    cells, reach = mechanism.grid.bins + 2 * mechanism.cells_beyond, mechanism.cells_beyond
    rows = [[0] * cells for _ in range(mechanism.grid.bins)]
    for x, row in enumerate(rows):
        for k, weight in zip(range(-size, size + 1), weights, strict=True):
            row[min(max(x + reach + k, 0), cells - 1)] += weight
        assert sum(row) == noise.total
    return rows


def worst_ratio(rows):
    return max(Fraction(max(column), min(column)) for column in zip(*rows, strict=True))


def worst_delta(rows, epsilon):
    E = exp_bounds(epsilon)[0]
    total = sum(rows[0])
    pairs = product(rows, rows)
    return max(sum(max(a - E * b, 0) for a, b in zip(p, q, strict=True)) for p, q in pairs) / total


# -- Laplace: privacy -----------------------------------------------------------------


@pytest.mark.parametrize("bits", [16, 62])
@pytest.mark.parametrize(("bins", "epsilon"), [*product((2, 3, 7, 20), (0.5, 1, 3, 8))])
def test_laplace_certificate_is_the_worst_over_all_pairs(bins, epsilon, bits):
    mechanism = laplace(bins, epsilon, bits=bits)
    found = mechanism.certificate().ratio
    assert found == worst_ratio(rows_of(mechanism))
    assert found <= exp_bounds(epsilon)[0]


@pytest.mark.parametrize(("bins", "epsilon"), [*product((2, 24, 1024), (1e-6, 0.01, 1.0, 5.0, 20))])
def test_laplace_is_tight(bins, epsilon):
    mechanism, E = laplace(bins, epsilon), exp_bounds(epsilon)[0]
    assert 0 <= E - mechanism.certificate().ratio <= E * Fraction(1, 10**9)
    assert 2**62 * (1 - 1e-9) < mechanism.noise.total <= 2**62
    assert min(mechanism.noise.heights) > 2**20


def test_laplace_on_many_bins():
    mechanism = laplace(65536, 20.0)
    assert mechanism.certificate().holds(20.0)
    assert len(mechanism.to_json()) < 400


def test_laplace_where_rounding_takes_more_than_a_step():
    """So small an epsilon with so few bits leaves heights of about 2000: the ratio is raised."""
    mechanism = laplace(300, 0.001, bits=30)
    first = int(2**FIXED_POINT / exp_bounds(0.001, divided_by=299)[1])
    assert mechanism.weights[1] > first
    assert mechanism.certificate().ratio == worst_ratio(rows_of(mechanism))
    assert mechanism.certificate().holds(0.001)


@pytest.mark.parametrize(
    "chosen",
    [laplace(6, 2.0, bits=16), laplace(3, 0.5, bits=16), gaussian(5, 1.5, delta=0.05, bits=16)],
    ids=str,
)
def test_every_draw_of_a_small_table(chosen, scripted):
    total, bins = chosen.noise.total, chosen.grid.bins
    assert total & (total - 1)  # no power of two: a word modulo the total is the draw
    words, rows = np.arange(total, dtype=np.uint64), rows_of(chosen)
    for index in range(bins):
        (cells,) = chosen.respond_many(np.full(total, index), scripted(words))
        counted = np.bincount(cells, minlength=chosen.cells)
        assert counted.tolist() == rows[index]
        for word in range(0, total, 499):
            assert chosen.respond(index, scripted([word])) == (cells[word],)
    dense = chosen.channel().dense()
    np.testing.assert_allclose(dense.T, np.array(rows) / total, rtol=1e-14)


def test_heights_are_geometric_and_gaussian():
    k = np.arange(23)
    found = np.array(laplace(24, 2.0).noise.heights, dtype=float)
    np.testing.assert_allclose(found / found[0], np.exp(-2 * k / 23), rtol=1e-12)
    mechanism = gaussian(24, 2.0, delta=1e-3)
    found = np.array(mechanism.noise.heights, dtype=float)
    k = np.arange(len(found))
    np.testing.assert_allclose(
        found / found[0], np.exp(-(k**2) / 2 / mechanism.sigma**2), rtol=1e-9
    )
    beyond = mechanism.noise.tail / mechanism.noise.total
    normal = stats.norm.sf((len(found) - 0.5) / mechanism.sigma)
    assert abs(beyond / normal - 1) < 1e-3


def test_what_laplace_cuts_off_tells_nothing():
    """The information on shares is that of noise that is not censored."""
    bins, epsilon, far = 12, 2.0, 300
    ratio = np.exp(-epsilon / (bins - 1))
    heights = (1 - ratio) / (1 + ratio) * ratio ** np.arange(bins + far - 1)
    tail = heights[-1] * ratio / (1 - ratio)
    wide = CensoredNoiseChannel(bins, far, heights, tail).dense()
    narrow = laplace(bins, epsilon).channel().dense()
    shares = np.random.default_rng(1).dirichlet(np.ones(bins))

    def information(dense):
        return dense.T @ (dense / (dense @ shares)[:, None])

    np.testing.assert_allclose(information(narrow), information(wide), rtol=1e-9)


# -- Gaussian: privacy ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "separation"), [(0.1, 0.5), (1.0, 0.27), (1.0, 2.0), (5.0, 3.0)]
)
def test_formula_of_delta_is_the_integral(epsilon, separation):
    def excess(z):
        return max(0.0, stats.norm.pdf(z) - np.exp(epsilon) * stats.norm.pdf(z, separation))

    edge = separation / 2 - epsilon / separation
    wanted = integrate.quad(excess, -12, edge, epsabs=0, limit=200)[0]
    np.testing.assert_allclose(privacy.delta_of_normal(epsilon, separation), wanted, rtol=1e-7)


def test_scale_is_the_smallest():
    assert f"{privacy.normal_scale(1.0, 1e-5):.5f}" == "3.73063"
    for epsilon, delta in product((1e-6, 0.1, 1, 20), (1e-12, 1e-5, 0.3)):
        scale = privacy.normal_scale(epsilon, delta)
        assert privacy.delta_of_normal(epsilon, 1 / scale) <= delta
        smaller = privacy.delta_of_normal(epsilon, 1 / (scale * (1 - 1e-6)))
        assert smaller > delta or delta < 1e-11  # there floats cancel


@pytest.mark.parametrize(
    ("bins", "epsilon", "delta", "reach", "bits"),
    [
        (2, 1.0, 0.1, 5, 62), (3, 1.0, 0.1, None, 62), (6, 1.0, 0.01, 45, 62),
        (9, 0.5, 1e-3, 120, 62), (5, 3.0, 1e-5, 12, 62), (12, 20.0, 0.1, 3, 62),
        (16, 1.0, 1e-3, 220, 62), (7, 8.0, 0.01, 0, 62), (5, 1.5, 0.05, None, 16),
    ],
)  # fmt: skip
def test_gaussian_delta_is_the_worst_over_all_pairs(bins, epsilon, delta, reach, bits):
    mechanism = gaussian(bins, epsilon, delta=delta, reach=reach, bits=bits)
    exact, told = worst_delta(rows_of(mechanism), epsilon), mechanism.certificate().delta
    assert exact <= told <= delta
    units = 1 + mechanism.noise_size * (4 + 2 * (1 + Fraction(np.exp(epsilon))))
    assert told - exact <= units / mechanism.noise.total


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_gaussian_uses_the_delta_it_was_given(epsilon):
    """With a reach beyond the last cell that exceeds epsilon."""
    sigma = privacy.normal_scale(epsilon, 1e-4) * 63
    mechanism = gaussian(64, epsilon, delta=1e-4, reach=int(6 * sigma))
    assert 0.999e-4 < mechanism.certificate().delta <= 1e-4
    assert abs(mechanism.sigma / sigma - 1) < 1e-4


@pytest.mark.parametrize(("bins", "epsilon"), [*product((1, 2, 24, 300), (1e-6, 0.1, 1.0, 20.0))])
def test_gaussian_over_the_range_of_epsilon(bins, epsilon):
    for delta in (1e-12, 1e-6, 0.3):
        mechanism = gaussian(bins, epsilon, delta=delta)
        assert mechanism.certificate().delta <= delta
        assert mechanism.certificate().holds(epsilon)
        assert mechanism.channel().dense().min() > 0
        assert mechanism_from_json(mechanism.to_json()) == mechanism


def test_weights_that_break_delta_are_refused():
    document = gaussian(16, 2.0, delta=1e-4).document()
    for change in ({"epsilon": "0.5"}, {"options": {**document["options"], "delta": "0.00000001"}}):
        changed = {**document, **change}
        changed["options"] = {**changed["options"], "reach": 200}
        with pytest.raises(InvalidInput, match="no ratio exceeds e.* but with delta"):
            mechanism_from_json(json.dumps(changed))


def test_a_tail_that_is_too_heavy_is_refused():
    """Thresholds are then no longer the best tests, and the bound of delta would not hold."""
    document = gaussian(16, 2.0, delta=1e-4).document()
    weights = integer_weights(document)
    weights["tail"] *= 50
    with pytest.raises(InvalidInput, match="no ratio exceeds e.* but with delta"):
        read_again(with_weights(document, weights))
    table = NoiseTable.make(1000, 2 ** (FIXED_POINT - 1), 2**FIXED_POINT, 300, 2)
    assert privacy.falls_steadily(table)  # 1000, 500, and a tail of 250 + 125 + ... at most
    assert not privacy.falls_steadily(NoiseTable(table.guarded, table.last_ratio, 501))


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_weights_from_outside(name):
    document = sv.mechanism(name, sv.Interval(0, 1, bins=8), 1.0).document()
    for weight, value in (("center", 0), ("ratio", 2**129), ("tail", 0), ("center", 2**63)):
        wrong = with_weights(document, {**integer_weights(document), weight: value})
        with pytest.raises(InvalidInput, match=f"weights of {name} must be"):
            read_again(wrong)


# -- audits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [laplace(4, 1.0), gaussian(4, 1.0, delta=1e-3)], ids=str)
def test_audit_passes(chosen):
    found = sv.audit(chosen, trials=30_000)
    assert found.passed
    assert found.lower_bound < 1.0


def test_audit_finds_half_the_noise():
    leaky = laplace(4, 2.0)

    def sample(index, count):
        return leaky.randomize_indices(np.full(count, index), sv.Seeded(index))

    found = audit_black_box(
        sample, range(4), 1.0, outcomes=leaky.cells, trials=30_000,
        read=lambda reports: reports.columns["cell"],
    )  # fmt: skip
    assert not found.passed


# -- channel -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chosen",
    [
        laplace(2, 1.0), laplace(3, 20.0), laplace(257, 0.1), laplace(500, 20.0),
        gaussian(2, 1.0), gaussian(100, 20.0, delta=0.3), gaussian(130, 1.0, delta=1e-5),
    ],
    ids=str,
)  # fmt: skip
def test_transform_is_the_matrix(chosen):
    channel, rng = chosen.channel(), np.random.default_rng(1)
    dense = channel.dense()
    w, r = rng.dirichlet(np.ones(channel.inputs)), rng.normal(size=channel.cells)
    np.testing.assert_allclose(channel.forward(w), dense @ w, rtol=0, atol=1e-12)
    np.testing.assert_allclose(channel.adjoint(r), dense.T @ r, rtol=0, atol=1e-12)
    np.testing.assert_allclose(dense.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("chosen", [laplace(500, 20.0), gaussian(100, 20.0, delta=0.3)], ids=str)
def test_expectation_maximisation_where_cells_are_very_unlikely(chosen):
    """All weight in one bin: the cells opposite are e^-20 as likely as near ones."""
    channel = chosen.channel()
    matrix = DenseChannel(channel.dense())
    cells = np.random.default_rng(1).integers(0, 50, channel.cells).astype(float)
    shares = np.eye(channel.inputs)[0]
    ratio, likelihood = channel.em_step(shares, cells)
    wanted, exact = Channel.em_step(matrix, shares, cells)
    assert np.isclose(likelihood, exact, rtol=1e-8)
    np.testing.assert_allclose(ratio, wanted, rtol=1e-4)
    assert ratio.min() > 0


# -- the mean -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
@pytest.mark.parametrize(("bins", "epsilon"), [*product((2, 5, 64, 1024), (0.1, 1.0, 5.0, 20.0))])
def test_gains_of_the_mean(name, bins, epsilon):
    mechanism = sv.mechanism(name, sv.Interval(-3, 7, bins=bins), epsilon)
    channel, z = mechanism.channel(), mechanism.domain.midpoints
    cell_weights = channel.cell_weights(z)
    biases = np.abs(channel.adjoint(cell_weights.values) - z)
    seen = channel.forward(np.full(bins, 1 / bins))
    error = np.sqrt(seen @ (cell_weights.values - 2) ** 2 / 1e10)
    assert (
        biases.max() <= cell_weights.bias_bound + 1e-9 <= error + 1e-9
    )  # seen only by 10^10 reports
    squares = channel.cell_weights(z**2)
    if name == "gaussian" and bins > 2:
        assert squares is None  # only geometric noise is undone by a formula
    else:
        assert np.abs(channel.adjoint(squares.values) - z**2).max() <= squares.bias_bound <= 1e-4
    np.testing.assert_allclose(channel.cell_weights(np.full(bins, 3.0)).values, 3.0)


def test_an_end_of_laplace_stands_for_what_was_cut_off():
    mechanism = laplace(32, 1.0)
    values = mechanism.channel().cell_weights(np.arange(32.0)).values
    beyond = 1 / np.expm1(1 / 31)  # r / (1 - r)
    np.testing.assert_allclose(values[-1], 31 + beyond, rtol=1e-5)
    np.testing.assert_allclose(values[1:-1], np.arange(1, 31), atol=1e-3)


def test_variance_of_the_mean_is_near_that_of_uncensored_noise():
    """Laplace gains from censoring; Gaussian keeps its sigma^2."""
    for mechanism, wanted in (
        (laplace(256, 0.5), 2 * (255 / 0.5) ** 2),
        (gaussian(256, 2.0), None),
    ):
        channel = mechanism.channel()
        values = channel.cell_weights(np.arange(256.0)).values
        seen = channel.forward(np.eye(256)[128])
        variance = seen @ values**2 - (seen @ values) ** 2
        if wanted is None:
            assert abs(variance / mechanism.sigma**2 - 1) < 0.02
        else:
            assert 0.4 < variance / wanted < 1


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_mean_and_distribution_of_people(name):
    interval = sv.Interval(0, 1, bins=64)
    mechanism = sv.mechanism(name, interval, 4.0)
    values = np.random.default_rng(1).beta(5, 2, 200_000)
    tally = mechanism.tally(mechanism.randomize(values, source=sv.Seeded(2)))
    mean = sv.estimate(tally, goal="mean").mean()
    assert mean.stderr < 0.004
    assert abs(mean.value - values.mean()) < 5 * mean.stderr
    truth = np.bincount(interval.indices(values), minlength=64) / len(values)
    shares = sv.estimate(tally, "ems").shares
    distance = np.abs(np.cumsum(shares - truth)).sum() / 64
    assert distance < {"laplace": 0.02, "gaussian": 0.06}[name]
    assert np.abs(np.cumsum(1 / 64 - truth)).sum() / 64 > 0.2


# -- input -----------------------------------------------------------------------------------------


def test_bad_input():
    interval = sv.Interval(0, 1, bins=8)
    for name in ("laplace", "gaussian"):
        with pytest.raises(InvalidInput, match="domain of .* must be an Interval"):
            sv.mechanism(name, sv.Categories(4), 1.0)
        mechanism = sv.mechanism(name, interval, 1.0)
        for value in (1.5, float("nan"), -0.1):
            with pytest.raises(InvalidInput, match="must be a number from 0 to 1"):
                mechanism.randomize(value)
        with pytest.raises(InvalidInput, match="of at most 65536 bins"):
            sv.mechanism(name, sv.Interval(0, 1, bins=2**17), 1.0)
        with pytest.raises(InvalidInput, match="bits of"):
            sv.mechanism(name, sv.Interval(0, 1, bins=5000), 1.0, bits=8)
    for delta in (0, 1.0, 1e-13, "much", None, float("nan")):
        with pytest.raises(InvalidInput, match="delta of gaussian must be a number from 1e-12"):
            gaussian(8, 1.0, delta=delta)
    with pytest.raises(InvalidInput, match="reach of gaussian must be"):
        gaussian(8, 1.0, reach=-1)
    with pytest.raises(InvalidInput, match="noise beyond it has some weight"):
        gaussian(8, 1.0, reach=2000)
    with pytest.raises(InvalidInput, match="delta of gaussian must be larger for 16 bits"):
        gaussian(8, 1.0, delta=1e-4, bits=16)
    with pytest.raises(InvalidInput, match="epsilon of laplace must be larger for 16 bits"):
        laplace(24, 0.01, bits=16)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_a_single_bin_tells_nothing(name):
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=1), 1.0)
    tally = mechanism.tally(mechanism.randomize([0.1, 0.9]))
    assert tally.cells.tolist() == [2]
    assert mechanism.certificate().ratio == 1
    assert mechanism.certificate().delta == 0
    assert sv.estimate(tally).shares.tolist() == [1.0]


def test_json_is_small_and_carries_delta_as_text():
    document = gaussian(1024, 1.0, delta=1e-5).document()
    assert document["options"]["delta"] == "0.00001"
    assert len(json.dumps(document)) < 500
    assert gaussian(16, 1.0, delta="0.001") == gaussian(16, 1.0, delta=1e-3)


def test_the_formula_in_doubles_is_covered_by_its_margin():
    """Against 60 digits: where epsilon is small the two terms nearly cancel, but their errors do not."""
    rng, uncovered = np.random.default_rng(1), 0
    for epsilon, z in zip(10 ** rng.uniform(-6, 1, 400), rng.uniform(0.05, 8, 400), strict=True):
        separation = float(epsilon / z)
        with localcontext() as context:
            context.prec = 60
            E, m = Decimal(float(epsilon)), Decimal(separation)
            if not 0 <= E / m - m / 2 <= E / m + m / 2 <= 9:
                continue
            true = privacy.normal_tail(E / m - m / 2) - E.exp() * privacy.normal_tail(E / m + m / 2)
            above = privacy._delta_of_normal(
                float(epsilon), separation * (1 + privacy._SLACK), privacy._SLACK
            )
            assert Decimal(above) >= true
            uncovered += (
                Decimal(privacy.delta_of_normal(float(epsilon), separation) * (1 + 1e-9)) < true
            )
    assert uncovered > 0  # a margin relative to delta would not do


def test_a_vector_whose_bins_cannot_be_told_apart():
    """Quantiles that are equal in doubles are still some distance apart."""
    weights = {"center": 1, "ratio": 1, "change": 1, "tail": 2**60}
    domain = sv.Vector(sv.Interval(0, 1, bins=2), 2)
    mechanism = sv.Gaussian(domain, 1e-6, delta=1e-6, reach=0, weights=weights)
    assert 0 < mechanism.certificate().delta < 1e-17
