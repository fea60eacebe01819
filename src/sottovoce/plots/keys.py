"""Pictures of pairs: how frequent keys are, beside the means of their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.answers import keys
from sottovoce.answers.about import share_of
from sottovoce.answers.answer import Answer
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.domains.key_values import KeyValues
from sottovoce.plots.bins import draw_axis
from sottovoce.plots.figures import bars_around
from sottovoce.plots.numbers import INK, PALE, TRUTH

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["draw_keys"]


def draw_keys(
    figure: Any,
    estimate: Estimate,
    domain: KeyValues,
    *,
    truth: Floats | None,
    shown: int,
    confidence: float,
    name: str,
) -> Any:
    """The ``shown`` most frequent keys, largest first: frequencies to the left, means to the right.

    An interval over the whole width says that the reports do not tell the mean.  The axes on the left
    are returned.
    """
    places = keys.by_frequency(estimate, domain)[:shown]
    rows = np.arange(len(places))
    left, right = figure.subplots(1, 2, sharey=True)
    rates = [keys.frequency(estimate, domain, place, confidence) for place in places]
    means = [keys.mean(estimate, domain, place, confidence) for place in places]
    left.barh(rows, [a.value for a in rates], height=0.66, color=PALE, label="estimate")
    _draw_intervals(left, rates, rows, "none")
    _draw_intervals(right, means, rows, "o")
    if truth is not None:
        true_rates, true_means = _of_keys(truth, domain)
        left.plot(true_rates[places], rows, "D", color=TRUTH, markersize=5, label="truth")
        right.plot(true_means[places], rows, "D", color=TRUTH, markersize=5)
    left.set_yticks(rows, [label_text(domain.keys.label(place)) for place in places])
    left.invert_yaxis()
    left.axvline(0, color="black", linewidth=0.8)
    left.set_xlabel(f"frequency: {share_of(estimate.about)}")
    right.tick_params(left=False)
    right.spines[["top", "right", "left"]].set_visible(False)
    right.grid(axis="x", color="#dddddd", linewidth=0.6)
    right.set_axisbelow(True)
    draw_axis(right, domain.interval, f"mean {name}")
    return left


def _draw_intervals(axes: Any, answers: list[Answer], rows: Any, marker: str) -> None:
    values = np.array([a.value for a in answers])
    ends = np.array([[a.low, a.high] for a in answers]).reshape(-1, 2)
    reach = bars_around(values, ends[:, 0], ends[:, 1])
    axes.errorbar(
        values, rows, xerr=reach, fmt=marker, color=INK, ecolor=INK, markersize=5, capsize=3,
        label="interval",
    )  # fmt: skip


def _of_keys(shares: Floats, domain: KeyValues) -> tuple[Floats, Floats]:
    """True frequencies and means; no mean where nobody holds a key."""
    size, bins = domain.keys.size, domain.interval.bins
    table = shares[: size * bins].reshape(size, bins)
    held = table.sum(axis=1)
    means = np.full(size, np.nan)  # not drawn
    np.divide(table @ domain.interval.midpoints, held, out=means, where=held > 0)
    return held * (domain.pairs or 1), means
