"""``sottovoce estimate``: answers with intervals, for everybody or group by group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import typer

from sottovoce.answers import difference
from sottovoce.cli.blocks import Block, Findings
from sottovoce.cli.evidence import read_groups, read_tally
from sottovoce.cli.exits import guarded
from sottovoce.cli.options import AsJson, ByColumn, Force, parse_options
from sottovoce.cli.pictures import check_picture, write_picture
from sottovoce.cli.questions import Questions, Row
from sottovoce.cli.screen import progress, say, show_json
from sottovoce.cli.values import parse_value
from sottovoce.core.checks import check_choice, check_int
from sottovoce.core.domain import Domain
from sottovoce.core.drawing import KINDS
from sottovoce.core.errors import InvalidInput
from sottovoce.core.estimate import Estimate
from sottovoce.core.key_values import KeyValues
from sottovoce.estimators import estimate as estimate_from

__all__ = ["estimate"]

_QUESTIONS = "What is asked (nothing: the share of every value, or every key)"
_METHOD = "How it is estimated"


@guarded
def estimate(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A tally, a folder of tallies, or reports (Parquet, Arrow stream); - is a pipe.",
        ),
    ],
    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", rich_help_panel=_QUESTIONS, help="The N most frequent values."
        ),
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(
            "--share",
            metavar="VALUE",
            rich_help_panel=_QUESTIONS,
            help="The share of one value. Repeatable.",
        ),
    ] = None,
    total: Annotated[
        list[str] | None,
        typer.Option(
            "--total",
            metavar="A,B",
            rich_help_panel=_QUESTIONS,
            help="The share of several values together. Repeatable.",
        ),
    ] = None,
    range_: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="LOW:HIGH",
            rich_help_panel=_QUESTIONS,
            help="The share of numbers in a range. Repeatable.",
        ),
    ] = None,
    cdf: Annotated[
        list[float] | None,
        typer.Option(
            "--cdf",
            metavar="X",
            rich_help_panel=_QUESTIONS,
            help="The share of numbers up to X. Repeatable.",
        ),
    ] = None,
    quantile: Annotated[
        list[float] | None,
        typer.Option(
            "--quantile",
            metavar="Q",
            rich_help_panel=_QUESTIONS,
            help="The number below which a share Q lies: 0.5 for the median. Repeatable.",
        ),
    ] = None,
    mean: Annotated[
        bool, typer.Option("--mean", rich_help_panel=_QUESTIONS, help="The mean of the numbers.")
    ] = False,
    variance: Annotated[
        bool,
        typer.Option("--variance", rich_help_panel=_QUESTIONS, help="The variance of the numbers."),
    ] = False,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="KEY",
            rich_help_panel=_QUESTIONS,
            help="The frequency of a key and the mean of its numbers, which other questions on numbers "
            "are then about. Repeatable.",
        ),
    ] = None,
    top_keys: Annotated[
        int | None,
        typer.Option(
            "--top-keys",
            metavar="N",
            rich_help_panel=_QUESTIONS,
            help="The N most frequent keys, with their means.",
        ),
    ] = None,
    by: ByColumn = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="NAME", rich_help_panel=_METHOD, help="The method, by name."
        ),
    ] = "auto",
    goal: Annotated[
        str | None,
        typer.Option(
            "--goal",
            metavar="GOAL",
            rich_help_panel=_METHOD,
            help="What auto chooses a method for: distribution, subset, top, mean or range. "
            "If not given, what is asked decides.",
        ),
    ] = None,
    then: Annotated[
        list[str] | None,
        typer.Option(
            "--then",
            metavar="NAME",
            rich_help_panel=_METHOD,
            help="A method to apply to the result. Repeatable, in order.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            rich_help_panel=_METHOD,
            help="An option of the method, such as alpha=0.05. Repeatable.",
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
    population: Annotated[
        bool,
        typer.Option(
            "--population",
            rich_help_panel=_METHOD,
            help="Intervals about the population that the respondents were drawn from.",
        ),
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="The answers as CSV.")] = False,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE", help="Also draw the shares: a .png, .pdf or .svg file."
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="What --plot draws: shares; for numbers also cdf, the share up to each; for pairs "
            "keys, or with --key the shares or cdf of its numbers. If not given: keys for pairs, else shares.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read shares, totals, ranges, means, quantiles and keys from a tally or from reports.

    Every answer has a standard error and an interval. With --by there is a block for
    every group; where there are two, also their difference, with p-values.
    """  # fmt: skip
    _check_formats(as_csv, as_json)
    _check_picture(plot, kind, by, force)
    for name, count in (("--top", top), ("--top-keys", top_keys)):
        if count is not None:
            check_int(count, name, "estimate", 1)
    groups = {"": read_tally([source])} if by is None else read_groups([source], by)
    if not groups:
        raise InvalidInput("INPUT", "estimate", "not without reports", source)
    mechanism = next(iter(groups.values())).mechanism
    questions = Questions(
        mechanism.domain, top, share or (), total or (), range_ or (), cdf or (), quantile or (),
        mean, variance, key or (), top_keys,
    )  # fmt: skip
    drawn = _drawn_key(mechanism.domain, key, kind)
    options = parse_options(option, taken=("evidence", "method", "goal", "then"))
    choice = {"goal": goal or questions.goal, "then": then or (), **options}
    blocks = []
    with progress("estimating", len(groups)) as advance:
        for group, tally in groups.items():
            told = estimate_from(tally, method, **choice)
            told = told.for_population() if population else told
            blocks.append(Block(group, told, questions.of_estimate(told, confidence)))
            advance(1)
        compared = _compare(blocks, questions, confidence)
        if plot is not None:
            _draw(blocks[0].estimate, plot, kind, drawn, confidence)
    findings = Findings(mechanism, confidence, blocks, by, compared)
    if as_json:
        show_json(findings.document())
    elif as_csv:
        findings.show_csv()
    else:
        findings.show()
    if plot is not None:
        say(f"picture in {plot}")


