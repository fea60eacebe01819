"""Values randomized on the cluster: drawn once, written once, and the right law."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import InvalidInput
from support.spark import examples

pytestmark = pytest.mark.slow

DRINKS = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 3.0)


@pytest.fixture
def people(spark):
    text = "case when id % 4 = 0 then 'coffee' else 'tea' end as drink"
    return spark.range(0, 40_000, 1, 4).selectExpr("id", text, "id % 2 = 0 as even")


def test_reports_are_drawn_once(people, tmp_path):
    place = str(tmp_path / "reports")
    reports = svs.randomize(people, "drink", DRINKS, to=place, keep=["id", "even"])
    assert reports.columns == ["value", "id", "even"]
    first, again = (sorted(map(tuple, reports.collect())) for _ in range(2))
    assert first == again
    assert len({row[1] for row in first}) == len(first) == 40_000
    found = sv.estimate(svs.collect(reports.transform(svs.tally(DRINKS)))[()], "unbiased")
    for drink, share in (("tea", 0.75), ("coffee", 0.25), ("water", 0.0)):
        answer = found.share(drink)
        assert abs(answer.value - share) < 5.2 * answer.stderr  # false alarm 2e-7 each
    assert found.share("tea").stderr < 0.004  # half a percent off would be seen


@pytest.mark.parametrize("one", examples(), ids=lambda m: f"{m.name}-{m.domain.size}-{m.cells}")
def test_every_mechanism(one, spark, tmp_path):
    values = values_of(one)
    if values is None:
        pytest.skip("values of this domain are sets of pairs, which no column holds")
    frame = spark.createDataFrame([(v,) for v in values], ["v"])
    reports = svs.randomize(frame, "v", one, to=str(tmp_path / "r"))
    assert svs.collect(reports.transform(svs.tally(one)))[()].n == len(values)


def values_of(mechanism):
    domain = mechanism.domain
    if domain.keyed is not None:
        return None
    if domain.vector is not None:
        return [[domain.vector.interval.midpoints[0].item()] * domain.vector.coordinates] * 5
    if domain.numbers is not None:
        return [float(x) for x in domain.numbers.midpoints[:3]]
    return [domain.label(i) for i in range(min(3, domain.size))]


def test_the_rule_for_values_outside(spark, tmp_path):
    hours = sv.mechanism("sw", sv.Interval(0, 24, bins=8), 1.0)
    frame = spark.createDataFrame([(1.5,), (99.5,)], "hours double")
    near = sv.Survey("hours", "How long?", hours, outside="nearest")
    assert svs.randomize(frame, "hours", near, to=str(tmp_path / "near")).count() == 2
    for name, survey in (("a", hours), ("b", sv.Survey("hours", "How long?", hours))):
        with pytest.raises(InvalidInput, match=r"99\.5"):
            svs.randomize(frame, "hours", survey, to=str(tmp_path / name))
        assert not list((tmp_path / name).rglob("*.parquet"))


def test_refusals(people, spark, tmp_path):
    place = str(tmp_path / "r")
    with pytest.raises(InvalidInput, match="Did you mean 'drink'"):
        svs.randomize(people, "drinks", DRINKS, to=place)
    with pytest.raises(InvalidInput, match="none named drink, value"):
        svs.randomize(people, "drink", DRINKS, to=place, keep=["drink"])
    with pytest.raises(InvalidInput, match="the name of a folder"):
        svs.randomize(people, "drink", DRINKS, to=None)
    with pytest.raises(InvalidInput, match="'drink' of svs.randomize must be not empty"):
        svs.randomize(people.selectExpr("nullif(drink, 'tea') as drink"), "drink", DRINKS, to=place)
    svs.randomize(people, "drink", DRINKS, to=str(tmp_path / "taken"))
    with pytest.raises(InvalidInput, match="a place where nothing is yet"):
        svs.randomize(people, "drink", DRINKS, to=str(tmp_path / "taken"))


def test_whole_words_of_seeds(spark, tmp_path):
    one = sv.mechanism("seeded-hashing", sv.Categories(4), 1.0)
    frame = spark.createDataFrame([(i % 4,) for i in range(200)], "v int")
    reports = svs.randomize(frame, "v", one, to=str(tmp_path / "r"))
    assert dict(reports.dtypes)["seed"] == "decimal(20,0)"
    assert max(int(row.seed) for row in reports.collect()) > 2**63  # of 200, but for 1 in 2^200
    assert np.all([row.cell >= 0 for row in reports.collect()])
