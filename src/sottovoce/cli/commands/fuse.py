"""``sottovoce fuse``: one mean, or one distribution, from the files of several services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from sottovoce.answers.about import check_about, share_of
from sottovoce.answers.answer import two_sided
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import Row
from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.domains import Bins, High, Low
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force, parse_options
from sottovoce.cli.shared.results import (
    ResultFile,
    check_picture,
    check_result,
    write_picture,
    write_result,
)
from sottovoce.cli.shared.screen import (
    bar,
    plain_label,
    progress,
    say,
    show_json,
    show_table,
    show_text,
)
from sottovoce.cli.shared.services import open_services
from sottovoce.fusion.joining.files import ServiceFile
from sottovoce.fusion.joining.join import DEFAULT_MEMORY, join
from sottovoce.fusion.mean import FusedMean
from sottovoce.fusion.services import Fusion

__all__ = ["fuse"]

_ASKED = "What is asked (nothing: the mean)"
_METHOD = "How it is fused"
_MEGABYTE = 2**20


@guarded
def fuse(
    *,
    services: Annotated[
        list[str],
        typer.Option(
            "--service",
            metavar="FILE[:MECHANISM:EPSILON[:NAME=VALUE,...]]",
            help="A Parquet file of a service. In files of reports the mechanism is inside, and what is said "
            "must be the same; a file of floats needs it. Names: name, key, column, units (-1..1), repeats, "
            "and options of the mechanism. Repeatable.",
        ),
    ],
    key_column: Annotated[
        str | None,
        typer.Option(
            "--key-column",
            metavar="COLUMN",
            help="The column of every file that identifies people. If not given, row i is the same person everywhere.",
        ),
    ] = None,
    mean: Annotated[
        bool, typer.Option("--mean", rich_help_panel=_ASKED, help="The mean of the numbers.")
    ] = False,
    distribution: Annotated[
        bool,
        typer.Option("--distribution", rich_help_panel=_ASKED, help="The share of every value."),
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            rich_help_panel=_METHOD,
            help="For the mean: population, ua or uwa.",
        ),
    ] = "population",
    inner: Annotated[
        str,
        typer.Option(
            "--inner",
            metavar="NAME",
            rich_help_panel=_METHOD,
            help="For the distribution: em, ems, mle, mr or adaptive; auto is adaptive for numbers.",
        ),
    ] = "auto",
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            rich_help_panel=_METHOD,
            help="An option of the inner method. Repeatable.",
        ),
    ] = None,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence",
            metavar="X",
            rich_help_panel=_METHOD,
            help="Of the intervals, between 0 and 1.",
        ),
    ] = 0.95,
    about: Annotated[
        str,
        typer.Option(
            "--about",
            metavar="WHOM",
            rich_help_panel=_METHOD,
            help="Whom intervals are about: respondents, or the population that they were drawn from.",
        ),
    ] = "respondents",
    no_errors: Annotated[
        bool,
        typer.Option(
            "--no-errors",
            rich_help_panel=_METHOD,
            help="Shares without errors, which but for adaptive take fusing 20 times more.",
        ),
    ] = False,
    low: Low = None,
    high: High = None,
    bins: Bins = None,
    memory: Annotated[
        int,
        typer.Option(
            "--memory", metavar="MB", help="For joining by key, in addition to the reports."
        ),
    ] = DEFAULT_MEMORY // _MEGABYTE,
    output: ResultFile = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE", help="Also draw the distribution: a .png, .pdf or .svg file."
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fuse what the same people reported to several services.

    People are matched by key, or by row. Not everybody needs to be in every service. Fusing spends no
    budget; the risk is in the join: see the guide before you join by key.
    """  # fmt: skip
    wants_mean = mean or not distribution
    two_sided(confidence)  # refused before any work
    check_about(about, "fuse")
    check_int(memory, "--memory", "fuse", 1)
    if not distribution:
        _check_left_out({"--plot": plot, "--option": option, "--no-errors": no_errors})
    if plot is not None:
        if no_errors:
            raise InvalidInput(
                "--no-errors", "fuse", "left out with --plot, which draws them", plot
            )
        check_picture(plot, "fuse", force=force)
    options = parse_options(option, taken=("method", "inner", "progress"))
    files = open_services(services, key_column=key_column, low=low, high=high, bins=bins)
    check_result(output, force=force, inputs=[str(file.path) for file in files])
    fusion = _joined(files, memory)
    document: dict[str, Any] = {
        "users": fusion.n, "certified": fusion.certified, "confidence": confidence, "about": about,
        "services": list(fusion.aligned.frame()),
    }  # fmt: skip
    with progress("fusing"):
        if wants_mean:
            found = fusion.mean(method)
            document["mean"] = _mean_row(found, confidence, about)
            document["services"] = [
                row | told for row, told in zip(document["services"], found.services, strict=True)
            ]
        if distribution:
            told = fusion.distribution(inner=inner, **options)
            told = told.for_population() if about == "population" else told
            document["distribution"] = _distribution(told, confidence, not no_errors)
            if plot is not None:
                write_picture(told.plot(confidence=confidence), plot)
    if output is not None:
        rows = _all_rows(document)
        write_result(output, list(rows[0]), rows, document)
    if as_json:
        show_json(document)
    else:
        _show(document)
    for what, where in (("answers", output), ("picture", plot)):
        if where is not None:
            say(f"{what} in {where}")


