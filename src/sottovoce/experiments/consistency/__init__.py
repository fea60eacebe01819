"""Consistent frequency oracles: the experiments of Wang et al. 2020."""

from sottovoce.experiments.consistency.comparison import compare, exchangeable_table, top_table
from sottovoce.experiments.consistency.intervals import coverage, coverage_table
from sottovoce.experiments.consistency.run import REPEATS, TITLE, Results, pictures, results

__all__ = [
    "REPEATS",
    "TITLE",
    "Results",
    "compare",
    "coverage",
    "coverage_table",
    "exchangeable_table",
    "pictures",
    "results",
    "top_table",
]
