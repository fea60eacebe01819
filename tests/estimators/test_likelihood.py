"""EM and EMS: the climb, its rules, whole reports, and what is refused."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.dense import DenseChannel
from sottovoce.estimators.likelihood.base import first_shares
from sottovoce.estimators.likelihood.em import _PassByPass, em, ems, smooth
from sottovoce.estimators.observed import Observed
from sottovoce.kernels import em as em_kernels
from sottovoce.kernels import sets
from sottovoce.kernels.em import SegmentsEm
from sottovoce.mechanisms._reported_sets import SetRows

SETS = ("oue", "sue", "ss", "olh-seeded")


def beta_counts(size, people, seed=1):
    return np.histogram(np.random.default_rng(seed).beta(5, 2, people), size, (0, 1))[0]


def numbers(name="sw", size=32, epsilon=1.0, people=20_000, **options):
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=size), epsilon, **options)
    return Observed(mechanism.simulate(beta_counts(size, people), source=sv.Seeded(7)))


def reports_of(name, size=12, people=3000, epsilon=1.0, seed=1):
    values = np.random.default_rng(seed).choice(
        size, people, p=np.arange(1, size + 1) / (size * (size + 1) / 2)
    )
    mechanism = sv.mechanism(name, sv.Categories(size), epsilon)
    return mechanism.randomize_indices(values, sv.Seeded(seed + 1000)), values


# -- the rule, against a loop that only knows the matrix --------------------------------


def plain_loop(matrix, counts, tolerance, smoothing=None, most=10_000):
    """The method as it is printed: passes, shares, log-likelihoods."""
    shares = np.full(matrix.shape[1], 1 / matrix.shape[1])
    seen = counts > 0
    matrix, counts = matrix[seen], counts[seen]
    history = [counts @ np.log(matrix @ shares)]
    while len(history) <= most:
        posterior = shares * (matrix.T @ (counts / (matrix @ shares)))
        shares = posterior / posterior.sum()
        if smoothing is not None:
            shares = smoothing @ shares
            shares /= shares.sum()
        history.append(counts @ np.log(matrix @ shares))
        if abs(history[-1] - history[-2]) < tolerance:
            break
    return shares, history


def smoothing_matrix(size, ring=False):
    matrix = np.eye(size) / 2
    for i in range(size):
        for j in (i - 1, i + 1):
            if ring or 0 <= j < size:
                matrix[i, j % size] += 1 / 4
    if not ring and size > 1:
        matrix[0, :2], matrix[-1, -2:] = (2 / 3, 1 / 3), (1 / 3, 2 / 3)
    return matrix


@pytest.mark.parametrize(
    "observed",
    [
        numbers(),
        numbers("pm", 20, 2.0),
        numbers("sw", 33, 0.5, wrap=True),
        numbers("sw", 2),
        numbers("grr", 3),
    ],
    ids=lambda e: f"{e.mechanism.name}-{e.mechanism.domain.size}",
)
def test_em_and_ems_are_the_printed_loop(observed):
    matrix, size = observed.channel.dense(), observed.channel.inputs
    ring = observed.channel.ring
    for method, tolerance, smoothing in (
        (em, 1e-3 * math.exp(observed.mechanism.epsilon), None),
        (ems, 1e-3, smoothing_matrix(size, ring)),
    ):
        shares, history = plain_loop(matrix, observed.cells, tolerance, smoothing)
        fit = method(observed)
        assert fit.iterations == len(history) - 1 == len(fit.history) - 1
        np.testing.assert_allclose(fit.shares, shares, atol=1e-10)
        np.testing.assert_allclose(fit.history, history, rtol=1e-12)
        assert fit.converged


def test_smoothing_is_its_matrix():
    for size in (1, 2, 3, 10):
        shares = np.random.default_rng(size).dirichlet(np.ones(size))
        for ring in (False, True):
            expected = smoothing_matrix(size, ring) @ shares if size > 1 else shares
            np.testing.assert_allclose(smooth(shares, ring), expected / expected.sum(), atol=1e-15)


@pytest.mark.parametrize(
    "observed",
    [
        numbers(size=100), numbers("pm", 50, 2.0), numbers("sw", 33, 0.5, wrap=True),
        numbers("gw", 40, ratio=0.4), numbers("gw", 41, ratio=0.0), numbers("sw", 1), numbers("sw", 3),
        numbers(size=64, people=20),
    ],
)  # fmt: skip
@pytest.mark.parametrize("smoothing", [0, 1, 2])
def test_compiled_runs_are_passes_one_by_one(observed, smoothing):
    pytest.importorskip("numba")
    climb, size = observed.channel.em_run(observed.cells), observed.channel.inputs
    uniform = np.full(size, 1 / size)
    one = climb.run(uniform, 60, 0.0, smoothing)
    other = _PassByPass(observed).run(uniform, 60, 0.0, smoothing)
    assert len(one[2]) == len(other[2]) or size < 4
    for fast, plain in zip(one, other, strict=True):
        both = min(len(fast), len(plain))
        np.testing.assert_allclose(fast[:both], plain[:both], rtol=1e-9, atol=1e-11)
    few = climb.run(uniform, 60, float(np.abs(np.diff(one[2]))[:1].max()) + 1e-6, smoothing)
    assert len(few[2]) == 2


def test_pieces_out_of_order_go_pass_by_pass():
    segments = numbers().channel.segments
    turned = dataclasses.replace(segments, starts=segments.starts[::-1].copy())
    assert SegmentsEm.of(turned, numbers().cells) is None


def test_without_numba_it_is_the_same(monkeypatch):
    observed = numbers()
    fast = em(observed)
    monkeypatch.setattr(em_kernels, "compiled", lambda name: None)
    slow = em(observed)
    assert fast.iterations == slow.iterations
    np.testing.assert_allclose(fast.shares, slow.shares, atol=1e-12)


# -- laws of the climb -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["grr", "olh", "hr", "flh", "oue", "ss", "olh-seeded"])
def test_the_likelihood_never_falls_and_the_gap_bounds_the_rest(name):
    mechanism = sv.mechanism(name, sv.Categories(20), 1.0)
    tally = mechanism.simulate(np.arange(1, 21) * 50, source=sv.Seeded(2))
    fit = em(Observed(tally), tolerance=0, max_iterations=300)
    assert np.diff(fit.history).min() >= -1e-7
    early = em(Observed(tally), max_iterations=5)
    assert not early.converged
    assert early.iterations == 5
    assert 0 <= fit.history[-1] - early.history[-1] <= early.optimality + 1e-7
    assert fit.optimality < early.optimality


def test_a_warm_start_goes_on_where_the_other_stopped():
    observed = numbers()
    whole, half = (
        em(observed, tolerance=0, max_iterations=40),
        em(observed, tolerance=0, max_iterations=20),
    )
    rest = em(observed, tolerance=0, max_iterations=20, start=half.shares)
    np.testing.assert_allclose(rest.shares, whole.shares, atol=1e-13)
    np.testing.assert_allclose(half.history + rest.history[1:], whole.history, rtol=1e-13)
    again = em(observed, start=em(observed).shares)
    assert again.iterations == 1


def test_smoothing_a_rough_start_is_no_reason_to_stop():
    observed = numbers()
    rough = np.tile([1.9, 0.1], 16) / 32
    fit = ems(observed, start=rough)
    assert fit.iterations > 20
    np.testing.assert_allclose(fit.shares, ems(observed).shares, atol=2e-3)


def test_values_without_order_may_be_renamed():
    mechanism = sv.mechanism("grr", sv.Categories(9), 1.0)
    cells = np.arange(9) ** 2 + 3
    order = np.random.default_rng(1).permutation(9)
    one = sv.estimate(sv.Tally(mechanism, int(cells.sum()), cells), "em")
    other = sv.estimate(sv.Tally(mechanism, int(cells.sum()), cells[order]), "em")
    np.testing.assert_allclose(other.shares, one.shares[order], atol=1e-12)


def test_merged_tallies_are_one_tally():
    first, second = numbers().tally, numbers(people=5000).tally
    both = sv.Tally(first.mechanism, first.n + second.n, first.cells + second.cells)
    np.testing.assert_array_equal(
        sv.estimate(first + second, "ems").shares, sv.estimate(both, "ems").shares
    )


def test_progress_is_told_and_ends_with_the_last_pass():
    told = []
    fit = em(numbers(), progress=lambda text, part: told.append((text, part)))
    gain = fit.history[-1] - fit.history[-2]
    assert told[-1] == (f"em: {fit.iterations} passes, gain {gain:.6g}", 1.0)
    parts = [part for _, part in told]
    assert parts == sorted(parts) and parts.count(1.0) == 1


@pytest.mark.parametrize("name", ["em", "ems", "mle"])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("counts", ["one report", "one cell", "few"])
def test_little_evidence_gives_numbers(name, size, counts):
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=size), 1.0)
    cells = np.zeros(mechanism.cells, dtype=int)
    cells[mechanism.cells // 3] = {"one report": 1, "one cell": 10_000, "few": 2}[counts]
    cells[-1] += counts == "few"
    e = sv.estimate(sv.Tally(mechanism, int(cells.sum()), cells), name)
    assert np.isfinite(e.shares).all()
    assert e.shares.min() >= 0
    assert np.isclose(e.shares.sum(), 1, atol=1e-12)
    assert e.converged
    assert np.isfinite(e.history).all()


@pytest.mark.parametrize("epsilon", [1e-6, 20.0])
def test_extreme_epsilon_gives_numbers(epsilon):
    for name in ("em", "ems", "mle"):
        e = sv.estimate(numbers(epsilon=epsilon).tally, name)
        assert np.isfinite(e.shares).all()
        assert np.isclose(e.shares.sum(), 1)


def test_ems_claims_no_likelihood():
    assert math.isinf(ems(numbers()).optimality)


# -- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tolerance": -1.0}, "tolerance of em must be a number of at least 0; got -1"),
        ({"tolerance": math.nan}, "tolerance of em"),
        ({"max_iterations": 0}, "max_iterations of em must be a whole number of at least 1"),
        ({"start": [0.5, 0.5]}, "start of em must be 32 shares .*; got 'shape"),
        ({"start": np.full(32, 1.0)}, "start of em must be 32 shares"),
        ({"start": np.full(32, np.nan)}, "start of em must be 32 shares"),
        ({"start": [-1.0, 2.0] + [0.0] * 30}, "start of em must be 32 shares"),
        ({"start": ["a"] * 32}, "start of em must be 32 shares"),
        (
            {"width": 3},
            "option width of em must be one of tolerance, max_iterations, start, long_passes, progress",
        ),
    ],
)
def test_bad_options(options, said):
    with pytest.raises(InvalidInput, match=said):
        sv.estimate(numbers().tally, "em", **options)


def test_reports_that_cannot_be_are_refused():
    mechanism = sv.mechanism("table", sv.Categories(2), 2.0, weights=[[3, 1, 0], [1, 3, 0]])
    tally = sv.Tally(mechanism, 3, np.array([1, 1, 1]))
    for name in ("em", "mle"):
        with pytest.raises(InvalidInput, match="cells of tally of table must be 0 where no report"):
            sv.estimate(tally, name)


def test_a_start_under_which_reports_cannot_be_is_refused():
    class Certain:
        mechanism = numbers().mechanism
        channel = DenseChannel(np.eye(2))

        def em_step(self, shares):
            return self.channel.em_step(shares, np.ones(2))

    with pytest.raises(InvalidInput, match="start of em must be positive where reports need it"):
        first_shares(Certain(), [1.0, 0.0], "em")


def test_no_order_no_ems():
    tally = sv.mechanism("grr", sv.Categories(4), 1.0).simulate([5, 5, 5, 5])
    with pytest.raises(Unfit, match="ems does not apply .* its values have no order"):
        sv.estimate(tally, "ems")
    with pytest.raises(InvalidInput, match="domain of ems must be ordered"):
        ems(Observed(tally))


def test_a_mean_is_no_distribution():
    tally = sv.mechanism("sr", sv.Interval(0, 1, bins=4), 1.0).simulate([5, 5, 5, 5])
    for name in ("em", "ems", "mle"):
        with pytest.raises(Unfit, match="identify at most a mean"):
            sv.estimate(tally, name)


# -- whole reports -----------------------------------------------------------------------


def law_of(mechanism, reports):
    """The probability of each report from each value, by the definition of the mechanism."""
    size = mechanism.domain.size
    inside = np.array([mechanism.supports(reports, v) for v in range(size)]).T
    if mechanism.name == "unary-encoding":
        p, q = (
            mechanism.channel().support_probabilities.p,
            mechanism.channel().support_probabilities.q,
        )
        each = np.where(inside, q, 1 - q).prod(axis=1, keepdims=True)
        return each * np.where(inside, p / q, (1 - p) / (1 - q))
    if mechanism.name == "subset-selection":
        p, k = mechanism.channel().support_probabilities.p, mechanism.k
        return np.where(inside, p / math.comb(size - 1, k - 1), (1 - p) / math.comb(size - 1, k))
    keep, other = (weight / 2**mechanism.bits for weight in mechanism.weights)
    return np.where(inside, keep + other, other)


@pytest.mark.parametrize("name", SETS)
def test_rows_are_the_law_of_whole_reports(name):
    reports, _ = reports_of(name)
    law = law_of(reports.mechanism, reports)
    rows = reports.mechanism.rows(reports)
    shares = np.random.default_rng(3).dirichlet(np.ones(12))
    expected = law @ shares
    ratio, likelihood = rows.em_step(shares)
    np.testing.assert_allclose(ratio, law.T @ (1 / expected) / len(reports), rtol=1e-11)
    uniform = np.full(12, 1 / 12)
    difference = likelihood - rows.em_step(uniform)[1]
    assert np.isclose(difference, np.log(expected).sum() - np.log(law @ uniform).sum(), rtol=1e-9)
    scaled = law / expected[:, None]
    np.testing.assert_allclose(rows.curvature(shares), scaled.T @ scaled, rtol=1e-4)
    half = shares / 2  # linear in shares, whatever their sum
    np.testing.assert_allclose(rows.em_step(half)[0], 2 * ratio, rtol=1e-11)


@pytest.mark.parametrize("name", SETS)
def test_reports_give_the_joint_and_tallies_the_composite_likelihood(name):
    reports, values = reports_of(name, people=8000)
    joint = sv.estimate(reports, "mle")
    composite = sv.estimate(reports.mechanism.tally(reports), "mle")
    assert "joint likelihood of the whole reports" in joint.why
    assert "composite likelihood" in composite.why
    assert "the reports themselves have a joint one" in composite.why
    truth = np.bincount(values, minlength=12) / len(values)
    for e in (joint, composite):
        assert np.abs(e.shares - truth).max() < 0.08
    observed = Observed.of(reports)
    assert observed.em_step(joint.shares)[1] >= observed.em_step(composite.shares)[1] - 0.01


def test_complete_tallies_say_so():
    reports, _ = reports_of("olh")
    assert "exact likelihood of the tally" in sv.estimate(reports, "em").why
    assert reports.mechanism.rows(reports) is None


@given(st.integers(1, 40), st.integers(1, 400), st.integers(0, 2**32 - 1))
def test_compiled_sets_are_the_plain_ones(size, rows, seed):
    rng = np.random.default_rng(seed)
    packed = np.packbits(rng.random((rows, size)) < 0.4, axis=1, bitorder="little")
    columns, counts = np.ascontiguousarray(packed.T), rng.integers(1, 5, rows).astype(float)
    shares, gain = rng.dirichlet(np.ones(size)) * 1.5, float(rng.exponential(3))
    plain = sets.set_step_plain(columns, counts, gain, shares)
    small, sets._SMALL = sets._SMALL, 1
    try:
        fast = sets.set_step(columns, counts, gain, shares)
    finally:
        sets._SMALL = small
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)
    members = np.unpackbits(columns, axis=0, count=size, bitorder="little").astype(float)
    x = shares.sum() + gain * (shares @ members)
    np.testing.assert_allclose(plain[0], members @ (counts / x), rtol=1e-11)
    np.testing.assert_allclose(sets.set_sums(columns, shares), shares @ members, atol=1e-12)
    for one, other in zip(
        sets.set_products(columns, counts, size),
        sets.set_products_plain(columns, counts, size),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-4)


def test_sets_over_several_threads():
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 256, (13, 2 * sets._ROWS + 77), dtype=np.uint8)
    columns[-1] &= 15
    counts, shares = np.ones(columns.shape[1]), rng.dirichlet(np.ones(100))
    assert columns.size > 0.8 * sets._SMALL
    small, sets._SMALL = sets._SMALL, 1
    try:
        fast = sets.set_step(columns, counts, 1.7, shares)
    finally:
        sets._SMALL = small
    for one, other in zip(fast, sets.set_step_plain(columns, counts, 1.7, shares), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_equal_reports_are_merged_without_a_difference():
    reports, _ = reports_of("oue", size=5, people=4000)
    packed = np.ascontiguousarray(reports.columns["bits"].T)
    merged = SetRows(packed, 5, math.e)
    assert len(merged._counts) <= 32
    assert merged.total == 4000
    apart = SetRows(packed[:, :31], 5, math.e)
    assert len(apart._counts) == 31  # too few to be worth it
    shares = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    inside, inverse, likelihood = sets.set_step_plain(packed, np.ones(4000), math.e - 1, shares)
    ratio, found = merged.em_step(shares)
    np.testing.assert_allclose(ratio, (inverse + (math.e - 1) * inside) / 4000, rtol=1e-12)
    assert np.isclose(found, likelihood)


def test_whole_reports_beat_their_tally():
    """Of 100 surveys, the joint likelihood errs less on average; by luck once in 10^7."""
    gained = []
    for seed in range(100):
        reports, values = reports_of("sue", size=6, people=2000, epsilon=5.0, seed=seed)
        truth = np.bincount(values, minlength=6) / len(values)
        joint, composite = (
            np.mean((sv.estimate(given_, "mle").shares - truth) ** 2)
            for given_ in (reports, reports.mechanism.tally(reports))
        )
        gained.append(composite - joint)
    assert np.mean(gained) > 5.2 * np.std(gained) / 10


def test_nothing_follows_a_fit():
    mechanism = sv.mechanism("grr", sv.Categories(4), 1.0)
    tally = mechanism.simulate([10, 20, 30, 40], source=sv.Seeded(1))
    with pytest.raises(Unfit, match="em gives a distribution already.*then = norm-sub"):
        sv.estimate(tally, "em", then="norm-sub")
