"""``python -m benchmarks.collector``: a collector under load, on the cores that its loader shares.

The real server in a process of its own, SQLite with a sync at every commit, tokens, validation and
counters on; the loader is ``tests/support/loading.py``, raw sockets, 64 connections.  First single
reports, then uploads of 100, each for a minute: requests and reports a second, how long an answer
took, and the server's memory over time.  Afterwards the store is checked: every acknowledged
report is there, and sent = stored + duplicates + refused.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.machine import describe_machine

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sottovoce.store import Rules, open_store  # noqa: E402
from support.loading import Load, Outcome, Process, colors, make, request  # noqa: E402

PACKAGES = ("sottovoce", "starlette", "uvicorn", "httptools", "uvloop", "msgspec", "sqlalchemy")
CONNECTIONS = 64
CHUNK = 100_000
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Aim:
    """One kind of load, how fast it is sent at most, and what must come of it."""

    name: str
    size: int
    prepared_a_second: int
    """Requests made beforehand for every second, more than can be answered."""
    least_reports: float
    most_p99: float | None = None


AIMS = (
    Aim("single reports", 1, 9_000, 2_500, 0.1),
    Aim("uploads of 100", 100, 700, 15_000),
)


@dataclass(frozen=True)
class Figures:
    """What was measured, and whether it was what it must be."""

    load: str
    seconds: float
    requests_a_second: float
    reports_a_second: float
    p50: float
    p99: float
    worst: float
    errors: int
    memory: list[int]
    """Bytes of the server, every second."""
    met: bool


def prepared(aim: Aim, process: Process, seconds: float) -> list[tuple[int, bytes]]:
    """Requests with a fresh token each, made before the clock starts."""
    survey, wanted = colors(), round(aim.prepared_a_second * seconds)
    requests: list[tuple[int, bytes]] = []
    while len(requests) < wanted:
        count = min(CHUNK, (wanted - len(requests)) * aim.size)
        for body in make(survey, count, seed=len(requests) + 1).uploads(aim.size):
            token = process.keys.issue_token(survey.fingerprint, aim.size)
            requests.append((len(requests), request(body, token)))
    return requests


@contextmanager
def watched(process: Process, into: list[int]) -> Iterator[None]:
    """Look at the server's memory every second."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(1.0):
            into.append(process.memory())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def measure(aim: Aim, seconds: float) -> Figures:
    """One load against a fresh collector."""
    with tempfile.TemporaryDirectory() as name:
        folder, survey = Path(name), colors()
        process = Process(folder, survey, rules=Rules(upload="tokens"), rate=0)
        requests = prepared(aim, process, seconds)
        process.start()
        memory: list[int] = []
        try:
            with watched(process, memory):
                outcome = Load(
                    process.address, requests, connections=CONNECTIONS, seconds=seconds
                ).run()
        finally:
            process.stop()
        check_store(folder, outcome)
        return figures_of(aim, outcome, memory)


def check_store(folder: Path, outcome: Outcome) -> None:
    """Nothing that was acknowledged is missing, nothing is there twice, every count is exact."""
    with open_store(str(folder / "collector.db")) as store:
        counts, wrong = store.counts(), store.check()
    assert not wrong, wrong
    assert counts.stored == outcome.stored, (counts, outcome.stored)
    assert counts.sent == outcome.stored + outcome.duplicates, counts


def figures_of(aim: Aim, outcome: Outcome, memory: list[int]) -> Figures:
    errors = outcome.answers - outcome.statuses[200] + outcome.broken
    reports = outcome.stored / outcome.seconds
    p99 = outcome.percentile(0.99)
    flat = len(memory) < 20 or memory[-1] < 1.2 * memory[len(memory) // 3] + 8 * 2**20
    met = reports >= aim.least_reports and not errors and flat
    return Figures(
        load=aim.name,
        seconds=outcome.seconds,
        requests_a_second=outcome.rate,
        reports_a_second=reports,
        p50=outcome.percentile(0.5),
        p99=p99,
        worst=max(outcome.latencies),
        errors=errors,
        memory=memory,
        met=met and (aim.most_p99 is None or p99 < aim.most_p99),
    )


def as_table(found: list[Figures]) -> str:
    """The figures for people."""
    lines = [
        "| load | requests/s | reports/s | p50 | p99 | worst | errors | memory at 1/3, at the end | met |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for each in found:
        memory = [each.memory[len(each.memory) // 3], each.memory[-1]] if each.memory else [0, 0]
        shown = ", ".join(f"{size / 2**20:.0f} MiB" for size in memory)
        times = " | ".join(f"{1000 * t:.1f} ms" for t in (each.p50, each.p99, each.worst))
        lines.append(
            f"| {each.load} | {each.requests_a_second:,.0f} | {each.reports_a_second:,.0f} "
            f"| {times} | {each.errors} | {shown} | {'yes' if each.met else 'no'} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; a run of a minute or more is written to ``results/``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collector", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each load; 60 if not given")
    options = parser.parse_args(arguments)
    machine, found = describe_machine(PACKAGES), []
    for aim in AIMS:
        print(f"{time.strftime('%H:%M:%S')} {aim.name}, {options.seconds:g} s", flush=True)
        found.append(measure(aim, options.seconds))
    table = as_table(found)
    print(table)
    if options.seconds >= 60:
        RESULTS.mkdir(exist_ok=True)
        document = {
            "machine": machine,
            "connections": CONNECTIONS,
            "loads": list(map(asdict, found)),
        }
        (RESULTS / "collector.json").write_text(json.dumps(document, indent=1) + "\n")
        (RESULTS / "collector.md").write_text(f"# The collector under load\n\n{table}\n")
    return 0 if all(each.met for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
