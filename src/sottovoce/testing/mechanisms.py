"""Laws of a mechanism's documents, reports, tallies and certificate."""

from __future__ import annotations

import dataclasses
import tempfile
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from sottovoce.base.canonical import canonical_json
from sottovoce.base.checks import MAX_EPSILON
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.randomness import Seeded
from sottovoce.core.fields import BitField, IntField, RowField
from sottovoce.core.mechanism import Mechanism
from sottovoce.core.registry import mechanism_from_json
from sottovoce.core.reports import Reports
from sottovoce.core.tally import Tally
from sottovoce.domains.base import Indices
from sottovoce.testing.laws import law, refused, require, require_same
from sottovoce.testing.sources import Recording, Scripted

__all__ = ["IDENTITY_LAWS", "PRIVACY_LAWS", "REPORT_LAWS", "TALLY_LAWS", "coordinates_of"]


def coordinates_of(mechanism: Mechanism) -> int:
    """How many coordinates a value has, of which a report may be about one."""
    inner = mechanism.coordinate
    return 1 if inner is None else mechanism.domain.size // inner.domain.size


def _people(mechanism: Mechanism, count: int) -> Indices:
    return Seeded(1).generator().integers(0, mechanism.domain.size, count)


def _reports(mechanism: Mechanism, count: int = 500) -> Reports:
    return mechanism.randomize_indices(_people(mechanism, count), Seeded(1))


# -- identity ------------------------------------------------------------------------


@law
def json_round_trip(mechanism: Mechanism) -> None:
    """A mechanism read from its JSON is the same: equal, with its hash, fingerprint and weights."""
    again = mechanism_from_json(mechanism.to_json())
    require_same(again, mechanism, "the mechanism read from its JSON")
    require_same(hash(again), hash(mechanism), "its hash")
    require_same(again.fingerprint, mechanism.fingerprint, "its fingerprint")
    require_same(again.weights, mechanism.weights, "its weights")


@law
def frozen(mechanism: Mechanism) -> None:
    """A mechanism cannot be changed."""
    other: Any = mechanism
    with refused(dataclasses.FrozenInstanceError, "another epsilon for a mechanism"):
        other.epsilon = 2.0


@law
def another_epsilon_is_another_mechanism(mechanism: Mechanism) -> None:
    """Another epsilon gives another fingerprint, and reports and tallies of the two do not mix."""
    if mechanism.derives_weights:
        other = dataclasses.replace(mechanism, epsilon=mechanism.epsilon / 2, weights=None)
    else:
        other = dataclasses.replace(mechanism, epsilon=(mechanism.epsilon + MAX_EPSILON) / 2)
    require(other != mechanism, "another mechanism", other)
    require(other.fingerprint != mechanism.fingerprint, "another fingerprint", other.fingerprint)
    with refused(Mismatch, "the sum of tallies of two mechanisms", other.fingerprint):
        Tally.empty(mechanism) + Tally.empty(other)
    with refused(Mismatch, "a tally of reports of another mechanism", other.fingerprint):
        mechanism.tally(_reports(other, 10))


@law
def weights_that_break_the_claim_are_refused(mechanism: Mechanism) -> None:
    """A document that claims a smaller epsilon than its weights have is refused."""
    document = {**mechanism.document(), "epsilon": "0.001"}
    with refused(InvalidInput, "weights under epsilon 0.001", "such that no ratio exceeds"):
        mechanism_from_json(canonical_json(document))


# -- reports -----------------------------------------------------------------------------


@law
def no_float_in_a_report(mechanism: Mechanism) -> None:
    """Every column of reports holds unsigned integers."""
    for name, column in _reports(mechanism).columns.items():
        require_same(column.dtype.kind, "u", f"the kind of column {name}")


