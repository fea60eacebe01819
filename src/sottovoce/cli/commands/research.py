"""``sottovoce bench`` and ``reproduce``: measurements, and papers."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import sottovoce
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.suggestions import unknown
from sottovoce.cli.shared.exits import CHECK_FAILED, guarded, outlive_pipes
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.screen import say, show_json, show_table

__all__ = ["bench", "reproduce"]

DATA_VARIABLE = "SOTTOVOCE_DATA"


# -- bench -----------------------------------------------------------------------------


@guarded
def bench(
    *,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Run this one. Repeatable."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the people.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="A missed target fails (exit code 3).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure speed and error beside other packages, from a copy of the repository.

    The benchmarks and the packages they compare with are not installed with the
    library: `make bench` sets them up.
    """
    run = _benchmarks()
    chosen = list(dict.fromkeys(only or run.BENCHMARKS))
    for name in chosen:
        if name not in run.BENCHMARKS:
            raise Unfit(unknown("benchmark", name, run.BENCHMARKS))
    if not as_json:
        flags = [flag for flag, given in (("--quick", quick), ("--strict", strict)) if given]
        named = [part for name in only or () for part in ("--only", name)]
        with outlive_pipes():
            failed = run.main([*named, *flags]) != 0
    else:
        with outlive_pipes(), contextlib.redirect_stdout(sys.stderr):
            machine = run.describe_machine()
            people = run.QUICK_PEOPLE if quick else run.PEOPLE
            population = run.zipf_population(people)
            benchmarks = [run.BENCHMARKS[name] for name in chosen]
            rows, faults = run.run_all(benchmarks, population, run.Progress())
        report = importlib.import_module("benchmarks.report")
        document = json.loads(report.as_json(rows, population, machine))
        show_json({**document, "faults": faults})
        failed = bool(faults) or (strict and any(row.met is False for row in rows))
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _benchmarks() -> Any:
    """The repository's ``benchmarks``, beside the source of this package or in the current folder."""
    where = "run `make bench` in a copy of the repository"
    for root in (Path(sottovoce.__file__).parents[2], Path.cwd()):
        if (root / "benchmarks" / "__main__.py").is_file():
            break
    else:
        raise Unfit(f"the benchmarks are not part of the installed package: {where}")
    sys.path.insert(0, str(root))
    try:
        return importlib.import_module("benchmarks.__main__")
    except ImportError as error:
        raise Unfit(
            f"the benchmarks in {root} need {error.name}, which is not installed here: {where}"
        ) from error
    finally:
        sys.path.remove(str(root))


# -- reproduce --------------------------------------------------------------------------


@guarded
def reproduce(
    *,
    paper: Annotated[
        str | None,
        typer.Argument(metavar="[PAPER]", help="The paper, by its name in --list."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            envvar=DATA_VARIABLE,
            show_envvar=False,
            help=f"The folder with real data sets; the variable {DATA_VARIABLE} if not given. "
            "Without one, only made-up data are used.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="The folder for tables and figures."),
    ] = Path("reproductions"),
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            metavar="N",
            help="Repetitions of each experiment; the paper's, or what takes a quarter of an hour, if not given.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A claim that did not hold fails (exit code 3).")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the papers, and do nothing else.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a paper's experiments again, and compare its claims with what was measured."""  # fmt: skip
    from sottovoce import experiments

    known = experiments.papers()
    if listed:
        rows = [{"paper": name, "title": title} for name, title in known.items()]
        if as_json:
            show_json({"papers": rows})
        else:
            show_table(rows)
        return
    if paper is None:
        raise InvalidInput("PAPER", "reproduce", f"one of {', '.join(known)}", paper)
    if output.exists() and not output.is_dir():
        raise InvalidInput("--output", "reproduce", "a folder; this is a file", str(output))
    with outlive_pipes():
        found = experiments.reproduce(paper, data=data, output=output, repeats=repeats)
    verdicts = [finding.verdict for finding in found.findings]
    if as_json:
        files = [str(file) for file in found.files]
        findings = [finding.document() for finding in found.findings]
        result = {"paper": paper, "title": known[paper], "findings": findings}
        show_json({**result, "skipped": found.skipped, "page": str(found.page), "files": files})
    else:
        show_table(list(found.verdicts()), known[paper])
        for message in found.skipped:
            say(message)
        say(f"page: {found.page}")
    if strict and "did not hold" in verdicts:
        raise typer.Exit(CHECK_FAILED)
