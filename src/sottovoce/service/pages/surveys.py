"""The pages of surveys: the list of all, and one with everything there is to see."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.anytime import any_look
from sottovoce.answers.questions.over_windows import has_trend
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.view import View
from sottovoce.domains.base import Domain
from sottovoce.service.analysis.background import Prepared
from sottovoce.service.analysis.shifts import shifts_of
from sottovoce.service.api.results import QUESTION
from sottovoce.service.api.visitors import may_read
from sottovoce.service.pages.asking import Asked, asked, offered
from sottovoce.service.pages.boards import board_of, board_of_vector, way_of
from sottovoce.service.pages.charts import Column, columns
from sottovoce.service.pages.panels import Board
from sottovoce.service.pages.ranges import Range, calendar, latest_complete, range_of
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.pages.trend_boards import trend_board
from sottovoce.service.pages.trend_lines import check_line
from sottovoce.service.pages.versions import version_of
from sottovoce.service.pages.words import count
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.store import Published, Released
from sottovoce.surveys.all_reports import cost_in_words
from sottovoce.surveys.default_limits import default_client
from sottovoce.surveys.survey import Survey
from sottovoce.surveys.windows import window_days
from sottovoce.surveys.wording import beliefs, how_often

__all__ = ["Scene", "list_page", "scene_of", "shifts_prepared", "survey_page"]

Query = list[tuple[str, str]]

_A_PAGE = 60
"""Surveys on a page of the list."""
_MOST_WINDOWS = 400
"""The latest windows that the chart of reports shows."""


async def list_page(state: CollectorState, request: Request) -> Response:
    """All surveys, by name."""
    every = sorted(
        state.intakes.values(), key=lambda intake: (intake.survey.name, intake.fingerprint)
    )
    last = max(0, len(every) - 1) // _A_PAGE
    place = min(max(_whole(request.query_params.get("page", "1")) - 1, 0), last)
    shown = every[place * _A_PAGE : (place + 1) * _A_PAGE]
    reads = may_read(state, request)
    held: dict[str, int] = {}
    if reads:
        held = await state.lookup(_reports, state, [intake.fingerprint for intake in shown])
    cards = [
        {
            "published": intake.published, "answer": intake.survey.mechanism.domain.summary(),
            "cost": cost_in_words(intake.survey), "reports": held.get(intake.fingerprint),
        }
        for intake in shown
    ]  # fmt: skip
    return page(
        request, "surveys.html", cards=cards, reads=reads, state=state, place=place, last=last,
        total=len(every),
    )  # fmt: skip


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1


def _reports(state: CollectorState, fingerprints: Sequence[str]) -> dict[str, int]:
    return {each: sum(state.store.windows(each).values()) for each in fingerprints}


@dataclass(frozen=True)
class Scene:
    """What every page about one survey is made of, before any result: its windows and its reports."""

    published: Published
    chosen: Range
    whole: _Numbers
    wanted: tuple[str, ...]
    view: View
    released: Mapping[str, Released]
    numbers: _Numbers
    base: Query
    """What links keep of a page about one question of several."""
    common: Mapping[str, Any]
    """What its template takes."""

    @property
    def version(self) -> Hashable:
        """What changes when results do."""
        return version_of(self.released, self.wanted)


async def scene_of(state: CollectorState, request: Request, base: Query) -> Scene:
    """The windows in an address, and what has come in them."""
    published = state.published(request.path_params["fingerprint"])
    survey, query = published.survey, request.query_params
    released = await state.lookup(state.analyst.released, published)
    held = await state.lookup(state.store.windows, survey.fingerprint)
    files = await state.lookup(state.store.windows_to_hand_out, survey.fingerprint)
    counts = await state.lookup(state.store.counts, survey.fingerprint)
    chosen = range_of(survey, query, released)
    whole = _Numbers(survey, chosen.windows, held, released)
    wanted = _together(state, published, chosen, whole)
    numbers = _Numbers(survey, wanted or tuple(released), held, released)
    view = _view(survey, query, wanted)
    common = {
        "published": published, "survey": survey, "reads": True, "state": state, "wanted": wanted, "chosen": chosen,
        "whole": whole, "numbers": numbers, "base": base, "counts": counts, "about": view.about,
        "links": _links(chosen, view, base), "keep": urlencode([*base, *chosen.query, *_about(view)]),
        "other": urlencode([*base, *chosen.query, *_other(view)]),
        "whole_range": urlencode([*base, *_about(view)]), "windows": _window_rows(survey, held, released), "most_windows": _MOST_WINDOWS,
        "chart": _window_chart(survey, held, released),
        "files": bool(set(files).intersection(numbers.shown)), "windows_only": urlencode(_windows(wanted)),
        "odds": _odds(survey), "often": how_often(survey), "clients": default_client(survey),
    }  # fmt: skip
    return Scene(published, chosen, whole, wanted, view, released, numbers, base, common)


async def survey_page(state: CollectorState, request: Request) -> Response:
    """One survey, or one question of several: answers, reports over windows, how it was done."""
    published, query = state.published(request.path_params["fingerprint"]), request.query_params
    survey, line, part = published.survey, query.get("line", ""), query.get(QUESTION)
    domain = part_domain(survey.mechanism.domain, part, QUESTION, "a survey page")
    check_line(domain, line)
    scene = await scene_of(state, request, [] if part is None else [(QUESTION, part)])
    wanted, view, patient = scene.wanted, scene.view, is_patient(request)
    prepared, shifts, trend = await asyncio.gather(
        _prepared(state, scene, part, patient=patient),
        shifts_prepared(state, survey, patient) if part is None else _nothing(),
        _trend(state, scene, line, part, patient=patient),
    )
    board = prepared.board
    questions = _questions(board, domain)
    answered = await state.aside(asked, query, board.told.estimate) if questions else Asked()
    base, method = scene.base, _method(survey, part)
    return page(
        request, "survey.html", 200 if not answered.problem else 400, **scene.common,
        trend=trend, line=line, prepared=prepared, board=board, since=_since(board, scene.released),
        place=None if part is None else Place.of(survey, part), asked=answered, questions=questions,
        typed=_example(questions, answered.question), answer=domain.summary(), promise=any_look(),
        every=urlencode([*base, *method, *_about(view), *_windows(wanted)]),
        these=urlencode([*base, *_about(view), *_windows(wanted)]),
        per_window=urlencode([*base, *method, *_about(view)]), shifts=shifts.board or (),
        incomplete=(prepared.pending and board is None) or shifts.pending
        or (trend is not None and trend.pending and trend.board is None),
    )  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A question of several: its text, which one it is, and its neighbours."""

    name: str
    text: str
    number: int
    names: tuple[str, ...]

    @classmethod
    def of(cls, survey: Survey, name: str) -> Place:
        """The place of a question in its survey."""
        record = survey.mechanism.domain.record
        assert record is not None  # the question was found in it
        return cls(name, survey.text_of(name), record.question(name) + 1, record.names)

    @property
    def before(self) -> str | None:
        """The question before, if there is one."""
        return None if self.number == 1 else self.names[self.number - 2]

    @property
    def after(self) -> str | None:
        """The question after, if there is one."""
        return None if self.number == len(self.names) else self.names[self.number]