@law
def every_coordinate_of_a_report_varies(mechanism: Mechanism) -> None:
    """Each bit, row and value of a report varies among 40,000 people with one value."""
    parts, people = coordinates_of(mechanism), 40_000
    inputs = mechanism.domain.size // parts
    held = np.arange(people) % parts * inputs  # one value, or each coordinate's first
    if len(mechanism.open_cells[0]):  # nobody else sends an open report
        held = np.arange(people) % mechanism.domain.size
    reports = mechanism.randomize_indices(held, Seeded(3))
    for field in mechanism.fields:
        column, name = reports.columns[field.name], field.name
        if isinstance(field, BitField):
            bits = np.unpackbits(column, axis=1, count=field.size, bitorder="little").mean(axis=0)
            constant = np.flatnonzero((bits <= 0) | (bits >= 1)).tolist()
            require_same(constant, [], f"bits of {name} that never change")
        elif isinstance(field, RowField):
            distinct = [len(np.unique(numbers)) for numbers in column.T]
            require_same(distinct, [field.size] * len(distinct), f"distinct numbers of {name}")
        elif field.size <= 4096:
            require_same(len(np.unique(column)), field.size, f"distinct values of {name}")
        else:  # too many to meet all: every binary digit varies
            digits = column[:, None] >> np.arange((field.size - 1).bit_length(), dtype="u8")
            constant = np.flatnonzero(np.ptp(digits & np.uint64(1), axis=0) != 1).tolist()
            require_same(constant, [], f"binary digits of {name} that never change")


def _same_report(alone: tuple[Any, ...], one_of_many: tuple[Any, ...], what: str) -> None:
    plain = [
        y.tobytes() if isinstance(x, bytes) else int(y)
        for x, y in zip(alone, one_of_many, strict=True)
    ]
    require_same(plain, list(alone), what)


@law
def one_and_many_agree_on_the_same_words(mechanism: Mechanism) -> None:
    """respond and respond_many give the same report on the same random words."""
    for seed in range(150):
        index = seed % mechanism.domain.size
        alone = mechanism.respond(index, Seeded(seed))
        (many,) = zip(*mechanism.respond_many(np.array([index]), Seeded(seed)), strict=True)
        _same_report(alone, many, f"the report of input {index} by respond_many, seed {seed},")


@law
def a_batch_is_its_people_on_the_same_words(mechanism: Mechanism) -> None:
    """The j-th draw of a batch is the j-th draw of everybody who draws that often, in order."""
    indices = _people(mechanism, 64)
    sources = [Recording(Seeded(person)) for person in range(64)]
    pairs = zip(indices.tolist(), sources, strict=True)
    alone = [mechanism.respond(index, source) for index, source in pairs]
    nothing = np.zeros(0, dtype=np.uint64)
    draws = zip_longest(*(source.calls for source in sources), fillvalue=nothing)
    script = Scripted(*(np.concatenate(draw) for draw in draws))
    batch = list(zip(*mechanism.respond_many(indices, script), strict=True))
    require_same(len(script.calls), 0, "draws of people that the batch does not make")
    require_same(len(batch), 64, "reports of a batch of 64 people")
    for person, (one, other) in enumerate(zip(alone, batch, strict=True)):
        _same_report(one, other, f"the report of person {person} in a batch")


@law
def arrow_and_parquet_round_trip(mechanism: Mechanism) -> None:
    """Reports, and slices of them, read from Arrow and Parquet are the same; needs pyarrow."""
    if find_spec("pyarrow") is None:
        return
    reports = _reports(mechanism)
    require_same(Reports.from_arrow(reports.to_arrow()), reports, "reports read from Arrow")
    part = reports[100:200]
    again = Reports.from_arrow(part.to_arrow(), mechanism)
    require_same(again, part, "a slice of reports read from Arrow")
    with tempfile.TemporaryDirectory() as folder:
        reports.write(Path(folder) / "r.parquet")
        read = Reports.read(Path(folder) / "r.parquet", mechanism)
        require_same(read, reports, "reports read from Parquet")
        there = [path.name for path in Path(folder).iterdir()]
        require_same(there, ["r.parquet"], "files written for reports")


# -- tallies -----------------------------------------------------------------------------


@law
def tallies_are_a_monoid(mechanism: Mechanism) -> None:
    """Tallies of parts add to the tally of the whole, in any order; no reports are the identity."""
    reports, window = _reports(mechanism, 300), "2026-11-16"
    whole, empty = mechanism.tally(reports, window=window), Tally.empty(mechanism)
    a, b, c = (
        mechanism.tally(reports[part], window=window)
        for part in (slice(0, 7), slice(7, 90), slice(90, None))
    )
    for total in (
        (a + b) + c,
        a + (b + c),
        c + a + b,
        sum([c, b, a]),
        whole + empty,
        empty + whole,
    ):
        require_same(total, whole, "a sum of tallies")
    require_same(mechanism.tally(reports[:0]), empty, "the tally of no reports")
    require_same(hash(a + b + c), hash(whole), "the hash of a sum")


