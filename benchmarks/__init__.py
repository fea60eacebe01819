"""Speed, memory and error of sottovoce beside its peers, measured in one run.

``make bench`` (or ``python -m benchmarks``) runs everything.  A benchmark is a
:class:`benchmarks.results.Benchmark`; a module offers a tuple ``BENCHMARKS`` of
them and is listed in :mod:`benchmarks.__main__`.  Nothing is timed that is not
also checked to be right (:mod:`benchmarks.checks`).
"""
