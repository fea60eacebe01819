"""``python -m benchmarks.hostile``: what one hostile connection does to a collector and to others.

For every attack of ``tests/support/hostile.py``: the memory that the collector takes on, and how long others
wait for the acknowledgement of an upload meanwhile, over four connections.  Then uploads per second
while 32 connections ask the calculator, with the settings of a fresh collector and without its
limit on strangers.  Waits without an attack are measured in the same run: compare with those.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_machine

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.hostile import ATTACKS, start_attack  # noqa: E402
from support.loading import Load, Outcome, Process, colors, make, request  # noqa: E402

PACKAGES = ("sottovoce", "starlette", "uvicorn", "httptools", "uvloop", "msgspec")
RESULTS = Path(__file__).parent / "results"
ASKING = 32


@dataclass(frozen=True)
class Figures:
    """What was measured beside one attack."""

    attack: str
    grown: int
    """Bytes of memory that the collector took on."""
    p50: float
    p999: float
    uploads_per_second: float
    answers: dict[int, int]


def others(process: Process, seconds: float, connections: int = 4) -> Outcome:
    """Uploads of single reports, one after the other on each connection."""
    bodies = make(colors(), round(6_000 * seconds)).uploads()
    requests = enumerate(map(request, bodies))
    return Load(process.address, requests, connections=connections, seconds=seconds).run()


def measure(process: Process, name: str, seconds: float) -> Figures:
    """One attack: its memory first, alone, then what others wait."""
    process.forget_peak()
    before = process.memory()
    answers: dict[int, int] = {}
    if name:
        answers = ast.literal_eval(
            start_attack(process.address, name, seconds, 0.5).communicate()[0]
        )
    grown = process.peak() - before
    beside = start_attack(process.address, name, seconds + 2) if name else None
    outcome = others(process, seconds)
    if beside is not None:
        beside.communicate()
    return Figures(
        name or "none", grown, outcome.percentile(0.5), outcome.percentile(0.999), outcome.rate,
        answers,
    )  # fmt: skip


def beside_calculator(folder: Path, seconds: float, **settings: Any) -> float:
    """Uploads per second while the calculator is asked over many connections."""
    process = Process(folder, colors(), rate=0, **settings)
    process.start()
    asked = (
        (n, request(b"", path=f"/calculator?values={n}&epsilon=1&error=1", method="GET"))
        for n in range(10, 10_000)
    )
    ended = threading.Event()
    asking = Load(process.address, asked, connections=ASKING, until=ended)
    thread = threading.Thread(target=asking.run)
    thread.start()
    rate = others(process, seconds, connections=16).rate
    ended.set()
    thread.join()
    process.stop()
    return rate


def as_table(found: list[Figures]) -> str:
    """The figures for people."""
    lines = ["| attack | memory | others: half within | 99.9% within |", "|---|---:|---:|---:|"]
    lines += [
        f"| {each.attack} | {each.grown / 2**20:.1f} MiB | {1000 * each.p50:.1f} ms "
        f"| {1000 * each.p999:.1f} ms |"
        for each in found
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; a run with attacks of 5 seconds or more is written to ``results/``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each attack; 5 if not given")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        process = Process(Path(name), colors(), rate=0, open_rate=20.0)
        process.start()
        for each in ATTACKS:
            measure(process, each, 0.3)  # what is kept for good comes with the first time
        time.sleep(10)  # for connections of the last one, which are still in line
        found = [measure(process, each, options.seconds) for each in ("", *ATTACKS)]
        process.stop()
    uploads = {}
    for told, settings in {
        "none": {"calculator": False, "open_rate": 0.0},
        "as it is": {"open_rate": 20.0},
        "without a limit on strangers": {"open_rate": 0.0},
    }.items():
        with tempfile.TemporaryDirectory() as name:
            uploads[told] = beside_calculator(Path(name), options.seconds, **settings)
    table = as_table(found)
    beside = "\n".join(f"| {told} | {rate:,.0f} |" for told, rate in uploads.items())
    table += f"\n\n| {ASKING} connections at the calculator | uploads/s |\n|---|---:|\n{beside}"
    print(table)
    if options.seconds >= 5:
        document = {
            "machine": describe_machine(PACKAGES),
            "attacks": list(map(asdict, found)),
            "uploads_beside_calculator": uploads,
        }
        (RESULTS / "hostile.json").write_text(json.dumps(document, indent=1) + "\n")
        (RESULTS / "hostile.md").write_text(f"# A hostile connection\n\n{table}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