async def _prepared(
    state: CollectorState, scene: Scene, part: str | None, *, patient: bool
) -> Prepared:
    fingerprint = scene.published.survey.fingerprint
    key: Hashable = ("survey", fingerprint, scene.wanted, scene.view.about, part)
    work = _work(state, scene, part)
    return await state.preparer.board(key, scene.version, work, patient=patient)


def _together(
    state: CollectorState, published: Published, chosen: Range, whole: _Numbers
) -> tuple[str, ...]:
    """The windows whose reports a board has together; none for all.

    Where devices have memos, windows are not pooled: it is the latest that has ended.
    """
    survey, shown = published.survey, whole.shown
    if survey.mechanism.remembers and len(shown) > 1:
        return (latest_complete(survey, shown, state.ended(), published.closed),)
    return chosen.windows if chosen.is_part else ()


async def _trend(
    state: CollectorState, scene: Scene, line: str, part: str | None, *, patient: bool
) -> Prepared | None:
    """The trend, where there are two windows or more to show of a survey that is repeated."""
    published, chosen, shown = scene.published, scene.chosen, scene.whole.shown
    survey = published.survey
    if survey.window == "once" or len(shown) < 2 or not has_trend(survey.mechanism.domain):
        return None
    ended = state.ended()
    still = () if published.closed else tuple(
        name for name in shown if window_days(survey.window, name)[1] >= ended
    )  # fmt: skip
    ends = chosen.windows[0], chosen.windows[-1]
    key: Hashable = ("trend", survey.fingerprint, *ends, line, part)
    version = version_of(scene.released, chosen.windows), still
    work = partial(
        trend_board, state.analyst, published, chosen, line=line, still_open=still, part=part
    )
    return await state.preparer.board(key, version, work, patient=patient)


def _links(chosen: Range, view: View, base: Query) -> list[tuple[str, str, bool]]:
    """Words, addresses after the fingerprint, and which of them this is, for the latest windows."""
    return [
        (words, urlencode([*base, *query, *_about(view)]), current)
        for words, query, current in chosen.links
    ]


