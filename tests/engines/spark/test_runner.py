"""Tasks on the cluster: the results of one process."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import InvalidInput
from sottovoce.experiments.draws import repeat, shares_of
from sottovoce.experiments.work import in_processes

pytestmark = pytest.mark.slow

DRINKS = sv.mechanism("oue", sv.Categories(6), 1.0)


def _errors(epsilon):
    mechanism = sv.mechanism("grr", sv.Categories(5), epsilon)
    truth = np.array([500, 300, 100, 60, 40])

    def draw(source):
        tally = mechanism.simulate(truth, source=source)
        shares = [shares_of(tally, method) for method in ("unbiased", "norm-sub")]
        return {"l2": np.array([np.sum((s - truth / 1000) ** 2) for s in shares])}

    return draw


def test_sweeps_are_those_of_one_process(spark):
    how = {"what": "sweep", "repeats": 23}
    wanted = repeat(_errors, [0.5, 1.0], **how, workers=1)
    told = []
    found = repeat(_errors, [0.5, 1.0], **how, workers=svs.runner(spark), progress=lambda _, part: told.append(part))  # fmt: skip
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.array_equal(ours["l2"], theirs["l2"])
    assert told[0] == 0.0
    assert told[-1] == 1.0


def test_order_and_many_tasks(spark):
    tasks = list(range(37))
    assert in_processes(math.sqrt, tasks, what="roots", workers=svs.runner(spark)) == [math.sqrt(k) for k in tasks]  # fmt: skip
    assert in_processes(math.sqrt, [], what="none", workers=svs.runner(spark)) == []


def test_comparisons_are_those_of_one_process(spark):
    tally = DRINKS.simulate([3000, 2000, 500, 0, 0, 0], source=sv.Seeded(3))
    how = {"methods": ["unbiased", "norm-sub", "em"], "replicates": 12, "seconds": math.inf}
    wanted, found = (sv.compare(tally, **how, **run) for run in ({}, {"run": svs.runner(spark)}))
    assert found.frame()["error"] == wanted.frame()["error"]
    assert found.frame()["runs"] == wanted.frame()["runs"]
    assert found.best == wanted.best


def test_errors_of_tasks_are_raised_here(spark):
    with pytest.raises(InvalidInput, match="epsilon of randomized-response"):
        in_processes(_errors, [-1.0], what="wrong", workers=svs.runner(spark))
    with pytest.raises(InvalidInput, match="a SparkSession"):
        svs.runner("local[2]")