def _check_formats(as_csv: bool, as_json: bool) -> None:
    if as_csv and as_json:
        raise InvalidInput("--csv, --json", "estimate", "one of the two", "both")


def _check_picture(plot: str | None, kind: str | None, by: str | None, force: bool) -> None:
    if kind is not None:
        check_choice(kind, "--kind", "estimate", KINDS)
    if plot is None:
        if kind is not None:
            raise InvalidInput("--kind", "estimate", "given together with --plot", kind)
        return
    if by is not None:
        raise InvalidInput("--plot", "estimate", "left out with --by: it draws one estimate", plot)
    check_picture(plot, "estimate", force=force)


def _drawn_key(domain: Domain, keys: Sequence[str] | None, kind: str | None) -> Any:
    """The key whose numbers are drawn; None where they are not."""
    if not isinstance(domain, KeyValues) or not keys or kind not in ("shares", "cdf"):
        return None
    if len(keys) > 1:
        allowed = f"given once with --kind {kind}, which draws the numbers of one key"
        raise InvalidInput("--key", "estimate", allowed, list(keys))
    return parse_value(keys[0], domain.keys, "--key")


def _draw(told: Estimate, plot: str, kind: str | None, key: Any, confidence: float) -> None:
    write_picture(told.plot(kind, key=key, confidence=confidence), plot)


def _compare(blocks: Sequence[Block], questions: Questions, confidence: float) -> list[Row] | None:
    """The second group minus the first, where there are exactly two."""
    if len(blocks) != 2:
        return None
    sides = [block.estimate for block in blocks]
    tops: list[int] = []
    if questions.top is not None:
        told = [side.require_shares("top") for side in sides]
        most = [np.argsort(-shares, kind="stable")[: questions.top] for shares in told]
        tops = sorted({int(index) for side in most for index in side})
    return questions.of_difference(difference(*sides), confidence, tops)
