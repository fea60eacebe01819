"""Error bars of many groups: those of a loop, and no group below the minimum batch."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.base.text import label_text

pytestmark = pytest.mark.slow

DRINKS = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water", "milk"]), 1.0)
SURVEY = sv.Survey("drinks", "Tea?", DRINKS)
HOURS = sv.mechanism("sw", sv.Interval(0, 24, bins=16), 1.0)


def tallies_of(spark, tallies):
    rows = [(*group, tally.n, bytearray(tally.to_bytes())) for group, tally in tallies.items()]
    return spark.createDataFrame(rows, "region string, n bigint, tally binary")


def simulated(mechanism, groups, least=80, most=400):
    rng = np.random.default_rng(2)
    found = {}
    for i in range(groups):
        counts = rng.multinomial(rng.integers(least, most), rng.dirichlet(np.ones(mechanism.domain.size)))  # fmt: skip
        found[f"region {i}",] = mechanism.simulate(counts, source=sv.Seeded(i))
    return found


def looped(tallies, method="auto", **options):
    """What a loop over groups finds."""
    rows = []
    for (region,), tally in tallies.items():
        found = sv.estimate(tally, method, **options)
        frame = found.frame()
        for row in frame:
            numbers = (row["share"], row["stderr"], row["low"], row["high"])
            rows.append((region, label_text(row["value"]), *numbers, tally.n, found.method, found.converged))  # fmt: skip
    return sorted(rows)


def test_a_thousand_groups_are_those_of_the_loop(spark):
    tallies = simulated(DRINKS, 1000)
    shown = {group: tally for group, tally in tallies.items() if tally.n >= 100}
    assert 0 < len(shown) < 1000
    found = svs.estimate(tallies_of(spark, tallies), SURVEY, tasks=8)
    rows = [tuple(row) for row in found.collect()]
    assert sorted(row for row in rows if row[1] is not None) == looped(shown)
    left_out = [row for row in rows if row[1] is None]
    assert {row[0] for row in left_out} == {group[0] for group in tallies.keys() - shown.keys()}
    assert {row[1:] for row in left_out} == {(None,) * 6 + ("left out: below the minimum batch", None)}  # fmt: skip


def test_groups_are_divided_into_the_tasks_told(spark):
    frame = svs.estimate(tallies_of(spark, simulated(DRINKS, 40, 200)), DRINKS, tasks=5)
    parts = frame.selectExpr("spark_partition_id() as p").distinct().count()
    assert parts == 5


@pytest.mark.parametrize("method", ["auto", "em"])
def test_methods_and_options(spark, method):
    tallies = simulated(HOURS, 4, 2000, 3000)
    found = svs.estimate(tallies_of(spark, tallies), HOURS, method, about="population")
    wanted = looped(tallies, method, about="population")
    for ours, theirs in zip(sorted(map(tuple, found.collect())), wanted, strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2:6] == pytest.approx(theirs[2:6], rel=1e-12, abs=1e-15)
        assert ours[6:] == theirs[6:]


def test_means_and_quantiles_are_those_of_the_loop(spark):
    tallies = simulated(HOURS, 4, 2000, 3000) | {("few",): HOURS.simulate([1] * 16, source=sv.Seeded(5))}  # fmt: skip
    survey = sv.Survey("hours", "How long?", HOURS)
    asked = {"mean": True, "quantile": [0.1, 0.5], "cdf": 12}
    found = svs.estimate(tallies_of(spark, tallies), survey, questions=asked, confidence=0.9)
    assert found.columns == ["region", "question", "label", "value", "stderr", "low", "high", "n", "method", "converged"]  # fmt: skip
    rows = [tuple(row) for row in found.collect()]
    assert [row for row in rows if row[1] is None] == [("few",) + (None,) * 7 + ("left out: below the minimum batch", None)]  # fmt: skip
    for region, tally in tallies.items():
        if region == ("few",):
            continue
        loop = sv.estimate(tally, goal="range")
        wanted = [loop.mean(confidence=0.9), *loop.quantile([0.1, 0.5], confidence=0.9), loop.cdf(12, confidence=0.9)]  # fmt: skip
        ours = [row for row in rows if row[:1] == region]
        assert [row[1] for row in ours] == ["mean", "quantile", "quantile", "cdf"]
        for row, answer in zip(ours, wanted, strict=True):
            assert row[2] == label_text(answer.label)
            numbers = (answer.value, answer.stderr, answer.low, answer.high)
            assert row[3:7] == pytest.approx(numbers, rel=1e-12)
            assert row[7:] == (tally.n, loop.method, loop.converged)


def test_a_mean_alone_has_the_method_for_means(spark):
    tallies = simulated(HOURS, 2, 2000, 3000)
    rows = svs.estimate(tallies_of(spark, tallies), HOURS, questions={"mean": True}).collect()
    for row in rows:
        loop = sv.estimate(tallies[row.region,], goal="mean")
        assert (row.value, row.stderr) == pytest.approx((loop.mean().value, loop.mean().stderr))
        assert row.method == loop.method


def test_questions_that_are_refused(spark):
    frame = tallies_of(spark, simulated(DRINKS, 2, 200))
    with pytest.raises(Unfit, match="mean cannot be asked here"):
        svs.estimate(frame, DRINKS, questions={"mean": True})
    for wrong in ({}, ["mean"], "mean"):
        with pytest.raises(InvalidInput, match="a mapping such as"):
            svs.estimate(frame, DRINKS, questions=wrong)
    with pytest.raises(InvalidInput, match="questions of svs.estimate must be at least one"):
        svs.estimate(frame, HOURS, questions={"mean": False})
    with pytest.raises(InvalidInput, match="quantile of svs.estimate must be a number"):
        svs.estimate(frame, HOURS, questions={"quantile": "half"})
    with pytest.raises(Unfit, match="unknown question 'median'. Did you mean 'mean'"):
        svs.estimate(frame, HOURS, questions={"median": True})
    with pytest.raises(InvalidInput, match="without a group named 'label'"):
        svs.estimate(frame.withColumnRenamed("region", "label"), HOURS, questions={"mean": True})


def test_a_mechanism_has_no_minimum_but_nothing_is_not_shown(spark):
    tallies = simulated(DRINKS, 2, 5, 20) | {("empty",): sv.Tally.empty(DRINKS)}
    rows = svs.estimate(tallies_of(spark, tallies), DRINKS).collect()
    assert len(rows) == 2 * 4 + 1
    assert [row.region for row in rows if row.share is None] == ["empty"]


def test_refusals(spark):
    frame = tallies_of(spark, simulated(DRINKS, 2, 200))
    with pytest.raises(Mismatch, match="is of randomized-response.*not of square-wave"):
        with_plain(svs.estimate(frame, HOURS))
    with pytest.raises(Unfit, match="norm_sub"):
        with_plain(svs.estimate(frame, DRINKS, "norm_sub"))
    with pytest.raises(InvalidInput, match="without a group named 'share'"):
        svs.estimate(frame.withColumnRenamed("region", "share"), DRINKS)
    with pytest.raises(
        InvalidInput, match="tasks of sottovoce.spark must be a whole number of at least 1"
    ):
        svs.estimate(frame, DRINKS, tasks=0)
    with pytest.raises(InvalidInput, match="a Survey or a mechanism"):
        svs.estimate(frame, "drinks")


def with_plain(frame):
    from sottovoce.engines.spark.frames import collected

    return collected(frame)
