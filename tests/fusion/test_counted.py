"""Users with equal reports may be counted: every answer is that of the users one by one."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.fusion.budget import asking_once_more, budget_of
from sottovoce.fusion.contributions import contributions, shape_contributions
from sottovoce.fusion.joining.aligned import Aligned
from sottovoce.fusion.services import Fusion

HOURS = sv.Interval(0, 24, bins=6)
SERVICES = [sv.mechanism("grr", HOURS, 1.0), sv.mechanism("sr", HOURS, 0.5), sv.mechanism("oue", HOURS, 2.0)]  # fmt: skip
PEOPLE = 3_000


@pytest.fixture(scope="module")
def users() -> Fusion:
    """Everybody uses two services or three."""
    slept = np.tile([3.5, 7.5, 9.5], PEOPLE // 3)
    keys = [np.arange(PEOPLE)[: 9 * PEOPLE // 10], np.arange(PEOPLE), np.arange(PEOPLE)[100:]]
    drawn = [m.randomize(slept[k], source=sv.Seeded(j)) for j, (m, k) in enumerate(zip(SERVICES, keys, strict=True))]  # fmt: skip
    return sv.fuse(SERVICES, drawn, keys=keys, names=["clinic", "shop", "gym"])


@pytest.fixture(scope="module")
def counted(users) -> Fusion:
    """The same people, grouped by what they reported."""
    of = users.aligned
    fields = [
        np.where(rows >= 0, column.astype(np.int64).reshape(len(column))[rows], -1)
        for told, rows in zip(of.reports, of.rows, strict=True)
        for column in told.columns.values()
        for rows in [np.arange(of.n) if rows is None else rows]
    ]
    _, first, counts = np.unique(np.column_stack(fields), axis=0, return_index=True, return_counts=True)  # fmt: skip
    rows = tuple(first if rows is None else rows[first] for rows in of.rows)
    assert len(counts) < of.n
    return Fusion(Aligned(of.names, of.mechanisms, of.reports, rows, of.n, of.certified, counts))


@pytest.mark.parametrize("method", ["population", "ua", "uwa"])
def test_means(users, counted, method):
    wanted, found = users.mean(method), counted.mean(method)
    for name in ("value", "stderr", "population_stderr"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-10)
    for column in ("users", "weight", "mean", "stderr"):
        assert found.services[column] == pytest.approx(wanted.services[column], rel=1e-10)
    assert found.n == wanted.n == PEOPLE


@pytest.mark.parametrize("inner", ["em", "mle", "adaptive"])
def test_distributions(users, counted, inner):
    options = {"max_iterations": 200, "tolerance": 1e-3} if inner == "em" else {}
    wanted, found = (each.distribution(inner=inner, **options).shares for each in (users, counted))
    assert np.abs(found - wanted).max() < 1e-8


def test_errors_of_a_fused_distribution(users, counted):
    wanted, found = (each.distribution(inner="mle").stderr for each in (users, counted))
    assert found == pytest.approx(wanted, rel=0.6)  # the order of users differs, so the draws do
    assert np.median(found / wanted) == pytest.approx(1, abs=0.15)


def test_contributions_and_budget(users, counted):
    wanted, found = contributions(users).frame(), contributions(counted).frame()
    assert found["lost users"] == wanted["lost users"]
    assert found["without"] == pytest.approx(wanted["without"], rel=1e-10)
    moved = [shape_contributions(each, "mle")["moves it by"] for each in (users, counted)]
    assert moved[1] == pytest.approx(moved[0], rel=1e-6)
    assert str(budget_of(counted)) == str(budget_of(users))
    assert asking_once_more(counted, 0.5).there == pytest.approx(asking_once_more(users, 0.5).there)


def test_users_of_a_service(users, counted):
    assert counted.aligned.frame().columns == users.aligned.frame().columns
    assert counted.aligned.entries < users.aligned.entries == PEOPLE
