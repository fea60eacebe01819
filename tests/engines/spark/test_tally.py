"""Tallies of Spark are the library's, byte by byte, however rows lie in partitions."""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import CorruptBytes, InvalidInput, Mismatch
from support.spark import by_region, drawn, examples, with_regions

pytestmark = pytest.mark.slow

MECHANISMS = examples()
DRINKS = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 1.0)
BITS = sv.mechanism("oue", sv.Categories(20), 1.0)


def as_bytes(tallies):
    return {group: tally.to_bytes() for group, tally in tallies.items()}


@pytest.fixture
def frame_of(spark, tmp_path):
    """A frame of Parquet files, as a lake has them."""
    count = iter(range(1000))

    def made(table: arrow.Table, files: int = 2):
        folder = tmp_path / str(next(count))
        folder.mkdir()
        rows = -(-table.num_rows // files)
        for i in range(files):
            parquet.write_table(table.slice(i * rows, rows), folder / f"{i}.parquet")
        return spark.read.parquet(str(folder))

    return made


@pytest.mark.parametrize("one", MECHANISMS, ids=lambda m: f"{m.name}-{m.domain.size}-{m.cells}")
def test_every_mechanism_any_partitioning(one, frame_of):
    reports = drawn(one)
    wanted = as_bytes(by_region(reports))
    frame = frame_of(with_regions(reports))
    for each in (frame, frame.repartition(7), frame.repartition("region").coalesce(1)):
        assert as_bytes(svs.collect(each.transform(svs.tally(one, by=["region"])))) == wanted
    everything = svs.collect(frame.transform(svs.tally(one)))
    assert as_bytes(everything) == {(): one.tally(reports).to_bytes()}


@pytest.mark.parametrize("one", [DRINKS, BITS], ids=["sql", "batches"])
def test_groups_have_the_text_of_their_cells(one, spark, frame_of):
    reports = drawn(one, 60)
    days = [datetime.date(2026, 11, 16 + i % 2) for i in range(60)]
    columns = {"window": days, "a.b`c": [i % 3 for i in range(60)], "row": ["é '\\ x"] * 60}
    table = reports.to_arrow()
    for name, values in columns.items():
        table = table.append_column(name, arrow.array(values))
    counter = sv.Counter(one, by=list(columns))
    counter.add(table)
    found = svs.collect(frame_of(table).transform(svs.tally(one, by=list(columns))))
    assert found == counter.tallies()
    assert ("2026-11-16", "0", "é '\\ x") in found


def test_a_survey_and_other_columns(frame_of):
    survey = sv.Survey("drinks", "Tea?", DRINKS)
    reports = drawn(DRINKS)
    table = with_regions(reports).append_column("ballast", arrow.array(["x"] * len(reports)))
    found = svs.collect(frame_of(table).transform(svs.tally(survey, by="region")))
    assert found == by_region(reports)


@pytest.mark.parametrize("one", [DRINKS, BITS], ids=["sql", "batches"])
def test_merging(one, frame_of):
    reports = drawn(one)
    tallies = frame_of(with_regions(reports)).transform(svs.tally(one, by=["region"]))
    assert svs.collect(svs.merge(tallies)) == {(): one.tally(reports)}
    twice = svs.merge(tallies.union(tallies), by="region")
    assert svs.collect(twice) == {k: t + t for k, t in by_region(reports).items()}
    with pytest.raises(InvalidInput, match="svs.merge adds the tallies of a group"):
        svs.collect(tallies.union(tallies))
    with pytest.raises(InvalidInput, match="among region; got 'window'"):
        svs.merge(tallies, by=["window"])


def test_tallies_survive_storage(spark, frame_of, tmp_path):
    tallies = frame_of(with_regions(drawn(BITS))).transform(svs.tally(BITS, by=["region"]))
    tallies.write.parquet(str(tmp_path / "tallies"))
    back = spark.read.parquet(str(tmp_path / "tallies"))
    assert svs.collect(back) == by_region(drawn(BITS))
    damaged = back.selectExpr("region", "n", "substring(tally, 2) as tally")
    with pytest.raises(CorruptBytes, match="tally of .*: not a tally"):
        svs.collect(damaged)
    with pytest.raises(CorruptBytes, match="tally of all reports: not a tally"):
        svs.collect(svs.merge(damaged))


@pytest.mark.parametrize("one", [DRINKS, BITS], ids=["sql", "batches"])
def test_no_reports_are_no_groups(one, frame_of):
    frame = frame_of(with_regions(drawn(one))).where("region = 'nowhere'")
    assert svs.collect(frame.transform(svs.tally(one, by=["region"]))) == {}


def test_tallies_of_two_mechanisms_do_not_merge(frame_of):
    other = sv.mechanism("grr", sv.Categories(["tea", "coffee", "water"]), 2.0)
    both = [
        frame_of(with_regions(drawn(one))).transform(svs.tally(one, by=["region"]))
        for one in (DRINKS, other)
    ]
    with pytest.raises(Mismatch, match="cannot merge a tally of"):
        svs.collect(svs.merge(both[0].union(both[1])))


# -- what is refused ------------------------------------------------------------------------


def changed(table: arrow.Table, name: str, values: object) -> arrow.Table:
    return table.set_column(table.schema.get_field_index(name), name, values)


@pytest.mark.parametrize(("wrong", "message"), [(3, r"outside its whole numbers from 0 to 2"), (-1, "outside"), (None, "1 with an empty column 'value'")])  # fmt: skip
def test_values_outside_are_refused(wrong, message, frame_of):
    table = with_regions(drawn(DRINKS))
    values = table.column("value").to_pylist()
    values[17] = wrong
    frame = frame_of(changed(table, "value", arrow.array(values, arrow.int32())))
    with pytest.raises(CorruptBytes, match=message) as refused:
        svs.collect(frame.transform(svs.tally(DRINKS, by=["region"])))
    assert str(refused.value).startswith("region ")


def test_bytes_outside_are_refused(frame_of):
    table = with_regions(drawn(BITS))
    rows = table.column("bits").to_pylist()
    for wrong, message in ((b"\xff" * 3, "zero in the 4 bits"), (b"\0", "3 bytes"), (None, "bits")):
        rows[5] = wrong
        frame = frame_of(changed(table, "bits", arrow.array(rows, arrow.binary())))
        with pytest.raises(InvalidInput, match=message):
            svs.collect(frame.transform(svs.tally(BITS)))


@pytest.mark.parametrize("one", [DRINKS, BITS], ids=["sql", "batches"])
def test_empty_groups_are_refused(one, frame_of):
    table = with_regions(drawn(one))
    regions = [None, *table.column("region").to_pylist()[1:]]
    frame = frame_of(changed(table, "region", arrow.array(regions)))
    with pytest.raises(InvalidInput, match="'region'.* must be not empty"):
        svs.collect(frame.transform(svs.tally(one, by=["region"])))


def test_columns_are_checked_before_anything_runs(spark, frame_of):
    frame = frame_of(with_regions(drawn(DRINKS)))
    with pytest.raises(InvalidInput, match="'reglon'.*Did you mean 'region'"):
        frame.transform(svs.tally(DRINKS, by=["reglon"]))
    with pytest.raises(InvalidInput, match="there once .*got 'bits'"):
        frame.transform(svs.tally(BITS))
    with pytest.raises(InvalidInput, match="of whole numbers; got 'type string'"):
        frame.selectExpr("cast(value as string) as value").transform(svs.tally(DRINKS))
    with pytest.raises(InvalidInput, match="of text, whole numbers"):
        frame.selectExpr("value", "array(1) as a").transform(svs.tally(DRINKS, by="a"))
    with pytest.raises(InvalidInput, match="binary, 3 bytes per row"):
        frame.selectExpr("value as bits").transform(svs.tally(BITS))
    with pytest.raises(InvalidInput, match="DataFrame of Spark"):
        svs.tally(DRINKS)(np.zeros(3))
    with pytest.raises(InvalidInput, match="bigint, as svs.tally makes it"):
        svs.collect(frame.selectExpr("region as n", "region as tally"))
