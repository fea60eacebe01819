"""Random surveys and values in Python and TypeScript: the same surveys are taken, the same bytes drawn from the same words."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

import pytest

import sottovoce as sv
from clients.test_js import CLIENT, NODE, needs_node
from sottovoce.base.errors import InvalidInput, SottovoceError
from sottovoce.base.exact import decimal_text
from sottovoce.core.registry import registered
from sottovoce.surveys.all_reports import cost_in_words, lifetime_of
from sottovoce.surveys.repeating import report_cost
from sottovoce.wire.payloads import payloads_of
from support.survey_changes import changed_text
from support.survey_fuzz import random_survey
from support.value_fuzz import random_value
from vectors.report_cases import certificate_of, held, long
from vectors.words import Stream, as_if_drawn

_BEYOND = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
VALUES = 4
"""Values for each survey."""
SURVEYS = int(os.environ.get("SOTTOVOCE_SURVEYS", "20000"))
"""Surveys of each slow test."""


def compare(lines: Iterable[dict[str, Any]]) -> dict[str, int]:
    """What JavaScript counts; what differs is a failure."""
    with subprocess.Popen(
        [NODE, str(CLIENT / "test" / "comparing.js")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    ) as node:  # fmt: skip
        for line in lines:
            node.stdin.write(json.dumps(line) + "\n")
        node.stdin.close()
        *wrong, counts = [json.loads(line) for line in node.stdout]
    assert node.returncode == 0
    assert not wrong, json.dumps(wrong[:5])[:4000]
    print(counts)
    return counts


def told(survey: sv.Survey) -> dict[str, Any]:
    """A survey, and what every client says of it."""
    said = {"text": survey.to_json(), "taken": True, "fingerprint": survey.fingerprint}
    said |= {"certificate": certificate_of(survey.mechanism), "cases": []}
    certificate = survey.mechanism.certificate()
    if not certificate.delta and certificate.scope is None:
        said["privacy"] = survey.privacy()
        lifetime = lifetime_of(survey)
        said["lifetime"] = lifetime and f"{lifetime.ratio.numerator}/{lifetime.ratio.denominator}"
        said["cost"] = [decimal_text(report_cost(survey)), cost_in_words(survey)]
    return said


def drawn(rng: Random, survey: sv.Survey, label: str) -> dict[str, Any]:
    """A value, and what Python draws for it from the words given; nothing where it refuses the value."""
    domain = survey.mechanism.domain
    value = random_value(rng, domain)
    beyond = isinstance(value, float) and not math.isfinite(value)
    case: dict[str, Any] = {"number": _BEYOND[str(value)]} if beyond else {"value": value}
    source = Stream(label, {0: rng.choice([0, 2**64 - 1, rng.getrandbits(64)])})
    try:
        admitted = survey.admit(held(domain, value))
        reports = survey.mechanism.randomize(admitted, source=source)
    except InvalidInput:
        assert source.count == 0
        return {**case, "payload": None}
    (payload,) = payloads_of(as_if_drawn(reports))
    return {**case, "words": source.drawn.hex(), "payload": long(payload)}


def drawings(seed: int, count: int, found: Counter[str]) -> Iterator[dict[str, Any]]:
    """Surveys with values; how often each mechanism came is added to ``found``."""
    rng = Random(seed)  # noqa: S311
    for number in range(count):
        survey = random_survey(rng)
        found[survey.mechanism.name] += 1
        cases = [drawn(rng, survey, f"{seed} {number} {case}") for case in range(VALUES)]
        yield {**told(survey), "cases": cases}


def readings(seed: int, count: int, found: Counter[str]) -> Iterator[dict[str, Any]]:
    """Surveys with something changed, and what Python says of them."""
    rng = Random(seed)  # noqa: S311
    for _ in range(count):
        text = changed_text(rng, random_survey(rng))
        try:
            survey = sv.Survey.from_json(text)
        except SottovoceError:
            found["refused"] += 1
            yield {"text": text, "taken": False}
        else:
            found["in a series" if survey.series else "taken"] += 1
            yield {**told(survey), "text": text}


@needs_node
def test_both_draw_the_same_reports():
    found: Counter[str] = Counter()
    counts = compare(drawings(1, 300, found))
    assert counts["reports"] > 600
    assert counts["values_refused"] > 100
    assert set(found) == {cls.name for cls in registered()}


@needs_node
def test_both_take_the_same_surveys():
    found: Counter[str] = Counter()
    counts = compare(readings(2, 300, found))
    assert counts["refused"] >= found["refused"] > 150
    assert counts["taken"] >= found["taken"] > 30


@needs_node
@pytest.mark.slow
def test_both_draw_the_same_reports_thousands_of_times():
    found: Counter[str] = Counter()
    counts = compare(drawings(3, SURVEYS, found))
    assert counts["reports"] + counts["values_refused"] == VALUES * SURVEYS
    assert set(found) == {cls.name for cls in registered()}
    assert min(found.values()) > SURVEYS / 100


@needs_node
@pytest.mark.slow
def test_both_take_the_same_surveys_thousands_of_times():
    found: Counter[str] = Counter()
    counts = compare(readings(4, SURVEYS, found))
    assert counts["taken"] >= found["taken"] > SURVEYS / 10
