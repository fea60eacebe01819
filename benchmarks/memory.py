"""Peak memory of randomizing and tallying unary reports, all of them kept at once."""

from __future__ import annotations

from benchmarks.fresh import in_fresh_process
from benchmarks.measure import Progress
from benchmarks.peers import peers_of
from benchmarks.population import Population
from benchmarks.results import BYTES, Benchmark, Row, bytes_below

__all__ = ["BENCHMARKS", "unary_memory"]

_SAMPLE = 20
"""Reports of a peer whose size is looked at."""


def unary_memory(population: Population, progress: Progress) -> list[Row]:
    """Our whole process, measured, beside the reports alone that a peer would keep."""
    progress.say(f"oue-memory: ours, {population.n:,} people, in a fresh process")
    found = in_fresh_process("oue-tally", population.n)
    rows = []
    for peer in peers_of("oue", population):
        reports = peer.randomize(peer.items(population.first(_SAMPLE)))
        rows.append(
            Row(
                benchmark="oue-memory",
                task="Unary encoding (OUE): memory, all reports kept",
                unit=BYTES,
                ours=found["peak_bytes"],
                against=str(peer),
                theirs=sum(report.nbytes for report in reports) / _SAMPLE * population.n,
                measured_on=f"{_SAMPLE} reports, without the process",
                target=bytes_below(1e9) if peer.library == "pure-ldp" else None,
                details={"ours": found},
            )
        )
    return rows


BENCHMARKS = (Benchmark("oue-memory", unary_memory),)
