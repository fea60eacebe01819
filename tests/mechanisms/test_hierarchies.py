"""Trees of intervals, differences of halves, wide bins: against least squares, QP, brute force."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.linalg import hadamard

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.exact import exp_bounds
from sottovoce.channels.base import Channel
from sottovoce.channels.binning import Binning
from sottovoce.channels.tree import ConstrainedInference, Tree
from sottovoce.core.registry import mechanism_from_json
from sottovoce.estimators.trees.hh_admm import nearest_tree

ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)
ALPHA = 1e-7


def unit(bins):
    return sv.Interval(0, 1, bins=bins)


def tree_matrix(tree):
    """Leaves to nodes of all levels, leaves first, written out."""
    rows = []
    for level in range(tree.height):
        parents = np.arange(tree.size) // tree.branching**level
        rows.append(parents == np.arange(tree.sizes[level])[:, None])
    return np.vstack(rows).astype(float)


def least_squares(tree, noisy, variances):
    """Weighted least squares over leaves of sum 1, by the dense normal equations."""
    matrix, d = tree_matrix(tree), tree.size
    weights = np.concatenate(
        [np.full(m, 1 / v) for m, v in zip(tree.sizes, variances, strict=True)]
    )
    system = np.ones((d + 1, d + 1))
    system[:d, :d] = matrix.T * weights @ matrix
    system[d, d] = 0
    right = np.append(matrix.T @ (weights * np.concatenate(noisy)), 1.0)
    return np.linalg.solve(system, right)[:d]


# -- constrained inference --------------------------------------------------------------


@given(st.integers(1, 70), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_constrained_inference_is_weighted_least_squares(size, branching, seed):
    rng, tree = np.random.default_rng(seed), Tree(size, branching)
    variances = rng.uniform(0.2, 5.0, tree.height)
    noisy = [rng.normal(size=m) for m in tree.sizes]
    inference = ConstrainedInference(tree, variances)
    nodes = inference.nodes(noisy)
    np.testing.assert_allclose(nodes[0], least_squares(tree, noisy, variances), atol=1e-9)
    np.testing.assert_allclose(np.concatenate(nodes), tree_matrix(tree) @ nodes[0], atol=1e-9)
    z = rng.normal(size=size)
    cell_weights, root = inference.adjoint(z)
    told = root + sum(g @ x for g, x in zip(cell_weights, noisy, strict=True))
    assert np.isclose(nodes[0] @ z, told, atol=1e-9)


@given(st.integers(1, 70), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_leaf_variances_are_those_of_the_written_out_estimate(size, branching, seed):
    rng, tree = np.random.default_rng(seed), Tree(size, branching)
    inference = ConstrainedInference(tree, rng.uniform(0.2, 5.0, tree.height))
    noise = [rng.uniform(0.2, 5.0, m) for m in tree.sizes]
    cell_weights = np.array([np.concatenate(inference.adjoint(leaf)[0]) for leaf in np.eye(size)])
    told = inference.leaf_variances(noise)
    np.testing.assert_allclose(told, cell_weights**2 @ np.concatenate(noise), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("bins", "branching"), [(16, 4), (17, 4), (20, 2), (31, 5)])
def test_hh_ci_is_least_squares_on_what_levels_say(bins, branching):
    """The levels by themselves: counts of the level, its own n, the variance if all values are alike."""
    mechanism = sv.mechanism("hh", unit(bins), 1.0, branching=branching)
    rng, tree = np.random.default_rng(1), Tree(bins, branching)
    tally = mechanism.simulate(rng.integers(50, 200, bins), source=sv.Seeded(1))
    noisy, variances, start = [], [], 0
    for oracle, nodes in zip(mechanism.oracles, tree.sizes, strict=True):
        cells = tally.cells[start : start + oracle.cells]
        start += oracle.cells
        noisy.append(sv.estimate(sv.Tally(oracle, int(cells.sum()), cells), "unbiased").shares)
        even = tree_matrix(tree)[sum(map(len, noisy[:-1])) :][:nodes].mean(axis=1)
        each = oracle.channel().support_probabilities.variance(even) + even * (1 - even)
        variances.append(each.mean() / cells.sum())
    found = sv.estimate(tally, "hh-ci")
    np.testing.assert_allclose(found.shares, least_squares(tree, noisy, variances), atol=1e-9)
    np.testing.assert_array_equal(found.shares, sv.estimate(tally, "unbiased").shares)
    assert found.method == "hh-ci"
    assert np.isclose(found.shares.sum(), 1.0)
    assert found.range(0, 1).stderr < 1e-6


def test_fewer_reports_than_levels_still_answer():
    mechanism = sv.mechanism("hh", unit(64), 1.0)
    for people in (1, 2, 5):
        counts = np.bincount([40], minlength=64) * people
        e = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(people)), "hh-ci")
        assert np.isfinite(e.shares).all()
        assert np.isfinite(e.stderr).all()


# -- the nearest distribution to all levels -------------------------------------------------


def quadratic_program(tree, noisy):
    """min |T p - x|^2, p >= 0, sum 1, by active sets; the sum weighs 1e4 as much."""
    matrix = np.vstack([tree_matrix(tree), np.full(tree.size, 1e4)])
    return optimize.nnls(matrix, np.append(np.concatenate(noisy), 1e4), maxiter=10_000)[0]


@pytest.mark.parametrize(("bins", "branching"), [(16, 4), (17, 4), (64, 4), (50, 3), (33, 2)])
@pytest.mark.parametrize("noise", [0.01, 0.2])
def test_hh_admm_solves_the_quadratic_program(bins, branching, noise):
    rng, tree = np.random.default_rng(bins), Tree(bins, branching)
    truth = rng.dirichlet(np.full(bins, 0.2))
    noisy = [x + rng.normal(scale=noise, size=len(x)) for x in tree.levels(truth)]
    fit = nearest_tree(tree, noisy, 1e-6, 10_000)
    assert fit.converged
    np.testing.assert_allclose(fit.shares, quadratic_program(tree, noisy), atol=1e-6)
    assert fit.shares.min() >= 0
    assert np.isclose(fit.shares.sum(), 1.0, atol=1e-12)
    gradient = tree.paths([p - x for p, x in zip(tree.levels(fit.shares), noisy, strict=True)])
    held = fit.shares > 1e-4  # where the gradient is level; nowhere is it lower
    assert np.ptp(gradient[held]) < 1e-4
    assert gradient.min() > gradient[held].mean() - 1e-4


def test_hh_admm_tells_whether_it_has_converged():
    mechanism = sv.mechanism("hh", unit(64), 1.0)
    counts = np.bincount([3, 40], minlength=64) * 2000
    tally = mechanism.simulate(counts, source=sv.Seeded(1))
    early, late = (sv.estimate(tally, "hh-admm", max_iterations=k) for k in (2, 10_000))
    assert (early.converged, early.iterations) == (False, 2)
    assert "stopped after 2 passes" in early.why
    assert late.converged
    assert 2 < late.iterations < 2000
    assert len(late.history) == late.iterations
    assert late.optimality <= 0.5e-12 < early.optimality
    distance = np.linalg.norm(early.shares - late.shares)
    assert distance <= np.sqrt(2 * early.optimality) + 1e-6  # the certificate is no boast
    assert late.shares[3] + late.shares[40] > 0.7
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="tolerance of hh-admm must be a positive number"):
            sv.estimate(tally, "hh-admm", tolerance=wrong)
    with pytest.raises(InvalidInput, match="max_iterations of hh-admm must be a whole number"):
        sv.estimate(tally, "hh-admm", max_iterations=0)


def test_hh_admm_beats_constrained_inference_on_spikes():
    mechanism, rng = sv.mechanism("hh", unit(256), 1.0), np.random.default_rng(2)
    counts = rng.multinomial(50_000, rng.dirichlet(np.full(256, 0.02)))
    errors = {"hh-ci": 0.0, "hh-admm": 0.0}
    for seed in range(5):
        tally = mechanism.simulate(counts, source=sv.Seeded(seed))
        for name in errors:
            gaps = np.cumsum(sv.estimate(tally, name).shares - counts / 50_000)
            errors[name] += np.abs(gaps).mean()
    assert errors["hh-admm"] < 0.8 * errors["hh-ci"]


# -- differences of halves --------------------------------------------------------------------


@pytest.mark.parametrize("bins", [2, 8, 32])
def test_haar_is_the_printed_formula(bins):
    """Report by report: D_a = (E+1)/(E-1) mean of phi[a, j] y, leaf = 1/d + sum +-D_a / 2^h."""
    mechanism = sv.mechanism("haar", unit(bins), 1.0)
    rng, height = np.random.default_rng(4), bins.bit_length() - 1
    values = rng.integers(0, bins, 3000)
    reports = mechanism.randomize_indices(values, sv.Seeded(3))
    found = np.full(bins, 1 / bins)
    cells, start = reports.columns["cell"].astype(int), 0
    for h in range(1, height + 1):
        columns = 2 ** (height - h)
        mine = cells[(cells >= start) & (cells < start + 2 * columns)] - start
        start += 2 * columns
        phi, y = hadamard(columns), 1 - 2 * (mine % 2)
        scale = (np.e + 1) / (np.e - 1)
        for a in range(columns):
            d = scale * (phi[a, mine // 2] * y).mean()
            left, middle = a * 2**h, a * 2**h + 2 ** (h - 1)
            found[left:middle] += d / 2**h
            found[middle : left + 2**h] -= d / 2**h
    e = sv.estimate(mechanism.tally(reports), "haar")
    np.testing.assert_allclose(e.shares, found, atol=1e-12)


def test_haar_uses_that_padding_is_empty():
    """33 values are padded to 64; those beyond are nobody's, so that shares sum to 1 and err less."""
    mechanism = sv.mechanism("haar", unit(33), 1.0)
    e = sv.estimate(mechanism.simulate(np.full(33, 300), source=sv.Seeded(1)), "haar")
    assert np.isclose(e.shares.sum(), 1.0, atol=1e-12)
    assert e.stderr[32] < 0.8 * e.stderr[:32].min()  # the last value is alone in its half


