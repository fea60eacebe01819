"""The surveys and windows of a store, remembered between transactions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date

from sqlalchemy import Connection, insert, select, update

from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.store.hashing import IdHasher, read_key
from sottovoce.store.items import Published, Rules, check_rules
from sottovoce.store.publishing import append
from sottovoce.store.schema import surveys, windows
from sottovoce.surveys.publications import digest_of
from sottovoce.surveys.signing import SignedSurvey
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days
from sottovoce.wire.payloads import payload_width, reports_from_rows

__all__ = ["Catalogue", "Entry", "Window"]


@dataclass
class Window:
    """A window that reports came for: its number, and whether it is over for good."""

    number: int
    over: bool


@dataclass
class Entry:
    """A survey that is collected for; ``hash_ids`` gives what is kept of ids."""

    number: int
    published: Published
    hash_ids: IdHasher
    windows: dict[str, Window] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.mechanism = self.published.survey.mechanism
        self.width = payload_width(self.mechanism)

    def reports(self, rows: bytes) -> Reports:
        return reports_from_rows(self.mechanism, rows)

    def tally(self, rows: bytes) -> Tally:
        return self.mechanism.tally(self.reports(rows))

    def last_day(self, window: str) -> date:
        """The last day on which a report for that window can be made."""
        survey = self.published.survey
        last = window_days(survey.window, window)[1]
        return min(last, date.fromisoformat(survey.closes)) if survey.closes else last


class Catalogue:
    """What is published, by fingerprint."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._key = b""

    def entry(self, fingerprint: str) -> Entry:
        found = self.entries.get(fingerprint)
        if found is None:
            allowed = "the fingerprint of a published survey"
            raise InvalidInput("fingerprint", "the store", allowed, fingerprint)
        return found

    def chosen(self, fingerprint: str | None) -> Collection[Entry]:
        """The entry of one survey, or those of all."""
        return list(self.entries.values()) if fingerprint is None else [self.entry(fingerprint)]

    def load(self, connection: Connection) -> None:
        """Read what is there; a survey already read is not read again."""
        self._key = read_key(connection)
        for row in connection.execute(select(surveys)):
            known = self.entries.get(row.fingerprint)
            if known is None:
                rules = Rules(row.upload, row.retention, row.scrub)
                survey = Survey.from_json(row.document)
                signed = (row.publisher or "", row.signature or "")
                published = Published(survey, rules, row.closed, *signed)
                self.entries[row.fingerprint] = self._new_entry(row.number, published)
            else:
                known.published = replace(
                    known.published,
                    closed=row.closed,
                    publisher=row.publisher or "",
                    signature=row.signature or "",
                )
        by_number = {entry.number: entry for entry in list(self.entries.values())}
        chosen = select(windows.c.number, windows.c.survey, windows.c.name, windows.c.over)
        for row in connection.execute(chosen):
            by_number[row.survey].windows[row.name] = Window(row.number, row.over)

    def publish(
        self, connection: Connection, survey: Survey, rules: Rules, signed: SignedSurvey | None
    ) -> Entry | None:
        """The entry of a survey that is new, or newly signed; None where it is there already."""
        check_rules(survey, rules)
        publisher, signature = ("", "") if signed is None else (signed.publisher, signed.signature)
        known = self.entries.get(survey.fingerprint)
        if known is not None and not _check_known(known.published, rules, publisher):
            return None
        append(connection, digest_of(survey), publisher)
        if known is not None:
            chosen = update(surveys).where(surveys.c.number == known.number)
            connection.execute(chosen.values(publisher=publisher, signature=signature))
            published = replace(known.published, publisher=publisher, signature=signature)
            return replace(known, published=published)
        row = {
            "fingerprint": survey.fingerprint,
            "publisher": publisher or None,
            "signature": signature or None,
            "document": survey.to_json(),
            "upload": rules.upload,
            "retention": rules.retention,
            "scrub": rules.scrub,
            "closed": False,
        }
        added = connection.execute(insert(surveys).values(row).returning(surveys.c.number))
        published = Published(survey, rules, False, publisher, signature)
        return self._new_entry(added.scalar_one(), published)

    def _new_entry(self, number: int, published: Published) -> Entry:
        return Entry(number, published, IdHasher(self._key, published.survey.fingerprint))

    def close(self, connection: Connection, entry: Entry) -> Published:
        """A survey that takes no more reports."""
        chosen = update(surveys).where(surveys.c.number == entry.number)
        connection.execute(chosen.values(closed=True))
        return replace(entry.published, closed=True)

    def add_window(self, connection: Connection, entry: Entry, name: str) -> Window:
        """A window that the first report comes for, as far as is known here."""
        window_days(entry.published.survey.window, name)  # refuses what is no window of it
        here = (windows.c.survey == entry.number) & (windows.c.name == name)
        found = connection.execute(select(windows.c.number, windows.c.over).where(here)).first()
        if found is not None:
            return Window(found.number, found.over)
        row = {"survey": entry.number, "name": name}
        added = connection.execute(insert(windows).values(row).returning(windows.c.number))
        return Window(added.scalar_one(), False)


def _check_known(known: Published, rules: Rules, publisher: str) -> bool:
    """Whether a survey that is published now has a signature and had none; other rules are refused."""
    survey = known.survey
    what = f"survey {survey.name!r} ({survey.fingerprint})"
    if known.rules != rules:
        raise Mismatch(
            f"{what} is published with {known.rules}; it cannot be published again with {rules}"
        )
    if publisher and known.publisher not in ("", publisher):
        raise Mismatch(
            f"{what} is signed by the key {known.publisher}; it cannot be signed by {publisher} too"
        )
    return bool(publisher) and not known.publisher
