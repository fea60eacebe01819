"""Do plans for numbers come true?  Against closed forms, and against repeated surveys."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.app import app
from sottovoce.planning import plan as planning
from sottovoce.planning.numbers import NumberYardstick, _survey, bump

UNIT = sv.Interval(-1, 1, bins=64)


def rows(plan):
    return {row.paper_name: row for row in plan.prospects}


def counts_of(shares, n):
    counts = np.floor(n * shares).astype(int)
    counts[int(shares.argmax())] += n - counts.sum()
    return counts


def test_the_default_guess():
    exact = np.diff(stats.beta.cdf(np.linspace(0, 1, 11), 5, 2))
    np.testing.assert_allclose(bump(10), exact, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_mean_of_rounding_and_piecewise_by_their_formulas(epsilon):
    """A report's variance given the number v; people anywhere in their bin, seen at its middle."""
    shares = np.full(64, 1 / 64)
    plan = rows(sv.plan(UNIT, epsilon=epsilon, users=1000, goal="mean", shares=shares))
    E, s, second = math.exp(epsilon), math.exp(epsilon / 2), 1 / 3
    rounding = ((E + 1) / (E - 1)) ** 2 - second
    piecewise = second / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)
    assert np.isclose(plan["sr"].rms_error, math.sqrt(rounding / 1000), rtol=1e-3)
    assert np.isclose(plan["pm"].rms_error, math.sqrt(piecewise / 1000), rtol=5e-3)


@pytest.mark.parametrize("name", ["sr", "pm", "sw", "olh", "hh"])
def test_the_error_of_the_mean_is_that_of_repeated_surveys(name):
    domain, n, surveys = sv.Interval(0, 10, bins=20), 2000, 400
    counts = counts_of(bump(20), n)
    said = rows(sv.plan(domain, epsilon=1.5, users=n, goal="mean", shares=counts / n))[name]
    mechanism, source = sv.mechanism(name, domain, 1.5), sv.Seeded(3)
    found = [
        sv.estimate(mechanism.simulate(counts, source=source), "unbiased").mean().value
        for _ in range(surveys)
    ]
    errors = np.array(found) - counts @ domain.midpoints / n
    rms = math.sqrt(np.mean(errors**2))
    assert abs(rms / said.rms_error - 1) < 5.5 / math.sqrt(2 * surveys)
    for wrong in (0.7, 1.4):
        assert abs(rms / (wrong * said.rms_error) - 1) > 5.5 / math.sqrt(2 * surveys)


@pytest.mark.parametrize(("name", "goal"), [("oue", "range"), pytest.param("grr", "distribution", marks=pytest.mark.slow), pytest.param("hh", "distribution", marks=pytest.mark.slow)])  # fmt: skip
def test_errors_of_ranges_and_cumulative_shares(name, goal):
    domain, n, surveys = sv.Interval(0, 1, bins=20), 2000, 400
    counts = counts_of(bump(20), n)
    said = rows(sv.plan(domain, epsilon=1.5, users=n, goal=goal, shares=counts / n))[name]
    assert (said.method, said.simulated) == ("unbiased", False)
    mechanism, source, squares = sv.mechanism(name, domain, 1.5), sv.Seeded(3), []
    for _ in range(surveys):
        shares = sv.estimate(mechanism.simulate(counts, source=source), "unbiased").shares
        errors = shares + (1 - shares.sum()) / 20 - counts / n
        found = np.cumsum(errors) if goal == "distribution" else errors[1:] + errors[:-1]
        squares.append(np.mean(found**2))
    spread = np.std(squares) / math.sqrt(surveys) / np.mean(squares) / 2
    assert abs(math.sqrt(np.mean(squares)) / said.rms_error - 1) < 5.5 * spread < 0.2


@pytest.mark.slow
def test_a_square_wave_is_simulated_and_tells_distributions_best():
    plan = sv.plan(sv.Interval(0, 1, bins=64), epsilon=1.0, users=20_000)
    found = rows(plan)
    assert plan.goal == "distribution"
    assert found["sw"].simulated and not found["hh"].simulated
    assert found["sw"].method in ("em", "ems")
    assert found["sw"].rms_error < found["hh"].rms_error < found["grr"].rms_error
    yardstick = NumberYardstick(plan.domain, bump(64), "distribution")
    again = yardstick.prospect(found["sw"].mechanism, "sw", 20_000, None)
    assert again.rms_error == found["sw"].rms_error
    assert "sr" in plan.unfit and "tell the mean only" in plan.unfit["sr"]
    assert "if numbers are spread like Beta(5, 2)" in str(plan)
    assert "error of a cumulative share" in plan.explain()


