"""Domains: their documents, and the way from a value to an input or a position."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import date, timedelta
from itertools import pairwise
from math import floor, inf, isfinite, isinf, isnan, prod, ulp

from independent.decimals import double, plain, whole
from independent.documents import Refused, demand, keys_of


def read_domain(document: object) -> Domain:
    """The domain that a document describes."""
    kind = document.get("kind") if isinstance(document, dict) else None
    demand(isinstance(kind, str) and kind in KINDS, "unknown domain")
    domain: Domain = KINDS[str(kind)](document)
    return domain


def is_number(value: object) -> bool:
    return type(value) in (int, float)


class Domain:
    """A list of inputs."""

    size: int
    keys: tuple[str, ...]
    more: tuple[str, ...] = ()
    """Keys of version 2."""

    def __init__(self, document: object) -> None:
        demand(isinstance(document, dict), "not an object")
        self.version = whole(document.get("version"), 1, 2 if self.more else 1)
        keys = (*self.keys, *self.more) if self.version == 2 else self.keys
        self.document = keys_of(document, "kind", "version", *keys)
        self.unit = unit_of(self.document["unit"]) if "unit" in self.document else ""
        self.check()

    def check(self) -> None:
        raise NotImplementedError

    def input_of(self, value):
        """The input of what one person holds."""
        raise NotImplementedError


class Categories(Domain):
    keys = ("size", "values")

    def check(self) -> None:
        values = self.document["values"]
        self.size = whole(self.document["size"], 1)
        self.values = None
        if values is not None:
            demand(isinstance(values, list) and len(values) == self.size, "size of values")
            self.values = list(map(label, values))
            demand(len(set(self.values)) == self.size, "a category twice")

    def input_of(self, value):
        if self.values is None:
            return whole(value, 0, self.size - 1)
        demand(type(value) in (str, int) and value in self.values, "not a category")
        return self.values.index(value)


def label(value):
    demand(type(value) in (str, int), "neither text nor a whole number")
    demand(type(value) is int or "\0" not in value, "NUL")
    return value


def unit_of(value: object) -> str:
    """What numbers are of."""
    demand(isinstance(value, str) and len(value) <= 24, "unit")
    assert isinstance(value, str)
    demand(not (value.startswith(" ") or value.endswith(" ")), "spaces at an end of a unit")
    demand(not any(map(is_control, value)), "a control character in a unit")
    return value


def is_control(mark: str) -> bool:
    return mark < " " or "\x7f" <= mark <= "\x9f"


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
        demand(wide * every == self.bins and wide > self.open_end, "wide bins end as narrow ones do")
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


class Vector(Domain):
    keys = ("coordinates", "interval")

    def check(self) -> None:
        self.interval = read_domain(self.document["interval"])
        numeric = isinstance(self.interval, Interval) and not isinstance(self.interval, Dates)
        demand(numeric, "an interval, counts or ratings")
        self.coordinates = whole(self.document["coordinates"], 1)
        self.size = self.coordinates * self.interval.size

    def input_of(self, value):
        demand(isinstance(value, list) and len(value) == self.coordinates, "not a row")
        return [self.interval.input_of(number) for number in value]


class KeyValues(Domain):
    keys = ("interval", "keys", "larger", "pairs")

    def check(self) -> None:
        self.interval = read_domain(self.document["interval"])
        self.categories = read_domain(self.document["keys"])
        demand(type(self.interval) is Interval, "an interval")
        demand(isinstance(self.categories, Categories), "categories")
        self.pairs = self.document["pairs"]
        choices = ("refuse",)
        if self.pairs is not None:
            whole(self.pairs, 1)
            choices = ("refuse", "sample")
        demand(self.document["larger"] in choices, "larger")
        self.size = self.categories.size * self.interval.size + (self.pairs is not None)

    def pair(self, value):
        demand(isinstance(value, list) and len(value) == 2, "not a pair")
        return self.categories.input_of(value[0]), self.interval.input_of(value[1])

    def input_of(self, value):
        """One pair as its key and its bin; a set as a list of them."""
        if self.pairs is None:
            return list(self.pair(value))
        demand(isinstance(value, list) and value, "not a set")
        held = [list(self.pair(pair)) for pair in value]
        demand(len(held) <= self.pairs or self.document["larger"] == "sample", "too many pairs")
        demand(len({key for key, _ in held}) == len(held), "a key twice")
        return held


class Record(Domain):
    """Answers to several questions; ``parts`` are their domains by name."""

    keys = ("questions",)

    def check(self) -> None:
        questions = self.document["questions"]
        demand(isinstance(questions, list) and 2 <= len(questions) <= 30, "2 to 30 questions")
        self.parts: dict[str, Domain] = {}
        for question in questions:
            told = keys_of(question, "domain", "name")
            name, part = told["name"], read_domain(told["domain"])
            demand(isinstance(name, str) and 1 <= len(name) <= 100, "name")
            demand(not (name.startswith(" ") or name.endswith(" ")), "spaces at an end")
            demand(not any(map(is_control, name)), "a control character")
            demand(name not in self.parts, "a name twice")
            demand(not isinstance(part, (Vector, KeyValues, Record)), "one value per person")
            demand(part.size >= 2, "a question of one value")
            self.parts[name] = part
        self.size = prod(part.size for part in self.parts.values())

    def input_of(self, value):
        """The inputs of all answers."""
        demand(isinstance(value, dict) and set(value) == set(self.parts), "not these questions")
        return [part.input_of(value[name]) for name, part in self.parts.items()]


KINDS = {
    "categories": Categories, "interval": Interval, "counts": Counts, "ratings": Ratings,
    "dates": Dates, "vector": Vector, "key-values": KeyValues, "record": Record,
}  # fmt: skip


def admit(domain: Domain, outside: str, value):
    """The value that a device randomizes, by the survey's rule for values outside."""
    if outside == "refuse" or holds(domain, value):
        return value
    return "other" if outside == "other" else domain.nearest(value)


def holds(domain: Domain, value) -> bool:
    """Whether a value is in a domain."""
    try:
        domain.input_of(value)
    except Refused:
        return False
    return True
