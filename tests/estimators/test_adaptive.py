"""``adaptive``: its resolution, what it gives, and how good it is."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.dense import DenseChannel
from sottovoce.estimators.observed import Observed
from sottovoce.estimators.smooth.adaptive import adaptive
from sottovoce.estimators.smooth.coarsening import cell_edges, coarse_readings, expand
from sottovoce.estimators.smooth.posterior import Posterior


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
    edges = np.arange(65)
    assert len(coarse_readings(channel, counts, edges).counts) < 2048
    order = np.random.default_rng(0).permutation(2048)
    shuffled = DenseChannel(channel.dense()[order])
    assert len(coarse_readings(shuffled, counts[order], edges).counts) == 2048


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


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in ("grr", "olh", "hr", "pm", "oue", "ss", "hh", "haar", "laplace")),
        ("hh", {"split": "budget"}),
    ],
)
def test_any_ordered_channel(name: str, options: dict[str, str]) -> None:
    counts = bell(32, 200_000)
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=32), 4.0, **options)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(4)), "adaptive")
    assert wasserstein(estimate.shares, counts / counts.sum()) < 0.01


def test_refused_without_order() -> None:
    tally = sv.mechanism("grr", sv.Categories(8), 1.0).simulate([10] * 8, source=sv.Seeded(1))
    with pytest.raises(Unfit, match="adaptive"):
        sv.estimate(tally, "adaptive")


@pytest.mark.parametrize("name", ["sw", "pm", "laplace", "hh", "haar", "olh", "oue", "grr"])
@pytest.mark.parametrize(
    ("size", "people", "epsilon"), [(2, 1, 1.0), (40, 7, 1e-6), (2, 900, 20.0)]
)
def test_little_to_go_by(name: str, size: int, people: int, epsilon: float) -> None:
    """One report, fewer people than values, hardly any signal, hardly any noise: no warning, no NaN."""
    counts = np.zeros(size, dtype=np.int64)
    counts[-1] = people
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=size), epsilon)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(3)), "adaptive")
    assert np.all(estimate.shares >= 0) and estimate.shares.sum() == pytest.approx(1, abs=1e-9)
    for about in (estimate, estimate.for_population()):
        assert np.all(np.isfinite(about.stderr))
        assert np.isfinite([about.mean().stderr, about.quantile(0.5).low]).all()


@pytest.mark.parametrize("name", ["grr", "sue"])
def test_without_noise_the_respondents_are_found(name: str) -> None:
    """At epsilon 20 smoothing must not touch what the reports say of these people."""
    counts = np.random.default_rng(6).multinomial(3_000, bell(40, 9_000) / bell(40, 9_000).sum())
    mechanism = sv.mechanism(name, sv.Interval(0, 1, bins=40), 20.0)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1)), "adaptive")
    apart = np.abs(estimate.shares - counts / 3_000).max()
    assert apart < 0.2 * np.sqrt(0.05 / 3_000), "a fifth of what sampling moves"
    assert estimate.stderr.max() < estimate.for_population().stderr.max() / 3


def test_spikes_stay_where_the_reports_show_them() -> None:
    counts = spiky(64, 60_000)
    mechanism = sv.mechanism("oue", sv.Interval(0, 1, bins=64), 3.0)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(2)), "adaptive")
    truth = counts / counts.sum()
    top = np.sort(np.argsort(-estimate.shares)[:3])
    assert top.tolist() == np.sort(np.argsort(-truth)[:3]).tolist()
    assert np.abs(estimate.shares - truth)[top].max() < 4 * estimate.stderr[top].max() < 0.03


def test_spikes_among_more_values_than_cells() -> None:
    """Cells move between turns, and atoms with them."""
    counts = np.zeros(1501, dtype=np.int64)
    counts[[1, 500, 1498]] = 30_000, 40_000, 30_000
    mechanism = sv.mechanism("grr", sv.Counts(1500), 12.0)
    estimate = sv.estimate(mechanism.simulate(counts, source=sv.Seeded(1)), "adaptive")
    assert np.abs(estimate.shares - counts / 100_000).max() < 0.01


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
    """Mean distance against EMS's on the same tallies; the uniform distribution would fail.

    The intervals of cumulative shares hold the truth about as often as they say.
    """
    mechanism = sv.mechanism("sw", sv.Interval(0, 1, bins=40), 1.0, output_bins=40)
    truth = counts / counts.sum()
    cumulative = np.cumsum(truth)
    rows, held = [], []
    for seed in range(10):
        tally = mechanism.simulate(counts, source=sv.Seeded(seed))
        found, smoothed = (sv.estimate(tally, method) for method in ("adaptive", "ems"))
        tried = (found.shares, smoothed.shares, np.full(40, 1 / 40))
        rows.append([wasserstein(shares, truth) for shares in tried])
        answers = [found.cdf((k + 1) / 40) for k in range(4, 36, 4)]
        missed = np.abs([a.value for a in answers] - cumulative[4:36:4])
        held.append(missed <= 1.96 * np.array([a.stderr for a in answers]))
    adapted, smooth, much_too_smooth = np.mean(rows, axis=0)
    assert adapted < most * smooth
    assert much_too_smooth > most * smooth
    assert np.mean(held) >= 0.8
