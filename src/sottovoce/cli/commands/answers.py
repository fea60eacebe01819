"""``sottovoce answers``: what a running collector knows, as `sottovoce estimate` shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from sottovoce.answers.answer import two_sided
from sottovoce.answers.questions import Row, read_questions
from sottovoce.answers.questions.cross_tables import read_condition
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.view import View
from sottovoce.base.errors import InvalidInput
from sottovoce.cli.shared.asking import (
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
from sottovoce.cli.shared.collector import (
    LOCAL,
    Collector,
    KeyFile,
    PlainHttp,
    SurveyOrFingerprint,
    Url,
    Windows,
    find_survey,
    say_left_out,
)
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.options import AsJson, Force
from sottovoce.cli.shared.records import (
    RecordOptions,
    check_part,
    read_cross_table,
    show_cross_table,
)
from sottovoce.cli.shared.results import ResultFile, check_result
from sottovoce.cli.shared.screen import progress, show_json, show_table, show_text
from sottovoce.domains.record import Record

__all__ = ["answers"]

Query = list[tuple[str, Any]]


@guarded
def answers(
    *,
    survey: SurveyOrFingerprint,
    key_file: KeyFile,
    url: Url = LOCAL,
    window: Windows = None,
    by_window: Annotated[
        bool,
        typer.Option(
            "--by-window", help="A block for every window; where there are two, also their difference."
        ),
    ] = False,
    status: Annotated[
        bool,
        typer.Option(
            "--status", help="How many reports came, by window, and what was refused; no answers."
        ),
    ] = False,
    asked: AskedOptions,
    several: RecordOptions,
    method: Method = "auto",
    goal: Goal = None,
    then: Then = None,
    confidence: Confidence = 0.95,
    about: About = None,
    same_people: SamePeople = False,
    anytime: Anytime = False,
    planned: Planned = None,
    plain_http: PlainHttp = False,
    as_csv: AsCsv = False,
    output: ResultFile = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Ask a running collector for answers, with the read key.

    Every answer has a standard error and an interval. Windows with fewer reports than the survey's
    minimum batch are left out and named; where none is left there is no answer.

    Of several questions (a Record) there is a block for each; --part chooses one, --table two together.
    """
    check_formats("answers", as_csv=as_csv, as_json=as_json)
    others = {"--by-window": by_window, "--status": status, "--anytime": anytime}
    several.check("answers", {**others, "questions": asked.questions})
    two_sided(confidence)  # refused before anything is asked
    View(about, same_people, anytime, planned).check("answers")
    if status and output is not None:
        raise InvalidInput("--output", "answers", "left out with --status", output)
    check_result(output, force=force, inputs=[survey])
    fingerprint = find_survey(survey)
    collector = Collector.at(url, key_file, plain_http=plain_http)
    if status:
        _show_status(collector.get(f"/surveys/{fingerprint}/status"), as_json)
        return
    way: Query = [("method", method), ("confidence", confidence)]
    way += [("goal", goal)] if goal else []
    way += [("then", name) for name in then or ()]
    way += [("about", about)] if about else []
    way += [("anytime", 1)] if anytime else []
    way += [("planned", planned)] if planned is not None else []
    with progress("asking"):
        agreed = collector.survey(fingerprint)
        # What is not in order is refused here, in the words of the options.
        domain = agreed.mechanism.domain
        record = check_part(domain, several, "answers")
        if record is not None and several.table is not None:
            parts = _Parts(collector, fingerprint, asked.questions, way)
            found = parts.table(record, several, window or ())
            say_left_out(found["left_out"])
            show_cross_table(read_cross_table(found), output, as_csv=as_csv, as_json=as_json)
            return
        way += [("question", several.part)] if several.part is not None else []
        parts = _Parts(collector, fingerprint, asked.questions, way, same_people)
        by, compared = "window" if by_window else None, None
        if record is not None and not (several.part or asked.questions or by_window):
            by, documents = "question", parts.of_questions(record.names, window or ())
        else:
            domain = part_domain(domain, several.part, "--part", "answers")
            read_questions(domain, asked.questions, words=option_words("answers"))
            documents, compared = parts.of_windows(window or (), by_window)
    say_left_out(list(dict.fromkeys(name for each in documents for name in each["left_out"])))
    findings = Findings(
        agreed.mechanism,
        confidence,
        [_block(document, by) for document in documents],
        by,
        None if compared is None else _compared(compared),
    )
    document = _document(documents, compared, by)
    if as_json:
        show_json(document)
    elif as_csv:
        findings.show_csv()
    else:
        findings.show()
    if output is not None:
        findings.write(output, document)


