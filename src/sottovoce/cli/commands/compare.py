"""``sottovoce compare``: which method errs least on surveys like this one."""

from __future__ import annotations

from typing import Annotated

import typer

from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.inputs import read_tally
from sottovoce.cli.shared.options import AsJson, describe
from sottovoce.cli.shared.screen import bar, say, show_json, show_table

__all__ = ["compare"]


@guarded
def compare(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A tally, a folder of tallies, or reports (Parquet, Arrow stream); - is a pipe.",
        ),
    ],
    goal: Annotated[
        str,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="What is to err least: distribution, subset, top, mean or range.",
        ),
    ] = "distribution",
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="A method to compare, such as iiw or 'iiw + norm-sub'. Repeatable; if not given, "
            "all that apply.",
        ),
    ] = None,
    replicates: Annotated[
        int, typer.Option("--replicates", metavar="N", help="How many surveys are simulated.")
    ] = 100,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", metavar="X", help="Methods that would take longer than this are left out."
        ),
    ] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Rank methods of estimation by the error to expect, on surveys simulated like this one.

    Truths that could have given the reports are drawn, people answer again, and every method
    is run on the same simulated tallies.
    """
    from sottovoce.estimators.compare.compare import compare as compare_methods

    tally = read_tally([source])
    if tally.n == 0:
        raise InvalidInput("INPUT", "compare", "not without reports", source)
    with bar("comparing") as shown:
        found = compare_methods(
            tally, goal, methods=method, replicates=replicates, seconds=seconds, progress=shown
        )
    rows = list(found.frame())
    if as_json:
        told = {"mechanism": describe(tally.mechanism), "n": tally.n, "goal": found.goal}
        told |= {"measure": found.measure, "replicates": found.replicates, "best": found.best}
        show_json({**told, "methods": rows, "left_out": found.left_out, "unfit": found.unfit})
        return
    heading, _, _ = str(found).partition("\n")
    show_table(rows, heading)
    for name, reason in found.left_out.items():
        say(f"left out: {name}: {reason}")
