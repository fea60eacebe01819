"""More combinations than the driver takes: passes on the cluster give the library's answers."""

from __future__ import annotations

import numpy as np
import pyarrow as arrow
import pytest
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.errors import InvalidInput, Mismatch, Unfit
from sottovoce.engines.spark import passes
from sottovoce.engines.spark.cluster_fusion import ClusterFusion
from sottovoce.fusion.services import Fusion

pytestmark = pytest.mark.slow

HOURS = sv.Interval(0, 24, bins=8)
PEOPLE, GYM = 4_000, 60
FAMILIES = {
    "cells": [sv.mechanism("pm", HOURS, 1.0), sv.mechanism("sw", HOURS, 0.5), sv.mechanism("laplace", HOURS, 1.0)],
    "fields": [sv.mechanism("olh", HOURS, 1.0), sv.mechanism("sr", HOURS, 1.0), sv.mechanism("oue", HOURS, 1.0)],
}  # fmt: skip
NAMES = ("bank", "shop", "gym")


@pytest.fixture(scope="module")
def several_parts(spark):
    """As many partitions as shuffles have, however small."""
    setting = "spark.sql.adaptive.coalescePartitions.enabled"
    before = spark.conf.get(setting)
    spark.conf.set(setting, "false")
    yield
    spark.conf.set(setting, before)


@pytest.fixture(params=FAMILIES, scope="module")
def both(request, spark, several_parts, tmp_path_factory):
    """The library's, and that of the cluster; few people have a report to the last service."""
    mechanisms = FAMILIES[request.param]
    rng = np.random.default_rng(4)
    held = rng.binomial(7, 0.4, size=PEOPLE)
    reports, keys, frames = [], [], {}
    folder = tmp_path_factory.mktemp("services")
    for j, (name, mechanism) in enumerate(zip(NAMES, mechanisms, strict=True)):
        who = rng.permutation(PEOPLE)[: GYM if name == "gym" else 7 * PEOPLE // 10]
        reports.append(mechanism.randomize_indices(held[who], sv.Seeded(j)))
        keys.append(who)
        table = reports[-1].to_arrow().append_column("person", arrow.array(who))
        parquet.write_table(table, folder / f"{name}.parquet")
        frames[name] = (spark.read.parquet(str(folder / f"{name}.parquet")), mechanism)
    library = sv.fuse(mechanisms, reports, keys=keys, names=NAMES)
    cluster = svs.fuse(frames, key="person", to=str(folder / "combinations"), most=20)
    return library, cluster, frames, folder


def test_combinations_stay_in_several_parts(both, spark):
    library, cluster, _, folder = both
    assert isinstance(cluster, ClusterFusion)
    assert cluster.n == library.n
    kept = spark.read.parquet(str(folder / "combinations"))
    assert kept.selectExpr("spark_partition_id() as p").distinct().count() > 1
    assert "person" not in kept.columns


def test_the_likeliest_distribution(both):
    wanted, found = (each.distribution(inner="mle") for each in both[:2])
    assert np.abs(found.shares - wanted.shares).max() < 1e-10
    assert found.converged
    assert found.iterations == wanted.iterations
    assert found.optimality == pytest.approx(wanted.optimality, abs=1e-8)
    assert (found.n, found.method) == (wanted.n, wanted.method)


def test_large_curvatures_are_added_up_by_workers(both, monkeypatch):
    wanted = both[1].distribution(gap=10.0).shares
    monkeypatch.setattr(passes, "LARGE", 4)
    assert np.abs(both[1].distribution(gap=10.0).shares - wanted).max() < 1e-12


@pytest.mark.parametrize("method", ["population", "ua", "uwa"])
def test_means(both, method):
    wanted, found = (each.mean(method) for each in both[:2])
    for name in ("value", "stderr", "population_stderr"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-10)
    assert found.weights == pytest.approx(wanted.weights, rel=1e-10)
    assert found.services["users"] == wanted.services["users"]
    assert found.services["mean"] == pytest.approx(wanted.services["mean"], rel=1e-10)
    assert found.why == wanted.why


def test_few_combinations_are_collected_from_the_folder(both):
    library, _, frames, folder = both
    fused = svs.fuse(frames, key="person", to=str(folder / "few"))
    assert isinstance(fused, Fusion)
    assert fused.mean().value == pytest.approx(library.mean().value, rel=1e-10)


def test_refusals(both):
    _, cluster, frames, folder = both
    with pytest.raises(Unfit, match="more than 20 different combinations.*Give `to`, a folder"):
        svs.fuse(frames, key="person", most=20)
    with pytest.raises(InvalidInput, match="to of svs.fuse must be a place where nothing is yet"):
        svs.fuse(frames, key="person", to=str(folder / "combinations"))
    with pytest.raises(InvalidInput, match="to of svs.fuse must be the name of a folder"):
        svs.fuse(frames, key="person", to="")
    with pytest.raises(InvalidInput, match="must be one of auto, mle"):
        cluster.distribution(inner="adaptive")
    with pytest.raises(InvalidInput, match="option tolerance of mle"):
        cluster.distribution(tolerance=1)
    bank, mechanism = frames["bank"]
    shop = frames["shop"]
    twice = {"bank": (bank.union(bank), mechanism), "shop": shop}
    with pytest.raises(InvalidInput, match=r"different in every row; got '2,800 keys"):
        svs.fuse(twice, key="person", to=str(folder / "twice"), most=20)
    apart = {"bank": (bank.selectExpr("*").withColumn("person", bank["person"] + 10**6), mechanism), "shop": shop}  # fmt: skip
    with pytest.raises(Mismatch, match="no user is in common"):
        svs.fuse(apart, key="person", to=str(folder / "apart"), most=20)