def test_haar_variance_is_that_of_its_gains():
    """The recursion over the tree against the sum over cells, for chances and for counted rates."""
    for bins in (1, 2, 7, 16, 33):
        channel, rng = sv.mechanism("haar", unit(bins), 1.0).channel(), np.random.default_rng(bins)
        shares = rng.dirichlet(np.ones(bins))
        x = channel.forward(shares)
        counted = channel.conditioned_on(
            x * np.repeat(rng.uniform(0.5, 2.0, channel.cells // 2), 2)
        )
        assert counted.counted
        for c in (channel, counted):
            seen = c.forward(shares)
            units = [c.variance_of(one, seen, shares) for one in np.eye(bins)]
            np.testing.assert_allclose(c.variance(shares, seen), units, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(c.variance(shares), units, rtol=1e-9, atol=1e-9)


# -- both, over surveys ------------------------------------------------------------------------


CASES = [("hh", 1.0, {}), ("hh", 3.0, {"split": "budget"}), ("haar", 2.0, {})]


@pytest.mark.parametrize(("name", "epsilon", "options"), CASES)
def test_errors_are_those_of_repeated_surveys(name, epsilon, options):
    """Over 500 surveys a variance has a relative error of 6.3%: 35% is more than five of these."""
    bins, repeats, source = 21, 500, sv.Seeded(5)
    mechanism = sv.mechanism(name, unit(bins), epsilon, **options)
    counts = np.random.default_rng(3).multinomial(5000, np.arange(1, bins + 1) ** 2 / 3311)
    asked = np.array([np.arange(bins) < k for k in (1, 11, 18)], dtype=float)
    shares, told = [], []
    for _ in range(repeats):
        e = sv.estimate(mechanism.simulate(counts, source=source), "unbiased")
        shares.append(e.shares)
        told.append([e.linear(z).stderr ** 2 for z in asked])
    errors = np.array(shares) - counts / 5000
    seen = ((errors @ asked.T) ** 2).mean(axis=0)
    np.testing.assert_allclose(seen / np.mean(told, axis=0), 1.0, atol=0.35)
    np.testing.assert_allclose(e.stderr[0], e.linear(asked[0]).stderr)
    bias = np.abs(errors.mean(axis=0)) / (errors.std(axis=0) / np.sqrt(repeats))
    assert bias.max() < 6.5
    np.testing.assert_allclose(np.array(shares).sum(axis=1), 1.0)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_variance_of_many_values_is_nearly_that_with_covariances(epsilon):
    channel = sv.mechanism("hh", unit(200), epsilon).channel()
    for shares in (np.full(200, 1 / 200), np.random.default_rng(1).dirichlet(np.full(200, 0.1))):
        exact = Channel.variance(channel, shares)
        assert abs(channel.variance(shares).mean() / exact.mean() - 1) < 0.02
        np.testing.assert_allclose(channel.variance(shares), exact, rtol=0.1)
        np.testing.assert_array_equal(channel.variance(shares), channel.expected_variance(shares))


@pytest.mark.parametrize("name", ["hh", "haar"])
def test_ranges_err_less_than_sums_of_single_bins(name):
    domain, z = unit(512), (np.arange(512) < 256).astype(float)
    shares = np.full(512, 1 / 512)
    tree, flat = (sv.mechanism(m, domain, 1.0).channel() for m in (name, "olh"))
    of_tree, of_flat = (c.variance_of(z, c.forward(shares), shares) for c in (tree, flat))
    assert of_tree < 0.1 * of_flat


@settings(max_examples=25)
@given(st.integers(1, 70), st.sampled_from(["hh", "haar", "budget"]), st.integers(2, 7))
def test_any_number_of_bins(bins, name, branching):
    options = {"branching": branching} if name != "haar" else {}
    if name == "budget":
        options["split"] = name
    made = sv.mechanism("haar" if name == "haar" else "hh", unit(bins), 1.0, **options)
    assert mechanism_from_json(made.to_json()) == made
    channel, rng = made.channel(), np.random.default_rng(bins)
    shares, z = rng.dirichlet(np.ones(bins)), rng.normal(size=bins)
    cells = channel.forward(shares)
    np.testing.assert_allclose(channel.inverse.forward(cells), shares, atol=1e-9)
    np.testing.assert_allclose(channel.adjoint(channel.inverse.adjoint(z)), z, atol=1e-9)
    tally = made.simulate(np.full(bins, 5), source=sv.Seeded(1))
    passes = (
        step(shares, tally.cells) for step in (channel.em_step, partial(Channel.em_step, channel))
    )
    for written_out, by_level in zip(*passes, strict=True):
        np.testing.assert_allclose(written_out, by_level, rtol=1e-9)
    assert np.isclose(sv.estimate(tally).shares.sum(), 1.0)
    e = sv.estimate(tally, "unbiased")
    assert np.isclose(e.shares.sum(), 1.0)
    assert np.isfinite(e.mean().stderr)


def test_merged_tallies_answer_as_the_whole():
    for mechanism in (sv.mechanism("hh", unit(40), 1.0), sv.mechanism("haar", unit(40), 1.0)):
        reports = mechanism.randomize(np.linspace(0, 1, 4000), source=sv.Seeded(1))
        parts = [mechanism.tally(reports[start : start + 700]) for start in range(0, 4000, 700)]
        whole, merged = mechanism.tally(reports), sum(parts)
        assert merged == whole
        one, two = sv.estimate(merged, goal="range"), sv.estimate(reports, goal="range")
        assert one.method == "adaptive"
        np.testing.assert_array_equal(one.shares, two.shares)


# -- privacy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hh", "haar"])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5 / 3, 8.0, 20.0])
def test_certificate_is_at_most_e_epsilon_and_tight(name, epsilon):
    for bins in (2, 100, 1000):
        ratio, limit = (
            sv.mechanism(name, unit(bins), epsilon).certificate().ratio,
            exp_bounds(epsilon)[0],
        )
        assert ratio <= limit
        assert limit - ratio <= limit * Fraction(1, 10**9)


@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 5 / 3, 5.0, 20.0])
def test_a_split_budget_is_kept_to_the_last_digit(epsilon):
    """As many levels as there may be; epsilon / h may round up, and must not."""
    for bins in (5, 60, 1000):
        mechanism = sv.mechanism("hh", unit(bins), epsilon, split="budget", branching=2)
        ratio, limit = mechanism.certificate().ratio, exp_bounds(epsilon)[0]
        assert ratio == np.prod([oracle.certificate().ratio for oracle in mechanism.oracles])
        assert ratio <= limit
        assert limit - ratio <= limit * Fraction(1, 10**9)
    with pytest.raises(InvalidInput, match="epsilon of hierarchy must be at least 1e-05"):
        sv.mechanism("hh", unit(1024), 1e-6, split="budget", branching=2)


def test_certificate_of_one_report_is_that_of_the_matrix():
    for mechanism in (
        sv.mechanism("hh", unit(21), 1.0), sv.mechanism("haar", unit(21), 1.0),
        sv.mechanism("binned", unit(21), 1.0, report_bins=7),
    ):  # fmt: skip
        dense = mechanism.channel().dense()
        worst = (dense.max(axis=1) / dense.min(axis=1)).max()
        assert np.isclose(worst, float(mechanism.certificate().ratio), rtol=1e-9)


def word_for(choice, bound):
    """A word that draws ``choice`` below ``bound``."""
    if bound & (bound - 1):
        return np.full(65536, choice, dtype=np.uint64)
    bits = bound.bit_length() - 1
    return np.full(65536, choice << (64 - bits) if bits else 0, dtype=np.uint64)


def test_hierarchy_over_all_words(scripted):
    mechanism = sv.mechanism("hh", unit(27), 1.0, branching=3, bits=16, hash_ranges=(3, 0, 0))
    start = 0
    for level, oracle in enumerate(mechanism.oracles):
        keep, other = oracle.weights
        family = oracle.family if level == 0 else None
        hashes, g = (family.hashes, family.g) if family else (1, oracle.cells)
        for drawn in {0, hashes - 1}:
            for value in (0, 26):
                words = word_for(level, 3), word_for(drawn, hashes), ALL
                (cells,) = mechanism.respond_many(np.full(65536, value), scripted(*words))
                own = value // 3**level
                if family:
                    own = family.inner(family.vector(drawn), int(family.places[own]))
                expected = np.full(g, other)
                expected[own] += keep
                counted = np.bincount(cells - start - drawn * g, minlength=g)
                np.testing.assert_array_equal(counted, expected)
        start += oracle.cells


def test_haar_over_all_words(scripted):
    """8 values: height h has 2^(3-h) columns, drawn with it below 3 * 4."""
    mechanism = sv.mechanism("haar", unit(8), 1.0, bits=16)
    keep, other = mechanism.weights
    for height, column in ((1, 0), (1, 3), (2, 1), (3, 0)):
        columns = 2 ** (3 - height)
        first = (height - 1) * 4 + column * 2 ** (height - 1)
        for value in range(8):
            script = scripted(word_for(first, 12), ALL)
            (cells,) = mechanism.respond_many(np.full(65536, value), script)
            node, right = value >> height, value >> (height - 1) & 1
            minus = int(hadamard(columns)[node, column] * (1 - 2 * right) < 0)
            expected = np.full(2, other)
            expected[minus] += keep
            start = 2 * (8 - 2 ** (4 - height) + column)
            counted = np.bincount(cells - start, minlength=2)
            np.testing.assert_array_equal(counted, expected)


@pytest.mark.parametrize(
    "made",
    [
        sv.mechanism("hh", unit(8), 1.0),
        sv.mechanism("haar", unit(6), 1.0),
        sv.mechanism("binned", unit(8), 1.0, report_bins=4),
        sv.mechanism("olh", unit(12), 1.0, report_bins=5),
    ],
    ids=str,
)
def test_audits_pass_and_are_tight(made):
    found = sv.audit(made, trials=200_000, alpha=ALPHA)
    assert found.passed, str(found)
    assert 0.75 < found.lower_bound <= 1.0, str(found)


def test_a_split_budget_passes_an_audit_and_its_whole_spent_on_every_level_does_not():
    split = sv.mechanism("hh", unit(5), 1.0, split="budget")
    assert sv.audit(split, trials=200_000, alpha=ALPHA).passed
    greedy = sv.mechanism("hh", unit(5), 2.0, split="budget")  # epsilon 1 on each of two levels
    object.__setattr__(greedy, "epsilon", 1.0)
    found = sv.audit(greedy, trials=200_000, alpha=ALPHA)
    assert not found.passed
    assert found.lower_bound > 1.2


# -- wide bins ---------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.data())
def test_binning_is_the_overlap_of_bins(fine, data):
    coarse = data.draw(st.integers(1, fine))
    binning, rng = Binning(fine, coarse), np.random.default_rng(fine)
    edges = [np.linspace(0, 1, k + 1) for k in (fine, coarse)]
    low = np.maximum(edges[0][:-1, None], edges[1][None, :-1])
    high = np.minimum(edges[0][1:, None], edges[1][None, 1:])
    overlap = np.clip(high - low, 0, None)
    w, r = rng.random(fine), rng.random(coarse)
    np.testing.assert_allclose(binning.gather(w), overlap.T @ w * fine, atol=1e-12)
    np.testing.assert_allclose(binning.expand(r), overlap @ r * coarse, atol=1e-12)
    assert np.isclose(binning.gather(w) @ r, w @ binning.mean(r))
    assert np.isclose(binning.expand(r) @ w, r @ binning.collect(w))
    assert binning.aligned == (fine % coarse == 0)


@pytest.mark.parametrize("oracle", ["grr", "olh", "oue", "sue", "ss", "hr", "blh", "flh", "hh"])
def test_wide_bins_with_any_oracle(oracle):
    domain = unit(60)
    for wide in (12, 7):
        made = sv.mechanism(oracle, domain, 2.0, report_bins=wide)
        assert made.reporting == sv.mechanism(oracle, unit(wide), 2.0)
        assert mechanism_from_json(made.to_json()) == made
        values = np.random.default_rng(1).beta(5, 2, 4000)
        reports = made.randomize(values, source=sv.Seeded(1))
        plain = made.reporting.randomize(values, source=sv.Seeded(1))
        for column in plain.columns:
            np.testing.assert_array_equal(reports.columns[column], plain.columns[column])
        for name in ("unbiased", "norm-sub"):
            e, coarse = sv.estimate(reports, name), sv.estimate(plain, name)
            assert e.method == name
            assert e.why.endswith(f"shares are uniform within each of the {wide} reported bins")
            assert np.isclose(e.shares.sum(), coarse.shares.sum())
            if wide == 12:
                np.testing.assert_allclose(e.shares, coarse.shares.repeat(5) / 5, atol=1e-12)
        if wide == 12:
            e, coarse = sv.estimate(reports, "unbiased"), sv.estimate(plain, "unbiased")
            np.testing.assert_allclose(e.stderr, coarse.stderr.repeat(5) / 5)
            half = e.range(0, 0.5), coarse.range(0, 0.5)
            assert np.isclose(half[0].value, half[1].value)
            assert np.isclose(half[0].stderr, half[1].stderr)


def test_wide_bins_choose_the_oracle_of_less_variance():
    few = sv.mechanism("binned", unit(64), 2.0, report_bins=8)
    many = sv.mechanism("binned", unit(64), 2.0, report_bins=64)
    assert few.reporting.name == "randomized-response"
    assert many.reporting.name == "local-hashing"


def test_as_many_wide_bins_as_bins_change_nothing():
    plain = sv.mechanism("grr", unit(9), 1.0)
    same = sv.mechanism("grr", unit(9), 1.0, report_bins=9)
    counts = np.arange(1, 10) * 30
    one, two = (m.simulate(counts, source=sv.Seeded(1)) for m in (plain, same))
    two = sv.Tally(same, one.n, one.cells)
    one, two = (sv.estimate(t, "unbiased") for t in (one, two))
    np.testing.assert_allclose(one.shares, two.shares)
    np.testing.assert_allclose(one.stderr, two.stderr)


def test_wide_bins_without_common_edges_take_the_value_not_its_narrow_bin():
    """0.3 to 0.4 lies in the first and the second of three bins; a device knows in which."""
    made = sv.mechanism("grr", sv.Interval(0, 1, bins=10), 20.0, report_bins=3)
    values = [0.32, 0.33, 0.34, 0.39, 1.0]
    assert made.randomize(values).columns["value"].tolist() == [0, 0, 1, 1, 2]
    assert [int(made.randomize(v).columns["value"][0]) for v in values] == [0, 0, 1, 1, 2]
    assert made.positions == 30
    tally = made.simulate(np.eye(10, dtype=int)[3] * 30_000, source=sv.Seeded(1))
    assert abs(tally.cells[0] / 30_000 - 1 / 3) < 0.02


def test_wide_bins_have_errors_of_repeated_surveys():
    """Over 600 surveys a variance has a relative error of 6%; bins do not divide each other."""
    bins, repeats, source = 12, 600, sv.Seeded(6)
    mechanism = sv.mechanism("grr", unit(bins), 1.0, report_bins=5)
    counts = np.repeat(np.array([100, 300, 200]), 4)
    asked = np.array([np.arange(bins) < k for k in (3, 7)], dtype=float)
    values, told = [], []
    for _ in range(repeats):
        e = sv.estimate(mechanism.simulate(counts, source=source), "unbiased")
        values.append(e.shares @ asked.T)
        told.append([e.linear(z).stderr ** 2 for z in asked])
    np.testing.assert_allclose(np.var(values, axis=0) / np.mean(told, axis=0), 1.0, atol=0.35)


# -- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hh", "haar"])
def test_categories_have_no_neighbours(name):
    with pytest.raises(InvalidInput, match="must be numbers in order.*joins neighbours"):
        sv.mechanism(name, sv.Categories(8), 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"branching": 1}, "branching of hierarchy must be a whole number of at least 2; got 1"),
        ({"branching": 2.5}, "branching of hierarchy must be a whole number"),
        ({"split": "people"}, "split of hierarchy must be one of budget, population"),
        ({"hash_ranges": (3,)}, "hash_ranges of hierarchy must be a whole number for each of 2"),
        ({"hash_ranges": 3}, "hash_ranges of hierarchy must be a whole number for each of 2"),
        ({"hash_ranges": (4, 0)}, "hash_range of local-hashing must be a prime"),
        ({"weights": [{}]}, "weights of hierarchy must be those of the oracles of 2 levels"),
        ({"bits": 5}, "bits of hierarchy must be a whole number from 8 to 62"),
    ],
)
def test_bad_options_of_a_hierarchy(options, message):
    with pytest.raises(InvalidInput, match=message):
        sv.mechanism("hh", unit(16), 1.0, **options)


