"""A picture of a mixture reduction: what each step took, and what it was worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.errors import Unfit
from sottovoce.domains.interval import Interval
from sottovoce.plots.bins import Drawn, draw_axis
from sottovoce.plots.figures import new_figure
from sottovoce.plots.numbers import INK, PALE, TRUTH

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["draw_trace"]


def draw_trace(estimate: Estimate, *, title: str = "", name: str = "value") -> Any:
    """Components left and change of BIC by step; for numbers also which of them were taken."""
    if not estimate.trace:
        raise Unfit(
            f"a trace needs the steps of a mixture reduction; {estimate.method} took none here"
        )
    numbers = estimate.domain.numbers or estimate.domain.dates
    figure = new_figure(7.2 if numbers is None else 9.6, 3.6, purpose="Estimate.plot")
    panels = figure.subplots(1, 2 if numbers is None else 3)
    _draw_components(panels[0], estimate)
    _draw_changes(panels[1], estimate)
    if numbers is not None:
        _draw_places(panels[2], estimate, numbers, name)
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[:2]:
        axes.xaxis.get_major_locator().set_params(integer=True)
    heading = title or f"{estimate.n:,} reports, {estimate.method}"
    figure.suptitle(heading, x=0.01, ha="left", fontsize="medium")
    return figure


def _draw_components(axes: Any, estimate: Estimate) -> None:
    """From all values down to the components that stand."""
    kept = [step for step in estimate.trace if step.kept]
    counts = [estimate.domain.size, *(step.components for step in kept)]
    axes.plot(range(len(counts)), counts, "o-", color=INK, markersize=4, label="kept")
    if undone := [step for step in estimate.trace if not step.kept]:
        place = len(counts)
        axes.plot(
            [place], [undone[0].components], "o", color=TRUTH, markerfacecolor="none",
            label="undone",
        )  # fmt: skip
        axes.legend(frameon=False, fontsize="small")
    axes.set_ylim(0, None)
    axes.set_xlabel("step")
    axes.set_ylabel("components")


def _draw_changes(axes: Any, estimate: Estimate) -> None:
    """The change of BIC by each step: below 0 it is kept."""
    changes = [step.change for step in estimate.trace]
    colours = [PALE if step.kept else TRUTH for step in estimate.trace]
    axes.bar(range(1, len(changes) + 1), changes, color=colours)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_yscale("symlog", linthresh=10)
    axes.set_xlabel("step")
    axes.set_ylabel("change of BIC")


def _draw_places(axes: Any, estimate: Estimate, domain: Interval, name: str) -> None:
    """Which numbers each step took together, first step at the top."""
    edges = Drawn.of(domain, domain.edges).edges
    for place, step in enumerate(estimate.trace, start=1):
        taken = np.array(step.inputs)
        parts = np.split(taken, np.flatnonzero(np.diff(taken) > 1) + 1)
        spans = [(edges[part[0]], edges[part[-1] + 1] - edges[part[0]]) for part in parts]
        axes.broken_barh(spans, (place - 0.35, 0.7), color=PALE if step.kept else TRUTH)
    draw_axis(axes, domain, name)
    axes.invert_yaxis()
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("merged at step")
