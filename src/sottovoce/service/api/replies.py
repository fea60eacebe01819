"""Answers of the routes: documents as JSON, and what they are made of."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from starlette.responses import Response

from sottovoce.answers import questions
from sottovoce.answers.anytime import Looks
from sottovoce.answers.difference import Difference
from sottovoce.base.extras import optional
from sottovoce.base.text import label_text
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.documents import (
    About,
    Answers,
    Differences,
    OpenApi,
    Row,
    Source,
    refusal_body,
)
from sottovoce.service.refusals import Declined
from sottovoce.service.settings import Settings
from sottovoce.store import Published
from sottovoce.surveys.signing import SignedSurvey
from sottovoce.surveys.survey import Survey

__all__ = [
    "answers_document", "canonical", "differences_document", "json_reply",
    "parquet_bytes", "plain_document", "refusal_reply", "source_document", "survey_document",
]  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode


def json_reply(
    document: msgspec.Struct | OpenApi, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A document as JSON, which caches may not keep."""
    more = {"cache-control": "no-store", **(headers or {})}
    return Response(_encode(document), status, more, "application/json")


def plain_document(document: Any) -> Any:
    """A document of numbers of numpy and Python as JSON has it."""
    return msgspec.json.decode(_encode(document))


def refusal_reply(declined: Declined) -> Response:
    """A refusal, in the form that all of them have."""
    return Response(refusal_body(declined), declined.status, declined.headers, "application/json")


def survey_document(published: Published, settings: Settings) -> About:
    """The public facts of a survey."""
    survey, rules = published.survey, published.rules
    return About(
        fingerprint=survey.fingerprint, name=survey.name, question=survey.question,
        mechanism=survey.mechanism.name, epsilon=survey.mechanism.epsilon, window=survey.window,
        minimum_batch=survey.minimum_batch, opens=survey.opens, closes=survey.closes,
        upload=rules.upload, retention=rules.retention, scrub=rules.scrub,
        handed_over=bool(settings.hand_over), closed=published.closed,
        publisher=published.publisher, answer_page=settings.answer_page,
    )  # fmt: skip


def source_document(told: SurveyEstimate) -> Source:
    """Which reports an estimate is computed from, and by which method."""
    found, survey = told.estimate, told.survey
    return Source(
        fingerprint=survey.fingerprint, name=survey.name, windows=list(told.windows),
        left_out=list(told.left_out), reports=found.n, method=found.method, why=found.why,
        converged=found.converged, iterations=found.iterations, about=found.about,
        looks=looks_word(found.looks),
    )  # fmt: skip


def looks_word(looks: Looks | None) -> str:
    """For how many looks intervals are."""
    return "one" if looks is None else "any"


def answers_document(
    told: SurveyEstimate, rows: Sequence[questions.Row], confidence: float
) -> Answers:
    """Answers of an estimate."""
    answers = [Row(**row) for row in rows]
    source = msgspec.structs.asdict(source_document(told))
    return Answers(**source, confidence=confidence, answers=answers, of_question=_question(told))


def _question(told: SurveyEstimate) -> str | msgspec.UnsetType:
    """The question that answers are about, where a survey has several."""
    return msgspec.UNSET if told.part is None else told.part


def differences_document(
    first: SurveyEstimate,
    second: SurveyEstimate,
    found: Difference,
    rows: Sequence[questions.Row],
    confidence: float,
) -> Differences:
    """Answers on a second estimate minus a first."""
    return Differences(
        source_document(first), source_document(second), found.about, looks_word(found.looks),
        found.why, confidence, [Row(**row) for row in rows], _question(first),
    )  # fmt: skip


def parquet_bytes(
    names: Sequence[str], rows: Sequence[questions.Row], told: SurveyEstimate
) -> bytes:
    """Answers as Parquet, labels as text, with what they are about in its metadata."""
    purpose = "answers as Parquet"
    arrow = optional("pyarrow", extra="analyse", purpose=purpose)
    parquet = optional("pyarrow.parquet", extra="analyse", purpose=purpose)
    found = {name: [row[name] for row in rows] for name in names}
    found["label"] = [label_text(label, repr) for label in found["label"]]
    table = arrow.table(found).replace_schema_metadata(
        {"sottovoce": _encode(source_document(told))}
    )
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def canonical(document: Survey | SignedSurvey, tag: str) -> Response:
    """A survey itself, as devices need it; what has this tag never changes, so it may be kept."""
    headers = {"etag": f'"{tag}"', "cache-control": "public, max-age=86400"}
    return Response(document.to_json().encode(), 200, headers, "application/json")
