"""The log of publications: every survey that a collector ever published, each entry chained to the last.

An entry names the entry before it by its hash, so that the hash of the last one, the head, stands
for the whole log: whoever keeps a head sees every entry that is changed, moved or left out before it.

    head(0) = 64 zeros        head(i + 1) = SHA-256(canonical JSON of entry i)

Entries have no time and nothing random: the same surveys published in the same order give the same
log.  A collector that was restored from an older backup gets its log back by publishing again
what is missing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import NotTrusted
from sottovoce.surveys.survey import Survey

__all__ = ["EMPTY", "VERSION", "LogHead", "Publication", "digest_of", "follow"]

VERSION = 1
"""Version of an entry; another list of keys comes with another version."""
_KEYS = {"fingerprint", "index", "log", "previous", "publisher", "survey"}
_HASH = re.compile("[0-9a-f]{64}")


def digest_of(survey: Survey) -> str:
    """The whole SHA-256 of a survey's canonical JSON, of which its fingerprint is the first half."""
    return hashlib.sha256(survey.to_json().encode()).hexdigest()


@dataclass(frozen=True)
class LogHead:
    """How many entries a log has, and the hash of the last."""

    size: int
    head: str


EMPTY = LogHead(0, "0" * 64)
"""The head of a log without entries."""


@dataclass(frozen=True)
class Publication:
    """One entry: a survey, and the key of its publisher (empty where it is not signed).

    >>> import sottovoce as sv
    >>> survey = sv.Survey("rain", "Does it rain?", sv.mechanism("grr", sv.Categories(2), 1.0))
    >>> entry = Publication.after(EMPTY, digest_of(survey))
    >>> follow(EMPTY, [entry.document()]) == entry.head
    True
    """

    index: int
    previous: str
    survey: str
    publisher: str = ""

    @classmethod
    def after(cls, head: LogHead, survey: str, publisher: str = "") -> Publication:
        """The next entry of a log, for the digest of a survey."""
        return cls(head.size, head.head, survey, publisher)

    def document(self) -> dict[str, Any]:
        """The entry, for canonical JSON."""
        return {**vars(self), "log": VERSION, "fingerprint": self.survey[:32]}

    @property
    def head(self) -> LogHead:
        """The head of the log that ends with this entry."""
        text = canonical_json(self.document())
        return LogHead(self.index + 1, hashlib.sha256(text.encode()).hexdigest())

    @classmethod
    def from_document(cls, document: Any) -> Publication:
        """Read an entry; what would be written otherwise is refused."""
        if not isinstance(document, Mapping) or set(document) != _KEYS:
            raise NotTrusted(
                f"an entry of the log does not have the keys {', '.join(sorted(_KEYS))}"
            )
        if type(document["log"]) is not int or document["log"] != VERSION:
            raise NotTrusted(f"the log has an entry of a version other than {VERSION}")
        texts = [document[key] for key in ("previous", "survey", "publisher")]
        if not all(isinstance(text, str) for text in texts):
            raise NotTrusted("an entry of the log has a hash that is not text")
        previous, survey, publisher = texts
        fits = _HASH.fullmatch(previous) and _HASH.fullmatch(survey)
        if not fits or (publisher and not _HASH.fullmatch(publisher)):
            raise NotTrusted("an entry of the log has a hash that is not 64 hexadecimal digits")
        if document["fingerprint"] != survey[:32] or type(document["index"]) is not int:
            raise NotTrusted("an entry of the log has a fingerprint or an index that does not fit")
        return cls(document["index"], previous, survey, publisher)


def follow(head: LogHead, entries: Iterable[Any]) -> LogHead:
    """The head after some entries, which must continue the log that had ``head``."""
    for document in entries:
        entry = Publication.from_document(document)
        if entry.index != head.size:
            raise NotTrusted(f"entry {entry.index} of the log stands where {head.size} must stand")
        if entry.previous != head.head:
            raise NotTrusted(
                f"entry {entry.index} of the log does not continue the entries before it: one of them "
                "was changed or left out"
            )
        head = entry.head
    return head
