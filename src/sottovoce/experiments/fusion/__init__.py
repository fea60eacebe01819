"""Several services, one answer: the experiments of Du et al. 2025."""

from sottovoce.experiments.fusion.run import REPEATS, TITLE, Results, pictures, results

__all__ = ["REPEATS", "TITLE", "Results", "pictures", "results"]