def _check_left_out(given: Mapping[str, Any]) -> None:
    """What is about a distribution is refused where none is asked for."""
    for name, value in given.items():
        if value:
            raise InvalidInput(name, "fuse", "given with --distribution, which it is about", value)


def _joined(files: Sequence[ServiceFile], memory: int) -> Fusion:
    """The services, people matched."""
    keyed = any(file.key is not None for file in files)
    if not keyed and len(files) > 1:
        say("no --key-column: row i of every file is taken for the same person")
    with bar("joining" if keyed else "reading") as shown:
        return Fusion(join(files, memory=memory * _MEGABYTE, progress=shown))


def _mean_row(found: FusedMean, confidence: float, about: str) -> Row:
    told = found.answer(confidence=confidence, about=about)
    return {
        "method": found.method, "why": found.why, "value": told.value, "stderr": told.stderr,
        "low": told.low, "high": told.high,
    }  # fmt: skip


def _distribution(told: Estimate, confidence: float, errors: bool) -> Row:
    if errors:
        rows = list(told.frame(confidence=confidence))
    else:
        shares = told.require_shares("frame").tolist()
        rows = [
            {"value": label, "share": share}
            for label, share in zip(told.domain.labels(), shares, strict=True)
        ]
    return {
        "method": told.method, "why": told.why, "converged": told.converged,
        "iterations": told.iterations, "shares": rows,
    }  # fmt: skip


def _all_rows(document: Mapping[str, Any]) -> list[Row]:
    """Every answer under one set of columns."""
    found: list[Row] = []
    if "mean" in document:
        found.append({"question": "mean", "label": "", **_numbers(document["mean"], "value")})
    if "distribution" in document:
        for row in document["distribution"]["shares"]:
            label = plain_label(row["value"])
            found.append({"question": "share", "label": label, **_numbers(row, "share")})
    return found


def _numbers(row: Row, value: str) -> Row:
    """Value, error and interval; without errors the last three are empty."""
    return {"value": row[value], **{name: row.get(name) for name in ("stderr", "low", "high")}}


def _show(document: Mapping[str, Any]) -> None:
    """Services, then answers, under a few words each."""
    show_table(document["services"], f"{document['users']:,} users")
    level = f"{100 * document['confidence']:.6g}% intervals, about the {document['about']}"
    if "mean" in document:
        told = document["mean"]
        show_text(f"\nmean: {told['method']}; {told['why']}\n{level}")
        show_table([_numbers(told, "value")])
    if "distribution" in document:
        told = document["distribution"]
        show_text(f"\ndistribution: {told['method']}; {told['why']}\n{level}")
        head = {"share": share_of(document["about"])}
        show_table([{head.get(k, k): v for k, v in row.items()} for row in told["shares"]])
