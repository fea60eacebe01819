"""The library and the independent implementation, side by side on random surveys and uploads."""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from math import isclose
from random import Random

import numpy as np
import pytest

import sottovoce as sv
from independent import documents, uploads
from independent.draws import Words
from independent.golden import load, upload_bytes
from independent.surveys import Survey
from sottovoce.base.errors import InvalidInput, Refused, SottovoceError
from sottovoce.core.registry import registered
from sottovoce.service.upload.reading import decode_upload
from sottovoce.wire.payloads import payloads_of
from sottovoce.wire.uploads import Upload, encode_upload
from support.survey_changes import changed_text
from support.survey_fuzz import random_survey
from support.value_fuzz import random_value
from vectors.report_cases import held
from vectors.words import Stream, as_if_drawn


def same_certificate(survey: sv.Survey, other: Survey) -> bool:
    certificate = survey.mechanism.certificate()
    if certificate.delta:
        return isclose(float(certificate.delta), float(other.mechanism.delta), rel_tol=1e-9)
    return Fraction(*other.mechanism.certificate()) == certificate.ratio


def compare_drawing(rng: Random, number: int) -> str:
    """A random survey and some values: the same fingerprint, certificate, words and payloads."""
    survey = random_survey(rng)
    other = Survey(survey.to_json().encode())
    assert (other.fingerprint, other.text) == (survey.fingerprint, survey.to_json())
    assert same_certificate(survey, other), survey.to_json()
    domain = survey.mechanism.domain
    for case in range(4):
        value = random_value(rng, domain)
        source = Stream(
            f"fuzz {number} {case}", {0: rng.choice([0, 2**64 - 1, rng.getrandbits(64)])}
        )
        try:
            admitted = survey.admit(held(domain, value))
        except InvalidInput:
            with pytest.raises(documents.Refused):
                other.payload(value, Words(b""))
            continue
        (payload,) = payloads_of(as_if_drawn(survey.mechanism.randomize(admitted, source=source)))
        words = Words(source.drawn)
        assert other.payload(value, words) == payload, (survey.to_json(), value)
        assert words.left == 0
        assert other.mechanism.reads(payload)
    return survey.mechanism.name


def compare_reading(rng: Random) -> str:
    """A changed survey: both take it, as the hash of its own canonical form, or both refuse it."""
    text = changed_text(rng, random_survey(rng))
    try:
        other = Survey(text.encode())
    except documents.Refused:
        other = None
    try:
        survey = sv.Survey.from_json(text)
    except SottovoceError:
        assert other is None, text
        return "refused"
    assert other is not None, text
    written = documents.canonical(documents.read(text.encode()))
    assert survey.fingerprint == hashlib.sha256(written.encode()).hexdigest()[:32], text
    assert survey.fingerprint == other.fingerprint
    assert same_certificate(survey, other), text
    return "taken"


def test_both_draw_the_same_reports():
    rng = Random(20261116)  # noqa: S311
    found = Counter(compare_drawing(rng, number) for number in range(120))
    assert len(found) >= 15


def test_both_take_the_same_surveys():
    rng = Random(1)  # noqa: S311
    found = Counter(compare_reading(rng) for _ in range(400))
    assert found["refused"] > 200
    assert found["taken"] > 10


@pytest.mark.slow
def test_both_draw_the_same_reports_thousands_of_times():
    rng = Random(2)  # noqa: S311
    found = Counter(compare_drawing(rng, number) for number in range(4000))
    assert set(found) == {cls.name for cls in registered()}
    assert min(found.values()) > 50


@pytest.mark.slow
def test_both_take_the_same_surveys_of_twenty_thousand():
    """No changed survey is taken under a fingerprint that is not the hash of its canonical form."""
    rng = Random(3)  # noqa: S311
    found = Counter(compare_reading(rng) for _ in range(20_000))
    assert found["taken"] > 1000


def test_both_take_the_same_uploads():
    """Altered uploads: same verdict, code and report at fault, or the same bytes."""
    document, rng = load()["uploads-taken"], np.random.default_rng(6)
    surveys = {mark: sv.Survey.from_json(text) for mark, text in document["surveys"].items()}
    others = {mark: Survey(text.encode()) for mark, text in document["surveys"].items()}
    cases = [case for case in document["cases"] if "pieces" not in case]
    sent = [(case["form"], upload_bytes(case)) for case in cases]
    sent += [("json", case["json"].encode()) for case in cases if "json" in case]
    verdicts = Counter()
    for _ in range(3000):
        form, data = sent[rng.integers(len(sent))]
        altered = bytearray(data)
        for _ in range(rng.integers(1, 4)):
            at = rng.integers(len(altered))
            altered[at : at + rng.integers(0, 2)] = rng.bytes(rng.integers(0, 2)) or b"\x92"
        try:
            second = uploads.upload(*uploads.take(bytes(altered), form, others)).hex()
        except uploads.Wrong as wrong:
            second = wrong.args
        try:
            received = decode_upload(bytes(altered), surveys, form)
            upload = Upload.of(
                received.survey, received.window, list(received.ids), received.reports
            )
            first = encode_upload(upload).hex()
        except Refused as refused:
            first = (refused.code, refused.position)
        assert first == second, bytes(altered)
        verdicts["taken" if isinstance(first, str) else first[0]] += 1
    assert set(verdicts) >= {"taken", "malformed", "no-id", "wrong-payload", "unknown-survey"}
