"""Answers of the routes: documents as JSON, and what they are made of."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from starlette.responses import Response

from sottovoce.answers.questions import Row
from sottovoce.base.extras import optional
from sottovoce.base.text import csv_text, label_text
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.refusals import Declined, body_of
from sottovoce.store import Published
from sottovoce.surveys.survey import Survey

__all__ = [
    "answers_csv_text", "answers_document", "canonical", "json_reply", "parquet_bytes", "refusal_reply",
    "survey_document", "told_document",
]  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode


def json_reply(
    document: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A document as JSON, never cached on the way."""
    more = {"cache-control": "no-store", **(headers or {})}
    return Response(_encode(document), status, more, "application/json")


def refusal_reply(declined: Declined) -> Response:
    """A refusal, in the form that all of them have."""
    return Response(body_of(declined), declined.status, declined.headers, "application/json")


def survey_document(published: Published) -> dict[str, Any]:
    """What everybody may know of a survey."""
    survey, rules = published.survey, published.rules
    return {
        "fingerprint": survey.fingerprint, "name": survey.name, "question": survey.question,
        "mechanism": survey.mechanism.name, "epsilon": survey.mechanism.epsilon,
        "window": survey.window, "minimum_batch": survey.minimum_batch, "opens": survey.opens,
        "closes": survey.closes, "upload": rules.upload, "retention": rules.retention,
        "scrub": rules.scrub, "closed": published.closed,
    }  # fmt: skip


def told_document(told: SurveyEstimate) -> dict[str, Any]:
    """Where an estimate comes from and how it was made."""
    found, survey = told.estimate, told.survey
    return {
        "fingerprint": survey.fingerprint, "name": survey.name, "windows": list(told.windows),
        "left_out": list(told.left_out), "reports": found.n, "method": found.method,
        "why": found.why, "converged": found.converged, "iterations": found.iterations,
        "about": found.about,
    }  # fmt: skip


def answers_document(head: Mapping[str, Any], rows: Sequence[Row], confidence: float) -> Any:
    """Answers under what they are about."""
    return {**head, "confidence": confidence, "answers": list(rows)}


def answers_csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Answers as CSV, bins as text."""
    return csv_text(names, rows)


def parquet_bytes(names: Sequence[str], rows: Sequence[Row], told: SurveyEstimate) -> bytes:
    """Answers as Parquet, labels as text, with what they are about in its metadata."""
    purpose = "answers as Parquet"
    arrow = optional("pyarrow", extra="analyse", purpose=purpose)
    parquet = optional("pyarrow.parquet", extra="analyse", purpose=purpose)
    found = {name: [row[name] for row in rows] for name in names}
    found["label"] = [label_text(label, repr) for label in found["label"]]
    table = arrow.table(found).replace_schema_metadata({"sottovoce": _encode(told_document(told))})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def canonical(survey: Survey) -> Response:
    """The survey itself, as devices need it; it never changes, so it may be kept."""
    headers = {"etag": f'"{survey.fingerprint}"', "cache-control": "public, max-age=86400"}
    return Response(survey.to_json().encode(), 200, headers, "application/json")
