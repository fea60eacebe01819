"""A figure that a notebook shows as the result of a cell; importing this needs matplotlib."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):
    """A figure that knows its picture.

    A kernel shows figures by itself only after pyplot was imported, which nothing here does.
    """

    def _repr_png_(self) -> bytes:
        """The picture, for IPython and Jupyter."""
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
