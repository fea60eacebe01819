"""``sottovoce survey new | check | show``: the agreement of device, collector and analyst, as a file."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.base.files import write_whole
from sottovoce.cli.shared.domains import DomainOptions
from sottovoce.cli.shared.exits import guarded
from sottovoce.cli.shared.groups import unfolded
from sottovoce.cli.shared.guesses import FROM_ANSWERS, guess_columns, guessed_domain, rows_of
from sottovoce.cli.shared.options import AsJson, Force, Options, describe, make_mechanism
from sottovoce.cli.shared.outputs import STDOUT, check_file, check_output, format_of
from sottovoce.cli.shared.screen import say, show_json, show_table, show_text
from sottovoce.domains.base import Domain
from sottovoce.domains.categories import Categories
from sottovoce.mechanisms._choices import usual_mechanism
from sottovoce.mechanisms.sensitive_subsets import best_sensitive_size
from sottovoce.surveys.all_reports import cost_in_words, lifetime_of
from sottovoce.surveys.default_limits import client_doubt, default_client, windows_answered
from sottovoce.surveys.limits import Limits
from sottovoce.surveys.repeating import one_in, usual_cohorts
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.toml import read_survey, survey_to_toml
from sottovoce.surveys.wording import beliefs, doubts, survey_in_words
from sottovoce.wire.uploads import upload_size

__all__ = ["COMMANDS", "app", "check", "new", "show"]

_EXAMPLE = ("tea", "coffee", "water", "other")

SurveyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A survey, as TOML or as its canonical JSON.")
]


@guarded
def new(
    *,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The TOML file to write; - is standard output.")
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="TEXT", help="Its name; that of the file if not given."),
    ] = None,
    question: Annotated[
        str, typer.Option("--question", metavar="TEXT", help="What people are asked.")
    ] = "Which of these is yours?",
    window: Annotated[
        str | None,
        typer.Option(
            "--window", metavar="WORD",
            help="One report each: once (ever), day, week or month; if not given once, with --cohorts or --memory day.",
        ),
    ] = None,
    minimum_batch: Annotated[
        int,
        typer.Option(
            "--minimum-batch", metavar="N", help="No answer is shown from fewer reports."
        ),
    ] = 100,
    outside: Annotated[
        str,
        typer.Option(
            "--outside",
            metavar="WORD",
            help="Values outside the domain: refuse, nearest (numbers) or other (the value of that name).",
        ),
    ] = "refuse",
    opens: Annotated[
        str, typer.Option("--opens", metavar="DATE", help="The first day, such as 2026-01-31.")
    ] = "",
    closes: Annotated[str, typer.Option("--closes", metavar="DATE", help="The last day.")] = "",
    series: Annotated[
        str,
        typer.Option(
            "--series", metavar="TEXT", help="Surveys of one series share a budget on a device."
        ),
    ] = "",
    mechanism: Annotated[
        str | None,
        typer.Option(
            "--mechanism", "-m", metavar="NAME",
            help="How answers are randomized; if not given randomized-response or local-hashing, for "
            "numbers square-wave, for keys with numbers key-value, with --sensitive sensitive-response or "
            "sensitive-subsets, with --choices choice-response, drawn-option or choice-subsets.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", "-e", metavar="X", help="The privacy budget per report; 1 if not given."
        ),
    ] = None,
    cohorts: Annotated[
        int | None,
        typer.Option(
            "--cohorts", metavar="W",
            help="Ask each person in one window of W, drawn by the device, with the whole epsilon; 1 asks everybody in "
            "every window. If not given: 30 for days, 12 for weeks and months, 1 with --memory.",
        ),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory",
            help="Devices keep a permanent answer and report from it in every window (memoized).",
        ),
    ] = False,
    lifetime: Annotated[
        float | None,
        typer.Option(
            "--lifetime", metavar="X",
            help="With --memory: the privacy budget of all reports of one answer; twice epsilon if not given.",
        ),
    ] = None,
    inner: Annotated[
        str | None,
        typer.Option(
            "--inner", metavar="NAME",
            help="With --memory: the mechanism that reports look like; chosen by the domain if not given.",
        ),
    ] = None,
    changes: Annotated[
        int,
        typer.Option(
            "--changes", metavar="N",
            help="With --memory: how many changes of an answer are paid for.",
        ),
    ] = 0,
    period: Annotated[
        int,
        typer.Option(
            "--period", metavar="N",
            help="With --memory: after how many windows memory begins anew; 0 is never.",
        ),
    ] = 0,
    answers: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE",
            help="Guess the kinds of questions from the columns of this CSV or Parquet file, of public or old answers: "
            "never of those to be protected.",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            "--column", metavar="NAME", help="With --from: one question, of this column; all columns if not given."
        ),
    ] = None,
    given: DomainOptions,
    option: Options = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Write a survey file with a comment on every key, to be edited and checked.

    Without a domain it holds an example. With `--from` it holds a question per column, of the kind
    that its answers look like; the kinds are shown with the reasons. Nothing is agreed on yet:
    devices and collector take what `survey check --output` writes.
    """
    if as_json and file == STDOUT:
        raise InvalidInput("--json", "the command", "left out where the file is -", file)
    check_output(file, force=force, option="FILE")
    check_file(file, option="FILE")
    guesses = guess_columns(answers, column, given)
    domain = guessed_domain(guesses, answers) if guesses else _domain(given)
    weighed = any(pair.startswith("weights=") for pair in option or ())
    budget = 1.0 if epsilon is None and not weighed else epsilon
    if memory:
        _check_memory(mechanism, cohorts)
        more = {"lifetime": 2 * (budget or 1.0) if lifetime is None else lifetime, "inner": inner}
        option = [*(option or ()), *(f"{key}={value}" for key, value in more.items() if value)]
        mechanism = "memoized"
    elif lifetime is not None or inner is not None:
        raise InvalidInput(
            "--lifetime, --inner", "survey new", "left out without --memory", "given"
        )
    chosen = make_mechanism(mechanism or _usual(domain, budget), domain, budget, option)
    title = name or ("survey" if file == STDOUT else Path(file).stem)
    often = window or ("once" if cohorts is None and not memory else "day")
    survey = Survey(
        title, question, chosen, often, minimum_batch, outside, opens, closes, series, "1", changes, period,
    )  # fmt: skip
    survey = replace(survey, ask=_ask(survey, cohorts))
    text = survey_to_toml(survey)
    if guesses:
        say(FROM_ANSWERS)
    if file == STDOUT:
        typer.echo(text, nl=False)
        return
    write_whole(file, lambda part: part.write_text(text, encoding="utf-8"))
    rows = rows_of(guesses)
    if as_json:
        show_json({"file": file, **_told(survey), **({"columns": rows} if rows else {})})
    else:
        show_table(rows)
        if cohorts is None and survey.ask != "1":
            say(_cohorts_in_words(survey))
        say(f"{file}: edit it, then sottovoce survey check {file}")