@law
def every_block_sums_to_n(mechanism: Mechanism) -> None:
    """Each report falls in exactly one cell of each block."""
    tally = mechanism.tally(_reports(mechanism, 123))
    sums = tally.cells.reshape(mechanism.blocks, -1).sum(axis=1)
    require(np.all(sums == 123), "blocks that sum to 123", sums)


@law
def the_cell_expression_counts(mechanism: Mechanism) -> None:
    """Where there is a cell expression, it gives a cell of any report, and count counts by it."""
    expression, random = mechanism.cell_expression(), Seeded(1).generator()
    if expression is None:
        return
    fields = [field for field in mechanism.fields if isinstance(field, IntField)]
    columns = {field.name: random.integers(0, field.size, 500) for field in fields}
    cells = expression.of_columns(columns)
    require(0 <= cells.min() <= cells.max() < mechanism.cells, "cells of any report", cells.max())
    counted = mechanism.count(Reports(mechanism, columns, simulated=True))
    numbers = np.bincount(cells, minlength=mechanism.cells)
    require(np.array_equal(counted, numbers), "counts by the cell expression", counted)


@law
def tally_bytes_round_trip(mechanism: Mechanism) -> None:
    """A tally read from its bytes, or from its file, is the same."""
    tally = mechanism.tally(_reports(mechanism))
    require_same(Tally.from_bytes(tally.to_bytes()), tally, "the tally read from its bytes")
    with tempfile.TemporaryDirectory() as folder:
        tally.write(Path(folder) / "t.svt")
        require_same(Tally.read(Path(folder) / "t.svt"), tally, "the tally read from its file")


@law
def simulate_takes_whole_counts(mechanism: Mechanism) -> None:
    """simulate counts everybody once, and refuses what is not a count of people per input."""
    size = mechanism.domain.size
    tally = mechanism.simulate(np.full(size, 50), source=Seeded(1))
    require_same(tally.n, 50 * size, "reports of a simulation")
    for wrong in (np.full(size, 0.5), np.full(size + 1, 1), np.full(size, -1), np.zeros(size, int)):
        with refused(InvalidInput, f"true_counts {wrong[:3]}...", "true_counts of simulate"):
            mechanism.simulate(wrong)


# -- privacy -----------------------------------------------------------------------------


@law
def certificate_keeps_the_claim(mechanism: Mechanism) -> None:
    """The exact worst ratio is at most e^epsilon, and delta at most the one that is claimed."""
    certificate = mechanism.certificate()
    claimed = f"a certificate that keeps epsilon {mechanism.epsilon:g}"
    require(certificate.holds(mechanism.epsilon), claimed, str(certificate))
    delta = getattr(mechanism, "delta", 0)
    require(certificate.delta <= delta, f"a delta of at most {delta}", str(certificate))
    ordered = certificate.numerator >= certificate.denominator > 0
    require(ordered, "a worst ratio of at least 1", str(certificate))


@law
def only_values_that_are_not_sensitive_are_revealed(mechanism: Mechanism) -> None:
    """A cell that one input alone falls in is of one that is not sensitive, and the scope says so."""
    opened, revealed = mechanism.open_cells
    scope = mechanism.certificate().scope
    unbounded = scope is not None and scope.any_two is None
    require_same(
        unbounded, len(opened) > 0, "whether the certificate has no bound of any two values"
    )
    require_same(
        mechanism.open_chance is not None, unbounded, "whether there is a chance to be open"
    )
    sensitive = mechanism.domain.sensitive_inputs
    hidden = range(mechanism.domain.size) if sensitive is None else sensitive
    found = sorted(set(hidden) & set(revealed.tolist()))
    require_same(found, [], "inputs that are sensitive and revealed")
    require_same(len(set(opened.tolist())), len(opened), "distinct cells that reveal a value")


IDENTITY_LAWS = (
    json_round_trip,
    frozen,
    another_epsilon_is_another_mechanism,
    weights_that_break_the_claim_are_refused,
)
REPORT_LAWS = (
    no_float_in_a_report,
    every_coordinate_of_a_report_varies,
    one_and_many_agree_on_the_same_words,
    a_batch_is_its_people_on_the_same_words,
    arrow_and_parquet_round_trip,
)
TALLY_LAWS = (
    tallies_are_a_monoid,
    every_block_sums_to_n,
    the_cell_expression_counts,
    tally_bytes_round_trip,
    simulate_takes_whole_counts,
)
PRIVACY_LAWS = (certificate_keeps_the_claim, only_values_that_are_not_sensitive_are_revealed)
