"""Services joined on the cluster: the library's answers, to 1e-10."""

from __future__ import annotations

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit

pytestmark = pytest.mark.slow

HOURS = sv.Interval(0, 24, bins=8)
PEOPLE = 4_000
FAMILIES = {
    "cells": [sv.mechanism("pm", HOURS, 1.0), sv.mechanism("sw", HOURS, 0.5), sv.mechanism("laplace", HOURS, 1.0)],
    "fields": [sv.mechanism("olh", HOURS, 1.0), sv.mechanism("sr", HOURS, 1.0), sv.mechanism("oue", HOURS, 1.0)],
}  # fmt: skip
NAMES = ("bank", "shop", "gym")


def services_of(mechanisms, seed=1):
    """Reports and keys: seven in ten people use each service, in an order of its own."""
    rng = np.random.default_rng(seed)
    held = rng.integers(8, size=PEOPLE)
    reports, keys = [], []
    for j, mechanism in enumerate(mechanisms):
        who = rng.permutation(PEOPLE)[: 7 * PEOPLE // 10]
        reports.append(mechanism.randomize_indices(held[who], sv.Seeded(j)))
        keys.append([f"{k:032x}".encode() for k in who])
    return reports, keys


@pytest.fixture(params=FAMILIES, scope="module")
def both(request, spark, tmp_path_factory):
    mechanisms = FAMILIES[request.param]
    reports, keys = services_of(mechanisms)
    library = sv.fuse(mechanisms, reports, keys=keys, names=NAMES)
    frames = {}
    for name, mechanism, told, who in zip(NAMES, mechanisms, reports, keys, strict=True):
        folder = tmp_path_factory.mktemp(name)
        table = told.to_arrow().append_column("person", arrow.array(who, arrow.binary()))
        parquet.write_table(table, folder / "a.parquet")
        frames[name] = (spark.read.parquet(str(folder)).repartition(3), mechanism)
    return library, svs.fuse(frames, key="person"), frames


def test_people_are_counted_not_sent(both):
    library, fused, _ = both
    assert fused.n == library.n
    assert fused.aligned.entries <= library.n
    assert fused.aligned.frame()["users"] == library.aligned.frame()["users"]


@pytest.mark.parametrize("method", ["population", "ua", "uwa"])
def test_means(both, method):
    wanted, found = (each.mean(method) for each in both[:2])
    for name in ("value", "stderr", "population_stderr"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-10)


def test_distributions(both):
    em = {"inner": "em", "max_iterations": 50, "tolerance": 0}
    wanted, found = (each.distribution(**em).shares for each in both[:2])
    assert np.abs(found - wanted).max() < 1e-10
    wanted, found = (each.distribution(inner="mle").shares for each in both[:2])
    assert np.abs(found - wanted).max() < 1e-10


def test_refusals(both, spark):
    from pyspark.sql.functions import expr

    _, _, frames = both
    bank, mechanism = frames["bank"]
    shop = frames["shop"]
    with pytest.raises(InvalidInput, match=r"service 'bank'.*different in every row; got '.* keys"):
        svs.fuse({"bank": (bank.union(bank), mechanism), "shop": shop}, key="person")
    with pytest.raises(InvalidInput, match="got 'Person'.*Did you mean 'person'"):
        svs.fuse(frames, key="Person")
    with pytest.raises(Mismatch, match="no user is in common"):
        other = bank.withColumn("person", expr("concat(person, person)"))
        svs.fuse({"bank": (other, mechanism), "shop": shop}, key="person")
    with pytest.raises(InvalidInput, match="of one type; got .type binary, and type string"):
        text = bank.withColumn("person", expr("hex(person)"))
        svs.fuse({"bank": (text, mechanism), "shop": shop}, key="person")
    with pytest.raises(InvalidInput, match="key of svs.fuse must be not empty"):
        empty = bank.withColumn("person", expr("cast(null as binary)")).limit(1)
        svs.fuse({"bank": (bank.union(empty), mechanism), "shop": shop}, key="person")
    with pytest.raises(Unfit, match="more than 100 different combinations"):
        svs.fuse(frames, key="person", most=100)
    with pytest.raises(InvalidInput, match="at least one; got 'none'"):
        svs.fuse({"bank": (bank.limit(0), mechanism), "shop": shop}, key="person")
    with pytest.raises(Mismatch, match="all must have one domain"):
        wide = sv.mechanism("sw", sv.Interval(0, 48, bins=8), 0.5)
        svs.fuse({"bank": (bank, mechanism), "shop": (shop[0], wide)}, key="person")


def test_values_outside(spark):
    m = sv.mechanism("grr", HOURS, 1.0)
    good = spark.createDataFrame([("ann", 1), ("ben", 2)], "person string, value int")
    for wrong in (8, -1, None):
        bad = spark.createDataFrame([("ann", 1), ("ben", wrong)], "person string, value int")
        with pytest.raises(InvalidInput, match="service 'shop' must be whole numbers from 0 to 7"):
            svs.fuse({"bank": (good, m), "shop": (bad, m)}, key="person")
    alone = svs.fuse({"bank": (good, m)}, key="person")
    assert alone.n == 2


def test_what_is_not_services(spark):
    m = sv.mechanism("grr", HOURS, 1.0)
    frame = spark.createDataFrame([("ann", 1)], "person string, value int")
    for wrong in ({}, [frame], None):
        with pytest.raises(InvalidInput, match="a mapping of names"):
            svs.fuse(wrong, key="person")
    with pytest.raises(InvalidInput, match=r"service 'bank' of svs.fuse must be \(DataFrame, survey\)"):  # fmt: skip
        svs.fuse({"bank": frame}, key="person")
    with pytest.raises(InvalidInput, match="not a field of the report"):
        svs.fuse({"bank": (frame, m)}, key="value")