# -- asking ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """The same questions, asked about windows together or one by one."""

    collector: Collector
    fingerprint: str
    asked: Query
    """Nothing asks for everything, by a route of its own."""
    way: Query
    same_people: bool = False

    def together(self, windows: Sequence[str]) -> dict[str, Any]:
        """The answers from some windows, or all, as one."""
        path = f"/surveys/{self.fingerprint}/{'answers' if self.asked else 'estimate'}"
        chosen: Query = [("window", name) for name in windows]
        return dict(self.collector.get(path, [*self.asked, *self.way, *chosen]))

    def of_questions(self, names: Sequence[str], windows: Sequence[str]) -> list[dict[str, Any]]:
        """The same of every question of a record, one by one."""
        return [
            replace(self, way=[*self.way, ("question", name)]).together(windows) for name in names
        ]

    def table(
        self, record: Record, several: RecordOptions, windows: Sequence[str]
    ) -> dict[str, Any]:
        """The table of two questions; what is not in order is refused here."""
        pair = record.pair(str(several.table))
        if several.given is not None:
            read_condition(several.given, record, pair, "--given", "answers")
        asked: Query = [("table", several.table), *(("window", name) for name in windows)]
        asked += [(name, text) for name, text in self.way if name in ("confidence", "about")]
        more = {"percent": several.percent, "given": several.given}
        asked += [(name, text) for name, text in more.items() if text is not None]
        asked += [("independence", 1)] if several.independence else []
        return dict(self.collector.get(f"/surveys/{self.fingerprint}/table", asked))

    def of_windows(
        self, windows: Sequence[str], by_window: bool
    ) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """The answers from windows together, or one by one."""
        return self.by_window(windows) if by_window else ([self.together(windows)], None)

    def by_window(
        self, windows: Sequence[str]
    ) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """The answers from each window, and of two how the later differs from the earlier."""
        chosen = sorted(set(windows)) or self._shown()
        told = [self.together([name]) for name in chosen]
        if len(chosen) != 2:
            return told, None
        sides: Query = [("first", self.fingerprint), ("second", self.fingerprint)]
        sides += [("first_window", chosen[0]), ("second_window", chosen[1])]
        sides += [("same_people", 1)] if self.same_people else []
        return told, dict(self.collector.get("/differences", [*self.asked, *self.way, *sides]))

    def _shown(self) -> list[str]:
        status = self.collector.get(f"/surveys/{self.fingerprint}/status")
        shown = [each["window"] for each in status["windows"] if each["shown"]]
        # With none, the collector is asked all the same: it says why there is nothing.
        return shown or [each["window"] for each in status["windows"]][:1] or [""]


@dataclass(frozen=True)
class _Made:
    """What a collector says of its estimate."""

    n: int
    method: str
    why: str
    converged: bool
    iterations: int
    about: str
    looks: bool


# -- showing -----------------------------------------------------------------------------


def _block(document: Mapping[str, Any], by: str | None) -> Block:
    kept = {name: document[name] for name in ("method", "why", "converged", "iterations", "about")}
    made = _Made(n=document["reports"], looks=document["looks"] == "any", **kept)
    windows = document["windows"]
    name = document["of_question"] if by == "question" else ", ".join(windows)
    return Block(name, made, _rows(document), len(windows))


def _compared(document: Mapping[str, Any]) -> ComparedAnswers:
    return ComparedAnswers(document["about"], document["why"], _rows(document))


def _rows(document: Mapping[str, Any]) -> list[Row]:
    """Answers as they are shown; bins, which JSON has as lists, are tuples again."""
    return [
        {key: tuple(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        for row in document["answers"]
    ]


def _document(
    documents: Sequence[dict[str, Any]], compared: dict[str, Any] | None, by: str | None
) -> dict[str, Any]:
    if by is None:
        return documents[0]
    whole: dict[str, Any] = {"by": by, "groups": list(documents)}
    return whole if compared is None else {**whole, "difference": compared}


def _show_status(document: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        show_json(document)
        return
    state = "closed" if document["closed"] else f"upload {document['upload']}"
    rows = [
        {"window": each["window"], "reports": each["reports"], "answers": _shown_word(each)}
        for each in document["windows"]
    ]
    show_table(rows, f"{document['name']}, {document['fingerprint']}: {state}")
    counts = {name: document[name] for name in ("stored", "duplicates", "deleted", "expired")}
    refused = [
        {"what": f"refused: {code}", "reports": n} for code, n in document["refused"].items()
    ]
    show_text("")
    show_table([*({"what": name, "reports": n} for name, n in counts.items()), *refused])


def _shown_word(window: Mapping[str, Any]) -> str:
    if not window["shown"]:
        return "below the minimum batch"
    return "shown" if window["released"] >= window["reports"] else f"{window['released']} shown"
