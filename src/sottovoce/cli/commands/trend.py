"""``sottovoce trend``: answers window by window, from tallies, reports, or a running collector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.answers.about import check_about
from sottovoce.answers.answer import two_sided
from sottovoce.answers.overlap import read_overlap
from sottovoce.answers.questions import Questions, read_questions
from sottovoce.answers.questions.over_windows import (
    check_has_trend,
    check_over_windows,
    series_of,
)
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.window_range import windows_between
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.asking import (
    METHOD,
    AsCsv,
    Confidence,
    Method,
    TrendQuestions,
    check_formats,
    option_words,
)
from sottovoce.cli.shared.collector import (
    COLLECTOR,
    LOCAL,
    Collector,
    PlainHttp,
    Url,
    find_survey,
    say_left_out,
)
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, ByColumn, Force
from sottovoce.cli.shared.records import Part
from sottovoce.cli.shared.results import ResultFile, check_picture, check_result, write_picture
from sottovoce.cli.shared.screen import plain_json, progress, say, show_json
from sottovoce.cli.shared.series import ShownTrend
from sottovoce.cli.shared.window_tallies import read_windows
from sottovoce.domains.base import Domain
from sottovoce.estimators.trend import trend as trend_of

__all__ = ["trend"]

_RANGE = ("--from", "--to")


@guarded
def trend(
    *,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="A tally per window (.svt files, or a folder of them), or reports with --by. With --key-file: "
            "a survey (its file or fingerprint), of which a collector is asked.",
        ),
    ],
    asked: TrendQuestions,
    part: Part = None,
    by: ByColumn = None,
    first_day: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="WINDOW",
            help="The first window, or a day in it, such as 2026-11-16.",
        ),
    ] = None,
    last_day: Annotated[
        str | None,
        typer.Option("--to", metavar="WINDOW", help="The last window, or a day in it."),
    ] = None,
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Also a smoothed level, with what other windows add.")
    ] = False,
    about: Annotated[
        str,
        typer.Option(
            "--about", metavar="WHOM", rich_help_panel=METHOD,
            help="Whom levels and changes are about: the population, or the respondents.",
        ),
    ] = "population",
    same_people: Annotated[
        bool,
        typer.Option(
            "--same-people", rich_help_panel=METHOD,
            help="The same people answered in all windows: their sampling does not count.",
        ),
    ] = False,
    overlap: Annotated[
        str | None,
        typer.Option(
            "--overlap", metavar="X", rich_help_panel=METHOD,
            help="The part of people who answer with the same value in the next window, from 0 (others "
            "in each window) to 1; 1/7 for cohorts; or estimate. If not given, errors are the largest there can be.",
        ),
    ] = None,
    method: Method = "auto",
    confidence: Confidence = 0.95,
    url: Url = LOCAL,
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key-file", metavar="FILE", rich_help_panel=COLLECTOR,
            help="A file with the read key of a collector: it is asked, and INPUT is a survey.",
        ),
    ] = None,
    plain_http: PlainHttp = False,
    as_csv: AsCsv = False,
    output: ResultFile = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot", metavar="FILE", help="Also draw it: a .png, .pdf or .svg file. Not with --key-file."
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Follow an answer over windows: levels, changes, and windows that differ from the others.

    Changes have p-values adjusted for all windows. Intervals are right where the same people answer
    again, also with memos on their devices. Windows that stand out are found with a stated rate of
    false alarms.
    """
    check_formats("trend", as_csv=as_csv, as_json=as_json)
    two_sided(confidence)
    check_about(about, "trend")
    people = read_overlap(overlap, "--overlap", "trend")
    check_result(output, force=force, inputs=sources)
    if plot is not None:
        check_picture(plot, "trend", force=force)
    way = _Way(first_day, last_day, about, same_people, people, method, confidence, smooth, part)
    if key_file is not None:
        _refuse_for_collector(plot, by, sources)
        collector = Collector.at(url, key_file, plain_http=plain_http)
        document = _from_collector(collector, find_survey(sources[0]), asked.questions, way)
        say_left_out(document["left_out"])
    else:
        document = _from_files(sources, by, asked.questions, way, plot)
    shown = ShownTrend(plain_json(document))
    if as_json:
        show_json(document)
    elif as_csv:
        shown.show_csv()
    else:
        shown.show()
    if output is not None:
        shown.write(output)
    if plot is not None:
        say(f"picture in {plot}")


