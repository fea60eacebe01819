"""New figures of matplotlib, which show themselves in a notebook."""

from __future__ import annotations

from typing import Any

from sottovoce.base.extras import optional

__all__ = ["new_figure"]


def new_figure(width: float, height: float, *, purpose: str) -> Any:
    """An empty figure of that size in inches, made without pyplot and its global state."""
    optional("matplotlib.figure", extra="analyse", purpose=purpose)
    from sottovoce.plots.notebook_figure import NotebookFigure

    return NotebookFigure(figsize=(width, height), layout="constrained")
