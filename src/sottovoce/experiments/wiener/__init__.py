"""Wiener deconvolution of frequency oracles: the experiments of Fang et al. 2023."""

from sottovoce.experiments.wiener.run import REPEATS, TITLE, Results, run

__all__ = ["REPEATS", "TITLE", "Results", "run"]
