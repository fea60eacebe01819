"""Many submissions in one transaction: what is new, what is not, what a token still allows.

One collector writes at a time, so what a transaction has looked up stays true until it ends.
Submissions come with the ids of reports; from there on there are only their hashes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from sqlalchemy import Connection

from sottovoce.base.checks import check_int
from sottovoce.base.errors import InvalidInput
from sottovoce.store.catalogue import Catalogue, Entry, Window
from sottovoce.store.databases.base import Database
from sottovoce.store.items import Receipt, Refusals, Submission

__all__ = ["Batch"]

ID_BYTES, TOKEN_BYTES = 16, 32


@dataclass(frozen=True)
class _Placed:
    """A submission, its place among the items, its window, and the hashes of its ids."""

    place: int
    item: Submission
    window: Window
    hashes: list[bytes]


@dataclass
class _Gathered:
    """What a transaction brings to one window."""

    hashes: list[bytes] = field(default_factory=list)
    rows: list[bytes] = field(default_factory=list)
    duplicates: int = 0
    used: dict[bytes, int] = field(default_factory=dict)
    charged: dict[bytes, int] = field(default_factory=dict)


class Batch:
    """One transaction's worth of submissions and refusals."""

    def __init__(self, catalogue: Catalogue, items: Sequence[Submission | Refusals]) -> None:
        self.catalogue, self.items = catalogue, items
        self.new_windows: dict[tuple[str, str], Window] = {}
        self.refused: Counter[tuple[str, str]] = Counter()
        self.stored = 0
        for item in items:
            self._check(item)

    def _check(self, item: Submission | Refusals) -> None:
        if isinstance(item, Refusals):
            check_int(item.reports, "reports", "refusals", 0)
            return
        if not isinstance(item, Submission):
            raise InvalidInput("items", "write", "Submission or Refusals", item)
        if len(item.ids) != len(item.rows) or set(map(len, item.ids)) - {ID_BYTES}:
            allowed = f"as many as rows, {ID_BYTES} bytes each"
            given = f"{len(item.ids)} ids and {len(item.rows)} rows"
            raise InvalidInput("ids", "a submission", allowed, given)
        if item.token is not None and len(item.token) != TOKEN_BYTES:
            raise InvalidInput("token", "a submission", f"{TOKEN_BYTES} bytes", "another length")
        entry = self.catalogue.entries.get(item.fingerprint)
        if entry is not None and set(map(len, item.rows)) - {entry.width}:
            owner, allowed = (
                f"a submission to {entry.mechanism.name}",
                f"of {entry.width} bytes each",
            )
            raise InvalidInput("rows", owner, allowed, sorted(set(map(len, item.rows))))

    def write(self, database: Database, connection: Connection) -> list[Receipt]:
        """Write all; the receipts hold once the transaction is committed."""
        self.database, self.connection = database, connection
        receipts: list[Receipt | None] = [None] * len(self.items)
        by_survey: dict[str, list[_Placed]] = {}
        for place, item in enumerate(self.items):
            if isinstance(item, Refusals):
                receipts[place] = self._refuse(item.fingerprint, item.code, item.reports)
                continue
            window = self._window(item)
            if isinstance(window, Receipt):
                receipts[place] = window
            else:
                hashes = self.catalogue.entry(item.fingerprint).hash_ids(item.ids)
                placed = _Placed(place, item, window, hashes)
                by_survey.setdefault(item.fingerprint, []).append(placed)
        for fingerprint, found in by_survey.items():
            entry = self.catalogue.entry(fingerprint)
            for place, receipt in self._survey(entry, found):
                receipts[place] = receipt
        self._count_refusals()
        return [receipt for receipt in receipts if receipt is not None]

    def _window(self, item: Submission) -> Window | Receipt:
        """The window of a submission, made where it is the first; or why it is refused."""
        entry = self.catalogue.entries.get(item.fingerprint)
        if entry is None:
            return self._refuse("", "unknown-survey", len(item.ids))
        key = (item.fingerprint, item.window)
        window = entry.windows.get(item.window) or self.new_windows.get(key)
        if entry.published.closed or (window is not None and window.over):
            return self._refuse(item.fingerprint, "window-closed", len(item.ids))
        if item.token is None and entry.published.rules.upload == "tokens":
            return self._refuse(item.fingerprint, "not-allowed", len(item.ids))
        if window is None:
            window = self.catalogue.add_window(self.connection, entry, item.window)
            self.new_windows[key] = window
        return window

    def _refuse(self, fingerprint: str, code: str, reports: int) -> Receipt:
        known = fingerprint if fingerprint in self.catalogue.entries else ""
        self.refused[known, code] += reports
        return Receipt(0, 0, code)

    def _survey(self, entry: Entry, found: list[_Placed]) -> Iterable[tuple[int, Receipt]]:
        taken = self._known(entry, found)
        gathered = {placed.window.number: _Gathered() for placed in found}
        self._load_tokens(gathered, found)
        for placed in found:
            yield placed.place, self._take(placed, gathered[placed.window.number], taken)
        for number, window_of_it in gathered.items():
            self._insert(entry, number, window_of_it)

    def _known(self, entry: Entry, found: list[_Placed]) -> set[bytes]:
        """The hashes among those of the submissions that the survey has already."""
        hashes = list(chain.from_iterable(placed.hashes for placed in found))
        if not hashes:
            return set()
        values = {"n": len(hashes), "survey": entry.number, "ids": b"".join(hashes)}
        places = self.database.one(self.connection, self.database.known_sql, values)
        return {hashes[int(place)] for place in places.split(",")} if places else set()

    def _load_tokens(self, gathered: dict[int, _Gathered], found: list[_Placed]) -> None:
        wanted: dict[int, dict[bytes, None]] = {}
        for placed in found:
            if placed.item.token is not None:
                wanted.setdefault(placed.window.number, {})[placed.item.token] = None
        for number, distinct in wanted.items():
            tokens = list(distinct)
            values = {"n": len(tokens), "window": number, "tokens": b"".join(tokens)}
            text = self.database.one(self.connection, self.database.used_sql, values)
            for pair in text.split(",") if text else ():
                place, _, used = pair.partition(":")
                gathered[number].used[tokens[int(place)]] = int(used)

    def _take(self, placed: _Placed, into: _Gathered, taken: set[bytes]) -> Receipt:
        """Gather what is new of a submission; all of it is refused where its token is used up."""
        item, hashes, rows = placed.item, placed.hashes, placed.item.rows
        if len(set(hashes)) < len(hashes) or not taken.isdisjoint(hashes):
            new: dict[bytes, bytes] = {}
            for id_hash, row in zip(hashes, rows, strict=True):
                if id_hash not in taken:
                    new.setdefault(id_hash, row)
            hashes, rows = list(new), list(new.values())
        if item.token is not None and hashes:
            used = into.used.get(item.token, 0) + len(hashes)
            if used > item.allowance:
                return self._refuse(item.fingerprint, "not-allowed", len(item.ids))
            into.used[item.token] = into.charged[item.token] = used
        taken.update(hashes)
        into.hashes.extend(hashes)
        into.rows.extend(rows)
        duplicates = len(item.ids) - len(hashes)
        into.duplicates += duplicates
        return Receipt(len(hashes), duplicates)

    def _insert(self, entry: Entry, number: int, gathered: _Gathered) -> None:
        """In the order of hashes: neighbours share pages, and the order of arrival is gone."""
        run, connection, count = self.database.run, self.connection, len(gathered.hashes)
        if count:
            pairs = sorted(zip(gathered.hashes, gathered.rows, strict=True))
            rows = b"".join([row for _, row in pairs])
            entry.reports(rows)  # what cannot be counted must not get in
            ids = b"".join([id_hash for id_hash, _ in pairs])
            values = {"n": count, "survey": entry.number, "window": number, "ids": ids}
            run(
                connection, self.database.insert_sql, {**values, "rows": rows, "width": entry.width}
            )
            change = {"window": number, "sign": 1, "reports": count, "rows": rows}
            run(connection, self.database.change_sql, change)
            self.stored += count
        if gathered.charged:
            tokens = b"".join(gathered.charged)
            used = json.dumps(list(gathered.charged.values()))
            values = {"window": number, "tokens": tokens, "used": used}
            run(connection, self.database.charge_sql, values)
        if count or gathered.duplicates:
            values = {"window": number, "stored": count, "duplicates": gathered.duplicates}
            run(connection, self.database.count_sql, values)

    def _count_refusals(self) -> None:
        for (fingerprint, code), reports in self.refused.items():
            values = {"fingerprint": fingerprint, "code": code, "reports": reports}
            self.database.run(self.connection, self.database.refuse_sql, values)
