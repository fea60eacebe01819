"""About whom: respondents or the population, and which statistic a test takes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.comparing import holm, normal_p
from sottovoce.answers.errors import CellErrors, LinearErrors
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit

DRINKS = sv.Categories([f"drink {k}" for k in range(10)])
MANY = np.array([300, 200, 150, 100, 80, 60, 50, 30, 20, 10])
HOURS = sv.Interval(0, 12, bins=12)
HUMP = np.array([1, 2, 4, 8, 12, 14, 12, 8, 4, 2, 1, 1]) * 100
FALSE_ALARM = 4.9
"""Standard errors beyond which a rate is rejected: a chance of 1e-6."""


def draw(name, epsilon=1.0, seed=1, method="auto", domain=DRINKS, counts=MANY, **way):
    mechanism = sv.mechanism(name, domain, epsilon)
    return sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), method, **way)


# -- one word ---------------------------------------------------------------------------------


def test_estimates_are_about_respondents_unless_asked():
    usual, wide = draw("oue"), draw("oue", about="population")
    assert (usual.about, wide.about) == ("respondents", "population")
    assert wide.share("drink 0") == usual.for_population().share("drink 0")
    assert wide.share("drink 0").stderr > usual.share("drink 0").stderr
    with pytest.raises(InvalidInput, match="about of estimate must be one of population, resp"):
        draw("oue", about="everybody")


def test_differences_are_about_the_population_unless_asked():
    one, two = draw("oue", 4.0), draw("oue", 4.0, seed=2)
    usual, same = sv.difference(one, two), sv.difference(one, two, same_people=True)
    assert (usual.about, same.about) == ("population", "respondents")
    narrow = sv.difference(one, two, about="respondents")
    for ask in (lambda d: d.share("drink 0"), lambda d: d.total(["drink 0", "drink 3"])):
        assert ask(same) == ask(narrow) and ask(same).stderr < ask(usual).stderr
        assert ask(same).value == ask(usual).value
    # Of the sides' own word nothing is left: a difference has one.
    assert sv.difference(one.for_population(), two).frame()["low"] == usual.frame()["low"]


# -- the unbiased statistic ---------------------------------------------------------------------


@pytest.mark.parametrize("method", ["norm-sub", "mle", "exchangeable", "base-cut", "norm-sub+"])
def test_a_difference_takes_the_unbiased_estimates(method):
    """Whatever method is shown; an oracle by hand: support counts, and binomials."""
    way = (
        {"method": "unbiased", "then": "norm-sub"} if method == "norm-sub+" else {"method": method}
    )
    first, second = (draw("oue", 2.0, seed, **way) for seed in (1, 2))
    change = sv.difference(first, second)
    plain = [draw("oue", 2.0, seed, "unbiased") for seed in (1, 2)]
    np.testing.assert_array_equal(change.shares, plain[1].shares - plain[0].shares)
    odds = sv.mechanism("oue", DRINKS, 2.0).channel().support_probabilities
    rates = [odds.q + one.shares * (odds.p - odds.q) for one in plain]
    agreed = [(1000 * rate + 1) / 1002 for rate in rates]
    least = odds.q * (1 - odds.q)  # the noise of a value that nobody holds
    variance = sum(np.maximum(rate * (1 - rate), least) for rate in agreed) / 1000
    np.testing.assert_allclose(change.stderr, np.sqrt(variance) / (odds.p - odds.q), rtol=1e-9)
    pooled = sum(rates) / 2
    null = np.sqrt(2 * pooled * (1 - pooled) / 1000) / (odds.p - odds.q)
    expected = [math.erfc(abs(z) / math.sqrt(2)) for z in change.shares / null]
    np.testing.assert_allclose(change.p_value, expected, rtol=1e-9)
    frame = change.frame()
    np.testing.assert_allclose(np.subtract(frame["second"], frame["first"]), frame["difference"])
    assert change.why == "compares unbiased estimates"


@pytest.mark.parametrize(
    ("name", "way", "errors"),
    [
        ("oue", {"method": "norm-sub"}, LinearErrors), ("grr", {"method": "em"}, LinearErrors),
        ("hierarchy", {"domain": HOURS, "counts": HUMP}, LinearErrors),
        ("sr", {"domain": HOURS, "counts": HUMP, "method": "bounded-mean"}, CellErrors),
        ("sw", {"domain": HOURS, "counts": HUMP}, CellErrors),
        ("pm", {"domain": HOURS, "counts": HUMP}, CellErrors),
    ],
)  # fmt: skip
def test_every_estimate_has_an_unbiased_companion(name, way, errors):
    estimate = draw(name, **way)
    companion = estimate.unbiased
    assert isinstance(companion.error_model, errors) and companion.unbiased is companion
    assert companion.n == estimate.n and not companion.clips
    assert estimate.for_population().unbiased.about == "population"
    again = pickle.loads(pickle.dumps(estimate)).unbiased  # noqa: S301
    assert again.error_model.n == companion.error_model.n
    if companion.shares is not None:
        np.testing.assert_array_equal(again.shares, companion.shares)


def test_wide_bins_are_compared_over_the_domain():
    mechanism = sv.mechanism("grr", sv.Interval(0, 12, bins=24), 2.0, report_bins=6)
    counts = np.repeat(HUMP, 2)
    sides = [
        sv.estimate(mechanism.simulate(counts, source=sv.Seeded(s)), "norm-sub") for s in (1, 2)
    ]
    change = sv.difference(*sides)
    assert len(change.frame()) == 24 and change.sides[0].domain == mechanism.domain
    assert change.range(0, 6).stderr > sv.difference(*sides, same_people=True).range(0, 6).stderr


def test_shares_of_a_wave_have_no_unbiased_estimate():
    """Its mean has one; shares are compared by the methods' own answers, and it says so."""
    one, two = (draw("sw", seed=s, domain=HOURS, counts=HUMP) for s in (1, 2))
    change = sv.difference(one, two)
    np.testing.assert_allclose(change.shares, two.shares - one.shares)
    means = [one.unbiased.for_population().mean(), two.unbiased.for_population().mean()]
    assert change.mean().value == means[1].value - means[0].value
    assert change.mean().stderr == pytest.approx(math.hypot(*(mean.stderr for mean in means)))
    assert "shares are compared by the methods' own answers" in change.why
    assert change.quantile(0.5).p_value > 1e-3