@guarded
def check(
    *,
    file: SurveyFile,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="Write the canonical JSON (a .json file) that device and collector agree on; - is standard output.",
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option(
            "--people", metavar="N",
            help="How many people have the survey: warns where too few are asked in a window, or share a hash.",
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Check a survey file: its keys, its mechanism, its exact certificate.

    Shows the fingerprint, says whether clients with default limits answer the survey and how many of
    its windows, and warns of what is allowed but worth a second look.
    """
    if output is not None:
        if as_json and output == STDOUT:
            raise InvalidInput("--json", "the command", "left out where the output is -", output)
        format_of(output, ("json",))
        check_output(output, force=force, inputs=[str(file)])
        check_file(output)
    if people is not None:
        check_int(people, "--people", "survey check", 1)
    survey = read_survey(file)
    if output == STDOUT:
        typer.echo(survey.to_json())
        return
    if output is not None:
        write_whole(output, lambda part: part.write_text(survey.to_json() + "\n", encoding="utf-8"))
    if as_json:
        told = {"file": str(file), **_told(survey), "doubts": doubts(survey, people)}
        clients = {
            "windows_answered": windows_answered(survey),
            "default_client": default_client(survey),
        }
        show_json({**told, **clients})
        return
    show_text(f"{file}: valid, fingerprint {survey.fingerprint}")
    show_text(f"{survey.mechanism}: {survey.mechanism.certificate()}")
    lifetime = lifetime_of(survey)
    if lifetime is not None:
        show_text(f"all reports of one answer: {lifetime}")
    if survey.window != "once":
        show_text(f"cost: {cost_in_words(survey)}")
    if not client_doubt(survey):
        show_text(default_client(survey))
    for doubt in doubts(survey, people):
        show_text(f"warning: {doubt}")


@guarded
def show(*, file: SurveyFile, as_json: AsJson = False) -> None:
    """Show a survey to the people asked: what is sent, how often, and what it tells about them."""
    survey = read_survey(file)
    if as_json:
        odds = [{"before": before, "after": after} for before, after in beliefs(survey)]
        told = {**_told(survey), "words": survey_in_words(survey), "beliefs_percent": odds}
        show_json({**told, "survey": survey.document()})
        return
    text = survey_in_words(survey)
    show_text(text)
    show_text(
        f"\n{survey.mechanism}, {upload_size(survey)} bytes per upload, "
        f"fingerprint {survey.fingerprint}"
    )


def _check_memory(mechanism: str | None, cohorts: int | None) -> None:
    """Refuse what --memory does not go with."""
    if mechanism not in (None, "memoized"):
        allowed = "left out with --memory; --inner names the mechanism that reports look like"
        raise InvalidInput("--mechanism", "survey new", allowed, mechanism)
    if cohorts is not None:
        raise InvalidInput("--cohorts", "survey new", "left out with --memory", cohorts)


def _ask(survey: Survey, cohorts: int | None) -> str:
    """Who is asked in a window: of a repeated survey without memory, one in several unless W is given."""
    if cohorts is None:
        remembers = survey.mechanism.remembers
        cohorts = 1 if remembers else usual_cohorts(survey.window, survey.opens, survey.closes)
    return "1" if cohorts == 1 else f"1/{cohorts}"


def _cohorts_in_words(survey: Survey) -> str:
    """What was chosen, why, and what it would cost to ask everybody in every window."""
    count, epsilon = one_in(survey), survey.mechanism.epsilon
    return (
        f"ask = {survey.ask}: each person is asked in one {survey.window} of {count}, so that any {count} in a row cost "
        f"them epsilon {epsilon:g}. Asked in every {survey.window} (--cohorts 1), they would pay {count * epsilon:g}, "
        f"and a device with default limits stops at {Limits().name_epsilon:g}."
    )


def _domain(given: DomainOptions) -> Domain:
    return given.make() if given.given else Categories(_EXAMPLE)


def _usual(domain: Domain, epsilon: float | None) -> str:
    """The mechanism where none is named: one that does well on most such domains.

    Of randomized response and local hashing the first has the smaller variance while
    d < 3 e^epsilon + 2 (Wang et al. 2017).
    """
    if domain.keyed is not None:
        return "key-value"
    if domain.record is not None:
        return "question-sets"
    if domain.numbers is not None:
        return "square-wave"
    if domain.choices is not None:
        return usual_mechanism(domain.choices, epsilon or 1.0)
    if domain.sensitive_inputs is not None:
        count = len(domain.sensitive_inputs)
        one = count == 1 or best_sensitive_size(count, epsilon or 1.0) == 1
        return "sensitive-response" if one else "sensitive-subsets"
    few = domain.size < 3 * math.exp(epsilon or 1.0) + 2
    return "randomized-response" if few else "local-hashing"


def _told(survey: Survey) -> dict[str, Any]:
    lifetime = lifetime_of(survey)
    return {
        "name": survey.name,
        "fingerprint": survey.fingerprint,
        "window": survey.window,
        "ask": survey.ask,
        "mechanism": describe(survey.mechanism),
        "certificate": str(survey.mechanism.certificate()),
        **({} if lifetime is None else {"lifetime_certificate": str(lifetime)}),
        "cost": cost_in_words(survey),
        "privacy": survey.privacy().splitlines(),
        "upload_bytes": upload_size(survey),
    }


COMMANDS = (new, check, show)
app = typer.Typer(
    name="survey",
    help="Write, check and show surveys: what is asked, how it is randomized, the rules around it.",
    no_args_is_help=True,
)
for _command in COMMANDS:
    app.command()(unfolded(_command))
