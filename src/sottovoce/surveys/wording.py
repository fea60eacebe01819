"""A survey in words, for the people asked: what is sent, how often, and what it tells about them."""

from __future__ import annotations

from fractions import Fraction

from sottovoce.core.fields import IntField
from sottovoce.core.odds import belief, round_up, unopened
from sottovoce.surveys.all_reports import lifetime_of
from sottovoce.surveys.default_limits import client_doubt
from sottovoce.surveys.repeating import one_in, report_cost, windows_open
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import today

__all__ = ["beliefs", "doubts", "how_often", "questions_drawn", "survey_in_words"]

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
_OFTEN = {
    "once": "One report, ever.", "day": "At most one report per day.",
    "week": "At most one report per week.", "month": "At most one report per month.",
}  # fmt: skip
_TENTH = Fraction(1, 10)
_YEAR = {"day": 365, "week": 52, "month": 12}
_LARGE_EPSILON = 4.0
_SMALL_BATCH = 20
_FEWEST_SHARERS = 100
"""Devices that share a hash, below which it helps to find a device again."""
_BATCHES = 3
"""Minimum batches that people asked in a window should fill: not everybody answers."""


def survey_in_words(survey: Survey) -> str:
    """What there is to know before taking part.

    >>> import sottovoce as sv
    >>> yes_no = sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0)
    >>> print(survey_in_words(sv.Survey("pets", "Do you have a pet?", yes_no)))
    pets: Do you have a pet?
    <BLANKLINE>
    The answer: one of yes, no. Anything else is not sent at all, and that silence can be noticed.
    What is sent: a whole number below 2, drawn at random. The answer only makes some draws likelier, and never leaves the device.
    How often: One report, ever.
    What is shown: nothing from fewer than 100 reports.
    <BLANKLINE>
    Any report is at most 2.72 times as likely under one true answer as under another.
    Someone who thought an answer was a coin flip can be at most 73.2% sure of it after seeing your report.
    Beliefs in an answer, before and after a report: from 1% to at most 2.7%; from 10% to at most 23.2%; from 50% to at most 73.2%; from 90% to at most 96.1%.
    """
    lines = [
        f"{survey.name}: {survey.question}",
        "",
        *_answer_in_words(survey),
        f"What is sent: {_fields_in_words(survey)}, drawn at random. {_leaves(survey)}",
        f"How often: {how_often(survey)}{_dates(survey)}",
        f"What is shown: nothing from fewer than {survey.minimum_batch:,} reports.",
        "",
        survey.privacy(),
    ]
    changes = [f"from {before:g}% to at most {after:g}%" for before, after in beliefs(survey)]
    if changes:
        what = "all reports" if survey.mechanism.remembers else "a report"
        lines.append(f"Beliefs in an answer, before and after {what}: {'; '.join(changes)}.")
    if changes and survey.window in _YEAR and not survey.mechanism.remembers:
        lines.append(_repeated(survey))
    opened = survey.mechanism.open_chance
    if opened is not None and survey.window != "once":
        lines.append(f"Every report reveals a little more: {_cleared(opened)}.")
    return "\n".join(lines)


def _leaves(survey: Survey) -> str:
    """What of the answer leaves the device."""
    opened = survey.mechanism.open_chance
    if opened is None:
        return "The answer only makes some draws likelier, and never leaves the device."
    return (
        "A protected answer only makes some draws likelier; any other one is sent openly with a chance "
        f"of {_percent(opened)}."
    )


def _percent(chance: Fraction) -> str:
    return f"{round_up(100 * chance):g}%"


def _answer_in_words(survey: Survey) -> list[str]:
    """What may be answered: one value, or one to each of several questions."""
    record = survey.mechanism.domain.record
    if record is None:
        return [f"The answer: {survey.mechanism.domain.in_words()}. {_outside(survey)}"]
    questions = zip(record.names, record.domains, strict=True)
    rows = [
        f"  {place}. {survey.text_of(name)} ({domain.in_words()})"
        for place, (name, domain) in enumerate(questions, start=1)
    ]
    return ["The questions:", *rows, *questions_drawn(survey), _outside(survey)]


def questions_drawn(survey: Survey) -> list[str]:
    """Which of several questions a report is about, in a sentence; none where it is about all.

    >>> import sottovoce as sv
    >>> pets = sv.Record({"dog": sv.YesNo(), "cat": sv.YesNo(), "fish": sv.YesNo()})
    >>> print(*questions_drawn(sv.Survey("pets", "?", sv.mechanism("record", pets, 1.0, design="mixed"))))
    Your device draws one or two of these questions at random, whatever your answers are; the report is about these only.
    """
    record, channel = survey.mechanism.domain.record, survey.mechanism.channel().record
    if record is None or channel is None:
        return []
    sizes = sorted({len(asked) for asked in channel.sets})
    if sizes == [len(record.names)]:
        return []
    drawn = " or ".join({1: "one", 2: "two"}.get(size, str(size)) for size in sizes)
    return [
        f"Your device draws {drawn} of these questions at random, whatever your answers are; the report is "
        "about these only."
    ]


def beliefs(survey: Survey) -> list[tuple[float, float]]:
    """Beliefs before and after one report, in percent; none where not the answer is hidden.

    Where devices remember: after all reports, while the answer stays the same.
    """
    certificate = lifetime_of(survey) or survey.mechanism.certificate()
    if certificate.scope is not None:
        return []
    return [(float(100 * prior), belief(certificate.ratio, prior)) for prior in PRIORS]


