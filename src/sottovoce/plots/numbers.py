"""Pictures of numbers: a histogram and a cumulative share, each with a band and marks on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sottovoce.answers.calendar import is_date
from sottovoce.answers.keys import shares_of
from sottovoce.channels.base import Floats
from sottovoce.channels.binning import Binning
from sottovoce.domains.interval import Interval
from sottovoce.plots.bins import Drawn, draw_axis

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = [
    "INK",
    "MARK",
    "PALE",
    "PLAIN",
    "TRUTH",
    "Look",
    "draw_cumulative",
    "draw_histogram",
    "histogram",
    "mark_quantiles",
    "mark_range",
]

INK, TRUTH, PALE, MARK = "#1f4e79", "#d1495b", "#a9c4de", "#e69f00"
_MOST_BINS = 128


class Look(NamedTuple):
    """How an estimate is drawn, and what it is called."""

    ink: str = INK
    pale: str = PALE
    alpha: float = 0.7
    label: str = "estimate"
    named_band: bool = True
    """Whether its band is in the legend; of several estimates no band is."""


PLAIN = Look()


def histogram(
    estimate: Estimate, domain: Interval, truth: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats | None]:
    """Edges of what is drawn, shares between them, their standard errors, and the truth.

    More than 128 bins are drawn as 128, each the total of those it covers with its own
    interval: finer steps would show nothing but noise.
    """
    shares = estimate.require_shares("plot")
    if domain.bins <= _MOST_BINS:
        return domain.edges, shares, estimate.stderr, truth
    binning = Binning(domain.bins, _MOST_BINS)
    covers = [binning.mean(one) for one in np.eye(_MOST_BINS)]
    totals = [estimate.linear(cover) for cover in covers]
    places = np.linspace(0, domain.bins, _MOST_BINS + 1)
    return (
        np.interp(places, np.arange(domain.bins + 1), domain.edges)
        if domain.uneven is not None
        else np.linspace(domain.low, domain.high, _MOST_BINS + 1),
        np.array([total.value for total in totals]),
        np.array([total.stderr for total in totals]),
        None if truth is None else np.array(covers) @ truth,
    )


def draw_histogram(
    axes: Any,
    estimate: Estimate,
    domain: Interval,
    *,
    truth: Floats | None,
    confidence: float,
    name: str,
    look: Look = PLAIN,
) -> None:
    """The share of every bin as steps, over a band of its intervals."""
    edges, shares, stderr, known = histogram(estimate, domain, truth)
    drawn = Drawn.of(domain, edges)
    edges, shares = drawn.edges, drawn.heights(shares)
    reach = estimate.reach(confidence) * drawn.heights(stderr)
    axes.stairs(
        shares + reach, edges, baseline=shares - reach, fill=True, color=look.pale,
        alpha=look.alpha, label=_band_name(confidence, look), linewidth=0,
    )  # fmt: skip
    axes.stairs(shares, edges, baseline=None, color=look.ink, linewidth=1.4, label=look.label)
    if known is not None:
        axes.stairs(
            drawn.heights(known), edges, baseline=None, color=TRUTH, linewidth=1.2, label="truth"
        )
    axes.axhline(0, color="black", linewidth=0.8)
    if shares.min() >= 0:
        axes.set_ylim(bottom=0)
    width = edges[1] - edges[0]
    per_bin = "" if domain.whole and width == 1 else f"\nin a bin of {width:.4g}"
    if drawn.per:
        per_bin = f"\n{drawn.per}"
    axes.set_ylabel(f"{shares_of(estimate)}{per_bin}")
    draw_axis(axes, domain, name)


def mark_range(
    axes: Any, estimate: Estimate, domain: Interval, between: Sequence[float], confidence: float
) -> None:
    """The part of a histogram between two numbers, filled; the legend tells its share."""
    low, high = between
    told = estimate.range(low, high, confidence=confidence)
    edges, shares, _, _ = histogram(estimate, domain)
    drawn = Drawn.of(domain, edges)
    edges, shares = drawn.edges, drawn.heights(shares)
    if domain.dates is not None:
        low, high = domain.as_numbers([low, high]).tolist()
    both = domain.whole or domain.dates is not None  # both numbers, or days, are in it
    ends = (low - 0.5, high + 0.5) if both else (low, high)
    ends = max(ends[0], edges[0]), min(ends[1], edges[-1])
    places = np.concatenate([[ends[0]], edges[(edges > ends[0]) & (edges < ends[1])], [ends[1]]])
    bins = np.searchsorted(edges, (places[:-1] + places[1:]) / 2, side="right") - 1
    reach = (told.high - told.low) / 2
    axes.stairs(
        shares[bins], places, fill=True, color=MARK, alpha=0.55, linewidth=0,
        label=f"{told.label}: {100 * told.value:.1f}% \u00b1 {100 * reach:.1f}%",
    )  # fmt: skip


def draw_cumulative(
    axes: Any,
    estimate: Estimate,
    domain: Interval,
    *,
    truth: Floats | None,
    confidence: float,
    name: str,
    look: Look = PLAIN,
) -> None:
    """The share up to each number, over a band of its intervals."""
    curve = estimate.cumulative
    reach = estimate.reach(confidence) * curve.stderr
    low, high = curve.values - reach, curve.values + reach
    places, step = Drawn.of(domain, curve.edges).edges, None
    if domain.whole:  # the share up to k, from k on
        places, step = places + 0.5, "pre"
    if domain.open_end:  # how the rest lies beyond, nobody knows
        places[-1] = np.nan
    line = {"drawstyle": f"steps-{step}" if step else "default"}
    axes.fill_between(
        places, low, high, step=step, color=look.pale, alpha=look.alpha, linewidth=0,
        label=_band_name(confidence, look),
    )  # fmt: skip
    axes.plot(places, curve.values, color=look.ink, linewidth=1.4, label=look.label, **line)
    if truth is not None:
        true = np.concatenate([[0.0], np.cumsum(truth)])
        axes.plot(places, true, color=TRUTH, linewidth=1.2, label="truth", **line)
    axes.set_ylim(min(0.0, float(low.min())), max(1.0, float(high.max())))
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_ylabel(f"{shares_of(estimate)} up to it")
    draw_axis(axes, domain, name)


def mark_quantiles(
    axes: Any, estimate: Estimate, quantiles: Sequence[float], confidence: float
) -> None:
    """Quantiles on a cumulative share: each a point with its interval, and its number beside it."""
    answers = estimate.quantile(list(quantiles), confidence=confidence)
    left, right = axes.get_xlim()
    for q, told in zip(quantiles, answers, strict=True):
        value, low, high = (min(_place(x), right) for x in (told.value, told.low, told.high))
        axes.plot([left, low], [q, q], ":", color=INK, linewidth=1)
        axes.errorbar(
            value, q, xerr=[[value - low], [high - value]], fmt="o", color=MARK, markeredgecolor=INK, ecolor=INK,
            markersize=5, capsize=4, linewidth=1.6, zorder=4,
        )  # fmt: skip
        text = str(told.value) if is_date(told) else f"{told.value:,.4g}"
        if np.isinf(_place(told.value)):
            text = f"above {told.beyond:,.10g}"
        aside, side = (-7, "right") if high == right else (7, "left")
        place = low if side == "right" else high
        axes.annotate(text, (place, q), xytext=(aside, -4), textcoords="offset points", ha=side)


def _place(x: Any) -> float:
    """A number, or a day, on the axis."""
    return float((x - date(1970, 1, 1)).days) if isinstance(x, date) else float(x)


def _band_name(confidence: float, look: Look) -> str | None:
    return f"{100 * confidence:g}% interval" if look.named_band else None
