"""Numbers and dates: bins of them, and the way from a value to a bin or a position."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import date, timedelta
from itertools import pairwise
from math import floor, inf, isfinite, isinf, isnan, ulp

from independent.decimals import double, plain, whole
from independent.documents import Refused, demand
from independent.domain import Domain, is_number


class Interval(Domain):
    keys = ("bins", "high", "low")
    more = ("edges", "open_end", "scale", "unit")
    of_whole = False
    edges: list[float] | None = None
    open_end = False

    def check(self) -> None:
        self.low, self.high = double(self.document["low"]), double(self.document["high"])
        self.bins = self.size = whole(self.document["bins"], 1)
        demand(self.low < self.high and isfinite(self.high - self.low), "low, high")
        self.width = (self.high - self.low) / self.bins
        if self.version == 2:
            self.check_edges()
        wide = self.width >= 16 * ulp(max(abs(self.low), abs(self.high)))
        demand(self.edges or wide, "bins too narrow")

    def check_edges(self) -> None:
        scale, self.open_end = self.document["scale"], self.document["open_end"]
        demand(scale in ("linear", "log") and type(self.open_end) is bool, "scale, open_end")
        if self.document["edges"] is None:
            demand(scale == "linear" and not self.open_end and self.unit, "written as version 1")
            return
        demand(isinstance(self.document["edges"], list), "edges")
        self.edges = list(map(double, self.document["edges"]))
        demand(2 <= len(self.edges) <= 4096, "number of edges")
        demand((self.edges[0], self.edges[-1]) == (self.low, self.high), "edges at the bounds")
        demand(all(a < b for a, b in pairwise(self.edges)), "edges in order")
        demand(self.bins == len(self.edges) - 1 + self.open_end, "number of bins")

    def start(self, place: int) -> float:
        return self.edges[place] if self.edges else self.low + place * self.width

    def input_of(self, value):
        most = inf if self.open_end else self.high
        demand(is_number(value) and self.low <= value <= most, "outside the interval")
        demand(value < inf, "not finite")
        return bisect_right(range(self.bins), value, key=self.start) - 1

    def position_of(self, value, steps: int) -> int:
        """A number on a grid that is finer than its bin."""
        place = self.input_of(value)
        if self.open_end and place == self.bins - 1:
            return place * steps + steps // 2
        offset = value - self.start(place)
        if self.edges:
            part = offset / (self.start(place + 1) - self.start(place))
            return place * steps + min(floor(part * steps), steps - 1)
        scale = steps / self.width
        if isinf(scale):
            return place * steps + (steps - 1 if offset > 0 else 0)
        return place * steps + min(floor(offset * scale), steps - 1)

    def nearest(self, value):
        demand(is_number(value) and not isnan(value), "not a number")
        most = inf if self.open_end and value < inf else self.high
        return min(max(value, self.low), most)

    def cut(self, wide: int) -> dict[str, object]:
        """The document of the same numbers in so many bins."""
        low, high = self.document["low"], self.document["high"]
        plain = {"kind": "interval", "version": 1, "low": low, "high": high, "bins": wide}
        if not self.edges:
            return plain
        every = self.bins // wide
        demand(
            wide * every == self.bins and wide > self.open_end, "wide bins end as narrow ones do"
        )
        kept = self.document["edges"][::every]
        told = {"edges": kept, "open_end": self.open_end, "scale": self.document["scale"]}
        return {**plain, **told, "version": 2, "unit": "", "high": kept[-1]}


class WholeNumbers(Interval):
    """Whole numbers from ``least`` to ``most``, one bin each."""

    more = ("unit",)
    of_whole = True
    least: int
    most: int

    def check_unit(self) -> None:
        demand(self.version == 1 or self.unit, "written as version 1")

    def input_of(self, value):
        demand(is_number(value) and self.least <= value <= self.most, "outside")
        demand(value == int(value), "a fraction")
        return int(value) - self.least

    def position_of(self, value, steps: int) -> int:
        return self.input_of(value)

    def nearest(self, value):
        demand(is_number(value) and not isnan(value), "not a number")
        demand(not isfinite(value) or value == int(value), "a fraction")
        return min(max(value, self.least), self.most)


class Counts(WholeNumbers):
    keys = ("most",)

    def check(self) -> None:
        self.check_unit()
        self.least, self.most = 0, whole(self.document["most"], 0)
        self.bins = self.size = self.most + 1


class Ratings(WholeNumbers):
    keys = ("high", "low")

    def check(self) -> None:
        self.check_unit()
        self.least = whole(self.document["low"], -(10**12))
        self.most = whole(self.document["high"], self.least + 1, 10**12)
        self.bins = self.size = self.most - self.least + 1


class Dates(Interval):
    """Days since 1970-01-01 in steps of the calendar, each day from half a day before to half a day after."""

    keys = ("first", "last", "step")
    more = ()

    def check(self) -> None:
        self.first, self.last = (read_date(self.document[key]) for key in ("first", "last"))
        self.step = self.document["step"]
        demand(self.step in ("day", *BEGINS), "step")
        demand(self.first <= self.last, "last before first")
        self.of_whole = self.step == "day"
        self.low, self.high = number_of(self.first) - 0.5, number_of(self.last) + 0.5
        self.bins = self.size = round(self.high - self.low)
        self.width = 1.0
        if not self.of_whole:
            begins, days = BEGINS[self.step], range(1, self.bins)
            starts = [d for d in days if begins(self.first + timedelta(d))]
            demand(len(starts) <= 4094, "too many steps")
            self.edges = [self.low, *(self.low + d for d in starts), self.high]
            self.bins = self.size = len(self.edges) - 1

    def input_of(self, value):
        return super().input_of(number_of(read_date(value)))

    def position_of(self, value, steps: int) -> int:
        if self.of_whole:
            return self.input_of(value)
        day, place = number_of(read_date(value)), self.input_of(value)
        part = (day - self.edges[place]) / (self.edges[place + 1] - self.edges[place])
        return place * steps + min(floor(part * steps), steps - 1)

    def nearest(self, value):
        return min(max(read_date(value), self.first), self.last).isoformat()

    def cut(self, wide: int) -> dict[str, object]:
        low, high = plain(self.low), plain(self.high)
        cut = {"kind": "interval", "version": 1, "low": low, "high": high, "bins": wide}
        demand(self.bins % wide == 0, "wide bins end as narrow ones do")
        if self.of_whole:
            return cut
        kept = [plain(edge) for edge in self.edges[:: self.bins // wide]]
        told = {"edges": kept, "open_end": False, "scale": "linear", "unit": "", "version": 2}
        return {**cut, **told}


BEGINS = {
    "week": lambda day: day.weekday() == 0,
    "month": lambda day: day.day == 1,
    "quarter": lambda day: day.day == 1 and day.month % 3 == 1,
    "year": lambda day: day.day == day.month == 1,
}
"""Whether a step begins on a day."""


def read_date(value) -> date:
    demand(isinstance(value, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value), "a date")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise Refused("no such day") from None


def number_of(day: date) -> int:
    """Days since 1970-01-01."""
    return day.toordinal() - 719_163
