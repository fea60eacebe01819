"""Numerical distributions, the square wave: the experiments of Li et al. 2020."""

from sottovoce.experiments.square_wave.run import REPEATS, TITLE, Results, pictures, results

__all__ = ["REPEATS", "TITLE", "Results", "pictures", "results"]
