"""Runs the golden vectors against this implementation; every failure is said in words.

``failures(vectors)`` takes the parsed files by name.  Tests want no failure at all; the mutation run
stops at the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from math import isclose
from pathlib import Path

from independent.documents import Refused, canonical, read
from independent.domains import (
    Categories,
    Choices,
    KeyValues,
    MayDecline,
    Record,
    Vector,
    admit,
    read_domain,
)
from independent.draws import Words
from independent.remembering import Device
from independent.signing import head_after, signed_message
from independent.surveys import Survey, clock, days_of, name_of, number_of
from independent.uploads import Wrong, take, upload, upload_json

FOLDER = Path(__file__).parent.parent.parent / "vectors"


def load() -> dict[str, dict]:
    """All vectors, by the name of their file."""
    paths = sorted(FOLDER.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def failures(vectors: dict[str, dict], *names: str) -> Iterator[str]:
    """Everything that does not come out as the vectors say."""
    for name in names or vectors:
        document = vectors[name]
        check = CHECKS.get(name, reports)
        for number, wrong in enumerate(check(document)):
            if wrong:
                yield f"{name}, case {number}: {wrong}"


def digest(data: bytes) -> str:
    """Bytes as vectors have them: of many their hash."""
    return data.hex() if len(data) <= 1024 else f"sha256 {hashlib.sha256(data).hexdigest()}"


def holds(survey: Survey, told: dict) -> str:
    """Whether a survey is the one that was told of."""
    if survey.fingerprint != told["fingerprint"]:
        return "fingerprint"
    mechanism, certificate = survey.mechanism, told["certificate"]
    if "delta" in certificate:
        digits = len(certificate["delta"].partition("e")[0]) - 1  # all but the point
        near = 2 * 10.0 ** (1 - digits)
        same = isclose(float(certificate["delta"]), float(mechanism.delta), rel_tol=near)
        return "" if same else f"delta {float(mechanism.delta)}"
    ratio = Fraction(*mechanism.certificate())
    right = ratio == Fraction(certificate["ratio"]) and not mechanism.delta
    return "" if right else f"ratio {ratio}"


def reports(document: dict) -> Iterator[str]:
    """Words and a value give the payload, which gives the upload, and back."""
    for told in document["surveys"]:
        survey = Survey(told["survey"].encode())
        yield holds(survey, told) or ("" if survey.text == told["survey"] else "canonical form")
        for case in told["cases"]:
            yield report(survey, case)
        if "largest" in told:
            reads = survey.mechanism.reads
            yield "" if reads(bytes.fromhex(told["largest"])) else "the largest payload is refused"
            taken = [payload for payload in told["beyond"] if reads(bytes.fromhex(payload))]
            yield f"payloads {taken} are taken" if taken else ""


def report(survey: Survey, case: dict) -> str:
    words = Words(bytes.fromhex(case["words"]))
    payload = survey.payload(case["value"], words)
    if digest(payload) != case["payload"]:
        return f"value {case['value']}: payload {payload.hex()[:80]}"
    if words.left:
        return f"value {case['value']}: {words.left} bytes left"
    identity = bytes.fromhex(case["id"])
    data = upload(survey.fingerprint, case["window"], [(identity, payload)])
    if digest(data) != case["msgpack"]:
        return f"upload {data.hex()[:80]}"
    forms = {"msgpack": data}
    if "json" in case:
        forms["json"] = upload_json(survey.fingerprint, case["window"], [(identity, payload)])
        if read(forms["json"]) != read(case["json"].encode()):
            return "upload in JSON"
    taken = (survey.fingerprint, case["window"], [[identity, payload]])
    for form, sent in forms.items():
        if take(sent, form, {survey.fingerprint: survey}) != taken:
            return f"what was sent as {form} is not what is taken"
    return ""


def survey_bytes(case: dict) -> bytes:
    data = bytes.fromhex(case["bytes"]) if "bytes" in case else case["survey"].encode()
    return data + b" " * case.get("spaces", 0)


def surveys_taken(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        try:
            wrong = holds(Survey(survey_bytes(case)), case)
        except Refused as refused:
            wrong = f"refused: {refused}"
        yield f"{case['why']}: {wrong}" if wrong else ""


def surveys_refused(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        try:
            Survey(survey_bytes(case))
        except Refused:
            yield ""
        else:
            yield f"{case['why']}: taken"


def values(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        value = float(case["number"]) if "number" in case else case["value"]
        found: dict[str, object] = {"refused": True}
        domain = read_domain(case["domain"])
        try:
            admitted = admit(domain, case["outside"], value)
            place = domain.input_of(admitted)
            found = {"input": place, "position": position(domain, case["steps"], admitted)}
        except Refused:
            pass
        told = {key: case[key] for key in ("input", "position", "refused") if key in case}
        yield "" if found == told else f"{value!r}: {found} for {told}"


def position(domain, steps: int, value):
    """Where a value, a row or a set of pairs lies on the grid."""
    if isinstance(domain, (Categories, Choices, MayDecline, Record)):
        return None
    if isinstance(domain, Vector):
        return [domain.interval.position_of(number, steps) for number in value]
    if isinstance(domain, KeyValues):
        pairs = [value] if domain.pairs is None else value
        found = [domain.interval.position_of(number, steps) for _, number in pairs]
        return found[0] if domain.pairs is None else found
    return domain.position_of(value, steps)


def upload_bytes(case: dict) -> bytes:
    data = case["text"].encode() if "text" in case else bytes.fromhex(case["upload"])
    return data + bytes.fromhex(case.get("piece", "")) * case.get("pieces", 0)


def uploads(document: dict) -> Iterator[str]:
    surveys = {mark: Survey(text.encode()) for mark, text in document["surveys"].items()}
    for case in document["cases"]:
        try:
            mark, window, told = take(upload_bytes(case), case["form"], surveys)
            found: object = digest(upload(mark, window, told))
        except Wrong as wrong:
            found = list(wrong.args)
        expected = case.get("shortest") or [case["code"], case["position"]]
        yield "" if found == expected else f"{case['why']}: {str(found)[:100]}"
        if "json" in case:
            again = take(case["json"].encode(), "json", surveys)
            same = read(upload_json(*again)) == read(case["json"].encode()) and again[2] == told
            yield "" if same else f"{case['why']}: in JSON"


def windows(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        try:
            first, last = days_of(case["window"], case["name"])
        except Refused:
            yield "" if "refused" in case else f"{case} refused"
            continue
        told = [day.isoformat() for day in (first, last)]
        named = "refused" not in case and name_of(case["window"], date.fromisoformat(case["day"]))
        right = named == case["name"] and told == [case.get("first"), case.get("last")]
        if "number" in case:
            right = right and number_of(case["window"], first) == case["number"]
        yield "" if right else f"{case}: {named}, {told}"
    for case in document["clock"]:
        opens, closes = (
            date.fromisoformat(case[k]) if case[k] else None for k in ("opens", "closes")
        )
        days = days_of(case["window"], case["name"])
        code = clock(opens, closes, days, date.fromisoformat(case["today"]))
        yield "" if code == case["code"] else f"{case}: {code}"


def signed(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        try:
            found: str | None = signed_message(case["text"], case["publisher"])
        except Refused:
            found = None
        yield "" if found == case.get("message") else f"{case['name']}: {found}"


def devices(document: dict) -> Iterator[str]:
    """Answers of a device, one after the other, and what it keeps in the end."""
    for case in document["cases"]:
        surveys = [Survey(text.encode()) for text in case["surveys"]]
        device, wrong = Device(), ""
        for step in case["steps"]:
            words, day = Words(bytes.fromhex(step["words"])), date.fromisoformat(step["day"])
            survey = surveys[step["survey"]]
            epsilon, payload = device.report(survey, day, step["value"], words)
            if (epsilon, payload.hex(), words.left) != (step["epsilon"], step["payload"], 0):
                wrong = (
                    wrong or f"{step['day']}: {epsilon}, {payload.hex()}, {words.left} bytes left"
                )
        kept = [[*key, shown(value)] for key, value in sorted(device.kept.items())]
        memos = [[*key, *map(shown, row)] for key, row in sorted(device.memos.items())]
        wrong = wrong or ("" if kept == case["kept"] else f"keeps {kept}")
        wrong = wrong or ("" if memos == case["memos"] else f"remembers {memos}")
        yield f"{case['why']}: {wrong}" if wrong else ""


def shown(value: int | bytes) -> int | str:
    return value.hex() if isinstance(value, bytes) else value


def log(document: dict) -> Iterator[str]:
    for case in document["cases"]:
        found = head_after(case["kept"], case["entries"])
        yield "" if found == case["head"] else f"{case['name']}: {found}"


CHECKS = {
    "limits-taken": surveys_taken,
    "limits-refused": surveys_refused,
    "surveys-taken": surveys_taken, "surveys-refused": surveys_refused,
    "mechanisms-refused": surveys_refused, "weights-taken": surveys_taken,
    "remembered": devices, "repeated-taken": surveys_taken, "repeated-refused": surveys_refused,
    "weights-refused": surveys_refused, "values": values, "uploads-taken": uploads,
    "uploads-refused": uploads, "windows": windows, "signed": signed, "log": log,
}  # fmt: skip

__all__ = ["CHECKS", "canonical", "failures", "load"]