def test_fused_services_are_compared_by_their_own_answers():
    people = np.repeat(HOURS.midpoints, HUMP // 10)
    mechanism = sv.mechanism("sw", HOURS, 1.0)

    def fused(seed):
        reports = [mechanism.randomize(people, source=sv.Seeded(seed + k)) for k in (0, 10)]
        return sv.fuse(None, reports).distribution()

    one, two = fused(1), fused(2)
    assert one.unbiased is None
    change = sv.difference(one, two)
    assert change.mean().value == two.mean().value - one.mean().value
    assert change.why.startswith("compares the methods' own answers")
    with pytest.raises(Unfit, match="anytime needs an unbiased estimate"):
        change.anytime()


# -- many values --------------------------------------------------------------------------------


def test_adjusted_p_values_count_all_values():
    change = sv.difference(draw("oue", seed=1), draw("oue", seed=2))
    np.testing.assert_array_equal(change.adjusted, holm(change.p_value))
    for answer in change.top(3):
        index = DRINKS.index(answer.label)
        assert (answer.p_value, answer.adjusted) == (change.p_value[index], change.adjusted[index])
    assert change.share("drink 0").adjusted == change.adjusted[0]
    assert holm([0.2]).tolist() == [0.2] and holm([]).tolist() == []


def test_without_noise():
    assert normal_p(0.0, 0.0) == 1.0 and normal_p(0.1, 0.0) == 0.0


def test_few_people_have_honest_intervals():
    """100 people and 1,000 at epsilon 4: nine shares of 5% are held in 94%; without care in 92%."""
    mechanism, random = sv.mechanism("oue", DRINKS, 4.0), np.random.default_rng(2)
    law, source, held, naive = np.array([0.55, *[0.05] * 9]), sv.Seeded(2), [], []
    for _ in range(1_500):
        groups = [random.multinomial(n, law) for n in (100, 1_000)]
        sides = [sv.estimate(mechanism.simulate(g, source=source), "unbiased") for g in groups]
        change = sv.difference(*sides)
        plain = np.hypot(*(side.for_population().stderr for side in sides))
        for stderr, inside in ((change.stderr, held), (plain, naive)):
            inside.append((np.abs(change.shares) <= 1.959964 * stderr)[1:])
    noise = FALSE_ALARM * math.sqrt(0.06 * 0.94 / 13_500)
    assert np.mean(held) > 0.95 - noise
    assert np.mean(naive) < 0.95 - noise


def test_means_about_respondents_take_the_spread_of_the_method():
    """Reports of a wave have no unbiased squares: the shown shares have them, and errors are smaller."""
    mechanism = sv.mechanism("sw", HOURS, 4.0)
    told = sv.estimate(mechanism.simulate(HUMP, source=sv.Seeded(1)))
    plain = sv.estimate(mechanism.simulate(HUMP, source=sv.Seeded(1)), "unbiased")
    assert told.unbiased.mean().stderr < 0.9 * plain.mean().stderr
    assert told.for_population().unbiased.mean().stderr == plain.for_population().mean().stderr
    random, means = sv.Seeded(5), []
    for _ in range(400):
        means.append(sv.estimate(mechanism.simulate(HUMP, source=random), "unbiased").mean().value)
    deviation = float(np.std(means))
    assert deviation == pytest.approx(told.unbiased.mean().stderr, rel=FALSE_ALARM / math.sqrt(800))
    assert deviation != pytest.approx(plain.mean().stderr, rel=FALSE_ALARM / math.sqrt(800))


def test_what_has_no_answer():
    bit = draw("sr", domain=HOURS, counts=HUMP)
    change = sv.difference(bit, draw("sr", seed=2, domain=HOURS, counts=HUMP))
    assert change.mean().p_value > 1e-6
    with pytest.raises(NotIdentified, match="share needs shares, and this estimate has none"):
        change.share(3)


# -- A/A tests ----------------------------------------------------------------------------------


def rejected(name, epsilon, draws, factor=1.0, about="population"):
    """How often a test of two groups from one population rejects, over all values together."""
    mechanism, source = sv.mechanism(name, DRINKS, epsilon), sv.Seeded(7)
    random, law, rejections = np.random.default_rng(3), MANY / MANY.sum(), []
    for _ in range(draws):
        groups = random.multinomial(5_000, law, size=2)
        sides = [
            sv.estimate(mechanism.simulate(group, source=source), "unbiased") for group in groups
        ]
        change = sv.difference(*sides, about=about)
        p = change.p_value if factor == 1.0 else normal_p(change.shares, factor * change.stderr)
        rejections.append(p < 0.05)
    return float(np.mean(rejections))


def test_a_test_without_a_difference_rejects_in_five_percent():
    """10 values x 1,500 draws: 0.05 give or take 0.0087; errors 10% too small reject in 0.078."""
    noise = FALSE_ALARM * math.sqrt(0.05 * 0.95 / 15_000)
    assert abs(rejected("oue", 4.0, 1_500) - 0.05) < noise
    assert rejected("oue", 4.0, 1_500, factor=0.9) - 0.05 > noise
    assert rejected("oue", 4.0, 200, about="respondents") > 0.05 + noise


def test_few_people_and_rare_values():
    """A hundred people and a thousand, 1%, epsilon 4: 7% were rejected with each side's own error."""
    mechanism, random, source = (
        sv.mechanism("oue", DRINKS, 4.0),
        np.random.default_rng(1),
        sv.Seeded(1),
    )
    law, found = np.array([0.91, *[0.01] * 9]), []
    for _ in range(600):
        sides = [
            sv.estimate(mechanism.simulate(random.multinomial(n, law), source=source), "unbiased")
            for n in (100, 1_000)
        ]
        found.append(sv.difference(*sides).p_value[1:] < 0.05)
    assert 0.02 < np.mean(found) < 0.05
