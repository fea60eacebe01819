"""Means, variances, quantiles and cumulative shares: against samples, by law, and by coverage."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import sottovoce as sv
from sottovoce.answers.errors import CellErrors, Exact, LinearErrors
from sottovoce.answers.estimate import Estimate
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.channels.cell_weights import affine, gains_of_outputs
from sottovoce.channels.dense import DenseChannel
from sottovoce.estimators.choose import choose

AGE = sv.Interval(0, 120, bins=24)


def exact(shares, low=0.0, high=1.0):
    """An estimate that is the truth."""
    shares = np.array(shares, dtype=float)
    domain = sv.Interval(low, high, bins=len(shares))
    return Estimate(domain, shares, 1, "truth", "told", Exact(len(shares)))


def noisy(name="oue", epsilon=1.0, n=20_000, seed=1, domain=AGE, method="unbiased"):
    mechanism = sv.mechanism(name, domain, epsilon)
    return sv.estimate(mechanism.simulate(beta_counts(n, domain), source=sv.Seeded(seed)), method)


def beta_counts(n, domain):
    shares = np.diff(stats.beta.cdf(np.linspace(0, 1, domain.size + 1), 2, 4))
    counts = np.floor(n * shares).astype(int)
    counts[0] += n - counts.sum()
    return counts


counts = st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(lambda c: sum(c) > 0)
places = st.floats(-1e3, 1e3)
widths = st.floats(1e-2, 1e3)


# -- exact functionals against an expanded sample -----------------------------------------


@given(counts, places, widths)
def test_answers_are_those_of_a_fine_sample(people, low, width):
    """Every person as 400 numbers spread over the bin: what numpy says of them."""
    e = exact(np.array(people) / sum(people), low, low + width)
    step = width / len(people)
    within = (np.arange(400) + 0.5) / 400 * step
    sample = np.concatenate(
        [np.tile(low + v * step + within, count) for v, count in enumerate(people)]
    )
    size = abs(low) + width
    assert np.isclose(e.mean().value, sample.mean(), atol=1e-9 * size)
    assert np.isclose(e.variance().value, sample.var(), rtol=1e-4, atol=1e-9 * size**2)
    assert np.isclose(e.cdf(low + width / 3).value, np.mean(sample <= low + width / 3), atol=0.004)
    for q in (0.0, 0.013, 0.37, 0.81, 1.0):
        below, above = (
            np.quantile(sample, max(q - 0.003, 0)),
            np.quantile(sample, min(q + 0.003, 1)),
        )
        assert below - step / 100 <= e.quantile(q).value <= above + step / 100
    a, b = low + width * 0.2, low + width * 0.7
    assert np.isclose(e.range(a, b).value, e.cdf(b).value - e.cdf(a).value)


def test_by_hand():
    e = exact([0.5, 0.0, 0.5], 0, 3)  # uniform on [0, 1] and [2, 3]
    assert e.mean().value == 1.5
    assert np.isclose(e.variance().value, 1.0 + 1 / 12)
    assert e.quantile(0.5).value == 1.5  # nobody is between 1 and 2: half way
    assert np.isclose(e.quantile(0.25).value, 0.5)
    assert [a.value for a in e.quantile([0, 1])] == [0.0, 3.0]
    assert np.isclose(e.cdf(2.5).value, 0.75)
    assert (e.cdf(0).value, e.cdf(3).value) == (0.0, 1.0)
    inner = exact([0.0, 1.0, 0.0], 0, 3)
    assert [round(inner.quantile(q).value, 9) for q in (0, 0.5, 1)] == [1.0, 1.5, 2.0]


# -- laws -----------------------------------------------------------------------------------


@given(counts, st.floats(0, 1))
def test_quantile_and_cdf_undo_each_other(people, part):
    e = exact((np.array(people) + 1) / (sum(people) + len(people)))
    x = part
    assert np.isclose(e.quantile(e.cdf(x).value).value, x, atol=1e-9)
    assert np.isclose(e.cdf(e.quantile(part).value).value, part, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_quantiles_grow_and_stay_inside_however_noisy_the_shares(seed, levels):
    shares = np.random.default_rng(seed).normal(0.05, 0.2, 20)
    e = exact(shares)
    found = [a.value for a in e.quantile(sorted(levels))]
    assert found == sorted(found)
    assert all(0 <= x <= 1 for x in found)
    mirrored = exact(shares[::-1])
    for q, x in zip(sorted(levels), found, strict=True):
        assert np.isclose(mirrored.quantile(1 - q).value, 1 - x, atol=1e-9)


def test_a_fine_distribution_has_a_growing_cdf():
    e = noisy("olh", method="norm-sub")
    values = [e.cdf(x).value for x in np.linspace(0, 120, 50)]
    assert np.all(np.diff(values) >= -1e-12)


@pytest.mark.parametrize("name", ["grr", "oue", "olh"])
def test_moving_and_stretching_the_numbers(name):
    """The same shares over another interval: answers move along, whatever the shares sum to."""
    one = noisy(name)
    moved = Estimate(
        sv.Interval(-3000, -2760, bins=24),
        one.shares.copy(),
        one.n,
        one.method,
        one.why,
        one.error_model,
    )
    for ask, shift, scale in (("mean", -3000, 2), ("variance", 0, 4)):
        a, b = getattr(one, ask)(), getattr(moved, ask)()
        assert np.isclose(b.value, shift + scale * a.value, rtol=1e-9)
        assert np.isclose(b.stderr, scale * a.stderr, rtol=1e-9)
    for a, b in zip(one.quantile([0.1, 0.5]), moved.quantile([0.1, 0.5]), strict=True):
        got = np.array([b.value, b.low, b.high])
        assert np.allclose(got, -3000 + 2 * np.array([a.value, a.low, a.high]))
    assert np.isclose(one.cdf(30).value, moved.cdf(-2940).value)


def test_what_the_sum_lacks_is_spread_over_all_bins():
    e = noisy()
    assert abs(e.shares.sum() - 1) > 0.001
    whole = e.range(0, 120)
    assert np.isclose(whole.value, 1.0) and whole.stderr < 1e-9
    shares = e.shares + (1 - e.shares.sum()) / 24
    assert np.isclose(e.mean().value, shares @ AGE.midpoints)
    assert np.isclose(e.cdf(40).value, shares[:8].sum())
    by_hand = e.linear(np.r_[np.full(8, 16 / 24), np.full(16, -8 / 24)])
    assert np.isclose(e.cdf(40).stderr, by_hand.stderr)
    assert e.cdf(100).stderr < e.linear(np.arange(24) < 20).stderr / 2


def test_population_intervals_are_wider():
    one = noisy(epsilon=5.0)
    for ask in ("mean", "variance"):
        assert getattr(one.for_population(), ask)().stderr > 1.02 * getattr(one, ask)().stderr
        assert getattr(one.for_population(), ask)().value == getattr(one, ask)().value
    assert one.for_population().quantile(0.5).stderr > 1.1 * one.quantile(0.5).stderr


# -- intervals hold the truth ------------------------------------------------------------------


SURVEYS, RARE = 1200, 1e-7


@lru_cache(maxsize=4)
def surveys(name, epsilon, n, population=False):
    """Many surveys: question by question the rows (low, value, high, truth)."""
    mechanism, people, rng = sv.mechanism(name, AGE, epsilon), beta_counts(n, AGE), sv.Seeded(4)
    draw, rows = np.random.default_rng(9), []

    def ask(e):
        return [e.mean(), e.variance(), e.range(13, 57), *e.quantile([0.1, 0.5, 0.9])]

    truth = ask(exact(people / n, 0, 120))
    for _ in range(SURVEYS):
        asked = draw.multinomial(n, people / n) if population else people
        e = sv.estimate(mechanism.simulate(asked, source=rng), "unbiased")
        answers = ask(e.for_population() if population else e)
        rows.append(
            [(a.low, a.value, a.high, t.value) for a, t in zip(answers, truth, strict=True)]
        )
    return np.moveaxis(np.array(rows), 0, 2)


def held(rows, shrink=1.0):
    """In how many surveys the interval, made smaller by ``shrink``, holds the truth."""
    low, value, high, truth = np.moveaxis(rows, 1, 0)
    inside = (value + shrink * (low - value) <= truth) & (truth <= value + shrink * (high - value))
    return inside.sum(axis=1).tolist()


def fits(hits, chance=0.95):
    return stats.binomtest(hits, SURVEYS, chance).pvalue > RARE


@pytest.mark.parametrize(
    ("name", "epsilon", "n", "population"),
    [
        ("grr", 1.0, 20_000, False),
        pytest.param("oue", 1.0, 20_000, False, marks=pytest.mark.slow),
        pytest.param("oue", 4.0, 5_000, True, marks=pytest.mark.slow),
    ],
)
def test_95_percent_intervals_hold_the_truth_in_95_percent_of_surveys(name, epsilon, n, population):
    hits = held(surveys(name, epsilon, n, population))
    assert all(map(fits, hits)), hits
    assert all(0.93 <= hit / SURVEYS <= 0.97 for hit in hits), hits


def test_intervals_a_fifth_smaller_would_be_noticed():
    hits = held(surveys("grr", 1.0, 20_000, False), shrink=0.8)
    assert not any(map(fits, hits)), hits


@pytest.mark.slow
def test_intervals_of_post_processed_shares_are_not_too_small():
    """Few surveys, as each is simulated again: enough to see intervals of half the size."""
    mechanism, people = sv.mechanism("olh", AGE, 1.0), beta_counts(20_000, AGE)
    truth, inside = exact(people / 20_000, 0, 120), 0
    for seed in range(40):
        e = sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)), "norm-sub")
        for got, right in ((e.mean(), truth.mean()), (e.variance(), truth.variance()), (e.quantile(0.5), truth.quantile(0.5))):  # fmt: skip
            inside += got.low <= right.value <= got.high
    assert inside >= 90  # of 120; 75% would already be a false alarm of 1e-6 at 95%


# -- reports that tell a mean only ---------------------------------------------------------------


class Rounding(DenseChannel):
    """Two cells; high with a chance that grows with the number."""

    identifies_distribution = False

    def __init__(self, size):
        chances = np.linspace(0.2, 0.8, size)
        super().__init__(np.array([1 - chances, chances]))

    def cell_weights(self, weights):
        return gains_of_outputs(self.adjoint, np.array([-1.0, 1.0]), weights)


def from_cells(cells, domain=AGE):
    cells, channel = np.array(cells), Rounding(domain.size)
    noise = CellErrors(channel, int(cells.sum()), cells / cells.sum())
    return Estimate(domain, None, int(cells.sum()), "unbiased", "one bit a report", noise)


def test_the_mean_without_shares():
    e = from_cells([600, 400])
    # 0.2 at 2.5, 0.8 at 117.5: 0.4 is a third of the way
    assert np.isclose(e.mean().value, 2.5 + 115 / 3)
    assert np.isclose(e.mean().stderr, 115 / 0.6 * np.sqrt(0.4 * 0.6 / 1000))
    assert e.for_population().mean() == e.mean()
    assert np.isclose(e.linear(3 * AGE.midpoints - 7).value, 3 * e.mean().value - 7)
    one = from_cells([0, 1]).mean()
    assert one.stderr > 20 and np.isfinite(one.value)


def test_what_cannot_be_told_without_shares():
    e = from_cells([600, 400])
    asks = {
        "share": lambda: e.share(3), "total": lambda: e.total([3, 30]), "top": e.top,
        "range": lambda: e.range(0, 9), "cdf": lambda: e.cdf(9), "variance": e.variance,
        "quantile": lambda: e.quantile(0.5), "frame": e.frame, "plot": e.plot,
        "stderr": lambda: e.stderr, "this sum": lambda: e.linear(AGE.midpoints**2),
        "shares": lambda: sv.difference(e, e).shares,
    }  # fmt: skip
    for question, ask in asks.items():
        said = f"{question} needs shares, and this estimate has none .one bit a report.*asked of it: mean"
        with pytest.raises(NotIdentified, match=said):
            ask()
    assert sv.difference(e, from_cells([400, 600])).mean().p_value < 1e-6


def test_errors_of_shares_that_nobody_knows():
    noise = from_cells([600, 400]).error_model
    with pytest.raises(NotIdentified, match="do not identify shares"):
        noise.stderr("respondents")
    with pytest.raises(NotIdentified, match="do not identify this sum of shares"):
        noise.stderr_of(AGE.midpoints**2, "respondents")


def test_gains():
    assert affine(np.array([3.0, 5.0, 7.0])) == (3.0, 2.0)
    assert affine(np.array([3.0])) == (3.0, 0.0)
    assert affine(np.array([3.0, 5.0, 7.1])) is None
    channel = Rounding(5)
    cell_weights = channel.cell_weights(np.arange(5.0))
    np.testing.assert_allclose(channel.adjoint(cell_weights.values), np.arange(5.0), atol=1e-12)
    assert cell_weights.bias_bound < 1e-12
    assert channel.cell_weights(np.arange(5.0) ** 2) is None
    np.testing.assert_array_equal(channel.cell_weights(np.full(5, 2.0)).values, 2.0)
    blind = DenseChannel(np.full((2, 5), 0.5))
    assert blind.cell_weights(np.arange(5.0)) is None
    assert gains_of_outputs(blind.adjoint, np.array([-1.0, 1.0]), np.arange(5.0)) is None
    bent = DenseChannel(np.array([1 - np.linspace(0, 1, 5) ** 2, np.linspace(0, 1, 5) ** 2]))
    found = gains_of_outputs(bent.adjoint, np.array([0.0, 1.0]), np.arange(5.0))
    off = np.abs(bent.adjoint(found.values) - np.arange(5.0)).max()
    assert np.isclose(found.bias_bound, off) and off > 0.1


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "hr", "flh"])
def test_gains_of_a_channel_with_an_inverse_are_its_adjoint(name):
    channel = sv.mechanism(name, AGE, 1.0).channel()
    cell_weights = channel.cell_weights(AGE.midpoints)
    off = np.abs(channel.adjoint(cell_weights.values) - AGE.midpoints).max()
    assert off <= cell_weights.bias_bound + 1e-9 * 120


@pytest.mark.parametrize("name", ["sr", "pm", "sw"])
def test_the_plain_average_of_numeric_mechanisms(name):
    """Right on average with the spread it tells, for the mechanisms that have no unbiased shares."""
    mechanism, people = sv.mechanism(name, AGE, 1.0), beta_counts(5000, AGE)
    right = people @ AGE.midpoints / 5000
    found = [
        sv.estimate(mechanism.simulate(people, source=sv.Seeded(seed)), "unbiased").mean()
        for seed in range(300)
    ]
    values, told = np.array([a.value for a in found]), np.mean([a.stderr for a in found])
    assert abs(values.mean() - right) < 5.5 * told / np.sqrt(300)
    assert 0.75 < values.std() / told < 1.2  # the told one is cautious about respondents
    e = sv.estimate(mechanism.simulate(people, source=sv.Seeded(1)), "base")
    assert e.shares is None
    rows = {row["method"]: row for row in sv.methods(mechanism)}
    assert rows["unbiased"]["applies"] == "to the mean only"
    with pytest.raises(InvalidInput, match="option alpha of unbiased must be left out"):
        sv.estimate(mechanism.simulate(people, source=sv.Seeded(1)), "unbiased", alpha=1)


def test_stochastic_rounding_says_what_it_tells():
    mechanism = sv.mechanism("sr", AGE, 1.0)
    e = sv.estimate(mechanism.simulate(beta_counts(500, AGE), source=sv.Seeded(1)))
    assert e.shares is None
    assert "identify only the mean" in e.why
    with pytest.raises(NotIdentified, match="the same for all distributions of one mean"):
        e.quantile(0.5)
    one = sv.estimate(mechanism.randomize([30.0]))
    assert np.isfinite([one.mean().value, one.mean().stderr]).all()
    assert one.mean().stderr > 50


@pytest.mark.parametrize(
    ("name", "goal", "method"),
    [
        *(("sr", goal, "unbiased") for goal in ("distribution", "subset", "top", "mean", "range")),
        *(
            (name, goal, "adaptive")
            for name in ("sw", "pm", "gw", "laplace", "olh", "oue", "grr", "hh", "haar")
            for goal in ("distribution", "subset", "top", "mean", "range")
        ),
    ],
)  # fmt: skip
def test_rules(name, goal, method):
    assert choose(sv.mechanism(name, AGE, 1.0), goal).method == method


# -- bad input, differences, pictures --------------------------------------------------------------


def test_bad_questions():
    e = noisy()
    for q in (-0.1, 1.1, float("nan"), "half", True, None):
        with pytest.raises(InvalidInput, match="q of quantile must be a number from 0 to 1; got"):
            e.quantile(q)
    with pytest.raises(InvalidInput, match="q of quantile must be a number from 0 to 1; got 2"):
        e.quantile([0.5, 2])
    for x in (-1, 121, float("nan"), float("inf"), "old"):
        with pytest.raises(InvalidInput, match="x of cdf must be a number from 0 to 120; got"):
            e.cdf(x)
    for confidence in (0, 1, float("nan")):
        for ask in (
            e.mean,
            e.variance,
            lambda **o: e.quantile(0.5, **o),
            lambda **o: e.cdf(9, **o),
        ):
            with pytest.raises(InvalidInput, match="confidence of answer"):
                ask(confidence=confidence)
    words = sv.mechanism("grr", sv.Categories(3), 1.0)
    named = sv.estimate(words.simulate([5, 5, 5], source=sv.Seeded(1)))
    for ask in (named.variance, lambda: named.quantile(0.5), lambda: named.cdf(1), lambda: named.cumulative):  # fmt: skip
        with pytest.raises(Unfit, match="needs numbers"):
            ask()
    with pytest.raises(Unfit, match="a cdf needs numbers"):
        named.plot("cdf")
    with pytest.raises(
        InvalidInput, match="kind of plot must be one of cdf, keys, ring, shares, trace; got 'pie'"
    ):
        e.plot("pie")


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "hr", "ss"])
def test_one_report_gives_finite_answers(name):
    mechanism = sv.mechanism(name, AGE, 0.5)
    e = sv.estimate(mechanism.randomize([33.0], source=sv.Seeded(1)), "unbiased")
    answers = [e.mean(), e.variance(), e.cdf(50), e.range(3, 99), *e.quantile([0, 0.5, 1])]
    assert all(np.isfinite([a.value, a.stderr, a.low, a.high]).all() for a in answers)
    assert all(0 <= a.low <= a.value <= a.high <= 120 for a in answers[-3:])


def test_a_single_bin():
    one = sv.mechanism("grr", sv.Interval(0, 12, bins=1), 1.0)
    e = sv.estimate(one.randomize([3.0, 5.0]))
    assert (e.mean().value, e.variance().value, e.quantile(0.25).value) == (6.0, 12.0, 3.0)
    assert e.mean().stderr == e.quantile(0.25).stderr == 0.0


def test_negative_means_are_not_raised_to_zero():
    domain = sv.Interval(-10, 0, bins=4)
    e = noisy(domain=domain, method="post-pos")
    assert e.clips and -10 < e.mean().value < 0
    assert e.linear(-np.ones(4)).value < 0


def test_more_bins_than_errors_are_computed_for():
    domain = sv.Interval(0, 1, bins=3000)
    e = noisy("grr", 8.0, 100_000, domain=domain)
    curve = e.cumulative
    for k in (300, 1501, 2600):
        assert np.isclose(curve.stderr[k], e.cdf(k / 3000).stderr, rtol=0.02)
    assert np.isclose(e.quantile(0.5).value, stats.beta(2, 4).median(), atol=0.02)


def test_differences():
    one, two = noisy(seed=1), noisy(seed=2)
    change = sv.difference(one, two, about="respondents")
    for ask in (lambda e: e.variance(), lambda e: e.cdf(40), lambda e: e.mean()):
        a, b, c = ask(one), ask(two), ask(change)
        assert np.isclose(c.value, b.value - a.value)
        assert np.isclose(c.stderr, np.hypot(a.stderr, b.stderr))
        assert np.isclose(c.high - c.low, 2 * 1.959964 * c.stderr)
    a, b, c = one.quantile(0.9), two.quantile(0.9), change.quantile(0.9)
    assert np.isclose(c.low, c.value - np.hypot(b.value - b.low, a.high - a.value))
    assert np.isclose(c.high, c.value + np.hypot(b.high - b.value, a.value - a.low))
    assert 0.001 < c.p_value <= 1


def test_errors_add_where_shares_are_unbiased():
    assert isinstance(noisy().error_model, LinearErrors)


def test_large_numbers_are_written_short():
    nan = float("nan")
    assert str(sv.Answer(nan, nan, nan, nan)) == "nan +- nan (95% from nan to nan)"
    assert str(sv.Answer(0.5, float("inf"), -float("inf"), float("inf"), "x")) == (
        "x: 0.5000 +- inf (95% from -inf to inf)"
    )
    assert str(sv.Answer(44155.39, 571.8, 43012.8, 45254.1, "median")) == (
        "median: 44155 +- 572 (95% from 43013 to 45254)"
    )


def test_pictures(tmp_path):
    for e in (noisy(), noisy(domain=sv.Interval(0, 60_000, bins=300), method="norm-sub")):
        for kind in ("shares", "cdf"):
            truth = np.full(e.domain.size, 1 / e.domain.size)
            figure = e.plot(kind, truth=truth, name="income", title="of some")
            axes = figure.axes[0]
            assert (axes.get_xlabel(), axes.get_title(loc="left")) == ("income", "of some")
            labels = [text.get_text() for text in axes.get_legend().get_texts()]
            assert labels == ["95% interval", "estimate", "truth"]
            figure.savefig(tmp_path / f"{kind}.png")
            assert (tmp_path / f"{kind}.png").stat().st_size > 5000
    with pytest.raises(InvalidInput, match="truth of plot must be 24 shares"):
        noisy().plot("cdf", truth=[1.0])
