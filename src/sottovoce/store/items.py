"""What goes into a store and comes out of it: plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sottovoce.base.checks import MAX_RETENTION, check_choice, check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.surveys.survey import Survey

__all__ = [
    "Counts",
    "Published",
    "Receipt",
    "Refusals",
    "Released",
    "Rules",
    "Submission",
    "check_rules",
]

UPLOADS = ("open", "tokens")


@dataclass(frozen=True)
class Rules:
    """How one collector treats a survey: no part of the survey, so devices do not see them.

    ``upload``: ``open`` to all, or with ``tokens`` only.  ``retention``: days that reports
    are kept after their window has closed (0 to 36,500; None: for ever); the tally stays.  ``scrub``:
    payloads go as soon as their window has closed, hashes of ids stay.
    """

    upload: str = "open"
    retention: int | None = None
    scrub: bool = False

    def __post_init__(self) -> None:
        check_choice(self.upload, "upload", "Rules", UPLOADS)
        if self.retention is not None:
            check_int(self.retention, "retention", "Rules", 0, MAX_RETENTION)
        if not isinstance(self.scrub, bool):
            raise InvalidInput("scrub", "Rules", "True or False", self.scrub)


@dataclass(frozen=True)
class Published:
    """A survey that this store collects for, its rules, and whether it is closed for good.

    ``publisher`` and ``signature`` are those of a :class:`~sottovoce.surveys.signing.SignedSurvey`,
    verified when it was published; empty where it was not signed.
    """

    survey: Survey
    rules: Rules
    closed: bool = False
    publisher: str = ""
    signature: str = ""


@dataclass(frozen=True)
class Submission:
    """Reports of one survey and window, found in order: ids and rows side by side.

    A row is a report's payload (:func:`sottovoce.wire.payloads.payloads_of`).
    ``token`` is what the token was hashed to, with survey and window; new reports are
    charged to it, up to ``allowance``.
    """

    fingerprint: str
    window: str
    ids: Sequence[bytes]
    rows: Sequence[bytes]
    token: bytes | None = None
    allowance: int = 1


@dataclass(frozen=True)
class Refusals:
    """Reports that were refused before they reached the store: to be counted, no more.

    ``fingerprint`` is empty where the survey is not known.
    """

    fingerprint: str
    code: str
    reports: int = 1


@dataclass(frozen=True)
class Receipt:
    """What became of a submission: on the disk when it is given.

    ``code`` is empty, or says why all of it was refused.
    """

    stored: int
    duplicates: int
    code: str = ""


@dataclass(frozen=True)
class Counts:
    """Reports ever sent here, by what became of them: exact, in the transactions they count.

    ``stored + duplicates + sum(refused.values())`` is all that was ever answered.
    """

    stored: int
    duplicates: int
    refused: Mapping[str, int]
    deleted: int
    expired: int

    @property
    def sent(self) -> int:
        """All reports that were answered."""
        return self.stored + self.duplicates + sum(self.refused.values())

    @property
    def held(self) -> int:
        """Reports that are there now, payload or not."""
        return self.stored - self.deleted - self.expired


class Released(NamedTuple):
    """What readers see of a window: so many reports, after so many steps."""

    reports: int
    step: int


def check_rules(survey: Survey, rules: Rules) -> None:
    """Refuse rules that this survey can never follow."""
    if rules.retention is not None and survey.window == "once" and not survey.closes:
        raise InvalidInput(
            "retention",
            f"the rules for survey {survey.name!r}",
            "None for a survey with window 'once' that has no day on which it closes",
            rules.retention,
            hint="Its only window never closes, so nothing would ever expire; set closes.",
        )
