"""Bins of any widths, on a logarithmic scale, and with an open end."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import CorruptBytes, InvalidInput, NotIdentified, Unfit
from sottovoce.domains.base import domain_from_json
from sottovoce.mechanisms._fine_grid import places_on_grid

RENT = sv.Interval(
    0, 5000, edges=[0, 250, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000], open_end=True, unit="EUR"
)
AGE = sv.Interval(0, 120, edges=[0, 6, 18, 30, 45, 65, 120])
PEOPLE = np.array([200, 800, 900, 900, 1500, 1200, 1500, 900, 600, 1500])


def exactly(domain: sv.Interval, people: np.ndarray) -> sv.Estimate:
    """An estimate whose shares are those of the people: what answers are, without noise."""
    table = sv.mechanism("grr", domain, 20.0)
    return sv.estimate(table.simulate(1_000_000 * people, source=sv.Seeded(1)), "unbiased")


# -- placing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", [RENT, AGE, sv.Interval(1, 1e9, bins=97, scale="log")], ids=str)
def test_a_bin_is_found_by_comparing_with_its_edges(domain):
    bounds = domain.uneven.bounds
    values = [
        x
        for edge in bounds
        for x in (np.nextafter(edge, -np.inf), edge, np.nextafter(edge, np.inf))
    ]
    values = np.array([x for x in values if domain.low <= x <= domain.high])
    found = domain.indices(values)
    for value, place in zip(values.tolist(), found.tolist(), strict=True):
        start, end = domain.label(place)
        assert start <= value and (value < end or value == domain.high == end)
        assert domain.index(value) == place
    assert domain.index(domain.high) == domain.bins - 1


def test_an_open_bin_holds_every_finite_number_beyond():
    assert RENT.indices([5000, 5001, 1e300]).tolist() == [9, 9, 9]
    assert RENT.label(9) == (5000.0, math.inf)
    for value in (math.inf, math.nan, -0.001):
        with pytest.raises(InvalidInput, match="must be a finite number of at least 0; got"):
            RENT.index(value)
    assert (RENT.nearest(-3), RENT.nearest(math.inf), RENT.nearest(9e9)) == (0, 5000, 9e9)
    assert RENT.span == (0, math.inf)
    assert RENT.summary() == "a number from 0 up, in EUR"
    assert "the last of them 5,000 or more" in RENT.in_words()


def test_positions_of_a_wave_rise_with_the_number():
    values = np.sort(np.random.default_rng(1).uniform(0, 120, 4000))
    places = places_on_grid(AGE, 64, values)
    assert np.all(np.diff(places) >= 0)
    assert np.array_equal(places // 64, AGE.indices(values))
    assert places_on_grid(AGE, 64, [0, 6, 17.999, 24, 120]).tolist() == [
        0,
        64,
        127,
        160,
        6 * 64 - 1,
    ]
    assert sv.mechanism("square-wave", AGE, 1.0).steps > 1


def test_with_an_open_end_a_bin_is_one_position():
    """Nobody knows where in the open bin a number lies, so that no finer grid has a law for it."""
    wave = sv.mechanism("square-wave", RENT, 1.0)
    assert wave.steps == 1 and wave.locate([0, 499, 9e9]).tolist() == [0, 1, 9]
    with pytest.raises(
        InvalidInput, match="steps of square-wave must be a whole number from 1 to 1; got 2"
    ):
        sv.mechanism("square-wave", RENT, 1.0, steps=2)


# -- answers ---------------------------------------------------------------------------------------


def test_answers_are_those_of_numbers_spread_evenly_in_their_bins():
    people = np.array([60, 120, 300, 250, 200, 70])
    e, shares = exactly(AGE, people), people / people.sum()
    edges = np.array([0, 6, 18, 30, 45, 65, 120])
    middles, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    mean = shares @ middles
    assert e.mean().value == pytest.approx(mean, rel=1e-6)
    spread = shares @ ((middles - mean) ** 2 + widths**2 / 12)
    assert e.variance().value == pytest.approx(spread, rel=1e-6)
    for q in (0.1, 0.5, 0.9):
        there = np.interp(q, np.concatenate([[0], np.cumsum(shares)]), edges)
        assert e.quantile(q).value == pytest.approx(there, rel=1e-6)
    assert e.range(15, 50).value == pytest.approx(
        0.12 * 3 / 12 + 0.3 + 0.25 + 0.2 * 5 / 20, rel=1e-6
    )
    assert e.cdf(30).value == pytest.approx(0.48, rel=1e-6)


def test_the_mean_over_an_open_bin_is_given_with_a_stated_value_only():
    e = exactly(RENT, PEOPLE)
    with pytest.raises(NotIdentified, match=r"the mean is not identified: .* 5000 or more lie"):
        e.mean()
    with pytest.raises(NotIdentified, match="the variance is not identified"):
        e.variance()
    least, told = e.mean(top=5000), e.mean(top=8000)
    assert told.value - least.value == pytest.approx(3000 * 0.15, rel=1e-5)
    assert least.label == "mean, at least: 5000 or more as 5000"
    assert str(told).startswith("mean, 5000 or more as 8000: 2") and " EUR (95%" in str(told)
    with pytest.raises(InvalidInput, match="top of mean must be a number of at least 5000, where"):
        e.mean(top=4999)
    with pytest.raises(
        InvalidInput, match=r"top of mean of .* must be left out: no bin has an open end"
    ):
        exactly(AGE, np.ones(6, dtype=int)).mean(top=120)
    twice = sv.difference(e, exactly(RENT, PEOPLE[::-1]))
    assert twice.mean(top=5000).unit == "EUR"
    with pytest.raises(NotIdentified):
        twice.mean()


def test_quantiles_beyond_the_last_edge_are_infinite_and_said_so():
    e = exactly(RENT, PEOPLE)
    beyond = e.quantile(0.9)
    assert (beyond.value, beyond.stderr, beyond.high, beyond.beyond) == (math.inf,) * 3 + (5000,)
    assert str(beyond) == "quantile 0.9: above 5000 EUR (95% from above 5000 to above 5000)"
    few = sv.mechanism("olh", RENT, 1.0)
    near = sv.estimate(few.simulate(PEOPLE // 10, source=sv.Seeded(3))).quantile(0.85)
    assert near.high == math.inf and near.low < 5000 and not math.isnan(near.value)
    assert e.quantile(0.5).value == pytest.approx(1791.67, abs=0.1)
    assert all(not math.isnan(x) for x in e.quantile(1.0).__dict__.values() if isinstance(x, float))
    with pytest.raises(
        NotIdentified, match="the difference of quantile is not identified: it lies above 5000"
    ):
        sv.difference(e, e).quantile(0.9)
    assert sv.difference(e, e).quantile(0.5).value == 0


def test_ranges_end_at_an_edge_of_the_open_bin_or_nowhere():
    e = exactly(RENT, PEOPLE)
    assert e.range(5000, math.inf).value == pytest.approx(0.15, rel=1e-5)
    assert e.range(4500, math.inf).label == "4500 EUR or more"
    assert e.cdf(5000).value == pytest.approx(0.85, rel=1e-5)
    for ask in (lambda: e.range(0, 6000), lambda: e.cdf(5001)):
        with pytest.raises(
            InvalidInput, match="a number from 0 to 5000, or math.inf for all beyond"
        ):
            ask()
    with pytest.raises(InvalidInput, match="a number from 0 to 120"):
        exactly(AGE, np.ones(6, dtype=int)).range(0, math.inf)


@pytest.mark.parametrize("name", ["olh", "square-wave", "hh", "haar", "laplace"])
def test_mechanisms_for_numbers_work_on_the_scale_of_bins(name):
    x = np.exp(np.random.default_rng(2).normal(7.5, 1.0, 20_000))
    m = sv.mechanism(name, RENT, 4.0)
    e = sv.estimate(m.tally(m.randomize(x, source=sv.Seeded(1))))
    assert e.quantile(0.5).value == pytest.approx(np.median(x), rel=0.15)
    assert e.share(9000).value == pytest.approx(np.mean(x >= 5000), abs=0.05)


def test_mechanisms_that_report_a_mean_refuse_other_than_equal_bins():
    with pytest.raises(InvalidInput, match=r"an Interval of equal bins: .* Frequency oracles"):
        sv.mechanism("stochastic-rounding", AGE, 1.0)
    binned = sv.mechanism("binned", AGE, 1.0, report_bins=3)
    assert binned.reporting.domain == sv.Interval(0, 120, edges=[0, 18, 45, 120])
    with pytest.raises(InvalidInput, match="a divisor of 6: wide bins end where narrow ones do"):
        sv.mechanism("binned", AGE, 1.0, report_bins=4)
    opened = sv.Interval(0, 10, edges=[0, 1, 5, 10], open_end=True)
    assert sv.mechanism("binned", opened, 1.0, report_bins=2).reporting.domain.label(1) == (
        5,
        math.inf,
    )
    with pytest.raises(InvalidInput, match="a divisor, at least 2, of 4"):
        sv.mechanism("binned", opened, 1.0, report_bins=1)


# -- measures and pictures -------------------------------------------------------------------------


def test_measures_take_the_true_widths():
    domain = sv.Interval(0, 10, edges=[0, 1, 4, 10])
    one, other = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    assert sv.metrics.wasserstein(one, other, domain=domain) == pytest.approx(6.5)
    assert sv.metrics.mean_error(one, other, domain=domain) == pytest.approx(6.5)
    assert sv.metrics.quantile_error(one, other, at=[0.5], domain=domain) == pytest.approx(4)
    with pytest.raises(NotIdentified, match="wasserstein is not identified"):
        sv.metrics.wasserstein(one, one, domain=sv.Interval(0, 4, edges=[0, 1, 4], open_end=True))


def test_histograms_are_densities():
    pytest.importorskip("matplotlib")
    e = exactly(AGE, np.array([60, 120, 300, 250, 200, 70]))
    axes = e.plot(name="age").axes[0]
    heights, edges, _ = axes.patches[-1].get_data()
    assert np.allclose(edges, AGE.edges)
    assert np.allclose(heights * np.diff(edges), e.shares)
    assert axes.get_ylabel().endswith("per unit")
    rent = exactly(RENT, PEOPLE)
    figure = rent.plot("cdf", name="rent", quantiles=(0.5, 0.9))
    assert figure.axes[0].get_xlabel() == "rent (EUR)"
    assert [text.get_text() for text in figure.axes[0].texts][-1] == "above 5,000"
    log = sv.Interval(0, 1000, bins=5, scale="log", start=1, open_end=True)
    assert exactly(log, np.ones(5, dtype=int)).plot().axes[0].get_xscale() == "log"
    with pytest.raises(Unfit, match="a ring needs bins of equal width"):
        e.plot("ring")


def test_frames_name_the_unit():
    frame = exactly(RENT, PEOPLE).frame()
    assert str(frame).split("  ")[0] == " value (EUR)"
    assert frame.to_csv().splitlines()[0].startswith("value (EUR),share")
    assert frame.to_csv().splitlines()[-1].startswith("5000.0 or more,")
    assert "<th>value (EUR)</th>" in frame._repr_html_()
    assert (
        sv.estimate(
            sv.mechanism("grr", sv.Ratings(1, 5, unit="stars"), 9.0).simulate([1, 2, 3, 4, 5])
        )
        .mean()
        .unit
        == "stars"
    )


# -- how they are made -----------------------------------------------------------------------------


def test_old_documents_keep_their_bytes():
    assert sv.Interval(0, 1, bins=4).to_json() == {
        "kind": "interval", "version": 1, "low": "0", "high": "1", "bins": 4,
    }  # fmt: skip
    assert sv.Counts(3).to_json()["version"] == sv.Ratings(1, 5).to_json()["version"] == 1
    assert sv.Counts(3, unit="x").to_json() == {
        "kind": "counts",
        "version": 2,
        "most": 3,
        "unit": "x",
    }
    assert AGE.to_json() == {
        "kind": "interval", "version": 2, "low": "0", "high": "120", "bins": 6, "open_end": False,
        "edges": ["0", "6", "18", "30", "45", "65", "120"], "scale": "linear", "unit": "",
    }  # fmt: skip
    with pytest.raises(CorruptBytes, match="interval domain of version 9; this version knows 1, 2"):
        domain_from_json({**AGE.to_json(), "version": 9})
    hours = sv.Interval(0, 24, bins=4, unit="h").to_json()
    with pytest.raises(InvalidInput, match="edges of Interval must be null only where open_end is"):
        domain_from_json({**hours, "open_end": True})
    with pytest.raises(InvalidInput, match="bins of Interval must be 6, as the edges are; got 7"):
        domain_from_json({**AGE.to_json(), "bins": 7})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sv.Interval(0, 9, edges=[0, 5, 5, 9]), "edges of Interval must be strictly increasing"),
        (lambda: sv.Interval(0, 9, edges=[0, 5]), "must be from low = 0 to high = 9; got 'from 0 to 5'"),
        (lambda: sv.Interval(0, 9, edges="0,9"), "must be a list of numbers"),
        (lambda: sv.Interval(0, 9, edges=[0, None, 9]), "must be finite numbers"),
        (lambda: sv.Interval(0, 9, edges=range(10), bins=9), "left out where edges are given"),
        (lambda: sv.Interval(0, 9000, edges=np.linspace(0, 9000, 9000)), "2 to 4,096 numbers"),
        (lambda: sv.Interval(0, 9, scale="cubic"), "scale of Interval must be one of"),
        (lambda: sv.Interval(-1, 9, scale="log"), 'above 0, or 0 with start=, for scale="log"'),
        (lambda: sv.Interval(0, 9, scale="log"), "start of Interval must be a number above 0"),
        (lambda: sv.Interval(0, 9, scale="log", start=10), "start of Interval must be a number above 0"),
        (lambda: sv.Interval(1, 9, scale="log", start=2), "left out where low is above 0"),
        (lambda: sv.Interval(0, 9, start=2), 'left out but with scale="log" and bins'),
        (lambda: sv.Interval(0, 9, open_end="yes"), "open_end of Interval must be True or False"),
        (lambda: sv.Interval(0, 9, bins=1, open_end=True), "bins of Interval must be a whole number from 2"),
        (lambda: sv.Interval(0, 9, unit=" EUR"), "unit of Interval must be text of at most 24"),
    ],
)  # fmt: skip
def test_bad_bins(make, message):
    with pytest.raises(InvalidInput) as error:
        make()
    assert message in str(error.value)


def test_whole_values_in_bins_that_do_not_center_on_them_are_warned_of():
    m = sv.mechanism("grr", sv.Interval(0, 10, edges=[0, 1, 2, 5, 10]), 1.0)
    with pytest.warns(sv.Misaligned, match="Take edges half a unit lower, such as -0.5"):
        m.randomize([0, 1, 2, 3])
    better = sv.mechanism("grr", sv.Interval(-0.5, 10.5, edges=[-0.5, 0.5, 1.5, 4.5, 10.5]), 1.0)
    better.randomize([0, 1, 2, 3])
