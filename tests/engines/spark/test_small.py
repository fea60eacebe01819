"""One small job for every change: both ways to count, files, and error bars."""

from __future__ import annotations

import pytest
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from support.spark import by_region, drawn, with_regions

pytestmark = pytest.mark.slow

DRINKS = sv.Categories(["tea", "coffee", "water"])


def test_a_small_job(spark, tmp_path):
    for name in ("grr", "oue"):
        one = sv.mechanism(name, DRINKS, 1.0)
        reports = drawn(one)
        (tmp_path / name).mkdir()
        parquet.write_table(with_regions(reports), tmp_path / name / "a.parquet")
        frame = spark.read.parquet(str(tmp_path / name)).repartition(3)
        assert svs.collect(frame.transform(svs.tally(one, by=["region"]))) == by_region(reports)
    tallies = svs.tally_files(str(tmp_path / "grr"), sv.mechanism("grr", DRINKS, 1.0), spark=spark)
    (whole,) = svs.collect(tallies).values()
    rows = svs.estimate(tallies, whole.mechanism, tasks=1).collect()
    assert [row.share for row in rows] == sv.estimate(whole).frame()["share"]
