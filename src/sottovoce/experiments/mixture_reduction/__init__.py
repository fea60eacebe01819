"""Mixture reduction: the experiments of Ye et al. 2025."""

from sottovoce.experiments.mixture_reduction.run import REPEATS, TITLE, Results, pictures, results

__all__ = ["REPEATS", "TITLE", "Results", "pictures", "results"]
