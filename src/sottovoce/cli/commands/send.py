"""``sottovoce send``: reports of many people, drawn on a machine that holds their values."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import Annotated

import typer

from sottovoce.base.checks import check_int, check_pinned
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.cli.commands.survey import SurveyFile
from sottovoce.cli.shared.cohorts import Cohorts, read_cohort_key
from sottovoce.cli.shared.collector import (
    LOCAL,
    Collector,
    PlainHttp,
    Url,
    checked_url,
    read_word,
)
from sottovoce.cli.shared.exits import CHECK_FAILED, guarded, outlive_pipes
from sottovoce.cli.shared.options import AsJson
from sottovoce.cli.shared.relayed import input_name, relayed_reports
from sottovoce.cli.shared.screen import progress, say, show_json
from sottovoce.cli.shared.tables import STDIN, check_input
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.reports import Reports
from sottovoce.device.http import NoAnswer
from sottovoce.device.journal import Drawn, Journal, Sending
from sottovoce.device.sending import Patience, check_takes_reports, deliver
from sottovoce.surveys.scopes import check_scopes
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.toml import read_survey
from sottovoce.surveys.windows import check_window, today, window_days, window_name
from sottovoce.wire.payloads import payload_width, payloads_of
from sottovoce.wire.uploads import MAXIMUM_BYTES, MAXIMUM_REPORTS, REFUSALS, Upload, encode_upload

__all__ = ["send"]

_TIMEOUT = 60.0
"""Seconds for an answer to one upload: many are waiting for the same disk."""
_HEAD = 64
"""Bytes of an upload beside its reports, and some to spare: version, fingerprint, window, lengths."""
_REPORT = 1 + 18 + 5
"""Bytes of a report beside its fields: its array, its id, the array of its payload."""
_ATTEMPTS = 2**31
"""How often an upload is tried: --patience is the only limit."""


@guarded
def send(
    *,
    survey: SurveyFile,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="True values: a CSV (with a header) or Parquet file with --column, else one value a line; - is a pipe. "
            "Of several questions, a file with a column for each, by name.",
        ),
    ],
    url: Url = LOCAL,
    fingerprint: Annotated[
        str | None,
        typer.Option(
            "--fingerprint", metavar="HEX",
            help="Refuse the survey unless it has this fingerprint: the one that was agreed to.",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            metavar="COLUMN",
            help="The column of values, of keys where they are pairs.",
        ),
    ] = None,
    number: Annotated[
        str | None,
        typer.Option("--number", metavar="COLUMN", help="Where values are pairs: the numbers."),
    ] = None,
    person: Annotated[
        str | None,
        typer.Option(
            "--person",
            metavar="COLUMN",
            help="Where people hold several pairs, or the survey has cohorts: a column that identifies people.",
        ),
    ] = None,
    cohort_key: Annotated[
        Path | None,
        typer.Option(
            "--cohort-key", metavar="FILE",
            help="Where the survey has cohorts: the file of this machine's key, from which they follow; written "
            "where it is not there. Keep it for as long as the survey runs.",
        ),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window", metavar="NAME", help="The window, such as 2026-W47; the present one if not given."
        ),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            "--journal",
            metavar="FILE",
            help="Keep what is drawn here until it is acknowledged: the same command continues where it ended.",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file", metavar="FILE", help="A file with the token of this machine, where one is wanted."
        ),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", metavar="WORDS",
            help='What the survey may protect in place of the whole answer, such as "edge" or "sensitive answer"; '
            "refused otherwise. Repeatable.",
        ),
    ] = None,
    batch: Annotated[
        int,
        typer.Option("--batch", metavar="N", help=f"Reports per upload, at most {MAXIMUM_REPORTS:,}."),
    ] = 1000,
    patience: Annotated[
        float,
        typer.Option(
            "--patience", metavar="SECONDS",
            help="How long to wait in all where a collector is away or busy, for each upload.",
        ),
    ] = 120.0,
    plain_http: PlainHttp = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Randomize values and send them, a report each (with --person: one a person).

    For a relay, such as a school or a gateway, and for simulation. A relay sees true values: only where
    a person's own device randomizes need nobody be trusted. Reports are shuffled, 65,536 at a time. Give
    --journal wherever values are real: a report that is drawn a second time costs privacy again. Where the
    collector does not have the survey, has closed it or wants a token, nothing is drawn.

    Where the survey asks one person in several, --person and --cohort-key say who is asked; of all others nothing is
    drawn. Surveys with memory are refused: permanent answers are kept by devices.
    """
    agreed = read_survey(survey)
    check_scopes(agreed, scope or (), "--scope {!r}")
    _check_repeating(agreed, person, cohort_key)
    check_pinned(
        fingerprint, agreed.fingerprint, "--fingerprint", "send", f"survey {agreed.name!r}"
    )
    check_int(batch, "--batch", "send", 1, MAXIMUM_REPORTS)
    if not 0 <= patience < float("inf"):
        raise InvalidInput("--patience", "send", "seconds, 0 or more", patience)
    address = checked_url(url, plain_http=plain_http)
    token = None if token_file is None else read_word(token_file, "--token-file")
    if window is not None:
        window_days(agreed.window, window)
    with _opened(journal) as kept:
        before = kept.sending
        if before is None:
            chosen = _present(agreed) if window is None else window
            cohorts = _cohorts(agreed, chosen, source, person, cohort_key)
            rows = relayed_reports(
                source, column=column, number=number, person=person, survey=agreed, cohorts=cohorts
            )
            wanted = _sending(agreed, chosen, source)
            with suppress(NoAnswer):
                check_takes_reports(Collector(address, token, _TIMEOUT), agreed)
            kept.fill(wanted, _uploads(agreed, chosen, rows, batch))
            if cohorts is not None and cohorts.not_asked:
                say(cohorts.in_words())
        else:
            wanted = _sending(agreed, before.window if window is None else window, source)
            _check_same(before, wanted, kept.name)
            say(f"{kept.name}: drawn before; what is not acknowledged is sent again")
        again = _Again(address, patience)
        code = _send(kept, address, token, Patience(_ATTEMPTS, patience, _TIMEOUT, again.wait))
        result = kept.sent()
    told = {"survey": agreed.name, "fingerprint": agreed.fingerprint, "window": wanted.window}
    if as_json:
        show_json({**told, "reports": result.reports, **asdict(result), "code": code})
    else:
        say(
            f"{result.reports:,} reports: {result.stored:,} stored, "
            f"{result.duplicates:,} there already, {result.pending:,} pending"
        )
    if code:
        say(f"error: {_why(code)}; {_what_now(journal)}")
        raise typer.Exit(CHECK_FAILED)


