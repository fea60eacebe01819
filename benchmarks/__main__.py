"""``python -m benchmarks``: run, show, and write what was measured.

A full run writes ``results/latest.json`` and ``results/latest.md``; a partial or
quick one only prints.  The exit status is 1 if anything that was timed turned
out wrong, and with ``--strict`` also if a target was missed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import (
    consistency,
    error_bars,
    estimation_error,
    frequency_oracles,
    fusion,
    likelihood,
    memory,
    reduction,
    repeated,
    wiener,
)
from benchmarks.checks import TooWeak, Wrong
from benchmarks.fresh import FreshProcessFailed
from benchmarks.machine import describe_machine
from benchmarks.measure import Progress
from benchmarks.population import Population, zipf_population
from benchmarks.report import as_markdown, as_table, write_results
from benchmarks.results import Benchmark, Row

BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for module in (
        frequency_oracles,
        memory,
        estimation_error,
        consistency,
        error_bars,
        likelihood,
        wiener,
        reduction,
        repeated,
        fusion,
    )
    for benchmark in module.BENCHMARKS
}
PEOPLE, QUICK_PEOPLE = 1_000_000, 100_000
RESULTS = Path(__file__).parent / "results"


def run_all(
    chosen: list[Benchmark], population: Population, progress: Progress
) -> tuple[list[Row], list[str]]:
    """The rows of all benchmarks that were right, and the faults of those that were not."""
    rows: list[Row] = []
    faults: list[str] = []
    for benchmark in chosen:
        try:
            rows += benchmark.run(population, progress)
        except (Wrong, TooWeak, FreshProcessFailed) as fault:
            faults.append(f"{benchmark.name}: {fault}")
            progress.say(f"WRONG: {faults[-1]}")
    return rows, faults


def main(arguments: list[str] | None = None) -> int:
    """Read the options, run, print the table; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=list(BENCHMARKS), help="run this one (repeatable)"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_PEOPLE:,} people")
    parser.add_argument("--strict", action="store_true", help="fail if a target is missed")
    options = parser.parse_args(arguments)

    machine, progress = describe_machine(), Progress()
    chosen = [BENCHMARKS[name] for name in dict.fromkeys(options.only or BENCHMARKS)]
    people = QUICK_PEOPLE if options.quick else PEOPLE
    progress.say(f"{len(chosen)} benchmarks, {people:,} people, {machine['cores']} cores")
    population = zipf_population(people)
    rows, faults = run_all(chosen, population, progress)
    progress.say("done")

    full = not options.only and not options.quick and not faults
    if rows:
        print(f"\n{as_markdown(rows, population, machine) if full else as_table(rows)}")
    if full:
        written = write_results(RESULTS, rows, population, machine)
        print(f"written: {', '.join(map(str, written))}")
    else:
        print("no file written: only a full run without faults leaves results")
    for fault in faults:
        print(f"WRONG: {fault}", file=sys.stderr)
    missed = [row for row in rows if row.met is False]
    if missed:
        names = ", ".join(dict.fromkeys(row.benchmark for row in missed))
        print(
            f"{len(missed)} of {sum(row.met is not None for row in rows)} targets missed: {names}"
        )
    return 1 if faults or (options.strict and missed) else 0


if __name__ == "__main__":
    sys.exit(main())
