"""Square wave, piecewise mechanism, general waves and stochastic rounding against the papers' formulas."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.exact import exp_bounds
from sottovoce.mechanisms.square_wave import half_width, half_width_on_ring

NAMES = ("sw", "sw-discrete", "pm", "wave", "sr")


def make(name, bins, epsilon, **options):
    return sv.mechanism(name, sv.Interval(0, 1, bins=bins), epsilon, **options)


def weights_by_position(mechanism):
    """Every weight from its definition, outputs by positions, in plain loops."""
    width, low, unit = mechanism.weights
    cap, outputs = mechanism._cap(width), mechanism.outputs
    table = np.full((outputs, mechanism.positions), low, dtype=np.int64)
    for x in range(mechanism.positions):
        for z in range(width):
            y = (x + z - width // 2) % outputs if mechanism.on_ring else x + z
            table[y, x] += unit * min(z + 1, width - z, cap)
    return table


def dense_by_hand(mechanism):
    """Cells by bins: sums over the outputs of a cell, means over the positions of a bin."""
    outputs, cells = mechanism.outputs, mechanism.cells
    cell = np.arange(outputs) * cells // outputs
    table = weights_by_position(mechanism) / mechanism.total
    by_cell = np.stack([table[cell == c].sum(axis=0) for c in range(cells)])
    return by_cell.reshape(cells, mechanism.domain.size, -1).mean(axis=2)


# -- privacy ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "epsilon", "bins"),
    [*product(NAMES, (1e-6, 0.01, 0.5, 1.0, 2.0, 5.0, 20.0), (2, 16, 1000))],
)
def test_certificate_is_at_most_e_epsilon_and_tight(name, epsilon, bins):
    ratio = make(name, bins, epsilon).certificate().ratio
    low, _ = exp_bounds(epsilon)
    assert ratio <= low
    assert low - ratio <= low * Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sw", {"steps": 4, "output_bins": 7}),
        ("sw", {"steps": 4, "wrap": True}),
        ("sw", {"steps": 1, "b": 0.1}),
        ("pm", {"steps": 3, "output_bins": 11}),
        ("wave", {"steps": 4, "ratio": 0.3, "output_bins": 9}),
        ("wave", {"steps": 3, "ratio": 0.0, "output_bins": 9}),
        ("sr", {"steps": 5}),
    ],
)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_all_words_of_a_16_bit_table_give_exactly_its_counts(name, options, epsilon, scripted):
    """A draw is a word modulo the total: the words below it are every draw, once."""
    mechanism = make(name, 6, epsilon, bits=16, **options)
    words = np.arange(mechanism.total, dtype=np.uint64)
    counts = np.stack(
        [
            np.bincount(
                mechanism.respond_many(np.full(len(words), x), scripted(words))[0],
                minlength=mechanism.fields[0].size,
            )
            for x in range(mechanism.positions)
        ],
        axis=1,
    )
    if name == "sr":
        base, unit = mechanism.weights
        high = base + unit * np.arange(mechanism.positions)
        np.testing.assert_array_equal(counts, [mechanism.total - high, high])
    else:
        np.testing.assert_array_equal(counts, weights_by_position(mechanism))
    assert mechanism.total > 65536 - 2 * mechanism.positions - mechanism.fields[0].size
    ratios = [Fraction(int(row.max()), int(row.min())) for row in counts]
    assert max(ratios) == mechanism.certificate().ratio


@pytest.mark.parametrize("name", ["sw", "pm"])
def test_no_report_excludes_an_input_where_floats_exclude_many(name, scripted):
    """For every one of 1e6 reports and any candidate a word exists that gives it; floats lack one."""
    mechanism, rng = make(name, 256, 1.0), np.random.default_rng(1)
    reports = mechanism.randomize(rng.random(1_000_000), source=sv.Seeded(1)).columns["output"]
    candidates = rng.integers(0, mechanism.positions, len(reports))
    width, low, unit = mechanism.weights
    words = np.uint64(unit * width) + reports.astype(np.uint64) * np.uint64(low)
    (again,) = mechanism.respond_many(candidates, scripted(words))
    np.testing.assert_array_equal(again, reports)
    assert naive_exclusions(name, rng) > 0.25


def naive_exclusions(name, rng, epsilon=1.0, size=200_000):
    """How many float reports rule out one of nine candidates whose window they lie in.

    Each report is looked for among all that the same code could have made of the candidate.
    """
    window = square_window if name == "sw" else piecewise_window
    left, length = window(0.3, epsilon)
    reports = left + length * (rng.integers(0, 2**53, size) * 2.0**-53)
    excluded = np.zeros(size, dtype=bool)
    for candidate in np.linspace(0.1, 0.9, 9):
        left, length = window(candidate, epsilon)
        inside = (reports >= left) & (reports <= left + length)
        around = np.round((reports - left) / length * 2.0**53)[:, None] + np.arange(-4, 5)
        found = np.any(left + length * (around * 2.0**-53) == reports[:, None], axis=1)
        excluded |= inside & ~found
    return float(excluded.mean())


def square_window(value, epsilon):
    b = half_width(epsilon)
    return value - b, 2 * b


def piecewise_window(value, epsilon):
    s, v = np.exp(epsilon / 2), 2 * value - 1
    return (s * v - 1) / (s - 1), 2 / (s - 1)


@pytest.mark.parametrize("name", NAMES)
def test_audit(name):
    found = sv.audit(make(name, 16, 1.0), trials=1_000_000, alpha=1e-7)
    assert found.passed, str(found)
    assert (0.75 if name == "wave" else 0.9) < found.lower_bound <= 1.0, str(found)


def test_audit_on_a_ring():
    found = sv.audit(make("sw", 16, 2.0, wrap=True), trials=300_000, alpha=1e-7)
    assert found.passed
    assert 1.9 < found.lower_bound <= 2.0


# -- the papers' formulas ---------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.49, 0.51, 1.0, 2.0, 5.0])
def test_b_maximises_the_information_bound(epsilon):
    E = np.exp(epsilon)

    def bound(b):
        return np.log((2 * b + 1) / (2 * b * E + 1)) + 2 * b * epsilon * E / (2 * b * E + 1)

    best = half_width(epsilon)
    if epsilon > 0.05:  # below, the bound is flatter than floats tell
        found = optimize.minimize_scalar(
            lambda b: -bound(b), bounds=(1e-6, 1), method="bounded", options={"xatol": 1e-9}
        )
        assert abs(found.x - best) < 1e-5
        assert bound(best) > bound(best * 1.02)
        assert bound(best) > bound(best * 0.98)
    else:
        assert abs(best - (0.5 - epsilon / 3)) < 1e-11


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_b_on_a_ring_maximises_the_information(epsilon):
    E = np.exp(epsilon)

    def information(b):
        q = 1 / (1 + 2 * b * (E - 1))
        return 2 * b * E * q * epsilon + np.log(q)

    found = optimize.minimize_scalar(
        lambda b: -information(b), bounds=(1e-6, 0.5), method="bounded", options={"xatol": 1e-9}
    )
    assert abs(found.x - half_width_on_ring(epsilon)) < 1e-5


def test_series_and_formula_of_b_agree_where_both_hold():
    E = np.exp(0.499999)
    formula = (0.499999 * E - E + 1) / (2 * E * (E - 1 - 0.499999))
    assert abs(half_width(0.499999) - formula) < 1e-12
    ring = (0.499999 * E - E + 1) / (2 * (E - 1) ** 2)
    assert abs(half_width_on_ring(0.499999) - ring) < 1e-12


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("ratio", [0.0, 0.4, 1.0])
def test_lemma_1_wasserstein_distance_of_two_outputs(epsilon, ratio):
    """W1 of the outputs of two numbers is their distance times ``1 - (2b + 1) q``."""
    mechanism, b, E = make("wave", 64, epsilon, ratio=ratio), half_width(epsilon), np.exp(epsilon)
    q = 1 / (1 + 2 * b + (E - 1) * b * (1 + ratio))
    width, low, _ = mechanism.weights
    densities = low + np.zeros((2, mechanism.outputs))
    for row, x in zip(densities, (5_000, 47_000), strict=True):
        row[x : x + width] += mechanism._shape.weights
    cdfs = np.cumsum(densities / mechanism.total, axis=1)
    distance = np.abs(cdfs[0] - cdfs[1]).sum()
    expected = 42_000 * (1 - (2 * b + 1) * q)
    assert abs(distance / expected - 1) < 1e-3
    square = 42_000 * (1 - (2 * b + 1) / (2 * b * E + 1))
    assert distance <= square * (1 + 1e-3)  # Theorem 2: the square wave's is the largest


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_discrete_wave_has_the_papers_probabilities(epsilon):
    d, E = 50, np.exp(epsilon)
    mechanism = make("sw-discrete", d, epsilon)
    b = int(np.floor(half_width(epsilon) * d))
    q = 1 / ((2 * b + 1) * E + d - 1)
    dense = mechanism.channel().dense()
    assert dense.shape == (d + 2 * b, d)
    inside = np.abs(np.arange(-b, d + b)[:, None] - np.arange(d)) <= b
    np.testing.assert_allclose(dense, np.where(inside, E * q, q), rtol=1e-12)


def test_discrete_wave_without_width_is_randomized_response():
    wave, response = make("sw-discrete", 10, 5.0), make("grr", 10, 5.0)
    assert wave.width == 1
    np.testing.assert_allclose(wave.channel().dense(), response.channel().dense(), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_fine_grid_is_the_continuous_cell_matrix(epsilon):
    """Input uniform in its bucket, output in its cell: the integral in closed form."""
    d, b, E = 64, half_width(epsilon), np.exp(epsilon)
    q = 1 / (2 * b * E + 1)
    x, y = np.linspace(0, 1, d + 1), np.linspace(-b, 1 + b, 257)
    sw = continuous_cells(x, y, b, E * q, q)
    np.testing.assert_allclose(make("sw", d, epsilon).channel().dense(), sw, atol=5e-3 * sw.max())
    s = np.exp(epsilon / 2)
    C, hi = (s + 1) / (s - 1), s * (s - 1) / (2 * (s + 1))
    x, y = (2 * x - 1) * s / (s - 1), np.linspace(-C, C, 257)
    pm = continuous_cells(x, y, 1 / (s - 1), hi, hi / E)
    found = make("pm", d, epsilon).channel().dense()
    np.testing.assert_allclose(found, pm, atol=5e-3 * pm.max())
    wider = continuous_cells(x, y, 1.02 / (s - 1), hi, hi / E)
    assert np.abs(found - wider).max() > 0.05 * pm.max()


def continuous_cells(x, y, h, hi, lo):
    def r2(z):
        return np.maximum(z, 0) ** 2 / 2

    x0, x1, y0, y1 = x[:-1], x[1:], y[:-1, None], y[1:, None]

    def G(c):
        return r2(c + x1 - y0) - r2(c + x0 - y0) - r2(c + x1 - y1) + r2(c + x0 - y1)

    return lo * (y1 - y0) + (hi - lo) * (G(h) - G(-h)) / (x1 - x0)


def plain_average(mechanism, values):
    """The mean by its gains, in the units of the interval, and the variance of one report."""
    channel = mechanism.channel()
    cell_weights = channel.cell_weights(mechanism.domain.midpoints)
    dense = channel.dense()
    shares = np.bincount(mechanism.domain.indices(values), minlength=mechanism.domain.size)
    seen = dense @ (shares / shares.sum())
    return cell_weights, float(seen @ cell_weights.values), float(seen @ cell_weights.values**2)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("v", [-0.9, 0.0, 0.5])
def test_mean_of_reports_is_right_with_the_papers_variance(epsilon, v):
    E, s, bins = np.exp(epsilon), np.exp(epsilon / 2), 2001
    expected = {
        "sr": ((E + 1) / (E - 1)) ** 2 - v**2,
        "pm": v**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2),
    }
    for name, variance in expected.items():
        mechanism = sv.mechanism(name, sv.Interval(-1, 1, bins=bins), epsilon)
        cell_weights, mean, second = plain_average(mechanism, [v])
        middle = mechanism.domain.midpoints[mechanism.domain.index(v)]
        assert abs(mean - middle) <= cell_weights.bias_bound + 1e-9
        assert cell_weights.bias_bound < 1e-5
        assert abs((second - mean**2) / variance - 1) < 2e-3
    b = half_width(epsilon)
    q = 1 / (2 * b * E + 1)
    p, x = E * q, (v + 1) / 2
    wave = sv.mechanism("sw", sv.Interval(-1, 1, bins=bins), epsilon)
    _, mean, second = plain_average(wave, [v])
    slope = 2 * b * (p - q)  # a report minus q/2 + qb, over this, is right on average
    near = 2 * b * (p - q) * (x**2 + b**2 / 3)
    squares = q * ((1 + b) ** 3 + b**3) / 3 + near
    first = q * ((1 + b) ** 2 - b**2) / 2 + slope * x
    assert abs(mean - v) < 1e-3
    assert abs((second - mean**2) / (4 * (squares - first**2) / slope**2) - 1) < 2e-3


# -- channel and samplers -----------------------------------------------------------------


@given(
    st.sampled_from(["sw", "ring", "pm", "wave"]), st.integers(1, 9), st.integers(1, 6),
    st.integers(2, 40), st.floats(0.01, 8), st.floats(0.01, 0.5), st.floats(0, 1),
)  # fmt: skip
def test_structure_is_the_matrix(kind, bins, steps, cells, epsilon, b, ratio):
    """Pieces and entries against plain loops over positions and outputs, compiled or not."""
    options = {"ring": {"wrap": True, "b": b}, "sw": {"b": b}, "wave": {"b": b, "ratio": ratio}}
    name = {"ring": "sw"}.get(kind, kind)
    if kind == "ring" and bins * steps < 2:
        steps = 2
    base = {"steps": steps, **options.get(kind, {})}
    most = make(name, bins, epsilon, **base).outputs
    mechanism = make(name, bins, epsilon, output_bins=max(min(2, most), min(cells, most)), **base)
    expected, channel = dense_by_hand(mechanism), mechanism.channel()
    np.testing.assert_allclose(channel.dense(), expected, atol=1e-13)
    rng = np.random.default_rng(1)
    w, r = rng.random(bins), rng.normal(size=mechanism.cells)
    segments = channel.segments
    for forward in (segments.forward, segments.forward_plain):
        np.testing.assert_allclose(forward(w), expected @ w, atol=1e-13)
    for adjoint in (segments.adjoint, segments.adjoint_plain):
        np.testing.assert_allclose(adjoint(r), r @ expected, atol=1e-12)
    counts = rng.integers(0, 50, mechanism.cells).astype(float)
    counts[0] += 1
    ratio_found, likelihood = channel.em_step(w, counts)
    np.testing.assert_allclose(ratio_found, (counts / (expected @ w)) @ expected / counts.sum())
    np.testing.assert_allclose(likelihood, counts @ np.log(expected @ w))


def test_ring_is_circulant_and_symmetric():
    channel = make("sw", 24, 1.0, wrap=True).channel()
    kernel = channel.kernel
    assert channel.ring
    assert kernel.argmax() == 0
    np.testing.assert_allclose(kernel[1:], kernel[1:][::-1], atol=1e-15)
    assert make("sw", 24, 1.0).channel().kernel is None
    assert make("sw", 24, 1.0, wrap=True, output_bins=12).channel().kernel is None


def test_values_are_located_on_the_fine_grid_within_their_bin():
    mechanism = make("sw", 7, 1.0, steps=5)
    values = np.linspace(0, 1, 1001)
    positions = mechanism.locate(values)
    np.testing.assert_array_equal(positions // 5, mechanism.domain.indices(values))
    assert (positions[0], positions[-1]) == (0, 34)
    assert np.all(np.diff(positions) >= 0)
    assert np.all(np.abs((positions + 0.5) / 35 - values) <= 0.5 / 35 + 1e-12)


def test_one_value_is_answered_on_the_fine_grid(recording):
    mechanism, source = make("sw", 4, 20.0, steps=100, output_bins=100), recording(sv.Seeded(1))
    report = mechanism.randomize(0.3333, source=source)
    assert abs(int(report.columns["output"][0]) - 133) <= mechanism.width
    assert [len(call) for call in source.calls] == [1]


def test_numbers_far_away_come_out_at_the_ends_of_epsilon():
    for name, epsilon in product(("sw", "pm", "sr", "wave"), (1e-6, 20.0)):
        mechanism = make(name, 64, epsilon)
        tally = mechanism.simulate(np.full(64, 100), source=sv.Seeded(1))
        assert np.isfinite(sv.estimate(tally, "unbiased").mean().stderr)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 9, 2**21, 2**22 - 1])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0])
def test_offsets_are_those_of_the_running_sums(width, ratio):
    """At the first and the last unit of every offset, or of a thousand offsets of a wide shape."""
    mechanism = sv.mechanism("wave", sv.Interval(0, 1, bins=2**10), 20.0, ratio=ratio, steps=2**12)
    mechanism = dataclasses.replace(
        mechanism, output_bins=2, weights={"width": width, "low": 2**15, "unit": 1}
    )
    offsets = np.arange(width)
    heights = np.minimum(np.minimum(offsets + 1, width - offsets), mechanism._cap(width))
    ends = np.cumsum(heights)
    assert ends[-1] == mechanism._units(width)
    some = np.unique(np.linspace(0, width - 1, 1000).astype(int))
    some = some[heights[some] > 0]
    np.testing.assert_array_equal(mechanism._offsets(ends[some] - 1), some)
    np.testing.assert_array_equal(mechanism._offsets((ends - heights)[some]), some)


# -- bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sw", {"b": 0.0}, "b of square-wave must be a number above 0 and at most 0.5"),
        ("sw", {"b": 0.7}, "b of square-wave must be"),
        ("sw", {"b": float("nan")}, "b of square-wave must be"),
        ("sw", {"b": "wide"}, "b of square-wave must be"),
        ("sw", {"wrap": 1}, "wrap of square-wave must be True or False"),
        ("sw", {"steps": 0}, "steps of square-wave must be a whole number from 1"),
        ("sw", {"output_bins": 1}, "output_bins of square-wave must be a whole number from 2"),
        ("sw", {"output_bins": 10**9}, "output_bins of square-wave must be a whole number"),
        ("wave", {"ratio": 1.5}, "ratio of wave must be a number from 0"),
        ("wave", {"ratio": None}, "ratio of wave must be a number from 0"),
        ("sr", {"steps": 0}, "steps of stochastic-rounding must be a whole number from 1"),
        ("sw", {"bits": 7}, "bits of square-wave must be a whole number from 8"),
    ],
)
def test_bad_options(name, options, message):
    with pytest.raises(InvalidInput, match=message):
        make(name, 16, 1.0, **options)


@pytest.mark.parametrize("name", NAMES)
def test_bad_values_and_domains(name):
    with pytest.raises(InvalidInput, match="domain of .* must be an Interval"):
        sv.mechanism(name, sv.Categories(4), 1.0)
    mechanism = make(name, 16, 1.0)
    for value in (-0.1, 1.1, float("nan"), float("inf"), "x", None, True):
        with pytest.raises(InvalidInput, match="value of Interval"):
            mechanism.randomize(value)
    with pytest.raises(InvalidInput, match=r"got 'a missing value \(nan\) in row 1'"):
        mechanism.randomize([0.5, float("nan")])
    with pytest.raises(InvalidInput, match="at least one value"):
        mechanism.randomize([])


def test_too_coarse_a_table_is_refused():
    for name in ("sw", "pm", "sr", "wave"):
        with pytest.raises(InvalidInput, match="epsilon of .* must be larger for 16 bits"):
            make(name, 1000, 1e-6, bits=16)


def test_a_single_bin_is_certain():
    for name in ("sw", "pm", "wave"):
        tally = make(name, 1, 1.0).simulate([50], source=sv.Seeded(1))
        assert sv.estimate(tally).shares.tolist() == [1.0]
