"""One report as the collector has it: looked up in its database, shown byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sottovoce.core.reports import Reports
from sottovoce.demo.devices import Sent
from sottovoce.store import open_store
from sottovoce.wire.payloads import payloads_of

__all__ = ["Held", "held"]


@dataclass(frozen=True)
class Held:
    """All that is stored of a report, and which answers it names."""

    window: str
    id_hash: bytes
    row: bytes
    named: list[str]


def held(store: Path, sent: Sent) -> Held:
    """What the database has under the id of a device's report."""
    receipt = sent.receipt
    with open_store(str(store), writable=False) as opened:
        (id_hash,) = opened.hash_ids(receipt.fingerprint, [receipt.id])
        for hashes, reports in opened.reports(receipt.fingerprint, receipt.window):
            if id_hash in hashes:
                place = hashes.index(id_hash)
                one = reports[place : place + 1]
                (row,) = payloads_of(one)
                return Held(receipt.window, id_hash, row, _named(one))
    raise LookupError(f"the store has no report {receipt.id.hex()}")


def _named(report: Reports) -> list[str]:
    """The values in the set that a report of subset selection is."""
    domain = report.mechanism.domain
    (column,) = report.columns.values()
    places = np.flatnonzero(np.unpackbits(column[0], count=domain.size, bitorder="little"))
    return [str(domain.label(place)) for place in places.tolist()]
