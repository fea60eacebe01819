"""Documents of the HTTP interface: what goes in and out as JSON, one struct per document.

Routes name the struct that they take and give (:mod:`sottovoce.service.routes`), replies encode
structs, and requests and the OpenAPI document are checked and described by the schemas that
:mod:`sottovoce.service.schemas` derives from them.  Fields are written in the order below; one
that is ``UNSET`` is left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NewType

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sottovoce.base.checks import MAX_RETENTION
from sottovoce.service.auth.keys import MOST_ALLOWED
from sottovoce.service.refusals import CODES, Declined
from sottovoce.wire.uploads import VERSION

__all__ = [
    "About", "Acknowledgement", "Answers", "Change", "CrossTable", "Deleted", "Differences", "FailingWork", "Independence", "Level", "Live", "Log",
    "LogEntry", "OpenApi", "Pair", "Publication", "Published", "Ready", "Refusal", "Report", "Row", "RulesWanted", "Series", "Shift", "SignIn", "Source",
    "Signed", "Status", "Survey", "Surveys", "Tokens", "TokensWanted", "Trend", "Upkeep", "Upload", "WindowAnswer",
    "WindowStatus",
    "refusal_body",
]  # fmt: skip

Hex = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Signature = Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]
Bytes = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$", description="bytes in hexadecimal")]
Count = Annotated[int, Meta(ge=0)]
Number = float | None
"""A number, or null where there is none: JSON has no infinity and no NaN."""

MOST_TOKENS = 10_000
"""Tokens per request."""

Survey = NewType("Survey", dict[str, Any])
"""A survey's canonical JSON, which :mod:`sottovoce.surveys.survey` reads and writes."""
OpenApi = NewType("OpenApi", dict[str, Any])
"""The OpenAPI document itself."""


class Refusal(Struct, frozen=True):
    """Why a request is refused; ``position`` is that of the report it is about."""

    code: Annotated[str, Meta(extra_json_schema={"enum": sorted(CODES)})]
    message: str
    position: Count | UnsetType = UNSET
    windows: list[str] | UnsetType = UNSET
    ready: bool | UnsetType = UNSET


# -- uploads ---------------------------------------------------------------------------------


class Report(Struct, frozen=True):
    """One report of an upload in JSON."""

    id: Hex
    payload: Bytes


class Upload(Struct, frozen=True):
    """Reports of one survey and window in JSON, read by :func:`sottovoce.wire.uploads.parse_upload`."""

    version: Annotated[int, Meta(extra_json_schema={"const": VERSION})]
    fingerprint: Hex
    window: str
    reports: list[Report]


class Acknowledgement(Struct, frozen=True):
    """Reports of an upload that are stored now, and those that were stored before."""

    stored: Count
    duplicates: Count


class Deleted(Struct, frozen=True):
    """A report is deleted."""

    deleted: bool


# -- surveys ---------------------------------------------------------------------------------


class RulesWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """How the collector treats a survey: the fields of :class:`sottovoce.store.Rules`."""

    upload: Literal["open", "tokens"] = "open"
    retention: Annotated[int, Meta(ge=0, le=MAX_RETENTION)] | None = None
    scrub: bool = False


class Publication(Struct, frozen=True, forbid_unknown_fields=True):
    """A survey to publish, its rules, and the publisher's key and signature where it is signed."""

    survey: dict[str, Any]
    rules: RulesWanted = RulesWanted()
    publisher: Digest | UnsetType = UNSET
    signature: Signature | UnsetType = UNSET


class About(Struct, frozen=True):
    """The public facts of a published survey."""

    fingerprint: Hex
    name: str
    question: str
    mechanism: str
    epsilon: Number
    window: str
    minimum_batch: Count
    opens: str
    closes: str
    upload: str
    retention: int | None
    scrub: bool
    handed_over: bool
    closed: bool
    publisher: str
    """The key that signed it; empty where none did."""
    answer_page: bool
    """Whether it can be answered in a browser, at ``/surveys/{fingerprint}/answer``."""


class Signed(Struct, frozen=True):
    """A survey's canonical JSON with the signature of its publisher."""

    signed: int
    survey: dict[str, Any]
    publisher: Digest
    signature: Signature


class LogEntry(Struct, frozen=True):
    """One publication; ``survey`` is the SHA-256 of its canonical JSON, ``previous`` that of the entry before."""

    log: int
    index: Count
    previous: Digest
    fingerprint: Hex
    survey: Digest
    publisher: str


class Log(Struct, frozen=True):
    """Entries of the log of publications, and how many there are in all, with the hash of the last."""

    size: Count
    head: Digest
    entries: list[LogEntry]


Published = msgspec.defstruct(
    "Published",
    [
        ("published", bool), *((each.name, each.type) for each in msgspec.structs.fields(About)),
        ("windows_answered", Count | None), ("default_client", str), ("doubts", list[str]),
    ],
    frozen=True, module=__name__,
)  # fmt: skip
"""A survey after its publication; ``published``, its first field, is false where it was published before.

The last three say what clients with default limits do with it, and what is worth a second look.
"""


class Surveys(Struct, frozen=True):
    """All surveys, by name."""

    surveys: list[About]


class TokensWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """How many tokens to issue, and how many reports each may upload."""

    count: Annotated[int, Meta(ge=1, le=MOST_TOKENS)] = 1
    allowance: Annotated[int, Meta(ge=1, le=MOST_ALLOWED)] = 1