@dataclass(frozen=True)
class _Way:
    """How a trend is made."""

    first: str | None
    last: str | None
    about: str
    same_people: bool
    overlap: float | str | None
    method: str
    confidence: float
    smooth: bool
    part: str | None

    def domain(self, whole: Domain) -> Domain:
        """What is asked about: of several questions, the one that was chosen."""
        domain = part_domain(whole, self.part, "--part", "trend")
        check_has_trend(domain)
        return domain

    @property
    def query(self) -> list[tuple[str, Any]]:
        """The same for a collector."""
        given = {"from": self.first, "to": self.last, "overlap": self.overlap}
        given |= {"question": self.part}
        flags = {"same_people": self.same_people, "smooth": self.smooth}
        return [
            ("about", self.about), ("method", self.method), ("confidence", self.confidence),
            *((name, value) for name, value in given.items() if value is not None),
            *((name, 1) for name, value in flags.items() if value),
        ]  # fmt: skip


def _refuse_for_collector(plot: str | None, by: str | None, sources: Sequence[str]) -> None:
    if len(sources) > 1:
        raise InvalidInput("INPUT", "trend", "one survey, with --key-file", list(sources))
    for option, given in (("--plot", plot), ("--by", by)):
        if given is not None:
            raise InvalidInput(option, "trend", "left out with --key-file", given)


def _from_collector(
    collector: Collector, fingerprint: str, asked: list[tuple[str, str]], way: _Way
) -> dict[str, Any]:
    with progress("asking"):
        domain = way.domain(collector.survey(fingerprint).mechanism.domain)
        words = option_words("trend")
        check_over_windows(domain, read_questions(domain, asked, words=words), "trend")
        return dict(collector.get(f"/surveys/{fingerprint}/trend", [*asked, *way.query]))


def _from_files(
    sources: Sequence[str],
    by: str | None,
    asked: list[tuple[str, str]],
    way: _Way,
    plot: str | None,
) -> dict[str, Any]:
    tallies = read_windows(sources, by)
    if not tallies:
        raise InvalidInput("INPUT", "trend", "not without reports", list(sources))
    domain = way.domain(next(iter(tallies.values())).mechanism.domain)
    words = option_words("trend")
    questions = read_questions(domain, asked, confidence=way.confidence, words=words)
    check_over_windows(domain, questions, "trend")
    if plot is not None and len(questions.asked) > 1:
        raise InvalidInput("--plot", "trend", "given with one question: it draws one", plot)
    names = windows_between(list(tallies), way.first, way.last, "trend", _RANGE)
    if not names:
        allowed = f"such that windows are between: {', '.join(tallies)}"
        raise InvalidInput("--from, --to", "trend", allowed, (way.first, way.last))
    with progress("estimating"):
        found = trend_of(
            [tallies[name] for name in names], names, overlap=way.overlap, about=way.about,
            same_people=way.same_people, method="auto" if way.part else way.method,
        )  # fmt: skip
        found = found if way.part is None else found.part(way.part, way.method)
        document = _document(found, questions, way)
        if plot is not None:
            ((_, series),) = series_of(found, questions)
            write_picture(series.plot(confidence=way.confidence), plot)
    return document


def _document(found: Any, questions: Questions, way: _Way) -> dict[str, Any]:
    return {
        "windows": list(found.windows),
        "left_out": [],
        "reports": sum(each.n for each in found.estimates),
        "confidence": way.confidence,
        "trends": [
            {"question": name, **series.document(confidence=way.confidence, smooth=way.smooth)}
            for name, series in series_of(found, questions)
        ],
    }
