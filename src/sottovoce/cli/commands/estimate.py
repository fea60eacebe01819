"""``sottovoce estimate``: answers with intervals, for everybody or group by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from sottovoce.answers.estimate import Estimate
from sottovoce.answers.questions import Questions, read_questions
from sottovoce.answers.questions.cross_tables import cross_table, read_condition
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.view import View
from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.asking import (
    METHOD,
    About,
    Anytime,
    AsCsv,
    AskedOptions,
    Confidence,
    Goal,
    Method,
    Planned,
    SamePeople,
    Then,
    check_formats,
    option_words,
)
from sottovoce.cli.shared.blocks import Block, ComparedAnswers, Findings
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.inputs import read_groups, read_tally
from sottovoce.cli.shared.options import AsJson, ByColumn, Force, parse_options
from sottovoce.cli.shared.records import RecordOptions, check_part, show_cross_table
from sottovoce.cli.shared.results import ResultFile, check_picture, check_result, write_picture
from sottovoce.cli.shared.screen import progress, say, show_json
from sottovoce.core.mechanism import Mechanism
from sottovoce.domains.base import Domain
from sottovoce.domains.parsing import read_value
from sottovoce.estimators import estimate as estimate_from
from sottovoce.plots.estimate import KINDS

__all__ = ["estimate"]


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
    asked: AskedOptions,
    several: RecordOptions,
    by: ByColumn = None,
    method: Method = "auto",
    goal: Goal = None,
    then: Then = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            rich_help_panel=METHOD,
            help="An option of the method, such as alpha=0.05. Repeatable.",
        ),
    ] = None,
    confidence: Confidence = 0.95,
    about: About = None,
    same_people: SamePeople = False,
    anytime: Anytime = False,
    planned: Planned = None,
    as_csv: AsCsv = False,
    output: ResultFile = None,
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
            help="What --plot draws: shares; for numbers also cdf, the share up to each, and "
            "ring, for times of day; for pairs keys, or with --key the shares, cdf or ring of its numbers. If not given: keys for pairs, else shares.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Read shares, totals, ranges, means, quantiles and keys from a tally or from reports.

    Every answer has a standard error and an interval. With --by there is a block for
    every group; where there are two, also their difference, with p-values.
    Differences are about the population and compare unbiased estimates.

    Of several questions (a Record) there is a block for each; --part chooses one,
    --table two together.
    """  # fmt: skip
    check_formats("estimate", as_csv=as_csv, as_json=as_json)
    others = {"--by": by, "--plot": plot, "--anytime": anytime, "questions": asked.questions}
    several.check("estimate", others)
    _check_picture(plot, kind, by, force)
    check_result(output, force=force, inputs=[source])
    asked.check_counts("estimate")
    view = View(about, same_people, anytime, planned).check("estimate")
    groups = {"": read_tally([source])} if by is None else read_groups([source], by)
    if not groups:
        raise InvalidInput("INPUT", "estimate", "not without reports", source)
    mechanism = next(iter(groups.values())).mechanism
    record = check_part(mechanism.domain, several, "estimate")
    options = parse_options(option, taken=("observed", "method", "goal", "then", "about"))
    choice = {"goal": goal, "then": then or (), **options}
    if record is not None and several.part is None and not (by or asked.questions or plot):
        whole = estimate_from(groups[""])
        if several.table is not None:
            _show_table(whole, several, view, confidence, output, as_csv=as_csv, as_json=as_json)
        else:
            choice["goal"] = goal or "distribution"
            parts = {name: whole.part(name, method, **choice) for name in record.names}
            findings = _of_every_question(parts, mechanism, view, confidence)
            _show(findings, output, as_csv=as_csv, as_json=as_json)
        return
    domain = part_domain(mechanism.domain, several.part, "--part", "estimate")
    words = option_words("estimate")
    questions = read_questions(domain, asked.questions, confidence=confidence, words=words)
    drawn = _drawn_key(domain, asked.texts("key"), kind)
    choice["goal"] = goal or questions.goal
    blocks, estimates = [], []
    with progress("estimating", len(groups)) as advance:
        for group, tally in groups.items():
            if record is None:
                estimates.append(estimate_from(tally, method, **choice))
            else:
                whole = estimate_from(tally)
                estimates.append(whole.part(str(several.part), method, **choice))
            seen = view.of(estimates[-1])
            blocks.append(Block(group, seen, questions.of(seen)))
            advance(1)
        compared = _compare(estimates, questions, view)
        if plot is not None:
            _draw(view.of(estimates[0]), plot, kind, drawn, confidence)
    findings = Findings(mechanism, confidence, blocks, by, compared)
    _show(findings, output, as_csv=as_csv, as_json=as_json)
    if plot is not None:
        say(f"picture in {plot}")


def _show(findings: Findings, output: str | None, *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        show_json(findings.document())
    elif as_csv:
        findings.show_csv()
    else:
        findings.show()
    if output is not None:
        findings.write(output, findings.document())


def _of_every_question(
    parts: Mapping[str, Estimate], mechanism: Mechanism, view: View, confidence: float
) -> Findings:
    """A block per question: the share of every answer."""
    blocks = []
    for name, part in parts.items():
        seen = view.of(part)
        blocks.append(Block(name, seen, Questions(part.domain, (), confidence).of(seen)))
    return Findings(mechanism, confidence, blocks, "question")


def _show_table(
    whole: Estimate, several: RecordOptions, view: View, confidence: float, output: str | None,
    *, as_csv: bool, as_json: bool,
) -> None:  # fmt: skip
    record = whole.domain.record
    assert record is not None and several.table is not None  # checked before
    pair = record.pair(several.table)
    given = None
    if several.given is not None:
        given = read_condition(several.given, record, pair, "--given", "estimate")
    found = cross_table(
        view.of(whole).table(*pair), percent=several.percent or "", given=given,
        independence=several.independence, confidence=confidence,
    )  # fmt: skip
    show_cross_table(found, output, as_csv=as_csv, as_json=as_json)


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


def _drawn_key(domain: Domain, keys: Sequence[str], kind: str | None) -> Any:
    """The key whose numbers are drawn; None where they are not."""
    pairs = domain.keyed
    if pairs is None or not keys or kind not in ("shares", "cdf", "ring"):
        return None
    if len(keys) > 1:
        allowed = f"given once with --kind {kind}, which draws the numbers of one key"
        raise InvalidInput("--key", "estimate", allowed, list(keys))
    return read_value(keys[0], pairs.keys, "--key", "estimate")


def _draw(told: Estimate, plot: str, kind: str | None, key: Any, confidence: float) -> None:
    write_picture(told.plot(kind, key=key, confidence=confidence), plot)


def _compare(sides: Sequence[Estimate], questions: Questions, view: View) -> ComparedAnswers | None:
    """The second group minus the first, where there are exactly two."""
    if len(sides) != 2:
        return None
    change = view.between(*sides)
    return ComparedAnswers(change.about, change.why, questions.of(change))
