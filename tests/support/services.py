"""Services for tests of fusion: four mechanisms on one interval, and what users told them."""

from __future__ import annotations

import numpy as np

import sottovoce as sv

DOMAIN = sv.Interval(-1, 1, bins=16)
MECHANISMS = [sv.mechanism(name, DOMAIN, 1.0) for name in ("pm", "sw", "sr", "laplace")]
SECRET = bytes(range(32))


def reports_of(mechanism, count, seed=1):
    values = np.linspace(-1, 1, count)
    return mechanism.randomize(values, source=sv.Seeded(seed))


def single(reports):
    """The one column of a mechanism with one field."""
    (column,) = reports.columns.values()
    return column.astype(np.int64)


def told(aligned):
    """Every user's reports, -1 where there is none."""
    found = np.full((aligned.n, len(aligned.names)), -1)
    for j, (rows, reports) in enumerate(zip(aligned.rows, aligned.reports, strict=True)):
        if rows is None:
            assert len(reports) == aligned.n
            found[:, j] = single(reports)
        else:
            assert rows.dtype == np.int64 and rows.shape == (aligned.n,)
            found[rows >= 0, j] = single(reports)[rows[rows >= 0]]
    return found


def as_lists(aligned, services):
    """Reports by user and service, repeats of a service together."""
    found = []
    for row in told(aligned).tolist():
        user = {}
        for name, report in zip(aligned.names, row, strict=True):
            if report >= 0:
                user.setdefault(name.partition("#")[0], []).append(report)
        found.append([user.get(name, []) for name in services])
    return found
