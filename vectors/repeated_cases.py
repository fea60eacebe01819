"""Surveys of versions above 2: cohorts, memory, and texts of questions, each beside what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sottovoce as sv
from sottovoce.base.canonical import canonical_json
from vectors.report_cases import certificate_of
from vectors.survey_cases import LEFT_OUT, put

__all__ = ["repeated_refused", "repeated_taken"]

YES_NO = sv.Categories(["yes", "no"])
DATES = {"opens": "2026-11-16", "closes": "2026-12-15"}
UNARY = {"mechanism": "unary-encoding", "options": {"variant": "optimized"}}


def _document(window: str = "day", mechanism: Any = None, **rules: Any) -> dict[str, Any]:
    chosen = mechanism or sv.mechanism("grr", YES_NO, 1.0)
    return sv.Survey("again", "Which?", chosen, window, **rules).document()


def _memory(domain: Any = YES_NO, epsilon: float = 1.0, **options: Any) -> Any:
    return sv.mechanism("memoized", domain, epsilon, **{"lifetime": 2.0, **options})


def _home() -> sv.Mechanism:
    home = sv.Record({"age": sv.Ratings(1, 9), "rents": YES_NO})
    return sv.mechanism("record", home, 1.0, design="sample")


def _questions() -> dict[str, Any]:
    return _document("once", _home(), texts={"age": "How old are you?"})


def _cohorts() -> dict[str, Any]:
    return _document(ask="1/30")


def _remembering(**rules: Any) -> dict[str, Any]:
    return _document(mechanism=_memory(), **rules)


def repeated_taken() -> Iterator[dict[str, Any]]:
    """Surveys with cohorts or memory that a reader takes."""
    for why, document in _right():
        text = canonical_json(document)
        survey = sv.Survey.from_json(text)
        told = {"fingerprint": survey.fingerprint, "certificate": certificate_of(survey.mechanism)}
        yield {"why": why, "survey": text, **told}


def _right() -> Iterator[tuple[str, dict[str, Any]]]:
    for ask in ("1/2", "1/9", "1/10", "1/30", "1/99", "1/100", "1/999", "1/1000"):
        yield f"ask {ask}", _document(ask=ask)
    for window in ("week", "month"):
        yield f"ask by {window}", _document(window, ask="1/4")
        yield f"memory by {window}", _document(window, _memory())
    yield "memory, version 2", _remembering()
    yield "texts of some questions", _questions()
    longest = {"texts": ["x" * 2000, "\u2003"]}
    yield "texts, and asked again", _document("week", _home(), ask="1/4", **longest)
    for period in (2, 30, 10_000):
        yield f"period {period}", _remembering(period=period)
    yield "changes with dates", _remembering(changes=1, **DATES)
    yield "changes in all windows", _remembering(changes=29, **DATES)
    yield "changes in a period", _remembering(changes=1, period=2)
    yield "the most changes in the longest period", _remembering(changes=1000, period=10_000)
    weekly = {"opens": "2026-11-22", "closes": "2026-11-23"}  # a Sunday and the Monday after
    yield "changes in two weeks", _document("week", _memory(), changes=1, **weekly)
    months = {"opens": "2026-12-31", "closes": "2027-01-01"}
    yield "changes in two months", _document("month", _memory(), changes=1, **months)
    for domain, options in (
        (sv.Categories(1), {"inner": "randomized-response"}),
        (sv.Categories(40), {}),
        (sv.Categories(20), {"inner": UNARY}),
        (sv.Categories(21), {"inner": UNARY, "linkable": True}),
        (sv.Categories(4), {"inner": UNARY, "half": True}),
        (sv.Interval(0, 1, bins=6), {}),
        (sv.Interval(0, 1, bins=6), {"inner": {"mechanism": "square-wave", "options": {"steps": 3}}}),
        (YES_NO, {"lifetime": 20.0}),
        (YES_NO, {"lifetime": 1.0000001}),
    ):  # fmt: skip
        made = _memory(domain, **options)
        yield f"memory: {made}, {made.inner.name}", _document(mechanism=made)


def repeated_refused() -> Iterator[dict[str, Any]]:
    """The same with one thing wrong."""
    for why, text in _wrong():
        yield {"why": why, "survey": text}


def _wrong() -> Iterator[tuple[str, str]]:
    cohorts, kept = _cohorts(), _remembering(period=30)
    wrong = ["1/1", "1/0", "1/1001", "1/01", "1/30 ", "2/30", "30", "1/", "", "0.5", 1, None]
    for ask in [*wrong, ["1/30"], True, "1/\uff13", "01/30", "1/3.0", "1/-3", "1"]:
        yield f"ask = {json.dumps(ask)}", put(cohorts, "ask", ask)
    yield "ask once", put(cohorts, "window", "once")
    for key in ("ask", "changes", "period"):
        yield f"{key} left out", put(cohorts, key, LEFT_OUT)
        yield f"{key} in version 2", put(put_version(cohorts, 2), key, LEFT_OUT)
    yield "version 2 with the keys of 3", put(cohorts, "survey", 2)
    yield "version 4", put(cohorts, "survey", 4)
    yield "version 4 with the keys of 2", put(_document(), "survey", 4)
    yield "version 3 of what is version 2", put(cohorts, "ask", "1")
    plain = _document()
    yield "version 3 with the keys of 2", put(plain, "survey", 3)
    yield "a key of version 3 in version 2", put(plain, "ask", "1")
    for key in ("changes", "period"):
        for value in (-1, "1", 1.5, True, None, 10_001, 2**53):
            yield f"{key} = {json.dumps(value)}", put(kept, key, value)
        yield f"{key} without memory", put(cohorts, key, 2)
    yield "changes and period without memory", put({**cohorts, "changes": 2}, "period", 2)
    yield "period of one window", put(kept, "period", 1)
    monthly = _document("month", _memory(), changes=1, **{**DATES, "closes": "2027-11-30"})
    for key in ("opens", "closes"):
        yield f"changes by month without {key}", put(monthly, key, "")
    yield "changes as many as windows", put(kept, "changes", 30)
    dated = _remembering(changes=1, **DATES)
    yield "changes without an end", put(dated, "closes", "")
    yield "changes without a beginning", put(dated, "opens", "")
    dated = _remembering(changes=2, **DATES)
    yield "a period below 0, with dates", put(dated, "period", -1)
    yield "more than 1,000 changes", put(_remembering(changes=1, period=10_000), "changes", 1001)
    yield "more changes than windows", put(dated, "closes", "2026-11-16")
    yield "memory once", put(kept, "window", "once")
    yield "memory once, version 2", put(_remembering(), "window", "once")
    yield "memory and cohorts", put(kept, "ask", "1/2")
    asked = _questions()
    for texts in ([], ["a"], ["a", "b", "c"], ["", ""], ["a", None], ["a", 1], ["a", " "], ["a", "b\0"], ["x" * 2001, ""],
                  {"age": "a"}, "ab", None):  # fmt: skip
        yield f"texts = {json.dumps(texts)[:40]}", put(asked, "texts", texts)
    yield "texts left out", put(asked, "texts", LEFT_OUT)
    for version in (2, 3, 5):
        yield f"texts in version {version}", put(asked, "survey", version)
    yield "texts of one question", put({**_document("once"), **kept_keys(asked)}, "texts", ["a"])
    yield from _wrong_mechanisms(_remembering())


def _wrong_mechanisms(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    options, weights = "mechanism.options", "mechanism.weights"
    for key, values in {
        "lifetime": ("1", "0.5", "20.1", 2, "2.0", None, "x"),
        "half": (1, None, "true", True),
        "linkable": (1, None, "true"),
        "inner": ("randomized-response", None, {}),
        "inner.mechanism": ("hadamard-response", "grr", None, "memoized"),
    }.items():
        for value in values:
            yield f"{key} = {json.dumps(value)}", put(document, f"{options}.{key}", value)
        yield f"{key} left out", put(document, f"{options}.{key}", LEFT_OUT)
    for epsilon in ("2", "3"):  # which the reports keep, but the lifetime is not above it
        yield f"epsilon {epsilon}, lifetime 2", put(document, "mechanism.epsilon", epsilon)
    for part in ("permanent", "fresh"):
        yield f"weights {part} left out", put(document, f"{weights}.{part}", LEFT_OUT)
        for key in ("keep", "other"):
            path = f"{weights}.{part}.{key}"
            yield f"{part} {key} left out", put(document, path, LEFT_OUT)
            for value in ("0", str(2**62), 5):
                yield f"{part} {key} = {value}", put(document, path, value)
    keep, other = (int(document["mechanism"]["weights"]["fresh"][key]) for key in ("keep", "other"))
    louder = put(document, f"{weights}.fresh", {"keep": str(keep + 2), "other": str(other - 1)})
    yield "a report that exceeds e^epsilon by one weight", louder
    keep, other = (
        int(document["mechanism"]["weights"]["permanent"][key]) for key in ("keep", "other")
    )
    louder = {"keep": str(keep + 2), "other": str(other - 1)}
    yield (
        "a memo that exceeds e^lifetime by one weight",
        put(document, f"{weights}.permanent", louder),
    )
    wide = _document(mechanism=_memory(sv.Categories(21), inner=UNARY, linkable=True))
    yield "21 bits that are a fingerprint", put(wide, f"{options}.linkable", False)
    bits = _document(mechanism=_memory(sv.Categories(4), inner=UNARY))
    for stay, rise in (("5", "5"), ("0", "0"), (str(2**62), "1")):
        value = {"stay": stay, "rise": rise}
        yield f"stay {stay}, rise {rise}", put(bits, f"{weights}.fresh", value)
    told = document["mechanism"]
    inside = {"mechanism": "memoized", "options": told["options"]}
    vector = sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=2), 2), 1.0, inner="grr")
    changed = put(_document(mechanism=vector), f"{options}.inner", inside)
    yield "memory inside", put(json.loads(changed), weights, told["weights"])


def kept_keys(document: dict[str, Any]) -> dict[str, Any]:
    """The keys of versions above 2, and the version."""
    return {key: document[key] for key in ("survey", "ask", "changes", "period", "texts")}


def put_version(document: dict[str, Any], version: int) -> dict[str, Any]:
    """A copy that says it is of another version."""
    return {**document, "survey": version}