def _opened(journal: str | None) -> Journal:
    try:
        return Journal(journal)
    except InvalidInput as error:
        raise InvalidInput("--journal", "send", error.allowed, error.given) from error


def _present(survey: Survey) -> str:
    """The window that it is now, if the survey is open."""
    day = today()
    name = window_name(survey.window, day)
    check_window(survey, name, earliest=day, latest=day)
    return name


def _sending(survey: Survey, window: str, source: str) -> Sending:
    """What is sent, by the name and the size of its input: no trace of the values.

    A pipe has no size, and its name, such as that of ``<(command)`` in a shell, is new every time.
    """
    path = Path(source)
    if source == STDIN or not (check_input(source, "INPUT").is_file() or path.is_dir()):
        return Sending(survey.fingerprint, window, STDIN, None)
    return Sending(survey.fingerprint, window, str(path.resolve()), path.stat().st_size)


def _check_same(before: Sending, wanted: Sending, name: str) -> None:
    told, asked = asdict(before), asdict(wanted)
    for part in told:
        if told[part] != asked[part]:
            allowed = f"a new one: {name} is of another sending, whose {part} is {told[part]!r}"
            raise InvalidInput("--journal", "send", allowed, asked[part])


# -- drawing -----------------------------------------------------------------------------


def _check_repeating(survey: Survey, person: str | None, key: Path | None) -> None:
    """Refuse memory, and options that cohorts need or nothing else does."""
    if survey.mechanism.remembers:
        hint = "A client keeps its permanent answer in its ledger: sottovoce.Client."
        raise InvalidInput("SURVEY", "send", "one without memory", survey.mechanism.name, hint=hint)
    if survey.ask == "1":
        if key is not None:
            allowed = "left out: the survey asks everybody in every window"
            raise InvalidInput("--cohort-key", "send", allowed, str(key))
    elif person is None or key is None:
        allowed = (
            f"given: the survey asks {survey.ask} of people in a window, and must know them again"
        )
        raise InvalidInput("--person, --cohort-key", "send", allowed, [person, key and str(key)])


def _cohorts(
    survey: Survey, window: str, given: str, person: str | None, key: Path | None
) -> Cohorts | None:
    if person is None or key is None:
        return None
    return Cohorts(survey, window, read_cohort_key(key), input_name(given), person)


def _uploads(survey: Survey, window: str, rows: Iterator[Reports], batch: int) -> Iterator[Drawn]:
    """Uploads in order of their random ids, which says nothing about the order of rows."""
    most = min(batch, _most(survey.mechanism))
    for reports in rows:
        words = OperatingSystem().words(2 * len(reports)).tobytes()
        ids = [words[start : start + 16] for start in range(0, len(words), 16)]
        pairs = sorted(zip(ids, payloads_of(reports), strict=True), key=itemgetter(0))
        for start in range(0, len(pairs), most):
            some, payloads = zip(*pairs[start : start + most], strict=True)
            upload = Upload(survey.fingerprint, window, some, payloads)
            yield len(some), encode_upload(upload)


def _most(mechanism: Mechanism) -> int:
    """How many reports fit into the bytes that a collector takes."""
    return max(1, (MAXIMUM_BYTES - _HEAD) // (_REPORT + payload_width(mechanism)))


# -- sending -----------------------------------------------------------------------------


def _send(kept: Journal, url: str, token: str | None, patience: Patience) -> str:
    """Send what is pending until one upload is not acknowledged; why not, or nothing."""
    with outlive_pipes(), progress("sending", kept.sent().pending) as advance:
        for number, reports, upload in kept.pending():
            outcome = deliver(url, upload, token=token, patience=patience, reports=reports)
            if outcome.state != "acknowledged":
                return outcome.code
            kept.settle(number, outcome.stored, outcome.duplicates)
            advance(reports)
    return ""


class _Again:
    """Waits between two attempts, and says the first time that it does."""

    def __init__(self, url: str, patience: float) -> None:
        self._told = f"{url} does not take it yet: trying again for up to {patience:g} s"

    def wait(self, seconds: float) -> None:
        if self._told:
            say(self._told)
        self._told = ""
        time.sleep(seconds)


def _why(code: str) -> str:
    meaning = REFUSALS[code].meaning if code in REFUSALS else _WORDS.get(code, "")
    return f"{code}: {meaning}" if meaning else f"the collector answered {code}"


_WORDS = {
    "no-answer": "the collector does not answer",
    "no-acknowledgement": "the address is not a collector",
}


def _what_now(journal: str | None) -> str:
    if journal is None:
        return "without --journal what is pending is lost"
    return f"the same command continues from {journal}"