def test_bad_options_of_wide_bins():
    for wrong in (0, 65, 3.5, None):
        with pytest.raises(InvalidInput, match="report_bins of binned must be a whole number from"):
            sv.mechanism("olh", unit(64), 1.0, report_bins=wrong)
    with pytest.raises(InvalidInput, match="domain of binned must be an Interval"):
        sv.mechanism("olh", sv.Categories(64), 1.0, report_bins=8)
    with pytest.raises(Unfit, match="unknown mechanism 'magic'"):
        sv.mechanism("magic", unit(64), 1.0, report_bins=8)
    with pytest.raises(InvalidInput, match="oracle of binned must be the name of a mechanism"):
        sv.mechanism("binned", unit(64), 1.0, report_bins=8, oracle=7)
    with pytest.raises(InvalidInput, match="sees nothing finer than its bins; got 'square-wave'"):
        sv.mechanism("sw", unit(64), 1.0, report_bins=8)
    with pytest.raises(InvalidInput, match="of haar must be such that a tally has at most 2500000"):
        sv.mechanism("haar", unit(2**21), 1.0)


def test_methods_of_trees_are_refused_elsewhere():
    tally = sv.mechanism("grr", unit(4), 1.0).simulate([5, 5, 5, 5])
    for name in ("hh-ci", "hh-admm"):
        with pytest.raises(Unfit, match="does not apply.*those of hierarchy"):
            sv.estimate(tally, name)
    with pytest.raises(Unfit, match="haar does not apply.*those of haar"):
        sv.estimate(tally, "haar")
