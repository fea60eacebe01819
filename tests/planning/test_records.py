"""Plans of records: designs ranked by the errors of the answers that are wanted."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.parts import record_sets
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms._designs import DESIGNS, Design

FOUR = sv.Record(
    {
        "age": sv.Interval(0, 120, bins=8),
        "os": sv.Categories(["mac", "linux", "win"]),
        "vi": sv.YesNo(),
        "stars": sv.Ratings(1, 5),
    }
)
PAIRS = [*combinations(FOUR.names, 2)]


def rows(plan):
    return {row.paper_name: row for row in plan.prospects}


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_plans_come_true(epsilon):
    """Root-mean-square errors of 40 surveys of even answers.

    That of two answers has 40 degrees of freedom and errs by 11%, the mean over questions by 4% and over
    pairs by 2%: 5.5 of those.
    """
    n = FOUR.size * 250
    people = np.full(FOUR.size, 250)
    plan = sv.plan(FOUR, epsilon=epsilon, users=n)
    for row in plan.prospects:
        shares, cells = [], []
        for seed in range(40):
            estimate = sv.estimate(
                row.mechanism.simulate(people, source=sv.Seeded(seed)), "unbiased"
            )
            _, sets = record_sets(estimate, "part")
            shares.append(
                [np.mean((sets.shares(i) - 1 / d) ** 2) for i, d in enumerate(FOUR.sizes)]
            )
            tables = [estimate.table(*pair).shares for pair in PAIRS]
            cells.append([np.mean((table - 1 / table.size) ** 2) for table in tables])
        of_share, of_cell = (np.sqrt(np.mean(each, axis=0)).mean() for each in (shares, cells))
        assert row.part_error == pytest.approx(of_share, rel=0.22), row.paper_name
        assert row.table_error == pytest.approx(of_cell, rel=0.11), row.paper_name
        assert row.rms_error == pytest.approx(math.sqrt(row.part_error * row.table_error))


def test_the_goal_says_which_answers_count():
    both, parts, tables = (
        sv.plan(FOUR, epsilon=1.0, users=10_000, goal=goal) for goal in (None, "parts", "tables")
    )
    assert [plan.best.design for plan in (both, parts, tables)] == ["mixed", "sample", "pairs"]
    assert both.best == sv.mechanism("record", FOUR, 1.0)
    assert set(rows(parts)) == set(DESIGNS)
    assert set(tables.unfit) == set(both.unfit) == {"sample"}
    assert "it has no tables" in str(tables)
    assert "one question with the whole epsilon" in parts.explain()
    assert rows(parts)["sample"].table_error is None
    frame = tables.frame()
    assert list(frame.columns)[3:6] == ["error", "share error", "cell error"]
    assert frame["options"][0] == "design=pairs"
    json.dumps(list(parts.frame()), allow_nan=False)
    for plan in (both, parts, tables):
        errors = [row.rms_error for row in plan.prospects]
        assert errors == sorted(errors)


@pytest.mark.parametrize("goal", ["both", "parts", "tables"])
def test_people_and_epsilon_of_an_error(goal):
    plan = sv.plan(FOUR, epsilon=1.0, error=0.01, goal=goal)
    assert plan.prospects[0].rms_error <= 0.01
    assert sv.plan(FOUR, epsilon=1.0, users=plan.users - 1, goal=goal).prospects[0].rms_error > 0.01
    plan = sv.plan(FOUR, users=50_000, error=0.01, goal=goal)
    assert plan.prospects[0].rms_error <= 0.01
    less = sv.plan(FOUR, epsilon=plan.epsilon - 1e-5, users=50_000, goal=goal)
    assert less.prospects[0].rms_error > 0.01
    with pytest.raises(InvalidInput, match="larger: 2 users do not reach it even at epsilon 20"):
        sv.plan(FOUR, users=2, error=1e-9, goal=goal)


def test_a_plan_says_where_cells_cannot_be_read():
    """16 x 16 answers: 0.004 on average, which 10,000 people do not tell from 0."""
    fine = sv.Record({name: sv.Categories(16) for name in "abc"})
    few, many = (sv.plan(fine, epsilon=1.0, users=n, goal="tables") for n in (10_000, 10**7))
    assert "0.00391 on average, and errs by" in few.explain()
    assert "on average, and errs" not in many.explain()
    assert "on average" not in sv.plan(fine, epsilon=1.0, users=10, goal="parts").explain()


def test_a_design_errs_as_its_mechanism_does():
    """The search for epsilon takes designs, without weights: their errors and cells are the mechanism's."""
    for name in DESIGNS:
        design, made = Design(name, FOUR.sizes, 2.0), sv.mechanism("record", FOUR, 2.0, design=name)
        np.testing.assert_array_equal(
            np.concatenate(design.expected_variances()), np.concatenate(made.expected_variances())
        )
        assert design.cells_of(design.best_ranges) == made.cells


def test_designs_that_do_not_fit_are_left_out():
    large = sv.Record({f"q{i}": sv.Categories(1000) for i in range(30)})
    plan = sv.plan(large, epsilon=1.0, users=1000, goal="parts")
    assert [row.paper_name for row in plan.prospects] == ["sample"]
    assert set(plan.unfit) == {*DESIGNS} - {"sample"}
    assert sv.plan(large, users=10**6, error=0.01, goal="parts").best.design == "sample"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": "shares"}, "goal of plan of a Record must be one of both, parts, tables"),
        ({"shares": [1]}, "shares of plan must be left out: answers to a record"),
        ({"of": {"vi": "yes"}}, "of of plan must be left out: answers to a record"),
    ],
)
def test_what_a_record_has_not_is_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        sv.plan(FOUR, epsilon=1.0, users=10, **options)


def test_split_wins_where_epsilon_is_large():
    """B1: parts of epsilon beat one question drawn from 6.53 for 10 binary questions, half and half."""
    for k, epsilon in ((2, 3.06), (3, 3.71), (5, 4.71), (10, 6.53)):
        record = sv.Record({f"q{i}": sv.Categories(2) for i in range(k)})
        for factor, wins in ((0.98, False), (1.02, True)):
            split, sample = (
                sv.mechanism("record", record, factor * epsilon, design=design).expected_variances()
                for design in ("split", "sample")
            )
            assert bool(split[0][0] < sample[0][0]) is wins
