"""``python -m benchmarks.spark``: run, check against the library, print and write.

Needs pyspark and Java (``make spark`` sets up .venv-spark). Rates are per second of the processor,
over all processes of Spark, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import sottovoce.spark as svs
from benchmarks.machine import describe_machine
from benchmarks.spark.counting import counting
from benchmarks.spark.groups import groups
from benchmarks.spark.services import services

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = ("sottovoce", "numpy", "numba", "scipy", "pyarrow", "pyspark")


def main() -> None:
    """Run what was chosen; ``--write`` keeps the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--only", action="append", choices=["counting", "groups", "services"])
    parser.add_argument("--rows", type=int, default=480_000_000)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--people", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, default=None, help="for data, removed at the end")
    parser.add_argument("--write", action="store_true", help="write results/spark.json and .md")
    options = parser.parse_args()
    chosen = options.only or ["counting", "groups", "services"]
    machine = describe_machine(PACKAGES)
    spark = svs.session(
        spark__master="local[2]", spark__driver__memory="3g", spark__ui__enabled="false",
        spark__sql__shuffle__partitions="4", spark__driver__maxResultSize="2g",
    )  # fmt: skip
    spark.sparkContext.setLogLevel("ERROR")
    work: Mapping[str, Callable[[Path], Any]] = {
        "counting": lambda folder: list(counting(spark, folder, options.rows)),
        "groups": lambda folder: list(groups(spark, folder, options.groups, tasks=16)),
        "services": lambda folder: services(spark, folder, options.people),
    }
    found: dict[str, Any] = {"machine": machine}
    for name in chosen:
        folder = Path(tempfile.mkdtemp(prefix=f"spark-{name}-", dir=options.folder))
        try:
            found[name] = work[name](folder)
        finally:
            shutil.rmtree(folder)
        print(json.dumps({name: found[name]}, indent=1), flush=True)
    spark.stop()
    if options.write:
        kept = json.loads((RESULTS / "spark.json").read_text()) if (RESULTS / "spark.json").exists() else {}  # fmt: skip
        found = (
            {**found, **kept, **{name: found[name] for name in chosen}} if options.only else found
        )
        (RESULTS / "spark.json").write_text(json.dumps(found, indent=1) + "\n")
        (RESULTS / "spark.md").write_text(as_markdown(found))


def as_markdown(found: dict[str, Any]) -> str:
    """The numbers as a page."""
    machine = found["machine"]
    lines = [
        "# Spark",
        "",
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, load average at the "
        f"start {machine['load_average_at_start']}, Python {machine['python']}, "
        + ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
        + ". Spark is `local[2]`. Rates are million reports per second of the processor, over all processes.",
    ]  # fmt: skip
    if "counting" in found:
        lines += ["", "## Counting, 1,024 values, epsilon 1", ""]
        lines += ["| | bare loop | Spark, workers read files | part of the loop | Spark SQL | Spark, record batches | rows of files | target |", "|---|---:|---:|---:|---:|---:|---:|---|"]  # fmt: skip
        for row in found["counting"]:
            rates = {way: f"{rate['per core']:.3g}" for way, rate in row["rates"].items()}
            met = "met" if row["met"] else "missed"
            lines.append(
                f"| {row['mechanism']} | {rates['bare loop']} | {rates['files']} | "
                f"{row['files over loop']:.2f} | {rates.get('sql', '')} | {rates.get('batches', '')} "
                f"| {row['rows of files']:,} | {row['target']}: {met} |"
            )
    if "groups" in found:
        lines += ["", "## Error bars of groups, by the default method", ""]
        lines += [f"{found['groups'][0]['date']}. Seconds of the clock and of the processor; other work ran beside where the load is above 2.", ""]  # fmt: skip
        lines += ["| | groups | left out | Spark, s | processor, s | one process, s | processor, s | one process over Spark | load before |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]  # fmt: skip
        lines += [_groups_line(row) for row in found["groups"]]
    if "services" in found:
        lines += ["", "## Services joined by key", "", "| | |", "|---|---:|"]
        for what, value in found["services"].items():
            shown = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
            lines.append(f"| {what} | {shown} |")
    return "\n".join(lines) + "\n"


def _groups_line(row: Mapping[str, Any]) -> str:
    seconds = ("spark", "spark processor", "one process", "one process processor")
    shown = [f"{row[f'{name} seconds']:.3g}" for name in seconds]
    counts = [f"{row['groups']:,}", f"{row['left out']:,}"]
    ends = [f"{row['one process over spark']:.2f}", f"{row['load average']:.2g}"]
    return f"| {' | '.join([row['case'], *counts, *shown, *ends])} |"


if __name__ == "__main__":
    main()