async def shifts_prepared(state: CollectorState, survey: Survey, patient: bool) -> Prepared:
    """What fake senders could do; where there is too much to do, a page comes without it."""
    key: Hashable = ("shifts", survey.fingerprint)
    work = partial(shifts_of, survey.mechanism)
    try:
        return await state.preparer.board(key, None, work, patient=patient)
    except Declined:
        return Prepared()


def _windows(wanted: Sequence[str]) -> list[tuple[str, str]]:
    return [("window", name) for name in wanted]


def _method(survey: Survey, part: str | None) -> Query:
    """What a link needs so that a download has the numbers of the page."""
    method = way_of(survey.mechanism, part).method
    return [] if method == "auto" else [("method", method)]


def _view(survey: Survey, query: QueryParams, wanted: Sequence[str]) -> View:
    """About whom; and where no windows are chosen, so that reports accumulate, for every look."""
    about = query.get("about", "respondents")
    batch = survey.minimum_batch
    return View(about, anytime=not wanted, minimum_batch=batch).check("a survey page")


def _about(view: View) -> list[tuple[str, str]]:
    return [] if view.about == "respondents" else [("about", str(view.about))]


def _other(view: View) -> list[tuple[str, str]]:
    """What a link needs to show the page about the others."""
    return [("about", "population")] if view.about == "respondents" else []


def _work(state: CollectorState, scene: Scene, part: str | None) -> Callable[[], Board]:
    published, wanted, view = scene.published, scene.wanted, scene.view
    mechanism = published.survey.mechanism
    if mechanism.domain.vector is not None:
        population = view.about == "population"
        return lambda: board_of_vector(
            *state.analyst.coordinates(published, wanted, population=population)
        )
    way = way_of(mechanism, part)
    return lambda: board_of(state.analyst.estimate(published, wanted, way), view)


async def _nothing() -> Prepared:
    """In place of a board that a page does not have."""
    return Prepared()


def _questions(board: Board | None, domain: Domain) -> list[tuple[str, str, str]]:
    """What may be typed; nothing where reports tell no more than means."""
    if board is None or domain.vector is not None:
        return []
    told = board.told.estimate.shares is not None or domain.keyed is not None
    return offered(domain) if told else []


def _example(questions: Sequence[tuple[str, str, str]], chosen: str) -> str:
    """What may be typed for the question that is chosen, the first unless another is."""
    examples = {name: example for name, _, example in reversed(questions)}
    return examples.get(chosen) or next(reversed(examples.values()), "")


@dataclass(frozen=True)
class _Numbers:
    """The reports of the windows that a page is about."""

    survey: Survey
    windows: Sequence[str]
    held: Mapping[str, int]
    released: Mapping[str, Released]

    @property
    def reports(self) -> int:
        """All of them, shown or not."""
        return sum(self.held.get(name, 0) for name in self.windows)

    @property
    def shown(self) -> list[str]:
        """Windows whose results may be shown."""
        return [name for name in self.windows if self.survey.shows(self.released[name].reports)]

    @property
    def newest(self) -> int:
        """Reports of these that results do not have yet."""
        later = (self.held.get(name, 0) - self.released[name].reports for name in self.shown)
        return sum(max(0, reports) for reports in later)


def _since(board: Board | None, released: Mapping[str, Released]) -> int:
    """Reports that were released after a board was worked out."""
    if board is None:
        return 0
    return sum(released[name].reports for name in board.told.windows) - board.reports


def _window_rows(
    survey: Survey, held: Mapping[str, int], released: Mapping[str, Released]
) -> list[dict[str, Any]]:
    """Windows, the latest first."""
    return [
        {"name": name, "reports": held.get(name, 0), "shown": survey.shows(seen.reports)}
        for name, seen in sorted(released.items(), reverse=True)
    ]


def _window_chart(
    survey: Survey, held: Mapping[str, int], released: Mapping[str, Released]
) -> Markup | None:
    if survey.window == "once" or not held:
        return None
    rows = [
        Column(
            name,
            held.get(name, 0),
            name not in released or survey.shows(released[name].reports),
        )
        for name in calendar(survey.window, min(held), max(held), _MOST_WINDOWS)
    ]
    largest = max(rows, key=lambda row: row.count)
    return columns(
        rows, name="windows", title=f"Reports each {survey.window}",
        description=f"{len(rows)} windows; most in {largest.label}, {count(largest.count)} reports.",
    )  # fmt: skip


def _odds(survey: Survey) -> list[tuple[str, str]]:
    """What somebody believed before, and at most afterwards; nothing for scoped privacy."""
    return [(f"{before:.0f}%", f"{after:g}%") for before, after in beliefs(survey)]
