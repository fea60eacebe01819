"""The page of a survey of several questions: every question with a small chart and a headline."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.answer import Answer
from sottovoce.answers.estimate import Estimate
from sottovoce.answers.view import View
from sottovoce.base.errors import NotIdentified
from sottovoce.domains.interval import Interval
from sottovoce.service.analysis.answering import Analyst, SurveyEstimate
from sottovoce.service.api.results import QUESTION
from sottovoce.service.pages.boards import way_of
from sottovoce.service.pages.charts import glance, ranked
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.pages.surveys import Scene, scene_of, shifts_prepared, survey_page
from sottovoce.service.pages.words import number_row, share_row, text
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.wording import questions_drawn

__all__ = ["Headline", "dashboard_page"]

_MOST_NAMED = 4
"""Answers that a card names, the most frequent first."""
_MOST_COLUMNS = 48
"""Columns of a small chart of numbers: neighbouring bins are joined until there are no more."""


@dataclass(frozen=True)
class Headline:
    """A question on the overview: what is most worth knowing, or why nothing is shown."""

    name: str
    text: str
    told: str
    chart: Markup | None
    reports: int = 0


@dataclass(frozen=True)
class Overview:
    """All questions, and what their estimates have in common."""

    told: SurveyEstimate
    headlines: tuple[Headline, ...]
    reports: int


async def dashboard_page(state: CollectorState, request: Request) -> Response:
    """One survey: of several questions all of them, unless the address names one."""
    published = state.published(request.path_params["fingerprint"])
    several = published.survey.mechanism.domain.record is not None
    if not several or QUESTION in request.query_params:
        return await survey_page(state, request)
    survey, patient = published.survey, is_patient(request)
    scene = await scene_of(state, request, [])
    key: Hashable = ("overview", survey.fingerprint, scene.wanted, scene.view.about)
    prepared, shifts = await asyncio.gather(
        state.preparer.board(
            key, scene.version, lambda: _overview(state.analyst, scene), patient=patient
        ),
        shifts_prepared(state, survey, patient),
    )
    return page(
        request, "questionnaire.html", **scene.common, prepared=prepared, board=prepared.board,
        shifts=shifts.board or (), questions=(), per_window="", drawn=" ".join(questions_drawn(survey)),
        tables=has_tables(survey),
        incomplete=(prepared.pending and prepared.board is None) or shifts.pending,
    )  # fmt: skip


def has_tables(survey: Survey) -> bool:
    """Whether reports are about two questions together."""
    channel = survey.mechanism.channel().record
    return channel is not None and any(len(asked) > 1 for asked in channel.sets)


def _overview(analyst: Analyst, scene: Scene) -> Overview:
    survey, wanted = scene.published.survey, scene.wanted
    record = survey.mechanism.domain.record
    assert record is not None  # else there is no overview
    view = View(scene.view.about)
    headlines, told = [], None
    for number, name in enumerate(record.names):
        asked = survey.text_of(name)
        try:
            found = analyst.estimate(scene.published, wanted, way_of(survey.mechanism, name))
        except Declined as declined:
            if declined.code != "below-minimum-batch" or not scene.whole.shown:
                raise
            headlines.append(Headline(name, asked, "Not enough reports about it yet.", None))
            continue
        told = told or found
        seen = view.of(found.estimate)
        words, chart = _glance(seen, f"question-{number + 1}", name)
        headlines.append(Headline(name, asked, words, chart, found.reports_about or 0))
    if told is None:
        raise Declined(
            "below-minimum-batch",
            f"no question of survey {survey.name!r} has {survey.minimum_batch:,} reports yet",
        )
    return Overview(told, tuple(headlines), told.estimate.n)


def _glance(found: Estimate, chart: str, question: str) -> tuple[str, Markup | None]:
    """The headline of a question, and its small chart."""
    if (numbers := found.domain.numbers) is not None:
        return _of_numbers(found, numbers, chart, question)
    return _of_values(found, chart, question)


def _of_numbers(
    found: Estimate, domain: Interval, chart: str, question: str
) -> tuple[str, Markup | None]:
    mean = _written(found.mean(), number_row)
    told = f"Mean {mean}"
    if found.shares is None:
        return told, None
    edges = np.linspace(0, domain.size, min(domain.size, _MOST_COLUMNS) + 1).round().astype(int)
    shares = [float(found.shares[start:stop].sum()) for start, stop in pairwise(edges)]
    with contextlib.suppress(NotIdentified):
        told = f"{told}, median {_written(found.quantile(0.5), number_row)}"
    low, high = (text(end) for end in domain.span)
    return told, glance(
        shares, (low, high), name=chart, title=f"Distribution of {question}",
        description=f"From {low} to {high}. {told}.",
    )  # fmt: skip


def _of_values(found: Estimate, chart: str, question: str) -> tuple[str, Markup | None]:
    shares = found.require_shares("an overview")
    order = np.argsort(-shares, kind="stable")[:_MOST_NAMED]
    labels = [text(found.domain.label(int(place))) for place in order]
    first = found.share(found.domain.label(int(order[0])))
    told = f"{labels[0]}: {_written(first, share_row)}"
    more = found.domain.size - len(order)
    chart_of = ranked(
        [(name, float(shares[place])) for name, place in zip(labels, order, strict=True)],
        name=chart, title=f"Most frequent answers to {question}",
        description=f"{told}." + (f" {more} more answers are less frequent." if more else ""),
    )  # fmt: skip
    return told, chart_of


def _written(answer: Answer, write: object) -> str:
    value, reach, _ = share_row(answer) if write is share_row else number_row(answer)
    return f"{value} {reach}"
