"""Results as a notebook shows them: what they are about, a picture where matplotlib is, the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sottovoce.answers.about import share_of, whole_of
from sottovoce.base.notebook import picture_html, result_html, text_html
from sottovoce.base.text import label_text

if TYPE_CHECKING:
    from sottovoce.answers.answer import Answer
    from sottovoce.answers.difference import Difference
    from sottovoce.answers.estimate import Estimate
    from sottovoce.answers.series import Series

__all__ = ["answer_html", "difference_html", "estimate_html", "series_html"]


def answer_html(answer: Answer) -> str:
    """The number and its interval."""
    value, stderr, low, high = answer.texts()
    p = "" if answer.p_value is None else f", p = {answer.p_value:.3g}"
    interval = f"{answer.confidence:.0%} interval {low} to {high}, standard error {stderr}{p}"
    label = label_text(answer.label)
    return result_html(f"{label}: {value}" if label else value, text_html(interval))


def estimate_html(estimate: Estimate) -> str:
    """The distribution with its picture; of a record or of keys, which questions it answers."""
    heading = f"{estimate.n:,} reports, {estimate.method}"
    if estimate.shares is None or estimate.domain.keyed is not None:
        pairs = estimate.domain.keyed is not None
        picture = picture_html(estimate.plot, heading) if pairs else ""
        return result_html(heading, picture, text_html(repr(estimate)))
    what = f"{share_of(estimate.about)}; {estimate.domain}"
    if not estimate.converged:
        what += f"; not converged at iteration {estimate.iterations}"
    frame = estimate.frame()
    table = frame if estimate.domain.numbers is not None else frame.sort("share", descending=True)
    picture = picture_html(estimate.plot, f"{share_of(estimate.about)}, with intervals")
    return result_html(heading, text_html(what), picture, table._repr_html_())


def difference_html(difference: Difference) -> str:
    """What differs, second minus first."""
    first, second = difference.first, difference.second
    heading = f"{first.n:,} reports, then {second.n:,}: second minus first"
    if any(side.shares is None for side in (first, second)):
        return result_html(heading, text_html(difference.why))
    said = f"difference in {share_of(difference.about)}; {difference.why}"
    picture = picture_html(difference.plot, said)
    return result_html(heading, text_html(said), picture, difference.frame()._repr_html_())


def series_html(series: Series) -> str:
    """An answer window by window, and which windows differ."""
    heading = f"{label_text(series.label)}, {series.windows[0]} to {series.windows[-1]}"
    said = f"{whole_of(series.about)}; {sum(series.reports):,} reports in {len(series.windows)} windows"
    picture = picture_html(series.plot, f"{heading}, with intervals")
    return result_html(heading, text_html(said), picture, series.frame()._repr_html_())