def doubts(survey: Survey, people: int | None = None) -> list[str]:
    """What is allowed and yet worth a second look, for so many people."""
    certificate, found = survey.mechanism.certificate(), _repeating_doubts(survey, people)
    if doubt := client_doubt(survey):
        found.append(doubt)
    if doubt := _bins_doubt(survey):
        found.append(doubt)
    if survey.mechanism.epsilon > _LARGE_EPSILON and not survey.mechanism.remembers:
        times = f"{round_up(certificate.ratio):,.9g}"
        found.append(
            f"epsilon is large: a report may be {times} times as likely from one answer as another"
        )
    if (opened := survey.mechanism.open_chance) is not None:
        found += _open_doubts(survey, opened)
    elif certificate.scope is not None:
        found.append(f"privacy is only between {certificate.between}, not between any two answers")
    if certificate.delta:
        found.append(f"the promise may fail with a chance of {round_up(certificate.delta):g}")
    if survey.outside == "refuse":
        found.append(
            "devices whose answer is not on the list send nothing, and that silence can be noticed"
        )
    if survey.minimum_batch < _SMALL_BATCH:
        found.append(f"answers are shown from as few as {survey.minimum_batch} reports")
    if survey.closes and survey.closes < today().isoformat():
        found.append(f"it closed on {survey.closes}")
    return found


def _open_doubts(survey: Survey, opened: Fraction) -> list[str]:
    """What protects some answers only, and what repeating it makes of a belief."""
    scope = survey.mechanism.certificate().scope
    assert scope is not None
    found = [
        f"this is not epsilon-LDP: it {scope.says_what_it_protects}, with a chance of {_percent(opened)} in "
        "every report of another answer"
    ]
    if survey.window != "once":
        found.append(f"those with another answer clear themselves: {_cleared(opened)}; ask once")
    return found


def _cleared(opened: Fraction) -> str:
    """What several reports make of a belief in a protected answer, as long as none is open."""
    beliefs = [f"{unopened(opened, _TENTH, count):g}% after {count}" for count in (1, 2, 5)]
    return (
        f"a belief of 10% in a protected answer becomes {', '.join(beliefs)} reports of which none is "
        "open"
    )


def _repeating_doubts(survey: Survey, people: int | None) -> list[str]:
    """The same of cohorts and memory."""
    found, windows, cohorts = [], windows_open(survey), one_in(survey)
    if windows is not None and windows < cohorts:
        found.append(
            f"it has {windows:,} windows: {cohorts - windows:,} of {cohorts:,} people are never asked"
        )
    needed = _BATCHES * survey.minimum_batch * cohorts
    if people is not None and people < needed:
        asked = f"about {people / cohorts:,.4g} of {people:,} people are asked in a window"
        found.append(f"{asked}: below three minimum batches, which take {needed:,} people")
    if survey.mechanism.remembers and (cost := report_cost(survey)) > _LARGE_EPSILON:
        found.append(f"epsilon {cost:.4g} is charged for all reports together: that is large")
    hashes = survey.mechanism.kept_hashes
    if hashes is not None and people is not None and people < _FEWEST_SHARERS * hashes:
        found.append(
            f"devices keep one of {hashes:,} hashes, each shared by about {people / hashes:,.3g} of {people:,} "
            f"people: below {_FEWEST_SHARERS} it helps to find a device again"
        )
    return found


def _bins_doubt(survey: Survey) -> str:
    """What is wrong with bins of whole numbers that do not center on them; empty if nothing is."""
    domain = survey.mechanism.domain
    numbers = domain.numbers or getattr(domain.keyed or domain.vector, "interval", None)
    if numbers is None or not numbers.off_center:
        return ""
    low, high = numbers.span
    return (
        f"its bins do not center on the whole numbers from {low:g} to {high:g}: if answers are whole, "
        "means, quantiles and ranges are biased, and ratings are the domain for them"
    )


def _outside(survey: Survey) -> str:
    return {
        "refuse": "Anything else is not sent at all, and that silence can be noticed.",
        "nearest": "A number outside counts as the nearest one inside.",
        "other": "Anything else counts as 'other'.",
    }[survey.outside]


def _fields_in_words(survey: Survey) -> str:
    parts = []
    for field in survey.mechanism.fields:
        if not isinstance(field, IntField):
            parts.append(f"{field.width:,} bytes")
        elif field.size > 1:  # else it is always 0
            parts.append(f"a whole number below {field.size:,}")
    return " and ".join(parts)


def how_often(survey: Survey) -> str:
    """How many reports a person sends at most."""
    if survey.ask == "1":
        return _OFTEN[survey.window]
    windows = f"{one_in(survey)} {survey.window}s"
    return f"At most one report in {windows}; each device draws in which."


def _dates(survey: Survey) -> str:
    opens = f" From {survey.opens}." if survey.opens else ""
    return opens + (f" Until {survey.closes}." if survey.closes else "")


def _repeated(survey: Survey) -> str:
    """What many windows may tell about an answer that stays the same."""
    ratio, year = survey.mechanism.certificate().ratio, _YEAR[survey.window]
    counts = sorted({2, max(2, -(-year // one_in(survey)))})
    after = [f"{_factor(ratio, reports)} after {reports} reports" for reports in counts]
    return (
        "Every report reveals a little more. If the answer stays the same, all reports together may "
        f"be likelier from it than from another by a factor of up to {' and '.join(after)}."
    )


def _factor(ratio: Fraction, reports: int) -> str:
    power = ratio**reports
    return f"{round_up(power):,.9g}" if power < 10**6 else "more than a million"