def test_large_surveys_are_simulated_by_their_law():
    """A multinomial a bin gives what drawing every report gives."""
    mechanism, counts = sv.mechanism("sw", sv.Interval(0, 1, bins=8), 1.0), np.full(8, 150_000)
    cells = _survey(mechanism, counts, sv.Seeded(1)).cells
    expected = 1_200_000 * mechanism.channel().forward(np.full(8, 1 / 8))
    assert stats.chisquare(cells, expected * cells.sum() / expected.sum()).pvalue > 1e-7
    shifted = np.roll(expected, 20)
    assert stats.chisquare(cells, shifted * cells.sum() / shifted.sum()).pvalue < 1e-7
    row = NumberYardstick(mechanism.domain, bump(8), "range").prospect(
        mechanism, "sw", 2 * 10**6, None
    )
    assert (row.method, row.simulated, row.rms_error < 0.01) == ("em", True, True)
    most = sv.plan(sv.Interval(0, 1, bins=8), epsilon=1.0, users=10**10)
    assert "up to 2,048 bins and 1,000,000,000 users" in most.unfit["sw"]


def test_users_and_epsilon_for_a_mean():
    domain = sv.Interval(0, 1000, bins=32)
    plan = sv.plan(domain, epsilon=1.0, error=5.0, goal="mean")
    assert plan.prospects[0].rms_error <= 5.0 * (1 + 1e-12)
    fewer = sv.plan(domain, epsilon=1.0, users=plan.users - 1, goal="mean")
    assert fewer.prospects[0].rms_error > 5.0
    assert str(plan).startswith(f"{domain}: an error of the mean of 5 with epsilon 1 takes")
    yardstick = NumberYardstick(domain, bump(32), "mean")
    needed = {row.paper_name: row.needed for row in plan.prospects}
    for name in ("sr", "pm", "grr"):
        variance, floor = yardstick.parts(sv.mechanism(name, domain, 1.0))
        assert variance / needed[name] + floor <= 25.0 < variance / (needed[name] - 1) + floor


def test_an_epsilon_for_ranges_leaves_out_what_is_simulated(monkeypatch):
    monkeypatch.setattr(planning, "_names", lambda domain: ["grr", "oue", "hh", "sw"])
    domain = sv.Interval(0, 1, bins=8)
    plan = sv.plan(domain, users=20_000, error=0.03, goal="range")
    assert plan.prospects[0].rms_error <= 0.03 * (1 + 1e-12)
    below = sv.plan(domain, epsilon=plan.epsilon - 1e-4, error=0.03, goal="range")
    assert below.users > 20_000
    assert "which is done where epsilon and users are given" in plan.unfit["sw"]


def test_a_single_bin_is_certain():
    plan = sv.plan(sv.Interval(0, 1, bins=1), epsilon=1.0, users=1, goal="mean")
    assert all(row.rms_error == 0 for row in plan.prospects)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        ("goal", {"goal": "fame"}),
        ("of", {"goal": "mean", "of": 3}),
        ("shares", {"goal": "range", "shares": [1.0]}),
    ],
)
def test_bad_input(parameter, given):
    with pytest.raises(InvalidInput) as caught:
        sv.plan(sv.Interval(0, 9, bins=3), epsilon=1.0, users=10, **given)
    assert caught.value.parameter == parameter


def test_numbers_only():
    with pytest.raises(InvalidInput, match="goal of plan must be shares: .* has no numbers"):
        sv.plan(sv.Categories(3), epsilon=1.0, users=10, goal="mean")
    for wrong in (0, -1, math.nan):
        with pytest.raises(InvalidInput, match="error of plan must be above 0"):
            sv.plan(UNIT, epsilon=1.0, error=wrong, goal="mean")
    same = sv.plan(sv.Categories(3), epsilon=1.0, users=10, goal="distribution")
    assert str(same) == str(sv.plan(sv.Categories(3), epsilon=1.0, users=10))


def test_on_the_command_line():
    told = CliRunner().invoke(
        app, ["plan", "--low", "0", "--high", "10", "--bins", "8", "--epsilon", "1", "--users", "1000", "--goal", "mean", "--json"],
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert document["goal"] == "mean"
    best = document["mechanisms"][0]
    right = sv.plan(sv.Interval(0, 10, bins=8), epsilon=1.0, users=1000, goal="mean").prospects[0]
    assert (best["error"], best["method"], best["known"]) == (right.rms_error, "unbiased", "by formula")  # fmt: skip
