"""New figures of matplotlib, which show themselves in a notebook, and error bars for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.errors import InvalidInput
from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["bars_around", "error_bars", "figure_with_axes", "new_figure"]


def new_figure(width: float, height: float, *, purpose: str) -> Any:
    """An empty figure of that size in inches, made without pyplot and its global state."""
    optional("matplotlib.figure", extra="analyse", purpose=purpose)
    from sottovoce.plots.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=(width, height), layout="constrained")


def figure_with_axes(
    width: float, height: float, *, purpose: str, ax: Any = None, polar: bool = False
) -> tuple[Any, Any]:
    """A new figure with one pair of axes; or the axes ``ax`` of somebody's own figure, and that."""
    if ax is None:
        figure = new_figure(width, height, purpose=purpose)
        return figure, figure.add_subplot(polar=polar)
    if not hasattr(ax, "errorbar") or (ax.name == "polar") is not polar:
        allowed = f"matplotlib axes{', polar ones' if polar else ''}"
        raise InvalidInput("ax", purpose, allowed, ax)
    return ax.figure, ax


def error_bars(estimate: Estimate, confidence: float) -> Floats:
    """How far the interval of every share reaches below it and above it, a row each."""
    return bars_around(estimate.require_shares("plot"), *estimate.bounds(confidence))


def bars_around(values: Floats, low: Floats, high: Floats) -> Floats:
    """How far intervals reach below values and above; 0 where a value lies beyond its interval."""
    return np.maximum(np.stack([values - low, high - values]), 0.0)
