"""What a device keeps between windows: its cohorts, its hashes, and its permanent answers.

All of it is drawn once, from the operating system, and on the disk before a report that depends on it
leaves: what a survey promises of many reports rests on these draws being made once.

The answer itself is never stored.  Where a survey pays for one answer, the first permanent answer is used
whatever is answered later, so nothing needs to know the answer again.  Where it pays for several, each is
stored under a *tag*: an HMAC of the entry under a secret of this device.  The secret lies in the same
file, so whoever has the file can try all values: a tag keeps the answer from being read at a glance, no more.
"""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from sottovoce.base.randomness import Source, uniform_below
from sottovoce.core.reports import Reports
from sottovoce.surveys.charges import question_key
from sottovoce.surveys.repeating import memory_key, one_in, period_number
from sottovoce.surveys.survey import Survey

__all__ = ["KEPT", "MEMOS", "DeviceMemory", "cohort_of", "memory_of"]

KEPT = """\
CREATE TABLE kept (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, name)
) WITHOUT ROWID
"""
"""Draws of the device: ``cohort`` by question and number of cohorts, ``hash`` by family, and the ``secret``."""
MEMOS = """\
CREATE TABLE memos (
    question TEXT NOT NULL,
    memory TEXT NOT NULL,
    period INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    tag BLOB NOT NULL,
    memo BLOB NOT NULL,
    PRIMARY KEY (question, memory, period, ordinal)
) WITHOUT ROWID
"""
"""Permanent answers: numbers, or the bytes of bits, in the order in which they were first needed."""

_SECRET_WORDS = 4
_TAG_BYTES = 16


def cohort_of(database: sqlite3.Connection, survey: Survey, source: Source) -> int:
    """The cohort of this device, for a question and a number of cohorts: a survey that is published
    again does not draw it anew."""
    cohorts = one_in(survey)
    name = f"{question_key(survey)} {cohorts}"
    return int(_kept(database, "cohort", name, lambda: uniform_below(cohorts, source)))


def memory_of(survey: Survey, day: date) -> DeviceMemory | None:
    """The memory that a report of a day comes from; None where the mechanism remembers nothing."""
    if not survey.mechanism.remembers:
        return None
    return DeviceMemory(
        survey.mechanism,
        question_key(survey),
        memory_key(survey),
        period_number(survey, day),
        survey.changes + 1,
    )


@dataclass(frozen=True)
class DeviceMemory:
    """The permanent answers of this device to one question, under one mechanism, in one period.

    At most ``answers`` are drawn.  A further one would cost more than is charged, so its reports come from the
    last permanent answer: the device neither stays silent nor reveals that it changed.
    """

    mechanism: Any
    question: str
    key: str
    period: int
    answers: int

    def has_begun(self, database: sqlite3.Connection) -> bool:
        """Whether there is a permanent answer, whose cost was charged when it was drawn."""
        return bool(self._stored(database))

    def report(self, database: sqlite3.Connection, value: Any, source: Source) -> Reports:
        """A fresh report from the permanent answer to ``value``, which is drawn first where there is none."""
        mechanism = self.mechanism
        mechanism.domain.index(value)  # refuses what is not a single value of the domain
        hash_ = self._hash(database, source)
        entry = mechanism.entry(hash_, int(mechanism.locate([value])[0]))
        told = mechanism.tell(hash_, self._memo(database, entry, source), source)
        columns = {
            field.name: field.one(item) for field, item in zip(mechanism.fields, told, strict=True)
        }
        return Reports(mechanism, columns, simulated=not source.secure)

    def _hash(self, database: sqlite3.Connection, source: Source) -> int:
        """One number for all surveys of a family: several would identify a device by their combination."""
        family = self.mechanism.family
        if family is None:
            return 0
        name = f"{family.g}^{family.t}"
        return int(_kept(database, "hash", name, lambda: self.mechanism.hash_number(source)))

    def _memo(self, database: sqlite3.Connection, entry: int, source: Source) -> Any:
        stored = self._stored(database)
        tag = self._tag(database, entry, source) if self.answers > 1 else b""
        for known, memo in stored:
            if known == tag:
                return memo
        if len(stored) >= self.answers:
            return stored[-1][1]
        self._forget_earlier(database)
        memo = self.mechanism.remember(entry, source)
        memo = memo if isinstance(memo, bytes) else int(memo)
        row = (self.question, self.key, self.period, len(stored), tag, memo)
        database.execute("INSERT INTO memos VALUES (?, ?, ?, ?, ?, ?)", row)
        return memo

    def _stored(self, database: sqlite3.Connection) -> list[tuple[bytes, Any]]:
        rows = database.execute(
            "SELECT tag, memo FROM memos WHERE question = ? AND memory = ? AND period = ? ORDER BY ordinal",
            (self.question, self.key, self.period),
        )
        return rows.fetchall()

    def _forget_earlier(self, database: sqlite3.Connection) -> None:
        """Windows are answered in order, so that permanent answers of earlier periods serve nothing."""
        database.execute(
            "DELETE FROM memos WHERE question = ? AND memory = ? AND period < ?",
            (self.question, self.key, self.period),
        )

    def _tag(self, database: sqlite3.Connection, entry: int, source: Source) -> bytes:
        secret = _kept(database, "secret", "", lambda: source.words(_SECRET_WORDS).tobytes())
        message = f"{self.question} {self.key} {self.period} {entry}".encode()
        return hmac.digest(secret, message, hashlib.sha256)[:_TAG_BYTES]


def _kept(database: sqlite3.Connection, kind: str, name: str, draw: Callable[[], Any]) -> Any:
    """A draw of this device that is made once."""
    chosen = "SELECT value FROM kept WHERE kind = ? AND name = ?"
    row = database.execute(chosen, (kind, name)).fetchone()
    if row is None:
        row = (draw(),)
        database.execute("INSERT INTO kept VALUES (?, ?, ?)", (kind, name, *row))
    return row[0]
