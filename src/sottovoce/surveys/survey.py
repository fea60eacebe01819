"""The public agreement of device, collector and analyst."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from typing import Any

from sottovoce.base.canonical import canonical_json, check_same, fingerprint_of, read_document
from sottovoce.base.checks import check_choice, check_int
from sottovoce.base.errors import CorruptBytes, InvalidInput, SottovoceError, shown
from sottovoce.base.frame import Frame
from sottovoce.base.notebook import result_html, text_html
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism_from_document
from sottovoce.surveys.all_reports import privacy_of
from sottovoce.surveys.repeating import DEFAULTS, check_repeating

__all__ = ["Survey"]

WINDOWS = ("once", "day", "week", "month")
OUTSIDE = ("nearest", "other", "refuse")
VERSIONS = (2, 3, 4)
"""Versions of the document; another list of keys comes with another version.  The lowest one is written
that can: version 3 has the keys ``ask``, ``changes`` and ``period`` in addition, version 4 ``texts`` too."""
_LONGEST_NAME, _LONGEST_QUESTION = 200, 2000
_LARGEST_BATCH = 10**9


@dataclass(frozen=True)
class Survey:
    """A question or several, how answers are randomized, and the rules that everybody agrees on.

    Everything is in its canonical JSON, weights included: a device draws with these integers and
    computes no probability.

    Parameters
    ----------
    name : str
        A short name.
    question : str
        The question, as people read it; of several questions, what they are about.
    mechanism : Mechanism
        How answers are randomized.
    window : str
        ``"once"``, ``"day"``, ``"week"`` or ``"month"``: a person sends at most one report in each.
    minimum_batch : int
        No result is shown from fewer reports.
    outside : str
        What a device does with a value outside the domain: ``"nearest"`` moves a number to the
        closer bound, ``"other"`` uses the category of that name, ``"refuse"`` sends nothing (and
        that silence can be noticed).
    opens, closes : str
        The first and last day, such as ``"2026-01-31"``, or empty.
    series : str
        The name of a series, or empty. Surveys of one series share a budget on a device.
    ask : str
        ``"1"`` asks everybody in every window. ``"1/30"`` asks each person in one window of 30,
        drawn by the device, with the whole epsilon; it needs a window that repeats.
    changes : int
        With a memoized mechanism, how many times an answer may change to a new one that the
        survey pays for; ``opens`` and ``closes``, or ``period``, must then be given.
    period : int
        With a memoized mechanism, after how many windows memory begins anew; 0 is never.
    texts : mapping of str to str, or tuple of str
        With a Record, what people read in place of the name of a question.  Kept as a tuple with a text
        per question, empty where the name says enough; empty where no question has one.

    Raises
    ------
    InvalidInput
        Where a parameter is not allowed.

    Examples
    --------
    >>> import sottovoce as sv
    >>> colors = sv.mechanism("grr", sv.Categories(["red", "blue"]), 1.0)
    >>> s = Survey("colors", "Which color do you like best?", colors)
    >>> Survey.from_json(s.to_json()) == s
    True
    >>> print(s.privacy())
    Any report is at most 2.72 times as likely under one true answer as under another.
    Someone who thought an answer was a coin flip can be at most 73.2% sure of it after seeing your report.
    """

    name: str
    question: str
    mechanism: Mechanism
    window: str = "once"
    minimum_batch: int = 100
    outside: str = "refuse"
    opens: str = ""
    closes: str = ""
    series: str = ""
    ask: str = "1"
    changes: int = 0
    period: int = 0
    texts: Mapping[str, str] | Sequence[str] = ()

    def __post_init__(self) -> None:
        owner = "Survey"
        _check_text(self.name, "name", _LONGEST_NAME)
        _check_text(self.question, "question", _LONGEST_QUESTION)
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidInput("mechanism", owner, "a mechanism", self.mechanism)
        check_choice(self.window, "window", owner, WINDOWS)
        check_choice(self.outside, "outside", owner, OUTSIDE)
        check_int(self.minimum_batch, "minimum_batch", owner, 1, _LARGEST_BATCH)
        self._check_outside()
        for parameter in ("opens", "closes"):
            _check_date(getattr(self, parameter), parameter)
        if self.opens and self.closes and self.closes < self.opens:
            raise InvalidInput("closes", owner, f"not before opens = {self.opens}", self.closes)
        if self.series != "":
            _check_text(self.series, "series", _LONGEST_NAME)
        check_repeating(self)
        object.__setattr__(self, "texts", self._check_texts())

    def _check_texts(self) -> tuple[str, ...]:
        """A text per question of a record, in order; none where all are empty."""
        texts, record = self.texts, self.mechanism.domain.record
        if isinstance(texts, (tuple, list)) and not texts:
            return ()
        if record is None:
            raise InvalidInput("texts", "Survey", "left out unless the domain is a Record", texts)
        if isinstance(texts, Mapping):
            for name in texts:
                record.question(name)
            texts = tuple(texts.get(name, "") for name in record.names)
        if not isinstance(texts, (tuple, list)) or len(texts) != len(record.names):
            allowed = f"a mapping of questions to texts, or {len(record.names)} texts"
            raise InvalidInput("texts", "Survey", allowed, texts)
        for name, text in zip(record.names, texts, strict=True):
            if text != "":
                _check_text(text, f"text of {name!r}", _LONGEST_QUESTION)
        return tuple(texts) if any(texts) else ()

    def text_of(self, question: str) -> str:
        """What people are asked, for a question of a record: its text, or else its name."""
        record = self.mechanism.domain.record
        if record is None:
            allowed = "about a survey of several questions (a Record)"
            raise InvalidInput("question", f"survey {self.name!r}", allowed, question)
        place = record.question(question)
        assert isinstance(self.texts, tuple)  # completed at birth
        return (self.texts and self.texts[place]) or record.names[place]

    def _check_outside(self) -> None:
        domain = self.mechanism.domain
        if self.outside not in domain.outside_rules:
            rules = " or ".join(map(repr, domain.outside_rules))
            hint = "'nearest' needs numbers, 'other' a category of that name."
            raise InvalidInput(
                "outside", "Survey", f"{rules} for {domain}", self.outside, hint=hint
            )

    def admit(self, value: Any) -> Any:
        """The value that a device randomizes for ``value``, by the rule for values outside."""
        return self.mechanism.domain.admit(value, self.outside)

    def shows(self, reports: int) -> bool:
        """Whether answers may be shown from so many reports of a window."""
        return reports >= self.minimum_batch

    def privacy(self) -> str:
        """What the privacy means, for the people asked: of one report, and of all together."""
        return privacy_of(self)

    def document(self) -> dict[str, Any]:
        """Everything about the survey, for canonical JSON."""
        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        version = VERSIONS[2]
        if not self.texts:
            del rules["texts"]
            version = VERSIONS[1]
            if all(rules[name] == default for name, default in DEFAULTS.items()):
                rules = {name: rule for name, rule in rules.items() if name not in DEFAULTS}
                version = VERSIONS[0]
        return rules | {"survey": version, "mechanism": self.mechanism.document()}

    def to_json(self) -> str:
        """Canonical JSON."""
        return canonical_json(self.document())

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that key everything stored for this survey."""
        return fingerprint_of(self.document())

    def _repr_html_(self) -> str:
        """The survey, for a notebook: what it asks, how, and what the privacy means."""
        rows = {
            "question": self.question, "answers": self.mechanism.domain.in_words(),
            "mechanism": str(self.mechanism), "window": self.window, "asked": self.ask,
            "minimum batch": str(self.minimum_batch), "fingerprint": self.fingerprint,
        }  # fmt: skip
        table = Frame({"": list(rows), "survey": list(rows.values())})
        return result_html(self.name, table._repr_html_(), text_html(self.privacy()))

    @classmethod
    def from_json(cls, text: str) -> Survey:
        """Read a survey; its weights are taken as they are, and checked against its epsilon.

        A text that would be written otherwise is refused, white space and the order of keys
        aside: unknown or missing keys, ``"1.0"`` for ``"1"``, ``true`` for 1, a key twice.
        """
        return cls.from_document(read_document(text, "the survey"))

    @classmethod
    def from_document(cls, document: Any) -> Survey:
        """As :meth:`from_json`, for a text that :func:`read_document` has read."""
        if not isinstance(document, Mapping):
            raise CorruptBytes("the survey is not a JSON object")
        version = document.get("survey")
        if type(version) is not int or version not in VERSIONS:
            known = ", ".join(map(str, VERSIONS))
            raise CorruptBytes(f"a survey of version {shown(version)}; this version reads {known}")
        rules = {
            key: value for key, value in document.items() if key not in ("survey", "mechanism")
        }
        try:
            survey = cls(mechanism=mechanism_from_document(document["mechanism"]), **rules)
        except SottovoceError:
            raise
        except (KeyError, TypeError) as error:
            raise CorruptBytes(f"the survey is incomplete: {error}") from error
        check_same(document, survey.document(), "the survey")
        return survey


def _check_text(text: object, parameter: str, longest: int) -> None:
    """Text that people can read: not too long, valid Unicode, without NUL, and not blank.

    Blank is what has no character above U+0020, which every language finds alike.
    """
    allowed = f"text of 1 to {longest} characters that is not blank"
    if not isinstance(text, str) or len(text) > longest or "\0" in text:
        raise InvalidInput(parameter, "Survey", allowed, text)
    if max(text, default="") <= " ":
        raise InvalidInput(parameter, "Survey", allowed, text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(parameter, "Survey", "valid Unicode text", text) from None


def _check_date(text: str, parameter: str) -> None:
    try:
        valid = text == "" or date.fromisoformat(text).isoformat() == text
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise InvalidInput(parameter, "Survey", "empty or a date such as 2026-01-31", text)
