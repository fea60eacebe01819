"""A number between two bounds, seen through bins."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_int, check_real
from sottovoce.base.errors import InvalidInput, NotIdentified
from sottovoce.base.exact import decimal_text
from sottovoce.domains.base import (
    MOST_INPUTS,
    Indices,
    Read,
    TomlKeys,
    check_version,
    register_domain,
)
from sottovoce.domains.columns import plain_column, refuse_missing
from sottovoce.domains.edges import (
    Edges,
    check_edge_options,
    given_edges,
    made_edges,
)
from sottovoce.domains.ranges import Ranges
from sottovoce.domains.units import check_unit, in_unit

__all__ = ["DEFAULT_BINS", "Interval"]

DEFAULT_BINS = 256

_SHOWN = 10
"""How many edges are named one by one."""
_WIDTH = 16
"""Least width of a bin, in units in the last place of the larger bound."""


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Interval(Ranges):
    """Real numbers from ``low`` to ``high``, both included, in bins of equal width or between edges.

    A value on an inner edge belongs to the bin above it; ``high`` belongs to the last bin, or to the
    open one.

    Parameters
    ----------
    low, high : float
        The bounds.
    bins : int, optional
        How many bins there are, an open one among them; 256 unless given. Whole bounds with one
        bin per whole number, as in ``Interval(1, 5, bins=5)``, are refused: :class:`Ratings` are
        for whole numbers.
    edges : sequence of float, optional
        The edges of bins of any widths, strictly increasing from ``low`` to ``high``, in place of
        ``bins``.
    scale : str
        ``"log"`` for bins that are equal in the logarithm, drawn on a logarithmic axis.
    start : float, optional
        With ``scale="log"`` and ``low=0``: the first bin is from 0 to ``start``.
    open_end : bool
        Whether one more bin holds every number from ``high`` on. The mean is then not identified
        (see :meth:`Estimate.mean`), and quantiles may lie above ``high``.
    unit : str
        What the numbers are of, such as ``"EUR"``: shown with every answer.

    Raises
    ------
    InvalidInput
        Where a bound, an edge or the number of bins is not allowed.

    Examples
    --------
    >>> age = Interval(0, 120, bins=12)
    >>> age.index(10), age.index(120), age.label(0)
    (1, 11, (0.0, 10.0))
    >>> rent = Interval(0, 2000, edges=[0, 300, 500, 750, 1000, 2000], open_end=True, unit="EUR")
    >>> rent.bins, rent.index(749.99), rent.index(9999), rent.label(5)
    (6, 2, 5, (2000.0, inf))
    >>> Interval(0, 1_000_000, bins=7, scale="log", start=10, open_end=True).edges.tolist()
    [0.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0, inf]
    """

    kind: ClassVar[str] = "interval"
    ordered: ClassVar[bool] = True
    written_as: ClassVar[str] = "a number"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("low", "high"), ("bins", "edges", "scale", "start", "open_end", "unit"),
        'low, high, bins; or edges = [0, 10, 100]; scale = "log", open_end = true, unit = "EUR"',
    )  # fmt: skip
    whole: ClassVar[bool] = False
    """Whether a bin holds one whole number, in its middle, and not all that lie in it."""

    low: float
    high: float
    bins: int
    uneven: Edges | None
    """The edges of bins that are not all equal; None where they are."""
    unit: str

    def __init__(
        self, low: float, high: float, bins: int | None = None, *, edges: Any = None,
        scale: str = "linear", start: float | None = None, open_end: bool = False, unit: str = "",
    ) -> None:  # fmt: skip
        check_edge_options(scale, open_end)
        self._fill_bounds(low, high)
        asked = DEFAULT_BINS if bins is None else bins
        if edges is not None:
            if bins is not None:
                raise InvalidInput("bins", "Interval", "left out where edges are given", bins)
            bounds: tuple[float, ...] | None = given_edges(edges, self.low, self.high, start)
        else:
            check_int(asked, "bins", "Interval", 1 + open_end, MOST_INPUTS)
            bounds = made_edges(
                self.low, self.high, asked - open_end, scale=scale, start=start, open_end=open_end
            )
        if bounds is None:
            self._fill(low, high, asked, unit)
        else:
            self._fill_uneven(Edges(bounds, open_end, scale), unit)
        if self.misleads:
            whole = f"Ratings({self.low:.0f}, {self.high:.0f})"
            hint = f"Whole numbers are {whole}; for real numbers take more or fewer bins."
            raise self.refusal("Interval", hint)

    @classmethod
    def agreed(cls, low: float, high: float, bins: int) -> Interval:
        """The interval of a document that was agreed on, or other bins of one.

        Nobody chooses the bins here, so that those are taken too that are :attr:`off_center`.
        """
        made = object.__new__(Interval)
        made._fill(low, high, bins)
        return made

    def cut(self, bins: int) -> Interval:
        """The same numbers in ``bins`` wider bins; of uneven ones, their number is a multiple."""
        if self.uneven is None:
            return Interval.agreed(self.low, self.high, bins)
        made = object.__new__(Interval)
        edges = self.uneven.every(self.bins // bins)
        made._fill_bounds(edges.bounds[0], edges.bounds[-1])
        made._fill_uneven(edges, "")
        return made

    def _fill_bounds(self, low: Any, high: Any) -> None:
        """Check the bounds, and set them."""
        least = check_real(low, "low", "Interval") + 0.0  # -0 becomes 0
        above = f"a finite number above low = {least:g}"
        greatest = check_real(high, "high", "Interval", above) + 0.0
        if not least < greatest or not np.isfinite(greatest - least):
            raise InvalidInput("high", "Interval", above, high)
        object.__setattr__(self, "low", least)
        object.__setattr__(self, "high", greatest)

    def _fill(self, low: Any, high: Any, bins: Any, unit: str = "") -> None:
        """Check the bounds and the number of equal bins, and set them."""
        self._fill_bounds(low, high)
        object.__setattr__(self, "bins", check_int(bins, "bins", "Interval", 1, MOST_INPUTS))
        object.__setattr__(self, "uneven", None)
        object.__setattr__(self, "unit", check_unit(unit, "Interval"))
        if self.width < _WIDTH * math.ulp(max(abs(self.low), abs(self.high))):
            allowed = f"fewer: floats between {self.low:g} and {self.high:g} cannot represent so fine a grid"
            raise InvalidInput("bins", "Interval", allowed, self.bins)

    def _fill_uneven(self, edges: Edges, unit: str) -> None:
        """Set edges from bound to bound."""
        object.__setattr__(self, "bins", edges.bins)
        object.__setattr__(self, "uneven", edges)
        object.__setattr__(self, "unit", check_unit(unit, "Interval"))

    @property
    def off_center(self) -> bool:
        """Whether there is one bin per whole number, without centering on it.

        So it is with whole bounds and one bin too many: ``Interval(1, 5, bins=5)`` has bins of width
        0.8, and reads 1 as 1.4 and 5 as 4.6.
        """
        whole = self.uneven is None and self.low.is_integer() and self.high.is_integer()
        return whole and self.high - self.low + 1 == self.bins

    @property
    def misleads(self) -> bool:
        """Whether nobody chooses such bins for real numbers, so that they are refused.

        Two bins are not: numbers that are scaled to be from 0 to 1 are cut in halves at times.
        """
        return self.off_center and self.bins > 2

    def refusal(self, owner: str, hint: str) -> InvalidInput:
        """The error for bins that mislead."""
        allowed = f"another number: {self.bins} bins do not center on the {self.bins} whole numbers"
        where = f"{owner} from {self.low:.0f} to {self.high:.0f}"
        return InvalidInput("bins", where, allowed, self.bins, hint=hint)

    @property
    def size(self) -> int:
        return self.bins

    @property
    def numbers(self) -> Interval:
        return self

    @property
    def scale(self) -> str:
        """``"log"`` where bins were made, and are drawn, on a logarithmic axis; else ``"linear"``."""
        return "linear" if self.uneven is None else self.uneven.scale

    @property
    def widths(self) -> NDArray[np.float64]:
        """The width of every bin; infinite if it is open."""
        return np.diff(self.edges)

    @property
    def places(self) -> NDArray[np.float64]:
        """A number in every bin: the middle, and of an open one where it begins."""
        edges = self.edges
        if self.open_end:
            edges[-1] = edges[-2]
        return (edges[:-1] + edges[1:]) / 2

    @property
    def midpoints(self) -> NDArray[np.float64]:
        """The middle of every bin; an open one has none, so that no mean is identified."""
        self.require_closed("the mean")
        return self.places

    @property
    def center(self) -> float:
        """The mean of all middles."""
        if self.uneven is None:
            return (self.low + self.high) / 2
        return float(self.midpoints.mean())

    def require_closed(self, question: str) -> None:
        """Refuse a question that needs to know where in the open bin answers are."""
        if self.open_end:
            raise NotIdentified(
                f"{question} is not identified: reports do not say how far beyond {self.high:g} the "
                f"answers in the bin {self.high:g} or more lie. mean(top={self.high:g}) is the least "
                "that the mean can be; another top counts every answer in that bin as top"
            )

    def is_one(self, values: object) -> bool:
        return isinstance(values, (str, bytes, numbers.Number, np.generic)) or values is None

    def index(self, value: Any) -> int:
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
            raise InvalidInput("value", str(self), self._allowed(), value)
        return int(self.indices(np.array([value], dtype=np.float64))[0])

    def indices(self, values: Any) -> Indices:
        values = plain_column(values)
        array = np.asarray(values)
        if array.ndim != 1:
            raise InvalidInput(
                "values", str(self), "one number or a flat list", f"an array of shape {array.shape}"
            )
        self._refuse_empty(len(array), values)
        if array.dtype.kind not in "iuf":
            refuse_missing(array)
            raise InvalidInput("values", str(self), "numbers", f"an array of dtype {array.dtype}")
        least, greatest = self.span
        inside = (array >= least) & (array <= greatest) & np.isfinite(array)  # False for NaN
        if not inside.all():
            refuse_missing(array)
            raise InvalidInput("value", str(self), self._allowed(), array[~inside][0].item())
        numbers_ = array.astype(np.float64)
        if self.uneven is not None:
            return self.uneven.find(numbers_)
        found = np.clip(((numbers_ - self.low) / self.width).astype(np.int64), 0, self.bins - 1)
        # Rounding may put a value on the wrong side of an edge: 0.29 / 0.01 is 28.999999999999996.
        # It cannot put it two bins away, because a bin is _WIDTH roundings of an edge wide.
        found -= numbers_ < self.edges_at(found)
        found += (numbers_ >= self.edges_at(found + 1)) & (found < self.bins - 1)
        return found

    def nearest(self, value: Any) -> Any:
        """A number, or the end of the span that is nearest to it."""
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not number or math.isnan(value):
            raise InvalidInput("value", str(self), "a number", value)
        least, greatest = self.span
        if math.isinf(value) and self.open_end:
            greatest = self.high  # no device has an infinite number
        return min(max(value, least), greatest)

    @property
    def outside_rules(self) -> tuple[str, ...]:
        return ("nearest", "refuse")

    def _replaced(self, value: Any, rule: str) -> Any:
        return self.nearest(value) if rule == "nearest" else super()._replaced(value, rule)

    def summary(self) -> str:
        if self.open_end:
            return in_unit(f"a number from {self.low:,g} up", self.unit)
        return in_unit(f"a number from {self.low:g} to {self.high:g}", self.unit)

    def in_words(self) -> str:
        if self.uneven is None:
            return f"{self.summary()}, seen through {self.bins:,} bins"
        last = f", the last of them {self.high:,g} or more" if self.open_end else ""
        return f"{self.summary()}, seen through {self.bins:,} bins of different widths{last}"

    def reader(self) -> Read:
        return float

    def label(self, index: int) -> Any:
        start, end = self.edges_at([index, index + 1]).tolist()
        return start, end

    def to_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "kind": self.kind,
            "version": 1,
            "low": decimal_text(self.low),
            "high": decimal_text(self.high),
            "bins": self.bins,
        }
        if self.uneven is None and not self.unit:
            return plain
        edges = None if self.uneven is None else [decimal_text(x) for x in self.uneven.bounds]
        more = {"edges": edges, "open_end": self.open_end, "scale": self.scale, "unit": self.unit}
        return {**plain, "version": 2, **more}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Interval:
        low, high, bins = float(document["low"]), float(document["high"]), document["bins"]
        if document["version"] == 1:
            return cls.agreed(low, high, bins)
        check_version(document, (1, 2))
        made, given = object.__new__(Interval), document["edges"]
        if given is None:
            if document["open_end"] is not False or document["scale"] != "linear":
                allowed = "null only where open_end is false and scale linear"
                raise InvalidInput("edges", "Interval", allowed, None)
            made._fill(low, high, bins, document["unit"])
            return made
        made._fill_bounds(low, high)
        bounds = given_edges([float(edge) for edge in given], made.low, made.high)
        edges = Edges(bounds, document["open_end"], document["scale"])
        if bins != edges.bins:
            raise InvalidInput("bins", "Interval", f"{edges.bins}, as the edges are", bins)
        made._fill_uneven(edges, document["unit"])
        return made

    def to_toml(self) -> dict[str, Any]:
        table: dict[str, Any] = {"low": self.low, "high": self.high}
        if self.uneven is None:
            table["bins"] = self.bins
        else:
            table["edges"] = list(self.uneven.bounds)
            table |= {"scale": self.scale} if self.scale != "linear" else {}
            table |= {"open_end": True} if self.open_end else {}
        return table | ({"unit": self.unit} if self.unit else {})

    def __str__(self) -> str:
        more = f", unit={self.unit!r}" if self.unit else ""
        if self.uneven is None:
            return f"Interval({self.low:g}, {self.high:g}, bins={self.bins}{more})"
        scale = f", scale={self.scale!r}" if self.scale != "linear" else ""
        open_end = ", open_end=True" if self.open_end else ""
        edges = [f"{edge:g}" for edge in self.uneven.bounds]
        told = ", ".join(
            edges if len(edges) <= _SHOWN else [*edges[: _SHOWN - 2], "...", edges[-1]]
        )
        return f"Interval({self.low:g}, {self.high:g}, edges=[{told}]{scale}{open_end}{more})"

    __repr__ = __str__
