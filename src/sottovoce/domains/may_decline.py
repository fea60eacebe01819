"""Questions that people may decline to answer: one value more, which says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import (
    Domain,
    Indices,
    Read,
    TomlKeys,
    check_version,
    domain_from_json,
    register_domain,
)
from sottovoce.domains.columns import plain_column, refuse_missing
from sottovoce.domains.tables import domain_from_table

__all__ = ["MayDecline"]

_LONGEST = 100
_LABEL = re.compile(rf"(?! )[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,{_LONGEST}}}(?<! )")
"""The same in every language, and whatever its version of Unicode."""


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class MayDecline(Domain):
    """The answers of ``domain``, or ``label`` of who would rather not say.

    Declining is one value more, the last: a device randomizes it as any other, so that nobody
    learns who declined. Shares are of everybody; ``estimate.answered()`` is about those who
    answered. Mechanisms that need numbers, such as waves and hierarchies, do not take it: there is no
    number that declining is near to.

    Parameters
    ----------
    domain : Domain
        What people answer: one value per person.
    label : str
        The value of who declines.

    Raises
    ------
    InvalidInput
        Where the domain is of sets, pairs, vectors or records, or has a value of that name.

    Examples
    --------
    >>> from sottovoce.domains.ratings import Ratings
    >>> stars = MayDecline(Ratings(1, 5))
    >>> stars.size, stars.index(3), stars.index("Prefer not to say"), stars.labels()
    (6, 2, 5, [1, 2, 3, 4, 5, 'Prefer not to say'])
    """

    kind: ClassVar[str] = "may-decline"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("answers",), ("label",), 'answers = {kind = "ratings", low = 1, high = 5}, label = "..."'
    )

    domain: Domain
    label_text: str

    def __init__(self, domain: Domain, label: str = "Prefer not to say") -> None:
        single = isinstance(domain, Domain) and not (
            domain.holds_sets or domain.keyed or domain.vector or domain.record
            or domain.may_decline or domain.choices
        )  # fmt: skip
        if not single:
            allowed = "a domain of one value per person, such as Categories or Interval"
            raise InvalidInput("domain", "MayDecline", allowed, domain)
        if domain.sensitive_inputs is not None:
            hint = "Declining is an answer: make it one of the values, and a sensitive one."
            raise InvalidInput(
                "domain", "MayDecline", "without sensitive values", domain, hint=hint
            )
        if not isinstance(label, str) or not _LABEL.fullmatch(label):
            allowed = (
                f"text of 1 to {_LONGEST} characters, none of them a control character, without "
                "spaces at its ends"
            )
            raise InvalidInput("label", "MayDecline", allowed, label)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "label_text", label)
        if _is_value(domain, label):
            raise InvalidInput("label", "MayDecline", f"none of the answers of {domain}", label)

    @property
    def size(self) -> int:
        return self.domain.size + 1

    @property
    def stretches(self) -> tuple[int, ...]:
        inner = self.domain.stretches
        return (*inner, 1) if inner else ()

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The unit of the answers."""
        return self.domain.unit

    @property
    def written_as(self) -> str:  # type: ignore[override]
        """What a text must be to be read."""
        return f"{self.domain.written_as}, or {self.label_text!r}"

    @property
    def may_decline(self) -> MayDecline:
        return self

    # -- values and inputs ---------------------------------------------------------------

    def is_one(self, values: object) -> bool:
        return self._declines(values) or self.domain.is_one(values)

    def _declines(self, value: object) -> bool:
        return isinstance(value, str) and value == self.label_text

    def index(self, value: Any) -> int:
        if self._declines(value):
            return self.domain.size
        try:
            return self.domain.index(value)
        except InvalidInput as error:
            raise self._named(error) from None

    def indices(self, values: Any) -> Indices:
        column = plain_column(values)
        if isinstance(column, np.ndarray) and column.dtype.kind != "O":
            return self._answered(column, column)
        if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
            raise InvalidInput("values", str(self), "a flat list", values)
        given = list(column)
        self._refuse_empty(len(given), values)
        declined = np.array([self._declines(value) for value in given])
        found = np.full(len(given), self.domain.size, dtype=np.int64)
        if not declined.all():
            rest = [value for value, no in zip(given, declined, strict=True) if not no]
            found[~declined] = self._answered(rest, given)
        return found

    def _answered(self, values: Any, whole: Any) -> Indices:
        """The indices of those who answered, of a ``whole`` batch."""
        try:
            return self.domain.indices(values)
        except InvalidInput as error:
            refuse_missing(whole)
            raise self._named(error) from None

    def _named(self, error: InvalidInput) -> InvalidInput:
        """A refusal of the answers, which says that declining is allowed too."""
        allowed = f"{error.allowed}, or {self.label_text!r}"
        return InvalidInput(error.parameter, str(self), allowed, error.given, hint=error.hint)

    def label(self, index: int) -> Any:
        return self.label_text if index == self.domain.size else self.domain.label(index)

    def unnamed(self) -> Domain:
        return MayDecline(self.domain.unnamed(), self.label_text)

    @property
    def outside_rules(self) -> tuple[str, ...]:
        return self.domain.outside_rules

    def _replaced(self, value: Any, rule: str) -> Any:
        return self.domain.admit(value, rule)

    # -- in words, as text, JSON and TOML --------------------------------------------------

    def summary(self) -> str:
        return f"{self.domain.summary()}, or {self.label_text!r}"

    def in_words(self) -> str:
        return f"{self.domain.in_words()}, or {self.label_text!r}"

    def reader(self) -> Read:
        read = self.domain.reader()

        def either(cell: Any) -> Any:
            return self.label_text if self._declines(cell) else read(cell)

        return either

    def to_json(self) -> dict[str, Any]:
        inner = self.domain.to_json()
        return {"kind": self.kind, "version": 1, "domain": inner, "label": self.label_text}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> MayDecline:
        check_version(document, (1,))
        return cls(domain_from_json(document["domain"]), document["label"])

    def to_toml(self) -> dict[str, Any]:
        answers = {"kind": self.domain.kind, **self.domain.to_toml()}
        return {"answers": answers, "label": self.label_text}

    @classmethod
    def from_toml(cls, table: Mapping[str, Any]) -> MayDecline:
        answers = table["answers"]
        if not isinstance(answers, Mapping):
            raise InvalidInput(
                "answers", "MayDecline", 'a table such as {kind = "counts"}', answers
            )
        label = {"label": table["label"]} if "label" in table else {}
        return cls(domain_from_table(answers, "answers"), **label)

    def __repr__(self) -> str:
        return f"MayDecline({self.domain}, {self.label_text!r})"


def _is_value(domain: Domain, label: str) -> bool:
    """Whether a domain has a value of that name already."""
    try:
        domain.index(label)
    except InvalidInput:
        return False
    return True
