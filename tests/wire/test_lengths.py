"""The length of an upload says nothing about the value: one length per survey, all mechanisms."""

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.surveys.windows import window_name
from sottovoce.wire.payloads import payload_width, payloads_of
from sottovoce.wire.uploads import FORMS, Upload, encode_upload
from vectors.words import as_if_drawn


def lengths(survey, reports, form):
    """The lengths of uploads of one report each."""
    window = window_name(survey.window, np.datetime64("2026-11-16").item())
    return {
        len(encode_upload(Upload(survey.fingerprint, window, (bytes(16),), (payload,)), form))
        for payload in payloads_of(reports)
    }


@pytest.mark.parametrize("form", FORMS)
def test_one_length_per_survey(mechanism, form):
    survey = sv.Survey("s", "?", mechanism, window="week")
    held = np.arange(4000) % mechanism.domain.size
    if isinstance(mechanism.domain, sv.Vector):
        low, high = mechanism.domain.interval.span
        rows = np.linspace(low, high, 400)[:, None] * np.ones(mechanism.domain.coordinates)
        reports = mechanism.randomize(rows, source=sv.Seeded(3))
    else:
        reports = mechanism.randomize_indices(held, sv.Seeded(3))
    reports = as_if_drawn(reports)
    assert len({tuple(payload) for payload in payloads_of(reports)}) > 1  # they do differ
    assert len(lengths(survey, reports, form)) == 1


def test_one_length_where_numbers_cross_the_sizes_of_messagepack():
    """127 and 128, 255 and 256, 65,535 and 65,536 took different lengths as integers."""
    for size in (130, 300, 70_000):
        mechanism = sv.mechanism("grr", sv.Categories(size), 5.0)
        survey = sv.Survey("s", "?", mechanism)
        values = [v for v in (0, 127, 128, 255, 256, 65_535, 65_536) if v < size]
        reports = sv.Reports(mechanism, {"value": np.array(values)})
        for form in FORMS:
            assert len(lengths(survey, reports, form)) == 1
        assert set(map(len, payloads_of(reports))) == {payload_width(mechanism)}


def test_sets_of_any_size_have_one_length():
    domain = sv.KeyValues([f"key {i}" for i in range(200)], 0, 5, bins=10, pairs=3)
    for name in ("pckv-ue", "pckv-grr", "pckv-pm"):
        mechanism = sv.mechanism(name, domain, 2.0)
        survey = sv.Survey("s", "?", mechanism)
        held = [{"key 0": 1}, {"key 199": 5, "key 3": 0}, {f"key {i}": i for i in range(3)}] * 300
        reports = as_if_drawn(mechanism.randomize(held, source=sv.Seeded(1)))
        assert len(lengths(survey, reports, "msgpack")) == 1
