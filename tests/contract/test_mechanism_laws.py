"""Laws that every registered mechanism keeps, on each of its own examples."""

from __future__ import annotations

import dataclasses
from itertools import zip_longest

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.core.fields import BitField, IntField, RowField
from sottovoce.core.registry import mechanism_from_json


def people(mechanism, count, seed=1):
    rng = np.random.default_rng(seed)
    return rng.integers(0, mechanism.domain.size, count)


def reports_of(mechanism, count=500, seed=1):
    return mechanism.randomize_indices(people(mechanism, count, seed), sv.Seeded(seed))


# -- identity ------------------------------------------------------------------


def test_json_round_trip(mechanism):
    again = mechanism_from_json(mechanism.to_json())
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert again.fingerprint == mechanism.fingerprint
    assert again.weights == mechanism.weights


def test_frozen(mechanism):
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.epsilon = 2.0


def slightly_other(mechanism):
    if mechanism.name == "table":  # its epsilon is its weights'
        return dataclasses.replace(mechanism, weights=[row[::-1] for row in mechanism.weights])
    return dataclasses.replace(mechanism, epsilon=mechanism.epsilon / 2, weights=None)


def test_another_epsilon_or_table_is_another_mechanism(mechanism):
    other = slightly_other(mechanism)
    assert other != mechanism
    assert other.fingerprint != mechanism.fingerprint
    with pytest.raises(Mismatch, match=other.fingerprint):
        sv.Tally.empty(mechanism) + sv.Tally.empty(other)
    with pytest.raises(Mismatch, match=other.fingerprint):
        mechanism.tally(reports_of(other, 10))


def test_weights_that_break_the_claim_are_refused(mechanism):
    document = mechanism.document()
    document["epsilon"] = "0.001"
    with pytest.raises(InvalidInput, match="weights of .* must be such that no ratio exceeds"):
        mechanism_from_json(canonical_json(document))


# -- reports ---------------------------------------------------------------------


def test_no_float_in_a_report(mechanism):
    for column in reports_of(mechanism).columns.values():
        assert column.dtype.kind == "u"


def test_every_coordinate_of_a_report_varies(mechanism):
    held = np.zeros(40_000, dtype=np.int64)
    if isinstance(mechanism.domain, sv.Vector):  # everybody the same, but for what was drawn
        held = np.arange(40_000) % mechanism.domain.coordinates * mechanism.domain.interval.bins
    reports = mechanism.randomize_indices(held, sv.Seeded(3))
    for field in mechanism.fields:
        column = reports.columns[field.name]
        if isinstance(field, BitField):
            bits = np.unpackbits(column, axis=1, count=field.size, bitorder="little")
            assert np.all((bits.mean(axis=0) > 0) & (bits.mean(axis=0) < 1))
        elif isinstance(field, RowField):
            assert all(len(np.unique(numbers)) == field.size for numbers in column.T)
        else:
            assert isinstance(field, IntField)
            if field.size <= 4096:
                assert len(np.unique(column)) == field.size
            else:  # too many to see all: every binary digit varies
                digits = column[:, None] >> np.arange((field.size - 1).bit_length(), dtype="u8")
                assert np.all(np.ptp(digits & np.uint64(1), axis=0) == 1)


def test_one_value_and_many_are_the_same_on_the_same_words(mechanism):
    for seed in range(150):
        index = seed % mechanism.domain.size
        alone = mechanism.respond(index, sv.Seeded(seed))
        (many,) = zip(*mechanism.respond_many(np.array([index]), sv.Seeded(seed)), strict=True)
        for x, y in zip(alone, many, strict=True):
            assert x == (y.tobytes() if isinstance(x, bytes) else int(y))


def test_a_batch_is_its_people_on_the_same_words(mechanism, recording, scripted):
    """A batch's j-th draw is everybody's j-th draw, in order of people, while they draw at all."""
    indices = people(mechanism, 64)
    sources = [recording(sv.Seeded(person)) for person in range(64)]
    pairs = zip(indices.tolist(), sources, strict=True)
    alone = [mechanism.respond(index, source) for index, source in pairs]
    nothing = np.zeros(0, dtype=np.uint64)
    draws = zip_longest(*(source.calls for source in sources), fillvalue=nothing)
    source = scripted(*(np.concatenate(draw) for draw in draws))
    batch = zip(*mechanism.respond_many(indices, source), strict=True)
    assert source.calls == []
    for one, other in zip(alone, batch, strict=True):
        for x, y in zip(one, other, strict=True):
            assert x == (y.tobytes() if isinstance(x, bytes) else int(y))


def test_arrow_and_parquet_round_trip(mechanism, tmp_path):
    reports = reports_of(mechanism)
    assert sv.Reports.from_arrow(reports.to_arrow()) == reports
    assert sv.Reports.from_arrow(reports[100:200].to_arrow(), mechanism) == reports[100:200]
    reports.write(tmp_path / "r.parquet")
    assert sv.Reports.read(tmp_path / "r.parquet", mechanism) == reports
    assert [path.name for path in tmp_path.iterdir()] == ["r.parquet"]


# -- tallies -----------------------------------------------------------------------


def test_tally_is_a_monoid(mechanism):
    reports = reports_of(mechanism, 300)
    whole = mechanism.tally(reports)
    a, b, c = (
        mechanism.tally(reports[part]) for part in (slice(0, 7), slice(7, 90), slice(90, None))
    )
    empty = sv.Tally.empty(mechanism)
    assert (a + b) + c == a + (b + c) == c + a + b == sum([c, b, a]) == whole
    assert whole + empty == empty + whole == whole
    assert mechanism.tally(reports[:0]) == empty
    assert hash(a + b + c) == hash(whole)


def test_every_block_of_a_tally_sums_to_n(mechanism):
    tally = mechanism.tally(reports_of(mechanism, 123))
    assert np.all(tally.cells.reshape(mechanism.blocks, -1).sum(axis=1) == 123)


def test_tally_bytes_round_trip(mechanism, tmp_path):
    tally = mechanism.tally(reports_of(mechanism))
    assert sv.Tally.from_bytes(tally.to_bytes()) == tally
    tally.write(tmp_path / "t.svt")
    assert sv.Tally.read(tmp_path / "t.svt") == tally


# -- privacy -----------------------------------------------------------------------


def test_certificate_keeps_the_claim(mechanism):
    certificate = mechanism.certificate()
    assert certificate.holds(mechanism.epsilon)
    assert certificate.delta <= getattr(mechanism, "delta", 0)
    assert certificate.numerator >= certificate.denominator > 0


def test_simulate_asks_for_whole_counts(mechanism):
    size = mechanism.domain.size
    tally = mechanism.simulate(np.full(size, 50), source=sv.Seeded(1))
    assert tally.n == 50 * size
    for wrong in (np.full(size, 0.5), np.full(size + 1, 1), np.full(size, -1), np.zeros(size, int)):
        with pytest.raises(InvalidInput, match="true_counts of simulate"):
            mechanism.simulate(wrong)
