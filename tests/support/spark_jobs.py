"""Jobs that a driver of its own runs, on a cluster or over Connect: ``python -m support.spark_jobs``.

Each compares with the library in this process and ends with an error where anything differs.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as arrow
from pyarrow import parquet

import sottovoce as sv
import sottovoce.spark as svs
from sottovoce.base.text import label_text
from sottovoce.experiments.work import in_processes
from support.spark import SETTINGS, by_region, drawn, examples, with_regions

BITS = sv.mechanism("oue", sv.Categories(64), 1.0)
PARTITIONS, ROWS = 8, 2000


def session(url: str, **more: str):
    if url.startswith("sc:"):
        from pyspark.sql import SparkSession

        return SparkSession.builder.remote(url).getOrCreate()
    found = svs.session(spark__master=url, spark__executor__memory="512m", **SETTINGS, **more)
    found.sparkContext.setLogLevel("OFF")
    return found


# -- everything once -------------------------------------------------------------------------


def everything(spark, folder: Path) -> None:
    for i, one in enumerate(examples()):
        reports, place = drawn(one), folder / str(i)
        place.mkdir()
        parquet.write_table(with_regions(reports), place / "a.parquet", row_group_size=100)
        wanted = {group: tally.to_bytes() for group, tally in by_region(reports).items()}
        frame = spark.read.parquet(str(place)).repartition(3)
        for tallies in (
            frame.transform(svs.tally(one, by=["region"])),
            svs.tally_files(str(place), one, by=["region"], spark=spark),
        ):
            found = {k: t.to_bytes() for k, t in svs.collect(tallies).items()}
            assert found == wanted, f"{one} differs"
    estimates(spark, folder / "0")
    fusion(spark, folder)
    randomizing(spark, folder)
    assert in_processes(abs, [-3, 4], what="tasks", workers=svs.runner(spark)) == [3, 4]


def estimates(spark, place: Path) -> None:
    one = examples()[0]
    tallies = svs.tally_files(str(place), one, by=["region"], spark=spark)
    rows = {(row.region, row.value): (row.share, row.stderr) for row in svs.estimate(tallies, one).collect()}  # fmt: skip
    for (region,), tally in svs.collect(tallies).items():
        for row in sv.estimate(tally).frame():
            wanted = row["share"], row["stderr"]  # of other releases of numpy, over Connect
            assert np.allclose(rows[region, label_text(row["value"])], wanted, rtol=1e-9)


def fusion(spark, folder: Path) -> None:
    hours = sv.Interval(0, 24, bins=8)
    services = {"bank": sv.mechanism("pm", hours, 1.0), "shop": sv.mechanism("sw", hours, 1.0)}
    reports = [drawn(one, 500, seed) for seed, one in enumerate(services.values())]
    keys = [np.arange(500), np.arange(100, 600)]
    frames = {}
    for name, told, who in zip(services, reports, keys, strict=True):
        table = told.to_arrow().append_column("person", arrow.array(who))
        parquet.write_table(table, folder / f"{name}.parquet")
        frames[name] = (spark.read.parquet(str(folder / f"{name}.parquet")), services[name])
    library = sv.fuse(list(services.values()), reports, keys=keys)
    collected = svs.fuse(frames, key="person")
    stays = svs.fuse(frames, key="person", to=str(folder / "combinations"), most=20)
    wanted = library.mean()
    for found in (collected.mean(), stays.mean()):
        assert abs(found.value - wanted.value) < 1e-10
        assert abs(found.stderr - wanted.stderr) < 1e-10
    apart = stays.distribution().shares - library.distribution(inner="mle").shares
    assert np.abs(apart).max() < 1e-9  # of other releases of numpy, over Connect


def randomizing(spark, folder: Path) -> None:
    one = sv.mechanism("grr", sv.Categories(["a", "b"]), 1.0)
    people = spark.range(0, 1000, 1, 4).selectExpr("if(id % 2 = 0, 'a', 'b') as letter", "id")
    reports = svs.randomize(people, "letter", one, to=str(folder / "drawn"), keep=["id"])
    assert sorted(map(tuple, reports.collect())) == sorted(map(tuple, reports.collect()))
    assert svs.collect(reports.transform(svs.tally(one)))[()].n == 1000


# -- what fails on the way --------------------------------------------------------------------


class Slowly:
    """Passes batches on, slowly, and notes which partition did, and in which executor."""

    def __init__(self, notes: Path, seconds: float, first: float | None = None) -> None:
        self.notes, self.seconds, self.first = str(notes), seconds, first

    def __call__(self, batches):
        from pyspark import TaskContext

        task = TaskContext.get()
        with open(self.notes, "a") as notes:  # noqa: PTH123 - appended by several processes
            notes.write(f"{task.partitionId()} {executor()}\n")
        slow = self.first is not None and task.partitionId() == 0 and task.attemptNumber() == 0
        time.sleep(self.first if slow else self.seconds)
        yield from batches


def executor() -> int:
    """The process that runs this worker: the parent of its daemon."""
    return int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])


def noted(notes: Path) -> list[tuple[int, int]]:
    """Partition and executor of every run."""
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [tuple(map(int, line.split())) for line in lines]


def reports_of(spark, folder: Path) -> tuple[object, sv.Reports]:
    reports = drawn(BITS, PARTITIONS * ROWS)
    table = with_regions(reports)
    rows = arrow.array([f"row {i % 30}" for i in range(len(reports))])
    parquet.write_table(table.append_column("row", rows), folder / "r.parquet")
    frame = spark.read.parquet(str(folder / "r.parquet")).repartition(PARTITIONS)
    return frame, reports


def kill_first_executor(notes: Path, until) -> threading.Thread:
    """Kill the executor that noted something first, as soon as ``until()``."""

    def kill() -> None:
        while not until():
            time.sleep(0.05)
        os.kill(noted(notes)[0][1], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    return thread


def killed_in_map(spark, folder: Path) -> None:
    frame, reports = reports_of(spark, folder)
    notes = folder / "map"
    slow = frame.mapInArrow(Slowly(notes, 0.5), frame.schema)
    killer = kill_first_executor(notes, lambda: len(noted(notes)) >= 5)
    found = svs.collect(slow.transform(svs.tally(BITS, by=["region"])))
    assert not killer.is_alive()
    assert len(noted(notes)) > PARTITIONS, "nothing that was lost ran again"
    assert found == by_region(reports)


def killed_in_merge(spark, folder: Path) -> None:
    frame, reports = reports_of(spark, folder)
    notes, merged = folder / "map", folder / "merge"
    slow = frame.mapInArrow(Slowly(notes, 0.1), frame.schema)
    tallies = slow.transform(svs.tally(BITS, by=["region", "row"], tasks=6))
    late = tallies.mapInArrow(Slowly(merged, 0.7), tallies.schema)
    killer = kill_first_executor(notes, lambda: len(noted(merged)) >= 1)
    found = svs.collect(svs.merge(late, by=["region"]))
    assert not killer.is_alive()
    assert len(noted(notes)) > PARTITIONS, "no lost output of the map stage was computed again"
    assert found == by_region(reports)


def run_twice(spark, folder: Path) -> None:
    frame, reports = reports_of(spark, folder)
    notes = folder / "map"
    slow = frame.mapInArrow(Slowly(notes, 0.2, first=20.0), frame.schema)
    found = svs.collect(slow.transform(svs.tally(BITS, by=["region"])))
    partitions = [partition for partition, _ in noted(notes)]
    assert partitions.count(0) > 1, "the straggler was not run twice"
    assert found == by_region(reports)


JOBS = {
    "everything": (everything, {}),
    "killed-in-map": (killed_in_map, {}),
    "killed-in-merge": (killed_in_merge, {}),
    "run-twice": (
        run_twice,
        {
            "spark__speculation": "true",
            "spark__speculation__quantile": "0.5",
            "spark__speculation__multiplier": "1.2",
            "spark__speculation__minTaskRuntime": "100ms",
        },
    ),
}

if __name__ == "__main__":
    name, url = sys.argv[1:]
    job, settings = JOBS[name]
    spark = session(url, **settings)
    with tempfile.TemporaryDirectory() as folder:
        job(spark, Path(folder))
    spark.stop()
    print("as the library")
