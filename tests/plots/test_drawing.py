"""Pictures of answers, of several estimates, of differences, and on a ring."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.answer import answer
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit

DRINKS = sv.Categories(["tea", "coffee", "water"])
HOURS = sv.Interval(0, 24, bins=12)


def drinks(counts=(500, 300, 200), seed=1):
    mechanism = sv.mechanism("grr", DRINKS, 2.0)
    return sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), "unbiased")


def hours(seed=1, domain=HOURS):
    counts = 100 + 50 * np.arange(domain.bins) % 400
    mechanism = sv.mechanism("grr", domain, 3.0)
    return sv.estimate(mechanism.simulate(counts, source=sv.Seeded(seed)), "unbiased")


def labels(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


# -- several answers --------------------------------------------------------------------------


def test_answers_are_rows_in_their_order():
    e = drinks()
    (axes,) = sv.draw([e.share("water"), e.share("tea")], truth=[0.2, 0.5], name="share").axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["water", "tea"]
    diamonds = next(line for line in axes.lines if line.get_marker() == "D")
    assert diamonds.get_xdata().tolist() == [0.2, 0.5]
    points = next(line for line in axes.lines if line.get_marker() == "o")
    assert np.allclose(points.get_xdata(), [e.share("water").value, e.share("tea").value])
    assert axes.get_ylim() == (1.5, -0.5)  # the first on top
    assert axes.get_xlabel() == "share"


def test_answers_of_one_label_have_a_row_each():
    told = [drinks(seed=seed).share("tea") for seed in (1, 2, 3)]
    (axes,) = sv.draw(told, truth=[0.5, 0.5, 0.5]).axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["tea"] * 3
    points = next(line for line in axes.lines if line.get_marker() == "o")
    assert points.get_xdata().tolist() == [one.value for one in told]
    assert points.get_ydata().tolist() == [0, 1, 2] and axes.get_ylim() == (2.5, -0.5)


def test_intervals_that_are_not_symmetric_are_drawn_as_they_are():
    lopsided = sv.Answer(3.0, 0.5, 1.0, 3.5, "median")
    (axes,) = sv.draw({"median": lopsided}, truth=2.5).axes
    (bar,) = axes.collections[0].get_segments()
    assert bar[:, 0].tolist() == [1.0, 3.5]
    assert labels(axes) == ["truth", "estimate, interval"]


def test_answers_over_time():
    weeks = [1, 2, 3]
    told = [drinks(seed=week) for week in weeks]
    series = {name: [e.share(name) for e in told] for name in ("tea", "water")}
    truth = {"tea": [0.5] * 3, "water": [0.2] * 3}
    (axes,) = sv.draw(series, over=weeks, truth=truth, name="share").axes
    assert labels(axes) == ["tea", "water", "truth"]
    assert axes.lines[1].get_ydata().tolist() == [one.value for one in series["water"]]
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert np.isclose(band.max(), max(one.high for one in series["tea"]))


def test_a_fused_mean_is_drawn_beside_answers():
    pieces = [sv.mechanism("pm", HOURS, 1.0), sv.mechanism("sw", HOURS, 1.0)]
    slept = np.tile([6.5, 8.5], 200)
    reports = [m.randomize(slept, source=sv.Seeded(i)) for i, m in enumerate(pieces)]
    fused = sv.fuse_mean(pieces, reports)
    (axes,) = sv.draw({"together": fused, "known": answer(7.5, 0.0, "", 0.95)}).axes
    points = next(line for line in axes.lines if line.get_marker() == "o")
    assert points.get_xdata().tolist() == [fused.value, 7.5]


# -- several estimates ------------------------------------------------------------------------


def test_estimates_of_values_are_side_by_side():
    one, other = drinks(), drinks(seed=2)
    (axes,) = sv.draw({"one": one, "other": other}, truth=[0.5, 0.3, 0.2], most=2).axes
    assert labels(axes) == ["truth", "one", "other"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["tea", "coffee"]
    (first, second) = (line for line in axes.lines if line.get_marker() == "o")
    assert (first.get_ydata() < second.get_ydata()).all()
    assert second.get_xdata().tolist() == other.shares[:2].tolist()


def test_estimates_of_numbers_share_an_axis_that_holds_all_bands():
    few = sv.mechanism("sw", HOURS, 2.0)
    told = {
        str(n): sv.estimate(few.simulate([n] * 12, source=sv.Seeded(1)), "ems") for n in (5_000, 50)
    }
    (axes,) = sv.draw(told, truth=[1 / 12] * 12, name="hour").axes
    assert labels(axes) == ["5000", "50", "truth"]
    widest = max(float((e.shares + 1.9 * e.stderr).max()) for e in told.values())
    assert axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > widest
    (axes,) = sv.draw(told, kind="cdf", truth=[1 / 12] * 12).axes
    assert np.allclose(axes.lines[0].get_ydata()[-1], 1)


@pytest.mark.parametrize(
    ("told", "options", "error", "said"),
    [
        ({}, {}, InvalidInput, "results of draw must be at least one answer or estimate"),
        ([], {}, InvalidInput, "results of draw must be at least one"),
        ({"a": drinks(), "b": drinks().share("tea")}, {}, InvalidInput, "estimates only, or answers"),
        ({str(i): drinks() for i in range(6)}, {}, InvalidInput, "at most 5 lines; got '6'"),
        ({"a": drinks(), "b": hours()}, {}, Mismatch, "estimates over different domains"),
        ({"a": drinks()}, {"kind": "cdf"}, Unfit, "a cdf needs numbers"),
        ({"a": drinks()}, {"kind": "pie"}, InvalidInput, "kind of draw must be"),
        ({"a": drinks()}, {"truth": [1.0]}, InvalidInput, "truth of draw must be a number for each of 3"),
        ([drinks().share("tea")], {"truth": [1, 2]}, InvalidInput, "a number for each of 1"),
        ({"a": [drinks().share("tea")]}, {"over": [1, 2]}, InvalidInput, "over of draw must be as long as"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_together_is_refused(told, options, error, said):
    with pytest.raises(error, match=said):
        sv.draw(told, **options)


# -- marks and the ring -----------------------------------------------------------------------


@pytest.mark.parametrize("domain", [HOURS, sv.Interval(0, 24, bins=300), sv.Counts(30)])
def test_a_filled_range_has_the_height_of_the_histogram(domain):
    e = hours(domain=domain)
    (axes,) = e.plot(between=(3, 9)).axes
    filled, steps = axes.patches[-1].get_data(), axes.patches[1].get_data()
    ends = (2.5, 9.5) if domain.whole else (3, 9)
    assert (filled.edges[0], filled.edges[-1]) == ends
    middles = filled.edges[:-1] + np.diff(filled.edges) / 2
    for height, place in zip(filled.values, middles, strict=True):
        assert height == steps.values[np.searchsorted(steps.edges, place) - 1]
    assert f"{100 * e.range(3, 9).value:.1f}%" in labels(axes)[-1]


def test_quantiles_are_marked_where_they_are():
    e = hours()
    (axes,) = e.plot("cdf", quantiles=(0.25, 0.5)).axes
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [float(line.get_ydata()[0]) for line in points] == [0.25, 0.5]
    assert np.isclose(points[1].get_xdata()[0], e.quantile(0.5).value)
    assert [text.get_text() for text in axes.texts][1] == f"{e.quantile(0.5).value:,.4g}"


def test_a_ring_begins_on_top_and_goes_clockwise():
    e = hours()
    (axes,) = e.plot("ring", truth=np.full(12, 1 / 12), name="hour").axes
    assert axes.name == "polar" and axes.get_theta_direction() == -1
    assert np.isclose(axes.get_theta_offset(), np.pi / 2)
    assert [tick.get_text() for tick in axes.get_xticklabels()][:3] == ["0", "3", "6"]
    wedges = axes.patches[: e.domain.bins]
    assert np.allclose([wedge.get_height() for wedge in wedges], e.shares)
    middles = [wedge.get_x() + wedge.get_width() / 2 for wedge in wedges]
    assert np.allclose(middles, 2 * np.pi * e.domain.midpoints / 24)


def test_the_ring_of_many_bins_is_drawn_as_fewer():
    (axes,) = hours(domain=sv.Interval(0, 24, bins=300)).plot("ring").axes
    assert sum(patch.get_label() == "_nolegend_" for patch in axes.patches) == 128


@pytest.mark.parametrize(
    ("ask", "options", "error", "said"),
    [
        (hours, {"kind": "cdf", "between": (1, 2)}, InvalidInput, "between of plot must be two numbers"),
        (hours, {"between": (1, 2, 3)}, InvalidInput, "between of plot must be two numbers"),
        (hours, {"quantiles": (0.5,)}, InvalidInput, 'quantiles of plot must be given with kind="cdf"'),
        (drinks, {"kind": "ring"}, Unfit, "a ring needs numbers"),
        (drinks, {"between": (1, 2)}, Unfit, "a range needs numbers"),
    ],
)  # fmt: skip
def test_marks_that_do_not_fit_are_refused(ask, options, error, said):
    with pytest.raises(error, match=said):
        ask().plot(**options)


# -- differences ------------------------------------------------------------------------------


def test_a_difference_is_dark_where_it_is_clear():
    change = sv.difference(drinks((5000, 3000, 2000)), drinks((3000, 5000, 2000), seed=2))
    truth = [-0.2, 0.2, 0.0]
    (axes,) = change.plot(truth=truth).axes
    assert labels(axes) == ["truth", "differs", "may be noise"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["coffee", "water", "tea"]
    clear = next(line for line in axes.lines if line.get_color() == "#1f4e79")
    assert np.allclose(clear.get_xdata(), change.shares[[1, 0]])
    assert axes.get_title(loc="left") == "10,000 reports, then 10,000"
    assert len(change.plot(most=2).axes[0].get_yticklabels()) == 2
    with pytest.raises(InvalidInput, match="truth of plot must be 3 differences"):
        change.plot(truth=[0.1])
    with pytest.raises(InvalidInput, match="most of plot must be"):
        change.plot(most=0)


def test_a_difference_of_numbers_is_drawn_in_their_order():
    change = sv.difference(hours(), hours(seed=2))
    (axes,) = change.plot(truth=np.zeros(12), name="hour").axes
    assert labels(axes) == ["95% interval", "difference", "truth"]
    assert np.allclose(axes.patches[1].get_data().values, change.shares)
    assert axes.get_xlabel() == "hour"
