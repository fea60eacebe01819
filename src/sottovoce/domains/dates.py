"""Dates between two days, in steps of the calendar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.checks import check_choice
from sottovoce.base.errors import InvalidInput
from sottovoce.domains.base import (
    MOST_INPUTS,
    Indices,
    Read,
    TomlKeys,
    check_version,
    register_domain,
)
from sottovoce.domains.columns import plain_column, refuse_missing
from sottovoce.domains.edges import Edges
from sottovoce.domains.interval import Interval
from sottovoce.domains.whole import WholeNumbers

__all__ = ["STEPS", "Dates"]

STEPS = ("day", "week", "month", "quarter", "year")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_EPOCH = date(1970, 1, 1)
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}.*)?", re.ASCII | re.DOTALL)
_NO_DATE = "a date"


@register_domain
@dataclass(frozen=True, init=False, repr=False)
class Dates(Interval):
    """Days from ``first`` to ``last``, both included, seen through steps of the calendar.

    Weeks begin on Monday, months, quarters and years on their first day. The first and the last
    step end at ``first`` and ``last``, and may be shorter. A value is a ``datetime.date``, a
    ``datetime``, ISO text, a numpy ``datetime64`` or a pandas ``Timestamp``; of a time its date
    counts. Shares are asked by step; ranges, cumulative shares, means and quantiles by day, days
    spread evenly over their step.

    Parameters
    ----------
    first, last : date or str
        The bounds.
    step : str
        ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``.

    Raises
    ------
    InvalidInput
        Where a bound is not a date, ``last`` is before ``first``, or there are too many steps.

    Examples
    --------
    >>> import datetime
    >>> moved = Dates("2026-01-01", "2026-12-31", step="quarter")
    >>> moved.size, moved.index("2026-05-31"), moved.index(datetime.date(2026, 12, 31))
    (4, 1, 3)
    >>> moved.labels()
    ['2026-01-01', '2026-04-01', '2026-07-01', '2026-10-01']
    >>> Dates("2026-01-01", "2026-12-31", step="week").size
    53
    """

    kind: ClassVar[str] = "dates"
    written_as: ClassVar[str] = "a date such as 2026-05-31"
    toml: ClassVar[TomlKeys | None] = TomlKeys(
        ("first", "last"), ("step",), f"first, last (dates), step = one of {', '.join(STEPS)}"
    )

    step: str

    def __init__(self, first: Any, last: Any, *, step: str = "day") -> None:
        check_choice(step, "step", "Dates", STEPS)
        start, stop = _bound(first, "first"), _bound(last, "last")
        if stop < start:
            allowed = f"a date from first = {start} on"
            raise InvalidInput("last", "Dates", allowed, str(stop))
        object.__setattr__(self, "step", step)
        days = (stop - start).days + 1
        low, high = _number(start) - 0.5, _number(stop) + 0.5
        if step == "day":
            if days > MOST_INPUTS:
                allowed = f"at most {MOST_INPUTS:,} days after first, or a longer step"
                raise InvalidInput("last", "Dates", allowed, str(stop))
            self._fill(low, high, days)
        else:
            inner = [_number(each) - 0.5 for each in _starts(start, stop, step)]
            self._fill_bounds(low, high)
            self._fill_uneven(Edges((low, *inner, high)), "")

    @property
    def first(self) -> date:
        """The first day."""
        return _day_of(self.low + 0.5)

    @property
    def last(self) -> date:
        """The last day."""
        return _day_of(self.high - 0.5)

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """Whether a step is one day."""
        return self.step == "day"

    @property
    def numbers(self) -> None:  # type: ignore[override]
        """None: days have an order and distances, but no unit in which they are amounts."""
        return None

    @property
    def dates(self) -> Dates:
        return self

    @property
    def days(self) -> Interval:
        """The same steps as numbers of days since 1970-01-01."""
        if self.step == "day":
            return WholeNumbers(_number(self.first), _number(self.last), "days")
        assert self.uneven is not None
        return Interval(self.low, self.high, edges=self.uneven.bounds, unit="days")

    # -- values and inputs ---------------------------------------------------------------

    def is_one(self, values: object) -> bool:
        return isinstance(values, (str, bytes, date, np.generic)) or not isinstance(
            values, Iterable
        )

    def index(self, value: Any) -> int:
        return int(self.indices([value])[0])

    def indices(self, values: Any) -> Indices:
        days = self.as_numbers(values)
        if self.uneven is not None:
            return self.uneven.find(days)
        return (days - (self.low + 0.5)).astype(np.int64)

    def as_numbers(self, values: Any) -> NDArray[np.float64]:
        """Days since 1970-01-01; one that is no date, or outside, refuses the whole batch."""
        values = plain_column(values)
        array = values if isinstance(values, np.ndarray) else None
        if array is not None and array.ndim != 1:
            allowed, shape = "one date or a flat list", f"an array of shape {array.shape}"
            raise InvalidInput("values", str(self), allowed, shape)
        if array is not None and array.dtype.kind == "M":
            refuse_missing(array)
            days = array.astype("datetime64[D]").astype(np.int64).astype(np.float64)
        else:
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise InvalidInput("values", str(self), "dates", values)
            given = list(values)
            refuse_missing(given)
            days = np.array([self._day(value) for value in given], dtype=np.float64)
        self._refuse_empty(len(days), values)
        inside = (days > self.low) & (days < self.high)
        if not inside.all():
            outside = _day_text(float(days[~inside][0]))
            raise InvalidInput("value", str(self), self._allowed(), outside)
        return days

    def _day(self, value: Any) -> int:
        try:
            return _number(_date_of(value))
        except ValueError:
            raise InvalidInput("value", str(self), self._allowed(), value) from None

    def nearest(self, value: Any) -> Any:
        """A date, or the bound that is nearest to it."""
        day = self._day(value)
        return min(max(_day_of(day), self.first), self.last)

    def _allowed(self) -> str:
        return f"a date from {self.first} to {self.last}"

    def overlap(self, low: Any, high: Any) -> NDArray[np.float64]:
        """How much of each step lies between two days, both included."""
        start, stop = self._day(low), self._day(high)
        if not self.low < start <= stop < self.high:
            given = (str(low), str(high))
            raise InvalidInput("low, high", "range", f"{self._allowed()}, low first", given)
        return self._covered(start - 0.5, stop + 0.5)

    def below(self, x: Any) -> NDArray[np.float64]:
        """How much of each step lies up to a day, which is included."""
        return self.overlap(self.first, x)

    def told(self, x: Any) -> str:
        return str(_day_of(self._day(x)))

    def day_at(self, number: float) -> date:
        """The day of a number of days since 1970-01-01, within the bounds."""
        return min(max(_day_of(np.floor(number + 0.5)), self.first), self.last)

    # -- in words, as text, JSON and TOML --------------------------------------------------

    def summary(self) -> str:
        return self._allowed()

    def in_words(self) -> str:
        seen = "" if self.step == "day" else f", seen through {self.bins:,} {self.step}s"
        return f"{self.summary()}{seen}"

    def reader(self) -> Read:
        return _read

    def label(self, index: int) -> str:
        """The first day of a step."""
        return str(_day_of(float(self.edges_at(int(index))) + 0.5))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "version": 1, "first": str(self.first), "last": str(self.last),
            "step": self.step,
        }  # fmt: skip

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Dates:
        check_version(document, (1,))
        return cls(document["first"], document["last"], step=document["step"])

    def to_toml(self) -> dict[str, Any]:
        return {"first": str(self.first), "last": str(self.last), "step": self.step}

    def __str__(self) -> str:
        return f"Dates('{self.first}', '{self.last}', step='{self.step}')"

    __repr__ = __str__


def _bound(value: Any, parameter: str) -> date:
    try:
        return _date_of(value)
    except ValueError:
        raise InvalidInput(parameter, "Dates", "a date such as 2026-05-31", value) from None


def _date_of(value: Any) -> date:
    """The date that a value stands for; a ``ValueError`` where it is none."""
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            raise ValueError(_NO_DATE)
        value = value.astype("datetime64[D]").item()
    if isinstance(value, datetime):
        if value != value:  # noqa: PLR0124 - pandas' missing time is no time
            raise ValueError(_NO_DATE)
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str) and (found := _ISO.fullmatch(value)):
        if found[2]:
            datetime.fromisoformat(value)
        return date.fromisoformat(found[1])
    raise ValueError(_NO_DATE)


def _read(cell: Any) -> date:
    return _date_of(cell.strip() if isinstance(cell, str) else cell)


def _number(day: date) -> int:
    return (day - _EPOCH).days


def _day_of(number: float) -> date:
    return _EPOCH + timedelta(days=int(number))


def _day_text(number: float) -> str:
    """A day, of which Python may not have a date."""
    return str(np.datetime64(int(number), "D"))


def _starts(first: date, last: date, step: str) -> list[date]:
    """The days after ``first``, up to ``last``, on which a step of the calendar begins."""
    if step == "week":
        monday = first.toordinal() + 7 - first.weekday()
        return [date.fromordinal(day) for day in range(monday, last.toordinal() + 1, 7)]
    months, found = _MONTHS[step], []
    month = first.year * 12 + (first.month - 1) // months * months + months
    while month < (date.max.year + 1) * 12 and date(month // 12, month % 12 + 1, 1) <= last:
        found.append(date(month // 12, month % 12 + 1, 1))
        month += months
    return found
