"""Spark: reports counted, estimated, joined and randomized on a cluster.

DataFrames in, DataFrames out: no RDD, no cache, no broadcast, so that all of it works over Spark
Connect too. Needs the extra ``spark``; a platform that brings its own Spark needs only ``analyse``.

>>> import sottovoce as sv
>>> import sottovoce.spark as svs
>>> m = sv.mechanism("grr", sv.Categories(["tea", "coffee"]), epsilon=1.0)
>>> count = svs.tally(m, by=["region"])            # for reports.transform(count)
"""

from sottovoce.engines.spark.estimate import estimate
from sottovoce.engines.spark.files import tally_files
from sottovoce.engines.spark.fuse import fuse
from sottovoce.engines.spark.randomize import randomize
from sottovoce.engines.spark.runner import runner
from sottovoce.engines.spark.session import session
from sottovoce.engines.spark.tallies import collect, merge
from sottovoce.engines.spark.tally import tally

__all__ = [
    "collect",
    "estimate",
    "fuse",
    "merge",
    "randomize",
    "runner",
    "session",
    "tally",
    "tally_files",
]
