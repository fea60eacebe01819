"""Surveys that a reader takes, and surveys that it must refuse, each beside its neighbour."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import LONGEST_DOCUMENT, canonical_json
from vectors.random_weights import random_weights
from vectors.report_cases import certificate_of
from vectors.survey_limits import limits
from vectors.survey_readings import other_readings, right_readings
from vectors.survey_tables import RIGHT, RIGHT_ELSEWHERE, WRONG, WRONG_ELSEWHERE
from vectors.survey_texts import refused_texts, taken_texts
from vectors.survey_weights import hostile_surveys, weighed_surveys

__all__ = [
    "limits_refused",
    "limits_taken",
    "mechanisms_refused",
    "refused_surveys",
    "taken_surveys",
    "weights_refused",
    "weights_taken",
]

LEFT_OUT = object()
DOMAINS = (
    "interval",
    "counts",
    "ratings",
    "vector",
    "pairs",
    "rent",
    "stars",
    "moved",
    "ticks",
    "declined",
    "record",
)
"""Examples with a kind of domain of their own."""
Case = tuple[str, str]
"""Why, and the text."""


def taken_surveys() -> Iterator[dict[str, Any]]:
    """Surveys at the limits of what is allowed, with what a reader must find in them."""
    cases = [*_right_documents(), *taken_texts(base())]
    for why, text in cases:
        yield _taken(why, text)
    text = canonical_json(base())
    yield {**_taken("4 MiB exactly", text), "spaces": LONGEST_DOCUMENT - len(text.encode())}


def mechanisms_refused() -> Iterator[dict[str, Any]]:
    """Mechanisms and domains with one thing wrong."""
    for why, text in _wrong_mechanisms():
        yield {"why": why, "survey": text}


def limits_taken() -> Iterator[dict[str, Any]]:
    """Surveys exactly at a limit."""
    for why, text, within in limits():
        if within:
            yield _taken(why, text)


def limits_refused() -> Iterator[dict[str, Any]]:
    """The same surveys one beyond it."""
    for why, text, within in limits():
        if not within:
            yield {"why": why, "survey": text}


def weights_taken() -> Iterator[dict[str, Any]]:
    """Weights at the ratio or within it."""
    for why, text, holds in weighed_surveys():
        if holds:
            yield _taken(why, text)
    for why, text in random_weights():
        yield _taken(why, text)


def weights_refused() -> Iterator[dict[str, Any]]:
    """The neighbours of these, and weights made to deceive."""
    cases = [
        *hostile_surveys(),
        *((why, text) for why, text, holds in weighed_surveys() if not holds),
    ]
    for why, text in cases:
        yield {"why": why, "survey": text}


def _taken(why: str, text: str) -> dict[str, Any]:
    survey = sv.Survey.from_json(text)
    certificate = certificate_of(survey.mechanism)
    return {
        "why": why,
        "survey": text,
        "fingerprint": survey.fingerprint,
        "certificate": certificate,
    }


def refused_surveys() -> Iterator[dict[str, Any]]:
    """Surveys with one thing wrong."""
    cases = [*_wrong_documents(), *refused_texts(base())]
    for why, text in cases:
        yield {"why": why, "survey": text}
    data = canonical_json(base()).encode()
    yield {"why": "UTF-8 that is none", "bytes": data.replace(b"Which?", b"Which\xff").hex()}
    yield {"why": "UTF-8 of a surrogate", "bytes": data.replace(b"?", b"\xed\xa0\x80").hex()}
    yield {"why": "a byte more than 4 MiB", "survey": canonical_json(base()), "spaces": LONGEST_DOCUMENT - len(data) + 1}  # fmt: skip
    wide = canonical_json({**base(), "name": "é"})
    yield {
        "why": "4 MiB in characters, more in bytes", "survey": wide,
        "spaces": LONGEST_DOCUMENT - len(wide),
    }  # fmt: skip


def base(mechanism: Any = None, **rules: Any) -> dict[str, Any]:
    """The document of a plain survey, to be changed."""
    made = mechanism or sv.mechanism("grr", sv.Categories(["a", "b", "other"]), 1.0)
    return copy.deepcopy(sv.Survey("plain", "Which?", made, **rules).document())


def put(document: dict[str, Any], path: str, value: Any) -> str:
    """A copy with another value at a path, in canonical form; what is left out is left out."""
    changed = copy.deepcopy(document)
    *parents, last = path.split(".")
    place = changed
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    if value is LEFT_OUT:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return json.dumps(changed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def examples() -> dict[str, dict[str, Any]]:
    """One survey of every kind of domain and option."""
    line, pairs = sv.Interval(0, 1, bins=4), sv.KeyValues(["x", "y"], 0, 1, bins=2, pairs=2)
    rent = sv.Interval(0, 2000, edges=[0, 300, 1000, 2000], open_end=True, unit="EUR")
    pets = sv.Choices(["cat", "dog", "fish"], most=2)
    illness = sv.Categories(["a", "b", "c", "d", "e"], sensitive=["b", "c", "e"])
    people = sv.Record({"a": sv.YesNo(), "b": sv.Categories(9)})
    made = {
        "categories": sv.mechanism("grr", sv.Categories(["a", "b", "other"]), 1.0),
        "numbered": sv.mechanism("grr", sv.Categories(5), 1.0),
        "interval": sv.mechanism("sw", line, 1.0, steps=2, b=0.25),
        "wave": sv.mechanism("gw", line, 1.0, steps=2, ratio=0.5),
        "piecewise": sv.mechanism("pm", line, 1.0, steps=2),
        "rounding": sv.mechanism("sr", line, 1.0, steps=2),
        "counts": sv.mechanism("laplace", sv.Counts(4), 1.0),
        "ratings": sv.mechanism("laplace", sv.Ratings(1, 5), 1.0),
        "degrees": sv.mechanism("degree-noise", sv.Counts(4), 1.0),
        "gaussian": sv.mechanism("gaussian", line, 1.0, delta=0.01, reach=2),
        "vector": sv.mechanism("vector", sv.Vector(line, 2), 1.0, inner="grr"),
        "rows": sv.mechanism("gaussian", sv.Vector(line, 2), 2.0, delta=0.01, reach=2),
        "pairs": sv.mechanism("pckv-pm", pairs, 2.0, steps=4, output_bins=3),
        "rated": sv.mechanism("pckv-grr", pairs, 2.0, steps=4),
        "binned": sv.mechanism("olh", line, 1.0, report_bins=2),
        "tree": sv.mechanism("hh", sv.Interval(0, 1, bins=9), 1.0, hash_ranges=[3, 0], branching=3),
        "levels": sv.mechanism("hh", sv.Interval(0, 1, bins=9), 1.0, split="budget", branching=3),
        "haar": sv.mechanism("haar", line, 1.0),
        "local": sv.mechanism("olh", sv.Categories(9), 1.0),
        "seeded": sv.mechanism("olh-seeded", sv.Categories(9), 1.0),
        "fixed": sv.mechanism("flh", sv.Categories(9), 1.0, hash_count=4),
        "unary": sv.mechanism("oue", sv.Categories(9), 1.0),
        "subset": sv.mechanism("ss", sv.Categories(9), 1.0),
        "hadamard": sv.mechanism("hr", sv.Categories(9), 2.0, block_count=3),
        "table": sv.mechanism("table", sv.Categories(2), 1.2, weights=[[3, 1], [1, 3]]),
        "ticks": sv.mechanism("choice-response", pets, 1.0),
        "ticked sets": sv.mechanism("choice-subsets", pets, 1.0, report_size=2),
        "hidden": sv.mechanism("urr", illness, 1.0),
        "hidden cells": sv.mechanism("ulh", illness, 1.0, hash_range=2),
        "hidden sets": sv.mechanism("uss", illness, 1.0, subset_size=2),
        "declined": sv.mechanism("grr", sv.MayDecline(sv.Categories(["a", "b", "c"])), 1.0),
        "rent": sv.mechanism("laplace", rent, 1.0),
        "cut": sv.mechanism("grr", rent, 1.0, report_bins=2),
        "stars": sv.mechanism("grr", sv.Ratings(1, 3, unit="stars"), 1.0),
        "moved": sv.mechanism("grr", sv.Dates("2026-01-01", "2026-11-30", step="quarter"), 1.0),
        "record": sv.mechanism("record", people, 1.0, design="mixed"),
    }  # fmt: skip
    return {name: base(mechanism) for name, mechanism in made.items()}


def _right_documents() -> Iterator[Case]:
    plain, made = base(), examples()
    for name, document in made.items():
        yield f"plain: {name}", canonical_json(document)
    for path, values in RIGHT.items():
        for value in values:
            yield f"{path} = {json.dumps(value)[:40]}", put(plain, path, value)
    for path, value in (("outside", "other"), ("opens", "2024-02-29"), ("closes", "2024-02-29")):
        yield f"{path} = {value}", put(plain, path, value)
    yield (
        "opens and closes on one day",
        put({**plain, "opens": "2026-01-31"}, "closes", "2026-01-31"),
    )
    empty = canonical_json(made["levels"]).replace('"hash_ranges":[]', '"hash_ranges":[ ]')
    yield "a space in an empty list", empty
    for name in ("interval", "counts", "ratings", "rent", "moved"):
        yield f"nearest of {name}", put(made[name], "outside", "nearest")
    for name, path, value in RIGHT_ELSEWHERE:
        yield f"{name}: {path} = {json.dumps(value)[:40]}", put(made[name], path, value)
    yield from right_readings()


def _wrong_documents() -> Iterator[Case]:
    plain = base()
    for path, values in WRONG.items():
        for value in values:
            yield f"{path} = {json.dumps(value)[:40]}", put(plain, path, value)
    keep = plain["mechanism"]["weights"]["keep"]
    forms = ["0{}", "+{}", "{}.0", " {}", "{}\n", "{}e0"]
    parted = f"{keep[0]}_{keep[1:]}"
    values = [int(keep), parted, hex(int(keep)), keep.translate({50: 0xFF12})]
    for value in (*values, *(form.format(keep) for form in forms)):
        yield f"keep as {value!r}", put(plain, "mechanism.weights.keep", value)
    for path in _places(plain):
        yield f"{path} left out", put(plain, path, LEFT_OUT)
        yield f"a key beside {path}", put(plain, path + "_", 1)
    closed = {**plain, "opens": "2026-02-01"}
    yield "closes before opens", put(closed, "closes", "2026-01-31")


def _wrong_mechanisms() -> Iterator[Case]:
    made = examples()
    for name, path, values in WRONG_ELSEWHERE:
        for value in values:
            yield f"{name}: {path} = {json.dumps(value)[:40]}", put(made[name], path, value)
    for name, document in made.items():
        kinds = ("options", "weights", "domain") if name in DOMAINS else ("options", "weights")
        for kind in kinds:
            inside = document["mechanism"][kind]
            if isinstance(inside, dict):
                for key in inside:
                    path = f"mechanism.{kind}.{key}"
                    yield f"{name}: {path} left out", put(document, path, LEFT_OUT)
                yield f"{name}: a key too much", put(document, f"mechanism.{kind}.more", "1")
    for name in made:
        if name in ("numbered", *DOMAINS):
            yield f"other of {name}", put(made[name], "outside", "other")
        if name in ("categories", "numbered", "vector", "pairs", "ticks", "hidden", "record"):
            yield f"nearest of {name}", put(made[name], "outside", "nearest")
    yield from other_readings()


def _places(document: dict[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all keys of a document."""
    for key, value in document.items():
        yield path + key
        if isinstance(value, dict):
            yield from _places(value, f"{path}{key}.")
