"""Wiener deconvolution of frequency oracles: the experiments of Fang et al. 2023."""

from sottovoce.experiments.wiener.run import REPEATS, TITLE, Results, pictures, results

__all__ = ["REPEATS", "TITLE", "Results", "pictures", "results"]
