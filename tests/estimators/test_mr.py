"""Mixture reduction: merged channels, what is taken, when it is undone, and invariance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.merged import Groups, MergedChannel, MergedRows
from sottovoce.core.registry import registered
from sottovoce.estimators.likelihood.reduction import Smallest, Window, noise_of_weights
from sottovoce.estimators.observed import Observed

EXAMPLES = [example for cls in registered() for example in cls.examples()]
SMALL = [m for m in EXAMPLES if 2 <= m.channel().inputs <= 40]


def zipf(size: int, n: int) -> np.ndarray:
    weights = 1 / np.arange(1, size + 1)
    counts = np.floor(n * weights / weights.sum()).astype(np.int64)
    counts[0] += n - counts.sum()
    return counts


# -- groups and merged channels ------------------------------------------------------


@st.composite
def groupings(draw):
    size = draw(st.integers(1, 12))
    raw = draw(st.lists(st.integers(-1, 4), min_size=size, max_size=size))
    labels = np.array(raw)
    kept = np.unique(labels[labels >= 0])
    return Groups(np.where(labels >= 0, np.searchsorted(kept, labels), -1))


@given(groupings(), st.integers(0, 2**32))
def test_spread_and_gather(groups, seed):
    random = np.random.default_rng(seed)
    weights, values = random.random(groups.count), random.random(len(groups.labels))
    shares = groups.expand(weights)
    assert np.allclose(groups.gather(shares), weights)
    assert np.all(shares[groups.labels < 0] == 0)
    assert math.isclose(shares @ values, weights @ groups.mean(values), abs_tol=1e-12)


@given(groupings(), st.data())
def test_merging_and_leaving_out(groups, data):
    if groups.count == 0:
        return
    chosen = data.draw(st.sets(st.integers(0, groups.count - 1), min_size=1))
    inside = np.isin(groups.labels, list(chosen))
    merged, pruned = groups.merge(chosen), groups.leave_out(chosen)
    assert merged.count == groups.count - len(chosen) + 1
    assert len(np.unique(merged.labels[inside])) == 1
    assert pruned.count == groups.count - len(chosen)
    assert np.all(pruned.labels[inside] == -1)
    outside = ~inside & (groups.labels >= 0)
    for after in (merged, pruned):  # whoever was together stays together, and nobody else
        for a in np.flatnonzero(outside):
            same = groups.labels[outside] == groups.labels[a]
            assert np.array_equal(after.labels[outside] == after.labels[a], same)


@pytest.mark.parametrize("channel", [m.channel() for m in SMALL], ids=map(str, SMALL))
def test_a_merged_channel_is_the_matrix_of_mean_columns(channel):
    random = np.random.default_rng(3)
    labels = random.integers(-1, max(1, channel.inputs // 2), channel.inputs)
    labels[0] = 0
    kept = np.unique(labels[labels >= 0])
    groups = Groups(np.where(labels >= 0, np.searchsorted(kept, labels), -1))
    merged, dense = MergedChannel(channel, groups), channel.dense()
    columns = [dense[:, groups.labels == j].mean(axis=1) for j in range(groups.count)]
    matrix = np.stack(columns, axis=1)
    assert np.abs(merged.dense() - matrix).max() < 1e-12
    assert np.allclose(matrix.sum(axis=0), merged.blocks)
    values = random.random(channel.cells)
    assert np.allclose(merged.adjoint(values), matrix.T @ values)
    weights = random.dirichlet(np.ones(groups.count))
    cells = random.integers(1, 9, channel.cells).astype(np.float64)
    expected = matrix @ weights
    open_to_others = expected <= 0  # opened by values that are left out
    if open_to_others.any():
        assert merged.em_step(weights, cells)[1] == -np.inf
    cells[open_to_others], expected[open_to_others] = 0.0, 1.0
    ratio, likelihood = merged.em_step(weights, cells)
    assert np.allclose(ratio, matrix.T @ (cells / expected) / cells.sum())
    assert math.isclose(likelihood, cells @ np.log(expected))


def test_merged_reports_are_the_sets_of_mean_columns():
    mechanism = sv.mechanism("oue", sv.Categories(6), 1.0)
    reports = mechanism.randomize(np.arange(600) % 6, source=sv.Seeded(1))
    rows, groups = mechanism.rows(reports), Groups(np.array([0, 1, 1, 2, -1, 0]))
    merged, weights = MergedRows(rows, groups), np.array([0.5, 0.2, 0.3])
    spread = np.array([0.25, 0.1, 0.1, 0.3, 0.0, 0.25])
    ratio, likelihood = merged.em_step(weights)
    whole, same = rows.em_step(spread)
    assert likelihood == same and merged.inputs == 3 and merged.total == 600
    assert np.allclose(ratio, [(whole[0] + whole[5]) / 2, (whole[1] + whole[2]) / 2, whole[3]])
    step, bend = np.array([1e-4, -2e-4, 1e-4]), merged.curvature(weights)
    _, moved = merged.em_step(weights + step)
    _, back = merged.em_step(weights - step)
    second = moved + back - 2 * likelihood
    assert math.isclose(-second, step @ bend @ step, rel_tol=1e-3)


# -- thresholds and strategies -----------------------------------------------------------


def test_the_bound_of_a_weight_is_that_of_the_dense_matrix():
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=20), 1.0)
    tally = mechanism.simulate(zipf(20, 1000), source=sv.Seeded(1))
    matrix = mechanism.channel().dense()
    information = 1000 * (matrix**2 / matrix.mean(axis=1, keepdims=True)).sum(axis=0)
    assert np.allclose(noise_of_weights(Observed.of(tally)), information**-0.5)


def test_the_bound_between_columns_is_interpolated():
    wide = sv.mechanism("sw", sv.Interval(0, 1, bins=1300), 1.0)
    observed = Observed.of(wide.simulate(np.ones(1300, dtype=np.int64), source=sv.Seeded(1)))
    channel, bounds = observed.channel, noise_of_weights(observed)
    expected = channel.forward(np.full(1300, 1 / 1300))
    for j in (0, 1, 617, 1299):
        column = channel.forward(np.eye(1, 1300, j)[0])
        assert math.isclose(bounds[j], (1300 * np.sum(column**2 / expected)) ** -0.5, rel_tol=1e-6)


def test_the_noise_of_an_oracle_is_that_of_its_unbiased_shares():
    mechanism = sv.mechanism("grr", sv.Categories(10), 1.0)
    observed = Observed.of(mechanism.simulate(zipf(10, 5000), source=sv.Seeded(1)))
    zero = mechanism.variance(np.zeros(10), 5000)
    assert np.allclose(noise_of_weights(observed), np.sqrt(zero))


def smallest(weights, threshold=1.0, room=100, protected=(), merging=True):
    weights = np.asarray(weights, dtype=np.float64)
    marked = np.isin(np.arange(len(weights)), protected)
    strategy = Smallest(np.full(len(weights), threshold), marked, merging=merging)
    choice = strategy.choose(Groups.singles(len(weights)), weights, room)
    return None if choice is None else sorted(choice.all)


def test_at_most_half_of_the_small_ones():
    assert smallest([0.1, 0.5, 0.2, 0.3, 0.4, 7.0]) == [0, 2]
    assert smallest([0.1, 0.5, 0.2, 0.3, 0.4, 7.0], merging=False) == [0, 2]
    assert smallest([0.1, 0.2, 0.3, 5.0]) is None  # half of three is one, and one is no merger
    assert smallest([0.1, 0.2, 0.3, 5.0], merging=False) == [0]
    assert smallest([2.0, 3.0]) is None
    assert smallest([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], protected=(0,)) == [1, 2]


def test_ties_are_taken_together_or_not_at_all():
    assert smallest([0.1, 0.2, 0.3, 0.3, 0.3, 0.4]) == [0, 1]  # three would part the 0.3
    assert smallest([0.0, 0.0, 0.0, 0.0, 0.5]) == [0, 1, 2, 3]  # half would part the zeros
    assert smallest([0.0, 0.0, 0.0, 0.0, 0.5], room=2) is None
    nearly = 0.3 + 1e-16
    assert smallest([0.1, 0.2, 0.3, nearly, 0.3, 0.4]) == [0, 1]


def window(weights, threshold=1.0, ring=False, stretches=None, protected=(), groups=None, room=100):
    weights = np.asarray(weights, dtype=np.float64)
    size = len(weights) if groups is None else len(groups.labels)
    marked = np.isin(np.arange(size), protected)
    kind = Window(np.full(size, threshold), marked, stretches or (size,), ring=ring, merging=True)
    choice = kind.choose(groups or Groups.singles(size), weights, room)
    return None if choice is None else [tuple(chosen) for chosen in choice.sets]


def test_the_lightest_run_of_half_the_values():
    assert window([1, 1, 0.1, 0.1, 0.2, 0.1, 1, 1]) == [(2, 3, 4, 5)]
    assert window([1, 1, 0.1, 0.1, 0.9, 0.1, 1, 1]) == [(2, 3)]  # half is too heavy, a quarter not
    assert window([2, 2, 2, 2]) is None
    assert window([0.1, 0.1, 3, 3, 3, 3, 3, 3], protected=(0,)) is None
    assert window([0.1, 3, 3, 3, 3, 3, 3, 0.1], ring=True) == [(7, 0)]
    assert window([0.1, 3, 3, 3, 3, 3, 3, 0.1]) is None
    two = [0.1, 0.1, 3, 3, 3, 3, 0.1, 0.1]
    assert window(two, stretches=(4, 4)) == [(0, 1), (6, 7)]
    assert window(two, stretches=(4, 4), room=1) is None


def test_a_run_has_no_merged_members():
    groups = Groups(np.array([0, 0, 1, 2, 3, 4, 5, 6]))
    assert window([0.1, 0.1, 3, 3, 3, 3, 0.2], groups=groups) is None
    assert window([0.1, 0.1, 0.2, 3, 3, 3, 3], groups=groups) == [(1, 2)]


# -- the reduction itself --------------------------------------------------------------


def reduction_by_hand(matrix, counts, sigma, least):
    """Merging as defined, on a matrix, weights fitted by very many plain passes."""
    members = [[v] for v in range(matrix.shape[1])]
    n, steps = counts.sum(), []

    def fit(members):
        columns = np.stack([matrix[:, group].mean(axis=1) for group in members], axis=1)
        weights = np.full(len(members), 1 / len(members))
        for _ in range(60_000):
            weights = weights * (columns.T @ (counts / (columns @ weights))) / n
        bic = -2 * counts @ np.log(columns @ weights) + len(members) * math.log(n)
        return weights, bic

    weights, bic = fit(members)
    while True:
        under = [j for j in np.argsort(weights) if weights[j] < 40 * sigma[members[j]].mean()]
        take = under[: min(len(under) // 2, len(members) - least + 1)]
        if len(take) < 2:
            return members, weights, steps
        joined = [v for j in take for v in members[j]]
        after = [group for j, group in enumerate(members) if j not in take] + [joined]
        tried, new = fit(after)
        steps.append((sorted(joined), new - bic))
        if new >= bic:
            return members, weights, steps
        members, weights, bic = after, tried, new


def test_against_the_definition_on_a_matrix():
    """A table without ties: the same steps, BIC changes and shares as by hand."""
    random = np.random.default_rng(5)
    rows = random.integers(200, 260, (10, 10)) + np.diag(random.integers(100, 140, 10))
    rows = (rows * (2**20 // rows.sum(axis=1, keepdims=True))).tolist()
    for row in rows:
        row[0] += 2**20 - sum(row)
    mechanism = sv.mechanism("table", sv.Categories(10), 2.0, weights=rows)
    tally = mechanism.simulate(zipf(10, 200_000), source=sv.Seeded(2))
    estimate = sv.estimate(tally, "mr", inner="mle", least=3, threshold=40.0)
    sigma = noise_of_weights(Observed.of(tally))
    members, weights, steps = reduction_by_hand(
        mechanism.channel().dense(), tally.cells.astype(float), sigma, 3
    )
    assert [list(step.inputs) for step in estimate.trace] == [taken for taken, _ in steps]
    assert len(steps) >= 2
    changes = [step.change for step in estimate.trace]
    assert np.allclose(changes, [change for _, change in steps], atol=0.1)
    shares = np.zeros(10)
    for group, weight in zip(members, weights, strict=True):
        shares[group] = weight / len(group)
    assert np.abs(estimate.shares - shares).max() < 5e-3


@pytest.mark.parametrize("name", ["grr", "oue", "ss"])
@pytest.mark.parametrize("operation", ["merge", "prune"])
def test_invariant_under_permutation(name, operation):
    size, n, random = 40, 20_000, np.random.default_rng(8)
    mechanism = sv.mechanism(name, sv.Categories(size), 1.0)
    tally = mechanism.simulate(zipf(size, n), source=sv.Seeded(4))
    order = random.permutation(size)
    parts = tally.cells.reshape(size, -1)[order].ravel()
    options = {"operation": operation, "initial": True}
    plain = sv.estimate(tally, "mr", **options)
    turned = sv.estimate(sv.Tally(mechanism, n, parts), "mr", **options)
    assert plain.trace
    assert np.abs(plain.shares[order] - turned.shares).max() < 1e-6


def test_equal_counts_have_equal_shares():
    mechanism = sv.mechanism("grr", sv.Categories(8), 1.0)
    tally = sv.Tally(mechanism, 1000, np.array([400, 100, 100, 100, 80, 80, 80, 60]))
    for operation in ("merge", "prune"):
        shares = sv.estimate(tally, "mr", operation=operation, least=1).shares
        assert np.ptp(shares[1:4]) < 1e-9 and np.ptp(shares[4:7]) < 1e-9


def test_a_step_that_raises_bic_is_undone():
    mechanism = sv.mechanism("grr", sv.Categories(6), 4.0)
    tally = mechanism.simulate([50_000, 30_000, 9_000, 6_000, 3_000, 2_000], source=sv.Seeded(1))
    estimate = sv.estimate(tally, "mr", threshold=1000.0, least=1)
    assert [step.kept for step in estimate.trace] == [False]
    assert estimate.trace[0].change > 0 and "undone" in estimate.why
    plain = sv.estimate(tally, "em")
    assert np.array_equal(estimate.shares, plain.shares)


def test_nothing_below_the_threshold_is_plain_em():
    mechanism = sv.mechanism("grr", sv.Categories(4), 3.0)
    tally = mechanism.simulate([3000, 3000, 2000, 2000], source=sv.Seeded(1))
    estimate = sv.estimate(tally, "mr")
    assert estimate.trace == ()
    assert np.array_equal(estimate.shares, sv.estimate(tally, "em").shares)


def test_what_is_known_beforehand():
    mechanism = sv.mechanism("grr", sv.Categories(list("abcdefghijkl")), 0.5)
    tally = mechanism.simulate(zipf(12, 5000), source=sv.Seeded(3))
    free = sv.estimate(tally, "mr", least=2)
    taken = {v for step in free.trace for v in step.inputs}
    protected = mechanism.domain.labels()[min(taken)]
    spared = sv.estimate(tally, "mr", least=2, protect=[protected])
    assert min(taken) not in {v for step in spared.trace for v in step.inputs}
    first = sv.estimate(tally, "mr", merge_first=["a", "b", "l"])
    assert first.shares[0] == first.shares[1] == first.shares[-1]
    gone = sv.estimate(tally, "mr", merge_first=["a"], operation="prune")
    assert gone.shares[0] == 0


def test_numbers_are_merged_in_runs():
    domain = sv.Interval(-1, 1, bins=64)
    mechanism = sv.mechanism("pm", domain, 1.0)
    counts = np.zeros(64, dtype=np.int64)
    counts[40:50] = 1000
    tally = mechanism.simulate(counts, source=sv.Seeded(1))
    estimate = sv.estimate(tally, "mr", threshold=5.0)
    assert estimate.trace and estimate.trace[-1].components >= 16
    for step in estimate.trace:
        assert np.ptp(step.inputs) == len(step.inputs) - 1
        if step.kept:
            assert np.ptp(estimate.shares[list(step.inputs)]) < 1e-12
    assert math.isclose(estimate.shares.sum(), 1.0)


def test_whole_reports():
    mechanism = sv.mechanism("oue", sv.Categories(12), 1.0)
    values = np.repeat(np.arange(12), zipf(12, 4000))
    reports = mechanism.randomize(values, source=sv.Seeded(1))
    estimate = sv.estimate(reports, "mr", inner="mle")
    assert estimate.trace and "joint likelihood" in estimate.why
    assert math.isclose(estimate.shares.sum(), 1.0)


def test_a_mechanism_added_later_is_served():
    """Nothing but its channel is asked for: a table nobody knew beforehand."""
    weights = [[4, 2, 1, 1], [2, 4, 1, 1], [1, 1, 4, 2], [1, 1, 2, 4]]
    mechanism = sv.mechanism("table", sv.Categories(4), 1.5, weights=weights)
    tally = mechanism.simulate([900, 60, 30, 10], source=sv.Seeded(1))
    shares = sv.estimate(tally, "mr", least=1, threshold=4.0).shares
    assert math.isclose(shares.sum(), 1.0) and shares.min() >= 0


def test_the_trace_can_be_seen():
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=64), 0.5)
    tally = mechanism.simulate(zipf(64, 2000), source=sv.Seeded(1))
    panels = sv.estimate(tally, "mr").plot("trace").axes
    assert [axes.get_xlabel() for axes in panels] == ["step", "step", "value"]
    with pytest.raises(Unfit, match="a trace needs the steps of a mixture reduction"):
        sv.estimate(tally, "em").plot("trace")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"least": 11}, "least of mr must be a whole number from 1 to 10; got 11"),
        ({"least": 0}, "least of mr"),
        ({"threshold": 0.0}, "threshold of mr must be a number above 0"),
        ({"threshold": float("nan")}, "threshold of mr"),
        ({"operation": "split"}, "operation of mr must be one of merge, prune"),
        ({"strategy": "window"}, "Without an order there are no neighbors"),
        ({"strategy": "largest"}, "strategy of mr"),
        ({"inner": "ems"}, "inner of mr must be one of em, mle"),
        ({"protect": [11]}, "protect of mr must be values of"),
        ({"protect": [1], "merge_first": [1, 2]}, "merge_first of mr must be none of protect"),
        ({"speed": 1}, "option speed of mr"),
    ],
)  # fmt: skip
def test_bad_options(options, said):
    mechanism = sv.mechanism("grr", sv.Categories(10), 1.0)
    tally = mechanism.simulate(zipf(10, 500), source=sv.Seeded(1))
    with pytest.raises(InvalidInput, match=said.replace("(", r"\(")):
        sv.estimate(tally, "mr", **options)


def test_no_unbiased_shares_to_begin_with():
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=16), 1.0)
    tally = mechanism.simulate(zipf(16, 500), source=sv.Seeded(1))
    with pytest.raises(InvalidInput, match="initial of mr must be False for square-wave"):
        sv.estimate(tally, "mr", initial=True)
    rounding = sv.mechanism("sr", sv.Interval(0, 1, bins=16), 1.0)
    with pytest.raises(Unfit, match="mr does not apply"):
        sv.estimate(rounding.simulate(zipf(16, 500), source=sv.Seeded(1)), "mr")


@pytest.mark.parametrize("epsilon", [1e-6, 20.0])
def test_extreme_epsilons(epsilon):
    mechanism = sv.mechanism("grr", sv.Categories(10), epsilon)
    tally = mechanism.simulate(zipf(10, 500), source=sv.Seeded(1))
    shares = sv.estimate(tally, "mr").shares
    assert math.isclose(shares.sum(), 1.0) and np.isfinite(shares).all() and shares.min() >= 0
