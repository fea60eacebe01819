"""Whoever runs tasks, results are the same and in order."""

from __future__ import annotations

import math

import pytest

import sottovoce as sv
from sottovoce.base.errors import Unfit
from sottovoce.experiments.work import in_processes


def backwards(function, tasks):
    """A runner that gives the last result first."""
    for index in reversed(range(len(tasks))):
        yield index, function(tasks[index])


def test_results_are_in_order():
    parts = []
    found = in_processes(
        math.sqrt, [4, 9, 16], what="roots", workers=backwards, progress=lambda _, part: parts.append(part)
    )  # fmt: skip
    assert found == [2, 3, 4]
    assert parts == [0, 1 / 3, 2 / 3, 1]


def test_a_comparison_does_not_depend_on_its_runner():
    tally = sv.mechanism("grr", sv.Categories(4), 1.0).simulate([900, 90, 9, 1], source=sv.Seeded(1))  # fmt: skip
    how = {"methods": ["unbiased", "norm-sub", "norm-cut"], "replicates": 12, "seconds": math.inf}
    wanted, found = sv.compare(tally, **how), sv.compare(tally, **how, run=backwards)
    assert found.frame()["error"] == wanted.frame()["error"]
    assert found.best == wanted.best


def test_a_candidate_that_is_unfit_on_a_runner_is_left_out():
    def refuses(function, tasks):
        for index, task in enumerate(tasks):
            unfit = task.candidate.name == "norm-sub"
            yield index, "not there" if unfit else function(task)

    tally = sv.mechanism("grr", sv.Categories(4), 1.0).simulate([900, 90, 9, 1], source=sv.Seeded(1))  # fmt: skip
    found = sv.compare(tally, methods=["unbiased", "norm-sub"], replicates=8, run=refuses)
    assert found.left_out == {"norm-sub": "not there"}
    with pytest.raises(Unfit, match="no candidate could be run"):
        sv.compare(tally, methods=["norm-sub"], replicates=8, run=refuses)
