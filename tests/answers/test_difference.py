"""Shares, totals, ranges, means, top values, differences: against sums done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit

COLORS = sv.Categories(["red", "green", "blue", "white"])


def estimate(name="grr", counts=(400, 300, 200, 100), epsilon=1.0, seed=1, domain=COLORS):
    mechanism = sv.mechanism(name, domain, epsilon)
    tally = mechanism.simulate(np.array(counts) * 100, source=sv.Seeded(seed))
    return sv.estimate(tally, "unbiased")


def covariance(e):
    """The covariance matrix of the shares by brute force, from the dense channel."""
    channel = sv.mechanism("grr", e.domain, 1.0).channel()
    dense, inverse = channel.dense(), np.linalg.inv(channel.dense())
    total = np.zeros((4, 4))
    for v, share in enumerate(e.shares):
        p = dense[:, v]
        total += share * inverse @ (np.diag(p) - np.outer(p, p)) @ inverse.T
    return total / e.n


def test_every_linear_answer_has_the_error_of_the_covariance_matrix():
    e, matrix = estimate(), None
    matrix = covariance(e)
    np.testing.assert_allclose(e.stderr**2, np.diag(matrix), rtol=1e-10)
    for z in (np.array([1.0, 0, 1, 0]), np.array([0.3, -2, 0.5, 1]), np.ones(4)):
        np.testing.assert_allclose(e.linear(z).stderr ** 2, z @ matrix @ z, rtol=1e-8, atol=1e-18)


def test_everything_together_is_certain_under_randomized_response():
    total = estimate().total(COLORS.values)
    assert np.isclose(total.value, 1.0, atol=1e-12)
    assert total.stderr < 1e-9


def test_everything_together_is_not_certain_under_unary_encoding():
    e = estimate("oue")
    total = e.total(COLORS.values)
    assert np.isclose(total.stderr**2, (e.stderr**2).sum())


def test_share_total_and_labels():
    e = estimate()
    assert e.share("red").label == "red"
    assert np.isclose(e.total(["red", "blue"]).value, e.share("red").value + e.share("blue").value)
    assert e.total("red") == e.total(["red"])
    assert float(e.share("red")) == e.share("red").value
    assert "red: 0.4" in str(e.share("red"))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((math.nan,) * 4, "nan +- nan (95% from nan to nan)"),
        ((0.5, math.nan, math.nan, math.nan), "0.5000 +- nan (95% from nan to nan)"),
        ((12345.6, math.inf, -math.inf, math.inf), "12346 +- inf (95% from -inf to inf)"),
    ],
)
def test_answers_that_are_not_numbers_can_be_printed(parts, expected):
    """Printing one raised ValueError."""
    told = sv.Answer(*parts)
    assert str(told) == expected
    assert repr(told).startswith("Answer(value=")


def test_confidence():
    e = estimate()
    wide, narrow = e.share("red", confidence=0.99), e.share("red", confidence=0.5)
    assert wide.low < narrow.low < narrow.high < wide.high
    for wrong in (0, 1, 1.5, float("nan"), "high"):
        with pytest.raises(
            InvalidInput, match="confidence of answer must be a number between 0 and 1"
        ):
            e.share("red", confidence=wrong)


def test_top():
    e = estimate()
    assert [a.label for a in e.top(2)] == ["red", "green"]
    assert len(e.top(100)) == 4
    values = [a.value for a in e.top()]
    assert values == sorted(values, reverse=True)
    with pytest.raises(
        InvalidInput, match="count of top must be a whole number of at least 1; got 0"
    ):
        e.top(0)


def test_wrong_questions():
    e = estimate()
    with pytest.raises(InvalidInput, match="value of Categories.* must be one of .*; got 'pink'"):
        e.share("pink")
    with pytest.raises(InvalidInput, match="values of total must be distinct"):
        e.total(["red", "red"])
    with pytest.raises(InvalidInput, match="at least one value"):
        e.total([])
    with pytest.raises(Unfit, match="mean needs numbers"):
        e.mean()
    with pytest.raises(InvalidInput, match="weights of linear must be 4 finite numbers"):
        e.linear([1.0, 2.0])


def test_the_top_of_a_difference_is_that_of_either_side():
    first, second = estimate(), estimate(counts=(100, 200, 300, 400), seed=2)
    found = sv.difference(first, second)
    tops = found.top(1, confidence=0.9)
    assert [answer.label for answer in tops] == ["red", "white"]
    assert found.top(9) == found.top(4) and len(found.top(4)) == 4
    rows = {row["value"]: row for row in found.frame(confidence=0.9)}
    for answer in tops:
        row, single = rows[answer.label], found.share(answer.label, confidence=0.9)
        assert (answer.value, answer.stderr) == (row["difference"], row["stderr"])
        assert (answer.low, answer.high, answer.p_value) == (
            row["low"],
            row["high"],
            row["p_value"],
        )
        assert answer.confidence == 0.9
        assert answer.value == pytest.approx(single.value)
        assert answer.low == pytest.approx(single.low)
    with pytest.raises(InvalidInput, match="count of top must be a whole number of at least 1"):
        found.top(0)


def test_numbers():
    domain = sv.Interval(0, 100, bins=4)
    e = estimate("olh", domain=domain)
    midpoints = np.array([12.5, 37.5, 62.5, 87.5])
    shares = e.shares + (1 - e.shares.sum()) / 4  # what the sum lacks, spread over all bins
    assert np.isclose(e.mean().value, midpoints @ shares)
    assert np.isclose(e.range(0, 50).value, shares[:2].sum())
    assert np.isclose(e.range(25, 60).value, shares[1] + 0.4 * shares[2])
    assert np.isclose(e.share(30).value, e.shares[1])
    assert e.range(30, 30).value == 0.0
    for low, high in ((-1, 50), (50, 101), (60, 50)):
        with pytest.raises(InvalidInput, match="range must be a number from 0 to 100, low first"):
            e.range(low, high)


def test_difference_of_two_windows():
    one, two = estimate(seed=1), estimate(counts=(300, 400, 200, 100), epsilon=2.0, seed=2)
    change = sv.difference(one, two)
    np.testing.assert_allclose(change.shares, two.shares - one.shares)
    red = change.share("red")
    assert np.isclose(red.value, -0.1, atol=5 * red.stderr)
    one, two = one.for_population(), two.for_population()
    assert np.isclose(red.stderr, np.hypot(one.share("red").stderr, two.share("red").stderr))
    assert red.p_value < 1e-6
    assert change.share("white").p_value > 0.001
    both = change.total(["red", "green"])
    assert np.isclose(
        both.stderr,
        np.hypot(one.total(["red", "green"]).stderr, two.total(["red", "green"]).stderr),
    )
    assert change.total("red").value == pytest.approx(red.value)
    frame = change.frame()
    assert frame["p_value"][0] == pytest.approx(red.p_value)
    assert all(a >= p for a, p in zip(frame["adjusted"], frame["p_value"], strict=True))


def test_holm_by_hand():
    change = sv.difference(estimate(seed=1), estimate(seed=2))
    p = change.p_value
    order = np.argsort(p)
    running, expected = 0.0, np.empty(4)
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (4 - rank) * p[i]))
        expected[i] = running
    np.testing.assert_allclose(change.adjusted, expected)


def test_differences_on_numbers():
    domain = sv.Interval(0, 100, bins=4)
    one, two = estimate(domain=domain, seed=1), estimate(domain=domain, seed=2)
    change = sv.difference(one, two)
    assert np.isclose(change.mean().value, two.mean().value - one.mean().value)
    assert np.isclose(change.range(0, 50).value, two.range(0, 50).value - one.range(0, 50).value)


def test_what_cannot_be_compared():
    with pytest.raises(Mismatch, match="different domains"):
        sv.difference(estimate(), estimate(domain=sv.Categories(4)))
    with pytest.raises(InvalidInput, match="about of difference must be one of population, resp"):
        sv.difference(estimate(), estimate(), about="people")


def test_a_difference_without_noise():
    domain = sv.Categories(["only"])
    mechanism = sv.mechanism("oue", domain, 1.0)
    e = sv.estimate(mechanism.randomize(["only"] * 10))
    assert (e.shares.tolist(), e.stderr.tolist(), e.method) == ([1.0], [0.0], "certain")
    assert sv.difference(e, e).share("only").p_value == 1.0


def test_frame_and_plot(tmp_path):
    e = estimate()
    frame = e.frame()
    assert len(frame) == 4
    assert list(frame.columns) == ["value", "share", "stderr", "low", "high"]
    assert "red" in str(frame) and "<td>red</td>" in frame._repr_html_()
    assert frame.to_csv().splitlines()[0] == "value,share,stderr,low,high"
    assert frame.to_arrow().column_names == list(frame.columns)
    figure = e.plot(truth=[0.4, 0.3, 0.2, 0.1], title="colors")
    figure.savefig(tmp_path / "colors.png")
    assert (tmp_path / "colors.png").stat().st_size > 5000
    numbers = estimate(domain=sv.Interval(0, 1, bins=4)).plot(truth=[0.4, 0.3, 0.2, 0.1])
    numbers.savefig(tmp_path / "numbers.png")
    with pytest.raises(InvalidInput, match="truth of plot must be 4 shares"):
        e.plot(truth=[1.0])


def test_a_long_frame_is_shortened():
    e = estimate(counts=np.ones(100, dtype=int), domain=sv.Categories(100))
    assert str(e.frame()).endswith("... 80 more rows")
