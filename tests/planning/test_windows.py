"""Plans for the same people in several windows: by formula, and by surveys that are repeated."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from support.commands import refusal, run, run_json


def designs(*given, **more):
    return {each.name: each for each in sv.plan_windows(*given, **more).designs}


def binary(epsilon):
    """n times the variance of a share by binary randomized response, whatever the share."""
    return math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2


@pytest.mark.parametrize(
    ("windows", "lifetime", "epsilon"), [(30, 2.0, 1.0), (4, 2.0, 0.5), (30, 4.0, 2.0)]
)
def test_two_values_by_hand(windows, lifetime, epsilon):
    """Binary randomized response, all four designs, with the share of a half that is guessed."""
    found = designs(sv.Categories(2), windows, lifetime=lifetime, epsilon=epsilon, users=1000)
    one, whole, part = binary(epsilon), binary(lifetime), binary(lifetime / windows)
    wanted = {
        "fresh": (windows * epsilon, one, one / windows, 2 * one),
        "cohorts": (
            lifetime,
            windows * whole + (windows - 1) / 4,
            whole,
            2 * windows * (whole + 1 / 4),
        ),
        "memory": (lifetime, one, (one + (windows - 1) * whole) / windows, 2 * (one - whole)),
        "split": (lifetime, part, part / windows, 2 * part),
    }
    assert list(found) == list(wanted)
    for name, (cost, window, mean, change) in wanted.items():
        design = found[name]
        assert design.total_epsilon == pytest.approx(cost)
        assert design.window_variance == pytest.approx(window, rel=1e-9)
        assert design.mean_variance == pytest.approx(mean, rel=1e-9)
        assert design.change_variance == pytest.approx(change, rel=1e-9)
    assert [each.counts_changes for each in found.values()] == [True, True, False, True]
    assert [each.reports for each in found.values()] == [windows, 1, windows, windows]


@pytest.mark.parametrize(
    ("lifetime", "windows", "ratio"), [(2.0, 30, 41.42), (4.0, 30, 98.51), (2.0, 4, 5.41)]
)
def test_cohorts_gain_over_a_split_budget_as_known(lifetime, windows, ratio):
    """``sinh^2(L/2) / (W sinh^2(L/2W))`` for many values: a rare one has f (1 - f) near 0."""
    exact = math.sinh(lifetime / 2) ** 2 / (windows * math.sinh(lifetime / 2 / windows) ** 2)
    assert exact == pytest.approx(ratio, rel=1e-3)
    found = designs(sv.Categories(4096), windows, lifetime=lifetime, users=1000)
    gain = found["split"].window_variance / found["cohorts"].window_variance
    assert gain == pytest.approx(exact, rel=0.02)
    assert found["cohorts"].mean_variance < found["memory"].mean_variance


def test_cohorts_and_memory_come_true():
    """600 repeats of 5 windows: the root of a mean square is right to 3%; tolerances are 6 times that."""
    windows, n, repeats, rng = 5, 400, 600, np.random.default_rng(7)
    domain, source = sv.Categories(2), sv.Seeded(11)
    found = designs(domain, windows, lifetime=2.0, epsilon=1.0, users=n)
    true = np.repeat([0, 1], n // 2)
    whole, kept = found["cohorts"].mechanism, found["memory"].mechanism
    first, fresh = kept.rounds.permanent, kept.weights[1]
    errors = {"cohorts": [], "memory": []}
    for _ in range(repeats):
        cohort = rng.integers(0, windows, n)
        errors["cohorts"].append(
            [
                _share(whole, whole.randomize_indices(true[cohort == each], source))
                for each in range(windows)
            ]
        )
        memos = first.randomize_indices(true, source).columns["value"].astype(np.int64)
        stays = fresh[0] / 2**62
        told = [
            np.where(rng.random(n) < stays, memos, rng.integers(0, 2, n)) for _ in range(windows)
        ]
        errors["memory"].append([_share(kept.inner, _reports(kept.inner, each)) for each in told])
    for name, shares in errors.items():
        off = np.array(shares) - 0.5
        assert np.sqrt((off**2).mean()) == pytest.approx(
            math.sqrt(found[name].window_variance / n), rel=0.1
        )
        assert np.sqrt((off.mean(axis=1) ** 2).mean()) == pytest.approx(
            math.sqrt(found[name].mean_variance / n), rel=0.18
        )
        assert np.sqrt((np.diff(off, axis=1) ** 2).mean()) == pytest.approx(
            math.sqrt(found[name].change_variance / n), rel=0.1
        )


def _reports(mechanism, values):
    return sv.Reports(mechanism, {"value": values.astype(np.uint8)})


def _share(mechanism, reports):
    tally = mechanism.tally(reports)
    return float(mechanism.channel().inverse.forward(tally.cells / tally.n)[0])


def test_people_that_an_error_takes():
    by_error = sv.plan_windows(sv.Categories(2), 30, lifetime=2.0, error=0.01)
    needed = {row["design"]: row["people for a window"] for row in by_error.frame()}
    for name, people in needed.items():
        exact = sv.plan_windows(sv.Categories(2), 30, lifetime=2.0, users=people)
        errors = {row["design"]: row["error of a window"] for row in exact.frame()}
        assert errors[name] <= 0.01 < errors[name] * math.sqrt(people / (people - 1))
    assert "an error of 0.01: people that it takes" in str(by_error)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"windows": 1}, "windows of plan_windows must be a whole number from 2 to 1000"),
        ({"lifetime": 21}, "epsilon of lifetime of plan_windows must be"),
        ({"epsilon": 2.0}, "epsilon of plan_windows must be below lifetime = 2"),
        ({"users": 0}, "users of plan_windows must be"),
        ({"error": 0.1}, "parameters of plan_windows must be users or error; got 'both'"),
        ({"users": None}, "parameters of plan_windows must be users or error; got 'neither'"),
        ({"users": None, "error": 2.0}, "error of plan_windows must be between 0 and 1"),
        ({"shares": [1, 1]}, "shares of plan must be"),
    ],
)  # fmt: skip
def test_what_is_refused(more, message):
    given = {"windows": 30, "lifetime": 2.0, "users": 100, **more}
    with pytest.raises(InvalidInput, match=message):
        sv.plan_windows(sv.Categories(2), **given)


def test_on_the_command_line():
    told = run_json("plan", "--size", 20, "--windows", 30, "--users", 1000)
    assert [row["design"] for row in told["designs"]] == ["fresh", "cohorts", "memory", "split"]
    assert [row["epsilon of all"] for row in told["designs"]] == [30, 2, 2, 2]
    said = run("plan", "--size", 20, "--windows", 30, "--error", 0.01).stdout
    assert "people for a window" in said
    assert "--goal of plan must be left out with --windows" in refusal(
        "plan", "--size", 20, "--windows", 30, "--users", 10, "--goal", "mean"
    )
    assert "--lifetime of plan must be left out without --windows" in refusal(
        "plan", "--size", 20, "--users", 10, "--lifetime", 2
    )
