"""Domains: their documents, and the way from a value to an input or a position."""

from __future__ import annotations

from math import comb, prod

from independent.decimals import whole
from independent.documents import Refused, demand, keys_of
from independent.domain import Domain, is_control
from independent.numbers import Counts, Dates, Interval, Ratings


def read_domain(document: object) -> Domain:
    """The domain that a document describes."""
    kind = document.get("kind") if isinstance(document, dict) else None
    demand(isinstance(kind, str) and kind in KINDS, "unknown domain")
    domain: Domain = KINDS[str(kind)](document)
    return domain


class Categories(Domain):
    keys = ("size", "values")
    more = ("sensitive",)
    sensitive: list[int] | None = None

    def check(self) -> None:
        values = self.document["values"]
        self.size = whole(self.document["size"], 1)
        self.values = None
        if values is not None:
            demand(isinstance(values, list) and len(values) == self.size, "size of values")
            self.values = list(map(label, values))
            demand(len(set(self.values)) == self.size, "a category twice")
        if self.version == 2:
            self.sensitive = self.document["sensitive"]
            demand(isinstance(self.sensitive, list), "sensitive")
            for input_ in self.sensitive:
                whole(input_, 0, self.size - 1)
            demand(self.sensitive == sorted(set(self.sensitive)), "ascending")
            demand(0 < len(self.sensitive) < self.size, "some, and not all")

    def input_of(self, value):
        if self.values is None:
            return whole(value, 0, self.size - 1)
        demand(type(value) in (str, int) and value in self.values, "not a category")
        return self.values.index(value)


def label(value):
    demand(type(value) in (str, int), "neither text nor a whole number")
    demand(type(value) is int or "\0" not in value, "NUL")
    return value


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


class MayDecline(Domain):
    """Answers of a domain, or a label in their place."""

    keys = ("domain", "label")

    def check(self) -> None:
        self.domain, self.label = read_domain(self.document["domain"]), self.document["label"]
        several = isinstance(self.domain, (Vector, KeyValues, Choices, Record, MayDecline))
        demand(not several, "one value per person")
        demand(getattr(self.domain, "sensitive", None) is None, "sensitive values")
        question_name(self.label)
        demand(not holds(self.domain, self.label), "a label that is an answer")
        self.size = self.domain.size + 1

    def input_of(self, value):
        if type(value) is str and value == self.label:
            return self.domain.size
        return self.domain.input_of(value)

    def nearest(self, value):
        return self.domain.nearest(value)


def question_name(name: object) -> None:
    """Text of a line."""
    demand(isinstance(name, str) and 1 <= len(name) <= 100, "name")
    assert isinstance(name, str)
    demand(not (name.startswith(" ") or name.endswith(" ")), "spaces at an end")
    demand(not any(map(is_control, name)), "a control character")


class Choices(Domain):
    """Sets of at most ``most`` options."""

    keys = ("most", "options")

    def check(self) -> None:
        self.options = read_domain(self.document["options"])
        named = isinstance(self.options, Categories) and self.options.values
        demand(named and self.options.sensitive is None, "named categories")
        for option in self.options.values:
            demand(option != "none of these" and ";" not in str(option), "option")
        d = self.options.size
        self.most = whole(self.document["most"], 1, d)
        self.size = sum(comb(d, j) for j in range(self.most + 1))
        demand(self.size <= 2**62, "too many sets")

    def input_of(self, value):
        """The items of a set: its options, ascending, and blanks."""
        demand(isinstance(value, list) and len(value) <= self.most, "not a set, or too large")
        places = sorted(map(self.options.input_of, value))
        demand(len(set(places)) == len(places), "an option twice")
        return [*places, *(self.options.size + slot for slot in range(len(places), self.most))]


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
            question_name(name)
            demand(name not in self.parts, "a name twice")
            demand(
                not isinstance(part, (Vector, KeyValues, Choices, Record)), "one value per person"
            )
            demand(part.size >= 2, "a question of one value")
            self.parts[name] = part
        self.size = prod(part.size for part in self.parts.values())

    def input_of(self, value):
        """The inputs of all answers."""
        demand(isinstance(value, dict) and set(value) == set(self.parts), "not these questions")
        return [part.input_of(value[name]) for name, part in self.parts.items()]


KINDS = {
    "categories": Categories, "interval": Interval, "counts": Counts, "ratings": Ratings,
    "dates": Dates, "vector": Vector, "key-values": KeyValues, "record": Record, "choices": Choices, "may-decline": MayDecline,
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
