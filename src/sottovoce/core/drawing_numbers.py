"""Pictures of numbers: a histogram and a cumulative share, each with a band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.core.answer import two_sided
from sottovoce.core.binning import Binning
from sottovoce.core.channel import Floats
from sottovoce.core.extras import optional
from sottovoce.core.interval import Interval

if TYPE_CHECKING:
    from sottovoce.core.estimate import Estimate

__all__ = ["INK", "PALE", "TRUTH", "draw_axis", "draw_cumulative", "draw_histogram"]

INK, TRUTH, PALE = "#1f4e79", "#d1495b", "#a9c4de"
_MOST_BINS = 128
_LONG = 10_000
"""From here on numbers on the axis have commas."""


def draw_histogram(
    axes: Any,
    estimate: Estimate,
    domain: Interval,
    *,
    truth: Floats | None,
    confidence: float,
    name: str,
) -> None:
    """The share of every bin as steps, over a band of its intervals.

    More than 128 bins are drawn as 128, each the total of those it covers with its own
    interval: finer steps would show nothing but noise.
    """
    shares, edges = estimate.require_shares("plot"), domain.edges
    if domain.bins > _MOST_BINS:
        edges = np.linspace(domain.low, domain.high, _MOST_BINS + 1)
        binning = Binning(domain.bins, _MOST_BINS)
        covers = [binning.mean(one) for one in np.eye(_MOST_BINS)]
        totals = [estimate.linear(cover) for cover in covers]
        shares = np.array([total.value for total in totals])
        stderr = np.array([total.stderr for total in totals])
        truth = None if truth is None else np.array(covers) @ truth
    else:
        stderr = estimate.stderr
    reach = two_sided(confidence) * stderr
    axes.stairs(
        shares + reach, edges, baseline=shares - reach, fill=True, color=PALE, alpha=0.7,
        label=_band_name(confidence),
    )  # fmt: skip
    axes.stairs(shares, edges, baseline=None, color=INK, linewidth=1.2, label="estimate")
    if truth is not None:
        axes.stairs(truth, edges, baseline=None, color=TRUTH, linewidth=1.2, label="truth")
    axes.axhline(0, color="black", linewidth=0.8)
    if shares.min() >= 0:
        axes.set_ylim(bottom=0)
    width = edges[1] - edges[0]
    axes.set_ylabel("share" if domain.whole and width == 1 else f"share of a bin of {width:.4g}")
    draw_axis(axes, domain, name)


def draw_cumulative(
    axes: Any,
    estimate: Estimate,
    domain: Interval,
    *,
    truth: Floats | None,
    confidence: float,
    name: str,
) -> None:
    """The share up to each number, over a band of its intervals."""
    curve = estimate.cumulative
    reach = two_sided(confidence) * curve.stderr
    low, high = curve.values - reach, curve.values + reach
    places, step = curve.edges, None
    if domain.whole:  # the share up to k, from k on
        places, step = places + 0.5, "pre"
    line = {"drawstyle": f"steps-{step}" if step else "default"}
    axes.fill_between(
        places, low, high, step=step, color=PALE, alpha=0.7, linewidth=0,
        label=_band_name(confidence),
    )  # fmt: skip
    axes.plot(places, curve.values, color=INK, linewidth=1.4, label="estimate", **line)
    if truth is not None:
        true = np.concatenate([[0.0], np.cumsum(truth)])
        axes.plot(places, true, color=TRUTH, linewidth=1.2, label="truth", **line)
    axes.set_ylim(min(0.0, float(low.min())), max(1.0, float(high.max())))
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_ylabel("share up to it")
    draw_axis(axes, domain, name)


def draw_axis(axes: Any, domain: Interval, name: str) -> None:
    """The axis of numbers, from bound to bound, under a name."""
    axes.set_xlim(domain.low, domain.high)
    axes.set_xlabel(name)
    if max(abs(domain.low), abs(domain.high)) >= _LONG:
        ticks = optional("matplotlib.ticker", extra="analyse", purpose="Estimate.plot")
        axes.xaxis.set_major_formatter(ticks.StrMethodFormatter("{x:,.10g}"))


def _band_name(confidence: float) -> str:
    return f"{100 * confidence:g}% interval"
