"""Our side of a race in a process of its own, where nothing is imported, compiled or cached.

``python -m benchmarks.fresh NAME PEOPLE`` is that process.  It does the work of
one race once and prints, as JSON, the seconds of that first call, the most
memory the process ever had, and how the result was checked.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["FreshProcessFailed", "in_fresh_process", "peak_memory"]

_ROOT = Path(__file__).parents[1]


class FreshProcessFailed(RuntimeError):
    """The process ended in an error, which is told."""


def in_fresh_process(name: str, people: int, *, module: str = "benchmarks.fresh") -> dict[str, Any]:
    """Start the process and wait for what it prints.  Kernels are compiled anew, not loaded."""
    command = [sys.executable, "-m", module, name, str(people)]
    with tempfile.TemporaryDirectory() as nothing_compiled:
        environment = {**os.environ, "NUMBA_CACHE_DIR": nothing_compiled}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=_ROOT, env=environment
        )
    if done.returncode:
        raise FreshProcessFailed(f"{' '.join(command)} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout))


def peak_memory() -> int:
    """The most bytes this process has had in memory.

    ``ru_maxrss`` of a child counts what its parent held when it was started (the
    two share memory until the child loads its own program), so Linux's own mark
    of the program, VmHWM, is read where there is one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _measure_this_process(name: str, people: int) -> dict[str, Any]:
    from benchmarks.checks import check_estimates
    from benchmarks.frequency_oracles import RACES
    from benchmarks.measure import ROUNDS
    from benchmarks.population import zipf_population

    population = zipf_population(people)
    before = peak_memory()
    ours = RACES[name].prepare(population)
    start = time.perf_counter()
    result = ours.work()
    seconds = time.perf_counter() - start
    estimates, peak = [ours.digest(result)], peak_memory()
    if not ours.repeatable:  # one estimate may be too noisy to show a mistake
        estimates += [ours.digest(ours.work()) for _ in range(ROUNDS)]
    return {
        "first_call_seconds": seconds,
        "bytes_before": before,
        "peak_bytes": peak,
        "check": check_estimates(estimates, population, ours.support, f"our first {name}"),
    }


if __name__ == "__main__":
    print(json.dumps(_measure_this_process(sys.argv[1], int(sys.argv[2]))))
