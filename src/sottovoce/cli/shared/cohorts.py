"""Cohorts of people whose values a relay holds: who is asked in a window, the same at every sending.

A device draws its cohort and keeps it.  A relay keeps one key instead, and computes the cohort of a person
from it: HMAC-SHA256 of who they are, modulo the number of cohorts.  Without the key nobody can tell a
cohort from a draw, and no list of people is written.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import CorruptBytes
from sottovoce.base.files import write_new
from sottovoce.base.randomness import OperatingSystem
from sottovoce.cli.shared.tables import row_error
from sottovoce.cli.shared.values import is_empty
from sottovoce.domains.parsing import text_of
from sottovoce.surveys.charges import question_key
from sottovoce.surveys.repeating import one_in
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import first_day, window_days, window_index

__all__ = ["Cohorts", "read_cohort_key"]

_KEY_WORDS = 4


def read_cohort_key(path: Path) -> bytes:
    """The key in a file of 64 hexadecimal digits; a file that is not there is written, for its owner only."""
    if not path.exists():
        text = OperatingSystem().words(_KEY_WORDS).tobytes().hex() + "\n"
        write_new(path, lambda part: part.write_text(text, encoding="ascii"), mode=0o600)
    found = path.read_text(encoding="ascii", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{64}", found):
        raise CorruptBytes(f"{path} is not a key of cohorts: it must be 64 hexadecimal digits")
    return bytes.fromhex(found)


class Cohorts:
    """Who of the people in a file is asked in a window; nobody may be there twice."""

    def __init__(self, survey: Survey, window: str, key: bytes, file: str, column: str) -> None:
        self._survey, self._count, self._key = survey, one_in(survey), key
        self._index = window_index(survey.window, window_days(survey.window, window)[0])
        self._prefix = f"{question_key(survey)} {self._count} "
        self._file, self._column = file, column
        self._seen: set[str] = set()
        self._wait = self._count
        self.not_asked = 0

    def asked(self, people: Sequence[Any], row: int) -> NDArray[np.bool_]:
        """Which of some people the window asks; ``row`` is that of the first."""
        return np.array(
            [self._is_asked(who, row + place) for place, who in enumerate(people)], bool
        )

    def _is_asked(self, who: Any, row: int) -> bool:
        if is_empty(who):
            raise row_error(self._file, row, self._column, "not empty: it identifies people", who)
        name = text_of(who)
        if name in self._seen:
            raise row_error(
                self._file, row, self._column, "of somebody who is not in a row before", who
            )
        self._seen.add(name)
        digest = hmac.digest(self._key, (self._prefix + name).encode(), hashlib.sha256)
        wait = (int.from_bytes(digest, "big") - self._index) % self._count
        if wait:
            self.not_asked += 1
            self._wait = min(self._wait, wait)
        return wait == 0

    def in_words(self) -> str:
        """How many are not asked, and when the next of them are."""
        following = first_day(self._survey.window, self._index + self._wait)
        who = f"{self.not_asked:,} people " if len(self._seen) > 1 else ""
        return f"{who}not asked in this window; next: {following}"
