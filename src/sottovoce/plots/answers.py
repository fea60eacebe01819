"""Pictures of answers: one below the other, or over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.text import label_text
from sottovoce.channels.base import Floats
from sottovoce.domains.base import Domain
from sottovoce.plots.figures import bars_around
from sottovoce.plots.numbers import INK, MARK, TRUTH

__all__ = ["INKS", "Drawable", "draw_over", "draw_rows", "draw_values"]

INKS = (INK, MARK, "#009e73", "#56b4e9", "#cc79a7")
"""Colors that people who see few colors tell apart; more than these nobody does."""


class Drawable(Protocol):
    """A number with its interval, such as an answer or a fused mean."""

    @property
    def value(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """Where its interval begins."""

    @property
    def high(self) -> float:
        """Where its interval ends."""


def name_rows(axes: Any, labels: Sequence[Any]) -> None:
    """A row for each label, the first on top."""
    axes.set_yticks(np.arange(len(labels)), [label_text(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)


def draw_values(axes: Any, domain: Domain, order: Any, truth: Floats | None) -> None:
    """Rows of values in that order, the truth where known, and a line at zero."""
    if truth is not None:
        rows = np.arange(len(order))
        axes.plot(truth[order], rows, "D", color=TRUTH, markersize=5, label="truth", zorder=3)
    axes.axvline(0, color="black", linewidth=0.8)
    name_rows(axes, [domain.label(int(place)) for place in order])


def draw_rows(axes: Any, answers: Mapping[str, Drawable], truth: Any, name: str) -> None:
    """A row an answer, in their order; ``truth`` is one number for all or a number for each."""
    rows = np.arange(len(answers))
    values, reach = _values(list(answers.values()))
    if truth is not None and np.ndim(truth) == 0:
        axes.axvline(float(truth), color=TRUTH, linewidth=1.4, label="truth")
    elif truth is not None:
        known = check_known(truth, len(answers))
        axes.plot(known, rows, "D", color=TRUTH, markersize=7, label="truth", zorder=3)
    axes.errorbar(
        values, rows, xerr=reach, fmt="o", color=INK, markersize=6, capsize=4, linewidth=1.6,
        label="estimate, interval",
    )  # fmt: skip
    name_rows(axes, list(answers))
    axes.set_xlabel(name)
    axes.locator_params(axis="x", nbins=6)
    _draw_grid(axes, "x")


def draw_over(
    axes: Any, series: Mapping[str, Sequence[Drawable]], over: Sequence[Any], truth: Any, name: str
) -> None:
    """Lines over ``over``, each with a band of its intervals; ``truth`` by the same names."""
    known = {} if truth is None else dict(truth)
    for (label, answers), ink in zip(series.items(), INKS, strict=False):
        values, (below, above) = _values(answers)
        axes.fill_between(over, values - below, values + above, color=ink, alpha=0.22, linewidth=0)
        axes.plot(over, values, "o-", color=ink, markersize=4, linewidth=1.6, label=label)
    for place, line in enumerate(known.values()):
        said = None if place else "truth"
        axes.plot(over, check_known(line, len(over)), "--", color=TRUTH, linewidth=1.2, label=said)
    axes.set_ylabel(name)
    _draw_grid(axes, "y")


def check_known(truth: Any, size: int) -> Floats:
    """As many true numbers as there are answers."""
    known = np.asarray(truth, dtype=np.float64)
    if known.shape != (size,):
        raise InvalidInput("truth", "draw", f"a number for each of {size}", f"shape {known.shape}")
    return known


def _values(answers: Sequence[Drawable]) -> tuple[Floats, Floats]:
    """Values, and how far their intervals reach down and up."""
    values = np.array([told.value for told in answers])
    ends = np.array([[told.low, told.high] for told in answers])
    return values, bars_around(values, ends[:, 0], ends[:, 1])


def _draw_grid(axes: Any, axis: str) -> None:
    axes.grid(axis=axis, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
