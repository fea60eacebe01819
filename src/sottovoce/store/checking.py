"""Whether a store is whole: the database itself, and everything that is kept twice.

For every window,

- reports there (payload or not) = stored - deleted - expired,
- tombstones = deleted, until the window is cleared,
- payloads gone = scrubbed, until then,
- reports folded and to be folded = stored - deleted,
- reports released and not yet released = reports folded, where none was deleted,

and where all payloads are still there, the tally is that of the reports, cell by cell.  The log of
publications is one chain, and has every survey.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, func, select

from sottovoce.base.errors import SottovoceError
from sottovoce.core.batches import RunningCount
from sottovoce.core.tally import Tally
from sottovoce.store import folding, releasing
from sottovoce.store.catalogue import Catalogue, Entry
from sottovoce.store.databases.base import Database
from sottovoce.store.publishing import check_log
from sottovoce.store.schema import DELETED, HELD, SCRUBBED, reports, windows

__all__ = ["check"]

_CHUNK = 100_000


def check(database: Database) -> list[str]:
    """What is wrong, in words; nothing if all is well.  It sees one moment of the store."""
    with database.reading() as connection:
        wrong = database.integrity(connection) + check_log(connection)
        catalogue = Catalogue()
        catalogue.load(connection)
        for entry in catalogue.chosen(None):
            wrong += _check_survey(connection, entry)
    return wrong


def _check_survey(connection: Connection, entry: Entry) -> list[str]:
    states: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    kinds = select(reports.c.window, reports.c.state, func.count())
    mine = kinds.where(reports.c.survey == entry.number)
    for window, state, number in connection.execute(mine.group_by("window", "state")):
        states[window][state] = number
    wrong, whole = [], {}
    for row in connection.execute(select(windows).where(windows.c.survey == entry.number)).all():
        found = states[row.number]
        pairs = _counters(row, found)
        try:
            tally = folding.tally_of(connection, entry, [row.name])
        except SottovoceError as error:
            wrong.append(f"{_name(entry, row.name)}: its tally cannot be read: {error}")
        else:
            pairs["reports in the tally, stored - deleted"] = (tally.n, row.stored - row.deleted)
            if not row.over and not found[SCRUBBED]:
                whole[row.number] = (row.name, tally)
        found_wrong = releasing.check(connection, entry, row)
        wrong += [f"{_name(entry, row.name)}: {text}" for text in found_wrong]
        for what, (one, other) in pairs.items():
            if one != other:
                wrong.append(f"{_name(entry, row.name)}: {what}: {one} is not {other}")
    return wrong + _recount(connection, entry, whole)


def _name(entry: Entry, window: str) -> str:
    return f"survey {entry.published.survey.fingerprint}, window {window!r}"


def _counters(row: Any, found: dict[int, int]) -> dict[str, tuple[int, int]]:
    """Pairs of numbers that must be equal."""
    here, held = found[HELD] + found[SCRUBBED], row.stored - row.deleted - row.expired
    pairs = {"reports there, stored - deleted - expired": (here, held)}
    if not row.over:
        pairs["tombstones, deleted"] = (found[DELETED], row.deleted)
        pairs["payloads gone, scrubbed"] = (found[SCRUBBED], row.scrubbed)
    if row.cleared:
        pairs["rows of a cleared window, none"] = (sum(found.values()), 0)
    return pairs


def _recount(
    connection: Connection, entry: Entry, whole: dict[int, tuple[str, Tally]]
) -> list[str]:
    """Count the reports of windows anew whose payloads are all there."""
    counted = {number: RunningCount(entry.mechanism) for number in whole}
    rows = select(reports.c.window, reports.c.row)
    held = rows.where((reports.c.survey == entry.number) & (reports.c.state == HELD))
    with connection.execute(held, execution_options={"yield_per": _CHUNK}) as found:
        for part in found.partitions():
            gathered: dict[int, list[bytes]] = defaultdict(list)
            for window, row in part:
                gathered[window].append(row)
            for window in counted.keys() & gathered.keys():
                counted[window].add(entry.reports(b"".join(gathered[window])))
    return [
        f"{_name(entry, name)}: its tally is not that of its reports"
        for number, (name, tally) in whole.items()
        if counted[number].tally().of_window(tally.window) != tally
    ]
