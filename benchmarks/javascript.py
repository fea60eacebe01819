"""``python -m benchmarks.javascript``: what the costliest surveys cost a device with Node.

Each survey of ``clients/js/test/costly.js`` in a process of its own, several times: processor time for
reading it, certificate included, for the first report and for the second, and the peak of memory, which for
an empty process is some 45 MiB.  The median of the runs is shown.  ``--node`` measures more than one Node.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_machine

SCRIPT = Path(__file__).parents[1] / "clients" / "js" / "test" / "speed.js"
RESULTS = Path(__file__).parent / "results"
AIM = "local hashing, 1,000,000 numbered values"
MOST = 1000.0
"""Milliseconds for reading that survey and its first report."""


def run(node: str, *arguments: str) -> Any:
    """What the script prints."""
    done = subprocess.run([node, str(SCRIPT), *arguments], capture_output=True, check=True)
    return json.loads(done.stdout)


def measure(node: str, name: str, runs: int) -> dict[str, Any]:
    """The median of every figure."""
    found = [run(node, name) for _ in range(runs)]
    figures = {
        key: statistics.median(each[key] for each in found)
        for key, value in found[0].items()
        if not isinstance(value, str)
    }
    return {"survey": name, **figures}


def as_table(version: str, found: list[dict[str, Any]]) -> str:
    """The figures for people."""
    lines = [
        f"| Node {version} | document | reading | first report | second | peak memory |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for each in found:
        reports = [
            f"{each[key]:,.1f} ms" if key in each else "refused" for key in ("first", "second")
        ]
        lines.append(
            f"| {each['survey']} | {each['bytes'] / 1000:,.1f} kB | {each['read']:,.1f} ms "
            f"| {' | '.join(reports)} | {each['peak'] / 2**20:,.0f} MiB |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write to ``results/``; the exit status is 1 if the first report is too slow."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.javascript", description=__doc__)
    parser.add_argument("--node", action="append", help="a Node to measure; the one on the PATH")
    parser.add_argument("--runs", type=int, default=5, help="of each survey; 5 if not given")
    options = parser.parse_args(arguments)
    measured: dict[str, list[dict[str, Any]]] = {}
    for node in options.node or [shutil.which("node") or "node"]:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
        measured[version.stdout.strip().lstrip("v")] = [
            measure(node, name, options.runs) for name in run(node)
        ]
    tables = "\n\n".join(as_table(version, found) for version, found in measured.items())
    print(tables)
    if options.runs >= 5:
        document = {"machine": describe_machine(("sottovoce",)), "milliseconds": measured}
        (RESULTS / "javascript.json").write_text(json.dumps(document, indent=1) + "\n")
        (RESULTS / "javascript.md").write_text(f"# Costly surveys in JavaScript\n\n{tables}\n")
    slowest = max(
        each["read"] + each["first"]
        for found in measured.values()
        for each in found
        if each["survey"] == AIM
    )
    print(f"{AIM}: read and answered in {slowest:,.1f} ms; the aim is {MOST:,.0f} ms")
    return int(slowest > MOST)


if __name__ == "__main__":
    sys.exit(main())