class Tokens(Struct, frozen=True):
    """Tokens that were issued."""

    tokens: list[str]
    allowance: Count


class SignIn(Struct, frozen=True):
    """The form to sign in with."""

    key: str
    to: str = ""


# -- results ---------------------------------------------------------------------------------


class WindowStatus(Struct, frozen=True):
    """Counts of one window; once it is ``closed``, its reports are complete and stay the same."""

    window: str
    reports: Count
    released: Count
    shown: bool
    closed: bool


class Status(About, frozen=True):
    """Counts of a survey: by window, and what was refused, deleted and expired."""

    windows: list[WindowStatus]
    stored: Count
    duplicates: Count
    refused: dict[str, Count]
    deleted: Count
    expired: Count


class Row(Struct, frozen=True):
    """One answer with its interval."""

    question: str
    label: Any
    value: Number
    stderr: Number
    low: Number
    high: Number
    p_value: Number | UnsetType = UNSET
    adjusted: Number | UnsetType = UNSET
    false_discovery: Number | UnsetType | None = UNSET
    standing: str | UnsetType = UNSET


class Source(Struct, frozen=True):
    """Which reports an estimate is computed from, and by which method."""

    fingerprint: Hex
    name: str
    windows: list[str]
    left_out: list[str]
    reports: Count
    method: str
    why: str
    converged: bool
    iterations: Count
    about: str
    """Whom intervals are about: respondents or population."""
    looks: str
    """``any`` where intervals hold at every look, else ``one``."""


class Answers(Source, frozen=True):
    """Answers of one estimate."""

    confidence: float
    answers: list[Row]
    of_question: str | UnsetType = UNSET
    """The question of a survey of several that answers are about."""


class Pair(Struct, frozen=True):
    """Two answers, one to each question, and their share; null where too few people gave the one it is within."""

    row: Any
    column: Any
    share: Number
    stderr: Number
    low: Number
    high: Number
    note: str
    """``below noise``, ``not enough people``, or empty."""


class Independence(Struct, frozen=True):
    """A test of independence of two questions."""

    statistic: Number
    freedom: Count
    p_value: Number
    cramers_v: Number
    """From 0 to 1; null where some answer is too rare."""
    low: Number
    """Its interval."""
    high: Number
    confidence: float


class CrossTable(Struct, frozen=True):
    """The table of two questions."""

    fingerprint: Hex
    name: str
    windows: list[str]
    left_out: list[str]
    questions: list[str]
    percent: str
    """``rows`` or ``columns`` for percentages within each answer, else empty."""
    given: dict[str, Any]
    """The answer that all these people have; empty for everybody."""
    reports: Count
    """About both questions."""
    about: str
    confidence: float
    cells: list[Pair]
    independence: Independence | None


class Level(Struct, frozen=True):
    """A number with its interval."""

    value: Number
    stderr: Number
    low: Number
    high: Number


class Change(Level, frozen=True):
    """A window's answer minus that of another; ``adjusted`` counts all windows (Holm)."""

    p_value: Number
    adjusted: Number
    against: str


class Shift(Level, frozen=True):
    """Windows that differ from all others, and by how much; ``adjusted`` counts all that were tried."""

    p_value: Number
    adjusted: Number
    first: str
    last: str


class WindowAnswer(Level, frozen=True):
    """The answer of one window, and how it changed."""

    window: str
    reports: Count
    change: Change | None
    """Against the window before that is shown."""
    since_last_period: Change | None
    """Against the same window a period earlier: a week for days, a year for weeks and months."""
    smoothed: Level | UnsetType = UNSET
    """The level, with what the other windows add to it."""


class Series(Struct, frozen=True):
    """One question, answered in every window."""

    question: str
    label: Any
    about: str
    """Whom levels and changes are about: respondents or population."""
    why: str
    """What is compared, and what is known of people who answered twice."""
    false_alarms: float
    """In at most this part of series whose level never changes is any shift found."""
    average: Level
    """Over all windows, each counted alike."""
    shifts: list[Shift]
    windows: list[WindowAnswer]


class Trend(Struct, frozen=True):
    """Answers over windows."""

    fingerprint: Hex
    name: str
    windows: list[str]
    left_out: list[str]
    reports: Count
    confidence: float
    trends: list[Series]


class Differences(Struct, frozen=True):
    """Answers on a second side minus a first."""

    first: Source
    second: Source
    about: str
    """Whom the difference is about: respondents or population."""
    looks: str
    why: str
    """What is compared: unbiased estimates, or the methods' own."""
    confidence: float
    answers: list[Row]
    of_question: str | UnsetType = UNSET
    """The question of a survey of several that answers are about."""


# -- the collector itself --------------------------------------------------------------------


class Live(Struct, frozen=True):
    """The process answers."""

    live: bool


class FailingWork(Struct, frozen=True):
    """Upkeep of a survey that failed at its last try."""

    work: str
    survey: Hex


class Upkeep(Struct, frozen=True):
    """State of the collector's background work."""

    failing: list[FailingWork]
    clock_trusted: bool


class Ready(Struct, frozen=True):
    """Reports are accepted."""

    ready: bool
    upkeep: Upkeep


def refusal_body(declined: Declined) -> bytes:
    """The JSON of a refusal; text that is not UTF-8 (lone surrogates) is written with backslashes."""
    message = declined.message.encode("utf-8", "backslashreplace").decode()
    position = UNSET if declined.position is None else declined.position
    return msgspec.json.encode(Refusal(declined.code, message, position, **declined.more))
