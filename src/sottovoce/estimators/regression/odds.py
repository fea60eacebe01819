"""How likely every report is under every answer: what a regression needs of a mechanism.

Row i of the matrix L is proportional to ``P(report i | answer v)``.  With one block it is a row of the channel.
A pure oracle over many cells says as much by the set of answers that a report supports: the odds of
an answer inside to one outside are the worst ratio E' of the mechanism, so that ``L = 1 + (E' - 1) [v in set]``.

Of a record, reports about one question alone are those of its oracle.  Reports about several questions by
randomized response on the cells of their table count by its margin.  Those by linear hashing depend on the other
answers as well, and are left out: who was asked what does not depend on the answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.base import Channel, Floats
from sottovoce.channels.record import RecordChannel
from sottovoce.core.coarse import CoarseMechanism
from sottovoce.core.reports import Reports
from sottovoce.domains.base import Domain

__all__ = ["ReportOdds", "report_odds"]

_LARGEST_CHANNEL = 2**22
_LARGEST_ROWS = 2**26
"""Reports times answers at most (512 MB)."""
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class ReportOdds:
    """``odds``: a row per report that says something of the answer, ``asked`` which reports these are."""

    domain: Domain
    odds: Floats
    asked: NDArray[np.bool_]


def report_odds(reports: Reports, question: str | None) -> ReportOdds:
    """Of single answers, or of one question of a record."""
    mechanism = reports.mechanism
    record = mechanism.domain.record
    if record is None:
        if question is not None:
            raise InvalidInput("question", "regress", "left out: reports are of one", question)
        _check_size(len(reports), mechanism.domain.size)
        return ReportOdds(mechanism.domain, _single(reports), np.ones(len(reports), np.bool_))
    if question is None:
        raise InvalidInput("question", "regress", f"one of {', '.join(record.names)}", None)
    place = record.question(question)
    channel, cells = mechanism.channel().record, mechanism.cells_of(reports)
    if channel is None or cells is None:
        raise Unfit(f"regress needs reports about sets of questions; these are of {mechanism}")
    domain = record.domains[place]
    _check_size(len(reports), domain.size)
    return _of_question(channel, cells, place, domain)


def _check_size(n: int, values: int) -> None:
    if n * values > _LARGEST_ROWS:
        allowed = f"such that reports times answers are at most {_LARGEST_ROWS}"
        raise InvalidInput("reports", "regress", allowed, f"{n} x {values}")


def _single(reports: Reports) -> Floats:
    mechanism, cells = reports.mechanism, reports.mechanism.cells_of(reports)
    if isinstance(mechanism, CoarseMechanism):
        raise Unfit(
            "regress needs reports about the domain's own bins; make the mechanism with wide ones"
        )
    channel = mechanism.channel()
    if cells is not None and channel.cells * channel.inputs <= _LARGEST_CHANNEL:
        return np.ascontiguousarray(channel.dense()[cells])
    if channel.support_probabilities is None:
        raise Unfit(
            f"regress needs how likely a report is under an answer, which is not known of {mechanism}"
        )
    certificate = mechanism.certificate()
    gain = float(certificate.ratio) - 1
    odds = np.ones((len(reports), mechanism.domain.size))
    for value in range(mechanism.domain.size):
        inside = mechanism.supports(reports, value)
        assert inside is not None  # it is a pure oracle
        odds[:, value] += gain * inside
    return odds


def _of_question(
    channel: RecordChannel, cells: NDArray[np.int64], place: int, domain: Domain
) -> ReportOdds:
    n, size = len(cells), channel.sizes[place]
    odds, asked = np.ones((n, size)), np.zeros(n, dtype=np.bool_)
    for number, own in enumerate(channel.sets):
        table = _margin(channel, number, place) if place in own else None
        if table is not None:
            start, stop = channel.bounds[number : number + 2]
            people = np.flatnonzero((cells >= start) & (cells < stop))
            odds[people] = table[cells[people] - start]
            asked[people] = True
    if not asked.any():
        raise Unfit(
            "no report is about this question alone, or with others by randomized response: reports by "
            'hashing depend on the other answers too; design="sample" or "mixed" has such'
        )
    return ReportOdds(domain, odds[asked], asked)


def _margin(channel: RecordChannel, number: int, place: int) -> Floats | None:
    """Rows by cells of a set: how likely each is under every answer to one question; None where that depends on others."""
    own: Channel = channel.channels[number]
    asked = channel.sets[number]
    if own.cells * own.inputs > _LARGEST_CHANNEL:
        return None
    matrix = own.dense()
    if len(asked) == 1:
        return matrix
    if own.cells != own.inputs:
        return None
    shape, axis = channel.shape(asked), asked.index(place)
    others = tuple(other for other in range(len(shape)) if other != axis)
    summed = matrix.reshape(*shape, -1).sum(
        axis=others
    )  # over the other answers that were reported
    by_answer = np.moveaxis(summed.reshape(shape[axis], *shape), axis + 1, 1)
    flat = by_answer.reshape(shape[axis], shape[axis], -1)
    if np.ptp(flat, axis=2).max() > _SAME:
        return None
    reported = np.unravel_index(np.arange(math.prod(shape)), shape)[axis]
    return np.asarray(flat[:, :, 0])[reported]
