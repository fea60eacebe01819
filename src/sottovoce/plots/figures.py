"""New figures of matplotlib, which show themselves in a notebook, and error bars for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.base.extras import optional
from sottovoce.channels.base import Floats

if TYPE_CHECKING:
    from sottovoce.answers.estimate import Estimate

__all__ = ["error_bars", "new_figure"]


def new_figure(width: float, height: float, *, purpose: str) -> Any:
    """An empty figure of that size in inches, made without pyplot and its global state."""
    optional("matplotlib.figure", extra="analyse", purpose=purpose)
    from sottovoce.plots.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=(width, height), layout="constrained")


def error_bars(estimate: Estimate, confidence: float) -> Floats:
    """How far the interval of every share reaches below it and above it, a row each."""
    shares, (low, high) = estimate.require_shares("plot"), estimate.bounds(confidence)
    return np.maximum(np.stack([shares - low, high - shares]), 0.0)
