"""Report vectors: a value and random words in, payload and upload out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.core.fields import BitField, Field, RowField
from sottovoce.mechanisms._fine_grid import places_on_grid
from sottovoce.wire.payloads import payload_width
from sottovoce.wire.uploads import Upload, encode_upload
from vectors.edges import Chosen, edges
from vectors.report_surveys import Asked, asked_surveys
from vectors.words import Stream, as_if_drawn

__all__ = ["WINDOWS", "certificate_of", "held", "long", "report_vectors"]

WINDOWS = (("once", ""), ("day", "2026-11-16"), ("week", "2026-W47"), ("month", "2026-11"))
QUESTION = 'Què vols? "Sí" / \\no\\ \t 好 \U0001f600 \x01\x1f\x7f'
"""Text whose canonical JSON has something to escape and something not to."""
LONG = 1024
"""Bytes above which a vector has the hash of some bytes in place of them."""
WITH_JSON = 2
"""Cases of a survey that have the upload in JSON too."""


def report_vectors(cls: type[sv.Mechanism]) -> dict[str, Any]:
    """Every survey of a mechanism with its cases."""
    surveys = []
    for place, asked in enumerate(asked_surveys(cls)):
        windows = WINDOWS[1:] if cls.remembers else WINDOWS
        window, name = windows[place % len(windows)]
        survey = sv.Survey(
            f"{cls.name} {place}", QUESTION, asked.mechanism, window, **dict(asked.rules)
        )
        cases = list(_cases(survey, name, asked, f"sottovoce vectors 2 {cls.name} {place}"))
        told: dict[str, Any] = {"survey": survey.to_json(), "fingerprint": survey.fingerprint}
        told["certificate"] = certificate_of(survey.mechanism)
        surveys.append({**told, **edge_payloads(survey.mechanism), "cases": cases})
    return {"mechanism": cls.name, "surveys": surveys}


def certificate_of(mechanism: sv.Mechanism) -> dict[str, str]:
    """The worst ratio as a fraction; where delta is above 0 that, in 15 digits, of rows in nine."""
    certificate = mechanism.certificate()
    if certificate.delta:
        digits = 8 if isinstance(mechanism.domain, sv.Vector) else 14
        return {"delta": f"{float(certificate.delta):.{digits}e}"}
    return {"ratio": f"{certificate.ratio.numerator}/{certificate.ratio.denominator}"}


def edge_payloads(mechanism: sv.Mechanism) -> dict[str, Any]:
    """The payload of the largest numbers, and those with one number, bit or byte too much."""
    if payload_width(mechanism) > LONG // 4:
        return {}
    parts = [_largest(field) for field in mechanism.fields]
    wrong = [b"".join(parts)[:-1], b"".join(parts) + b"\0"]
    for place, field in enumerate(mechanism.fields):
        beyond = _beyond(field)
        if beyond is not None:
            wrong.append(b"".join([*parts[:place], beyond, *parts[place + 1 :]]))
    return {"largest": b"".join(parts).hex(), "beyond": [payload.hex() for payload in wrong]}


def _largest(field: Field) -> bytes:
    if isinstance(field, BitField):
        return (2**field.size - 1).to_bytes(field.width, "little")
    count = field.count if isinstance(field, RowField) else 1
    return (field.size - 1).to_bytes(field.width // count, "little") * count


def _beyond(field: Field) -> bytes | None:
    """The last number of a field one too large; None where no such bytes are."""
    if isinstance(field, BitField):
        spare = field.size % 8
        return (2**field.size).to_bytes(field.width, "little") if spare else None
    count = field.count if isinstance(field, RowField) else 1
    each = field.width // count
    if field.size == 256**each:
        return None
    return _largest(field)[:-each] + field.size.to_bytes(each, "little")


def _cases(survey: sv.Survey, window: str, asked: Asked, label: str) -> Iterator[dict[str, Any]]:
    values = list(asked.values) or example_values(survey.mechanism.domain)
    tried: list[tuple[Any, Chosen]] = [(value, {}) for value in values[:3]]
    tried += [(value, {0: 0}) for value in values]
    tried += [(values[-1], {0: 2**64 - 1})]
    tried += [(values[-1], chosen) for chosen in edges(survey.mechanism, _position(survey, values))]
    seen = set()
    for number, (value, chosen) in enumerate(tried):
        case = _case(survey, window, value, chosen, f"{label} {number}")
        key = json.dumps([value, case["words"]])
        if key not in seen:
            if len(seen) >= WITH_JSON or case["payload"].startswith("sha256"):
                del case["json"]
            seen.add(key)
            yield case


def _case(survey: sv.Survey, window: str, value: Any, chosen: Chosen, label: str) -> dict[str, Any]:
    mechanism = survey.mechanism
    admitted = survey.admit(held(mechanism.domain, value))
    if min(chosen, default=0) < 0:  # as many words as are drawn otherwise
        tried = Stream(label)
        mechanism.randomize(admitted, source=tried)
        chosen = {place % tried.count: word for place, word in chosen.items()}
    source = Stream(label, chosen)
    report = mechanism.randomize(admitted, source=source)
    identity = hashlib.shake_256(f"{label} id".encode()).digest(16)
    upload = Upload.of(survey, window, [identity], as_if_drawn(report))
    return {
        "value": value,
        "words": source.drawn.hex(),
        "window": window,
        "id": identity.hex(),
        "payload": long(upload.payloads[0]),
        "msgpack": long(encode_upload(upload)),
        "json": encode_upload(upload, "json").decode(),
    }


def long(data: bytes) -> str:
    """Bytes in hexadecimal; of many their SHA-256."""
    return data.hex() if len(data) <= LONG else f"sha256 {hashlib.sha256(data).hexdigest()}"


def held(domain: Any, value: Any) -> Any:
    """A value of the JSON as Python takes it."""
    if isinstance(domain, sv.KeyValues) and isinstance(value, list):
        if domain.pairs is None:
            return tuple(value)
        return [tuple(pair) if isinstance(pair, list) else pair for pair in value]
    return value


def _position(survey: sv.Survey, values: list[Any]) -> Any:
    """The position of the last value, for words at its edges; of rows that of the first number."""
    mechanism: Any = survey.mechanism
    domain, value = mechanism.domain, values[-1]
    if isinstance(domain, sv.Vector):
        one = getattr(mechanism, "coordinate", mechanism)
        return int(one.locate(np.array([value[0]], dtype=float))[0])
    value = survey.admit(held(domain, value))
    if isinstance(domain, sv.Record):
        return domain.answers(value)
    if domain.choices is not None:
        return domain.index(value)
    if isinstance(domain, sv.KeyValues) and mechanism.name == "key-value":
        number = value[1] if domain.pairs is None else value[0][1]
        return int(places_on_grid(domain.interval, mechanism.steps, [number])[0])
    return int(mechanism.locate([value])[0])


def example_values(domain: Any) -> list[Any]:
    """Values of a domain that JSON can say: its ends and some between."""
    if isinstance(domain, sv.KeyValues):
        keys = [domain.keys.label(i % domain.keys.size) for i in (0, -1, 1, 0, -1)]
        numbers = numbers_of(domain.interval)
        pairs = [[key, number] for key, number in zip(keys, numbers, strict=True)]
        if domain.pairs is None:
            return pairs
        return [[pairs[0]], pairs[:2][: domain.pairs], [pairs[4]], [pairs[2]], [pairs[3]]]
    if isinstance(domain, sv.Record):
        columns = [example_values(part) for part in domain.domains]
        return [dict(zip(domain.names, row, strict=True)) for row in zip(*columns, strict=True)]
    if isinstance(domain, sv.Vector):
        numbers = numbers_of(domain.interval) * domain.coordinates
        return [numbers[i : i + domain.coordinates] for i in range(5)]
    if domain.choices is not None:
        labels = domain.options.labels()
        return [[], labels[: domain.most], labels[-1:], labels[::-1][: domain.most]]
    if domain.dates is not None:
        return [str(domain.first), str(domain.last), *map(domain.label, range(1, domain.size, 3))]
    if isinstance(domain, sv.Counts):
        return [0, domain.most, domain.most // 2, 1, 2 * domain.most // 3]
    if isinstance(domain, sv.Interval) and not domain.whole:
        return numbers_of(domain)
    return [domain.label(int(i)) for i in np.linspace(0, domain.size - 1, 5)[[0, 4, 2, 1, 3]]]


def numbers_of(interval: sv.Interval) -> list[float]:
    """Both ends of an interval and some numbers between."""
    low, high = interval.span
    return [low, high, *(low + part * (high - low) for part in (0.3, 0.52, 0.81))]
