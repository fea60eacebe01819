"""The page of differences: two windows of a survey, or two surveys that ask alike (groups)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.answers.about import share_of
from sottovoce.answers.answer import Answer
from sottovoce.answers.comparing import holm
from sottovoce.answers.difference import Difference
from sottovoce.answers.questions.parts import part_domain
from sottovoce.answers.view import View
from sottovoce.base.errors import NotIdentified
from sottovoce.service.analysis.answering import SurveyEstimate
from sottovoce.service.api.results import QUESTION, view_of
from sottovoce.service.pages.boards import way_of
from sottovoce.service.pages.charts import intervals
from sottovoce.service.pages.panels import MOST_SHOWN, Panel, bar
from sottovoce.service.pages.rendering import is_patient, page
from sottovoce.service.pages.versions import version_of, windows_wanted
from sottovoce.service.pages.words import (
    change_row,
    ends_of,
    number_row,
    p_text,
    part_in_words,
    share_row,
    text,
)
from sottovoce.service.refusals import Declined
from sottovoce.service.state import CollectorState
from sottovoce.store import Published, Released

__all__ = ["difference_board", "differences_page"]

_PARTS = 12
"""Parts of an interval whose shares are compared."""
_QUANTILES = (0.25, 0.5, 0.75)
_LEVEL = 0.05
"""The adjusted p-value below which a row is said to differ."""

Windows = tuple[str, ...]
Held = dict[str, dict[str, Released]]
Rows = Callable[[Answer], tuple[str, str, str]]


@dataclass(frozen=True)
class Comparison:
    """How a second side differs from a first, ready to be shown."""

    first: SurveyEstimate
    second: SurveyEstimate
    panels: tuple[Panel, ...]
    about: str
    why: str


async def differences_page(state: CollectorState, request: Request) -> Response:
    """How two sides differ; unless they are chosen, the latest two windows that may be shown."""
    query = request.query_params
    first = state.published(request.path_params["fingerprint"])
    second = state.published(query.get("second", first.survey.fingerprint))
    alike = [
        intake.published
        for intake in state.intakes.values()
        if intake.survey.mechanism.domain == first.survey.mechanism.domain
    ]
    both = first.survey, second.survey
    names = [each.fingerprint for each in both]
    held = {
        each.survey.fingerprint: await state.lookup(state.analyst.released, each)
        for each in (first, second)
    }
    chosen = [
        windows_wanted(survey, query.getlist(f"{side}_window"), held[survey.fingerprint])
        for survey, side in zip(both, ("first", "second"), strict=True)
    ]
    sides = _sides(first, second, chosen[0], chosen[1], held)
    view, prepared = view_of(query, first.survey), None
    record = first.survey.mechanism.domain.record
    part = query.get(QUESTION, None if record is None else record.names[0])
    part_domain(first.survey.mechanism.domain, part, QUESTION, "a page of differences")
    if sides is not None:
        version = tuple(
            version_of(held[name], windows) for name, windows in zip(names, sides, strict=True)
        )
        key = (
            "difference",
            first.survey.fingerprint,
            second.survey.fingerprint,
            *sides,
            view,
            part,
        )
        prepared = await state.preparer.board(
            key, version, lambda: _work(state, (first, sides[0]), (second, sides[1]), view, part),
            patient=is_patient(request),
        )  # fmt: skip
    return page(
        request, "differences.html", survey=first.survey, other=second.survey, reads=True, state=state,
        alike=sorted(alike, key=lambda each: each.survey.name)[:400], sides=sides,
        windows=[_windows(each, held) for each in (first, second)], prepared=prepared,
        board=prepared.board if prepared else None, view=view, part=part,
        names=() if record is None else record.names,
        incomplete=prepared is not None and prepared.pending and prepared.board is None,
    )  # fmt: skip


def _windows(published: Published, held: Held) -> list[str]:
    """The windows that may be shown, the latest first."""
    survey = published.survey
    released = held[survey.fingerprint]
    shown = (name for name, seen in released.items() if survey.shows(seen.reports))
    return sorted(shown, reverse=True)


def _sides(
    first: Published,
    second: Published,
    first_windows: Windows,
    second_windows: Windows,
    held: Held,
) -> tuple[Windows, Windows] | None:
    """The windows of both sides; None where there is nothing to compare."""
    chosen = first_windows, second_windows
    if first.survey.fingerprint != second.survey.fingerprint:
        return chosen
    free = [name for name in _windows(first, held) if name not in chosen[0] + chosen[1]]
    later = chosen[1] or tuple(free[:1])
    earlier = chosen[0] or tuple([name for name in free if name not in later][:1])
    return (earlier, later) if earlier and later else None


def _work(
    state: CollectorState,
    first: tuple[Published, Windows],
    second: tuple[Published, Windows],
    view: View,
    part: str | None,
) -> Comparison:
    if first[0].survey.mechanism.domain.vector is not None:
        raise Declined("unfit", "differences of vectors are not shown here")
    way = way_of(first[0].survey.mechanism, part)
    one, other, found = state.analyst.difference(first, second, way, view)
    return Comparison(one, other, difference_board(found), found.about, found.why)


def difference_board(found: Difference) -> tuple[Panel, ...]:
    """The panels of a difference, by kind of domain."""
    domain, title = found.first.domain, share_of(found.about).capitalize()
    if domain.keyed is not None:
        tops = [side.top_keys(MOST_SHOWN) for side in (found.first, found.second)]
        keys = list(dict.fromkeys(answer.label for top in tops for answer in top))[:MOST_SHOWN]
        frequencies = [_three(found, "frequency", key) for key in keys]
        means = [_three(found, "mean", key) for key in keys]
        return (
            _panel("keys", "Frequencies of keys", "key", frequencies),
            _panel("means", "Means of their numbers", "key", means, numbers=True),
        )
    if (numbers := domain.numbers) is not None:
        mean = [_three(found, "mean", label="mean")] if not numbers.open_end else []
        heading = "Mean and quartiles" if mean else "Quartiles"
        if found.first.shares is None or found.second.shares is None:
            return (_panel("summary", "Mean", "", mean, numbers=True),)
        below = "up to" if numbers.whole else "below"
        quantiles = []
        for q in _QUANTILES:
            with suppress(NotIdentified):  # one beyond an open end
                quantiles.append(_three(found, "quantile", q, label=f"{q:.0%} are {below}"))
        step = -(-domain.size // _PARTS)  # whole bins: their edges are read easily
        places = pairwise([*range(0, domain.size, step), domain.size])
        parts = [
            _three(found, "range", *ends_of(numbers, *bins), label=part_in_words(numbers, *bins))
            for bins in places
        ]
        return (
            _panel("summary", heading, "", [*mean, *quantiles], numbers=True),
            _panel("parts", f"{title} in ranges", "number" if numbers.whole else "from to", parts),
        )
    largest = np.maximum(
        found.first.require_shares("shares"), found.second.require_shares("shares")
    )
    order = np.argsort(-largest, kind="stable")[:MOST_SHOWN]
    rows = [_three(found, "share", domain.label(int(place))) for place in order]
    return (_panel("shares", title, "value", rows),)


Three = tuple[str, Answer, Answer, Answer]


def _three(found: Difference, question: str, *arguments: object, label: str = "") -> Three:
    """A question to both sides, as they are compared, and to their difference."""
    first, second = found.both(lambda side: getattr(side, question)(*arguments))
    return label or text(first.label), first, second, getattr(found, question)(*arguments)


def _panel(
    name: str, title: str, head: str, rows: Sequence[Three], *, numbers: bool = False
) -> Panel:
    write: Rows = number_row if numbers else share_row
    bars = [bar(change, label) for label, _, _, change in rows]
    adjusted = _adjusted([change for *_, change in rows])
    sure = [row[0] for row, p in zip(rows, adjusted, strict=True) if p < _LEVEL]
    told = f"{len(sure)} of {len(rows)} differ, by p-values adjusted for all." if rows else ""
    return Panel(
        name,
        title,
        f"Second minus first. {told}",
        intervals(
            bars, name=name, title=title, zero=True, form="number" if numbers else "percent",
            description=f"{told} {', '.join(sure[:5])}".strip(),
        ),
        (head, "first", "second", "difference", "95% interval", "p", "adjusted p"),
        [
            (label, write(a)[0], write(b)[0], *change_row(a, b, change, numbers), p_text(p))
            for (label, a, b, change), p in zip(rows, adjusted, strict=True)
        ],
    )  # fmt: skip


def _adjusted(changes: Sequence[Answer]) -> list[float]:
    """Holm's p-values: over all values of a domain where that is known, else over these rows."""
    if all(change.adjusted is not None for change in changes):
        return [change.adjusted or 0.0 for change in changes]
    return [float(p) for p in holm([change.p_value or 0.0 for change in changes])]
