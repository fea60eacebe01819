"""Laws of every kind of domain, and a kind that is defined and registered outside of the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.questions import read_questions, registered_questions
from sottovoce.base.canonical import canonical_json
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.base.text import label_text
from sottovoce.core.registry import mechanism_from_document
from sottovoce.domains import base
from sottovoce.domains.base import (
    Domain,
    Indices,
    Read,
    TomlKeys,
    domain_from_json,
    domain_kinds,
    register_domain,
)
from sottovoce.domains.parsing import read_value
from sottovoce.surveys.survey import OUTSIDE
from sottovoce.surveys.toml import survey_from_toml, survey_to_toml
from sottovoce.surveys.wording import survey_in_words

EXAMPLES: list[Domain] = [
    sv.Categories(5),
    sv.Categories(["tea", "coffee", "other"]),
    sv.Categories([3, "three", "3.0", "a, b"]),
    sv.Categories(["none", "flu", "HIV"], sensitive=["HIV", "flu"]),
    sv.Categories(9, sensitive=[8, 0]),
    sv.Choices(["cat", "dog", "fish"], most=2),
    sv.Choices(["yes"]),
    sv.YesNo(),
    sv.Interval(0, 120, bins=12),
    sv.Interval(-1e-3, 7e9, bins=33),
    sv.Interval(0, 100, edges=[0, 1, 10, 50, 100], unit="EUR"),
    sv.Interval(0, 1000, bins=6, scale="log", start=0.1, open_end=True),
    sv.Interval(0, 24, bins=4, unit="h"),
    sv.Dates("2026-01-01", "2026-01-31"),
    sv.Dates("2025-12-30", "2027-02-03", step="month"),
    sv.MayDecline(sv.Categories(["tea", "coffee"])),
    sv.MayDecline(sv.YesNo(), "No answer"),
    sv.MayDecline(sv.Interval(0, 100, edges=[0, 10, 100], open_end=True, unit="EUR"), "?"),
    sv.MayDecline(sv.Dates("2026-01-01", "2026-12-31", step="quarter")),
    sv.Counts(9, unit="visits"),
    sv.Ratings(1, 5, unit="stars"),
    sv.Counts(0),
    sv.Counts(20),
    sv.Ratings(1, 5),
    sv.Ratings(-3, 20),
    sv.Vector(sv.Interval(0, 24, bins=4), 3),
    sv.Vector(sv.Counts(3), 2),
    sv.Vector(sv.Ratings(-1, 1), 2),
    sv.KeyValues(["film", "book"], 0, 5, bins=4),
    sv.KeyValues(3, -1, 1, bins=2, pairs=2, larger="sample"),
    sv.Record({"os": sv.Categories(["mac", "linux"]), "age": sv.Interval(0, 90, bins=3)}),
    sv.Record({"a b": sv.Counts(2), "=c": sv.Ratings(1, 5), "d": sv.Categories(2)}),
]
every_domain = pytest.mark.parametrize("domain", EXAMPLES, ids=str)


def mechanism_over(domain: Domain) -> sv.Mechanism:
    if domain.vector is not None:
        return sv.mechanism("vector", domain, 1.0, inner="grr")
    if domain.choices is not None:
        return sv.mechanism("choice-response", domain, 1.0)
    if domain.record is not None:
        return sv.mechanism("record", domain, 1.0, design="joint")
    return sv.mechanism("key-value" if domain.holds_sets else "grr", domain, 1.0)


def test_every_registered_kind_has_examples():
    assert {domain.kind for domain in EXAMPLES} == set(domain_kinds())


@every_domain
def test_json_round_trip(domain):
    text = canonical_json(domain.to_json())
    assert domain_from_json(json.loads(text)) == domain
    assert type(domain_from_json(json.loads(text))) is type(domain)


@every_domain
def test_toml_round_trip_or_refusal(domain):
    survey = sv.Survey("n", "q", mechanism_over(domain))
    if domain.record is not None:  # a table per question, with the texts of the survey
        assert survey_from_toml(survey_to_toml(survey)) == survey
        return
    try:
        table = domain.to_toml()
    except Unfit as error:
        assert str(error) == f"{domain} cannot be written as TOML"
        with pytest.raises(Unfit, match="its canonical JSON can"):
            survey_to_toml(survey)
        return
    assert domain.toml is not None
    assert set(domain.toml.required) <= set(table)
    assert set(table) <= {*domain.toml.required, *domain.toml.optional}
    assert type(domain).from_toml(table) == domain
    text = survey_to_toml(survey)
    assert survey_from_toml(text) == survey
    assert f"#   {domain.kind} " in text


def test_only_vectors_of_whole_numbers_have_no_toml():
    refused = []
    for domain in EXAMPLES:
        try:
            survey_to_toml(sv.Survey("n", "q", mechanism_over(domain)))
        except Unfit:
            refused.append(str(domain))
    assert refused == ["Vector(Counts(3), 2)", "Vector(Ratings(-1, 1), 2)"]


@every_domain
def test_values_are_read_from_their_text_or_refused(domain):
    if domain.vector is not None or domain.keyed is not None or domain.record is not None:
        with pytest.raises(Unfit, match="cannot be read from one text"):
            domain.reader()
        return
    read = domain.reader()
    for index in range(domain.size):
        label = domain.label(index)
        text = label_text(label, repr)
        if domain.choices is not None:
            text = "; ".join(label) or text
        elif isinstance(label, tuple):  # of a bin its beginning, which belongs to it
            text = text.partition(" to ")[0].partition(" or more")[0]
        assert domain.index(read(text)) == index
        assert domain.index(read_value(text, domain, "value", "a test")) == index


@every_domain
def test_labels_have_distinct_texts(domain):
    texts = [label_text(label, repr) for label in domain.labels()]
    assert len(set(texts)) == domain.size


@every_domain
def test_a_domain_is_of_one_class(domain):
    held = [domain.numbers, domain.dates, domain.keyed, domain.vector, domain.record]
    assert sum(each is not None for each in held) <= 1
    assert all(each is domain for each in held if each is not None)
    assert (domain.numbers is not None or domain.dates is not None) == domain.ordered


@every_domain
def test_words_are_words(domain):
    for words in (domain.summary(), domain.in_words()):
        assert words and "(" not in words.replace("key (", "") and words[0] == words[0].lower()
    shown = survey_in_words(sv.Survey("n", "q", mechanism_over(domain)))
    if domain.record is None:
        assert f"The answer: {domain.in_words()}. Anything else" in shown
    else:
        assert all(f"({part.in_words()})" in shown for part in domain.record.domains)


@every_domain
def test_rules_for_values_outside(domain):
    chosen = mechanism_over(domain)
    assert "refuse" in domain.outside_rules
    for rule in OUTSIDE:
        if rule in domain.outside_rules:
            assert sv.Survey("n", "q", chosen, outside=rule).outside == rule
            continue
        with pytest.raises(InvalidInput, match=f"outside of Survey must be .*; got '{rule}'"):
            sv.Survey("n", "q", chosen, outside=rule)
        with pytest.raises(InvalidInput):
            domain.admit(object(), rule)


def test_values_outside_are_replaced_by_the_rule():
    assert sv.Interval(0, 10).admit(11, "nearest") == 10
    assert sv.Counts(10).admit(11, "nearest") == 10
    drinks = sv.Categories(["tea", "other"])
    assert (drinks.admit("tea", "other"), drinks.admit("milk", "other")) == ("tea", "other")
    with pytest.raises(InvalidInput, match=r"must be one of \['tea', 'other'\]; got 'milk'"):
        drinks.admit("milk", "refuse")
    with pytest.raises(InvalidInput, match="outside of .* must be one of other, refuse; got 'nea"):
        drinks.admit("milk", "nearest")
    with pytest.raises(InvalidInput, match="outside of .* must be one of refuse; got 'nearest'"):
        sv.Categories(["far", "nearest"]).admit("milk", "nearest")


@every_domain
def test_without_names_the_size_and_order_stay(domain):
    light = domain.unnamed()
    assert (light.size, light.ordered, light.stretches) == (
        domain.size, domain.ordered, domain.stretches,
    )  # fmt: skip


def tally_over(domain: Domain) -> sv.Tally:
    chosen = mechanism_over(domain)
    if domain.vector is not None:
        return chosen.tally(chosen.randomize(np.full((400, domain.vector.coordinates), 1.0)))
    if domain.holds_sets:
        return chosen.tally(chosen.randomize([{0: 0.5, 1: -0.5}] * 400))
    return chosen.simulate(np.full(domain.size, 400), source=sv.Seeded(1))


@pytest.mark.parametrize("question", registered_questions(), ids=lambda each: each.name)
@pytest.mark.parametrize("domain", [each for each in EXAMPLES if each.size > 2], ids=str)
def test_a_domain_can_be_asked_its_questions_and_no_others(domain, question):
    estimate = sv.estimate(tally_over(domain))
    domain = domain.answered
    texts = [(question.name, question.example(domain))]
    if domain.keyed is not None and question.name not in ("top", "key", "top_keys"):
        key = next(each for each in registered_questions() if each.name == "key")
        texts.insert(0, ("key", key.example(domain)))
    if domain.may_decline is not None and question.name in ("share", "total"):
        texts = [(question.name, domain.label_text)]
    elif domain.dates is not None and question.name in ("share", "total"):
        texts = [(question.name, str(domain.first))]
    elif domain.numbers is not None and question.name in ("share", "total"):
        texts = [(question.name, "1")]
    elif not texts[-1][1]:
        texts = [(question.name, "three")]
    try:
        rows = read_questions(domain, texts).of(estimate)
    except (Unfit, NotIdentified):
        assert not question.fits(domain)
    else:
        assert rows and question.fits(domain)


# -- a kind from outside -------------------------------------------------------------------------


@dataclass(frozen=True)
class Weekdays(Domain):
    """The first ``days`` days of a week, from Monday."""

    kind: ClassVar[str] = "weekdays"
    written_as: ClassVar[str] = "the name of a day"
    toml: ClassVar[TomlKeys | None] = TomlKeys(("days",), (), "days, from Monday on")
    NAMES: ClassVar[tuple[str, ...]] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

    days: int

    @property
    def size(self) -> int:
        return self.days

    def is_one(self, values: object) -> bool:
        return isinstance(values, str)

    def index(self, value: Any) -> int:
        if value not in self.NAMES[: self.days]:
            raise InvalidInput("value", str(self), "a day", value)
        return self.NAMES.index(value)

    def indices(self, values: Any) -> Indices:
        return np.array([self.index(value) for value in values], dtype=np.int64)

    def label(self, index: int) -> str:
        return self.NAMES[index]

    def summary(self) -> str:
        return f"one of {self.days} weekdays"

    def reader(self) -> Read:
        return _read_day

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": 1, "days": self.days}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Weekdays:
        return cls(document["days"])


def _read_day(text: Any) -> str:
    if not str(text)[:3].istitle():
        raise ValueError(text)
    return str(text)[:3]


@dataclass(frozen=True)
class Untold(Weekdays):
    """The same, without words, a reader or TOML."""

    kind: ClassVar[str] = "untold"
    toml: ClassVar[TomlKeys | None] = None

    def summary(self) -> str:
        return Domain.summary(self)

    def reader(self) -> Read:
        return Domain.reader(self)


@pytest.fixture
def outside(monkeypatch):
    monkeypatch.setattr(base, "_KINDS", dict(base._KINDS))
    register_domain(Weekdays)
    register_domain(Untold)


@pytest.fixture
def survey(outside):
    return sv.Survey("days", "When?", sv.mechanism("grr", Weekdays(5), 1.0))


def test_a_kind_from_outside_is_described_read_and_written(survey):
    words = survey_in_words(survey)
    assert "The answer: one of 5 weekdays. Anything else is not sent at all" in words
    assert sv.Survey.from_json(survey.to_json()) == survey
    again = mechanism_from_document(json.loads(survey.to_json())["mechanism"])
    assert again.domain == Weekdays(5)
    text = survey_to_toml(survey)
    assert 'kind = "weekdays"\ndays = 5\n' in text
    assert "#   weekdays      days, from Monday on\n" in text
    assert survey_from_toml(text) == survey


def test_values_of_a_kind_from_outside_are_read_from_text(survey):
    domain = survey.mechanism.domain
    assert read_value("Tuesday", domain, "--share", "a test") == "Tue"
    with pytest.raises(InvalidInput) as refusal:
        read_value("tuesday", domain, "--share", "a test")
    assert str(refusal.value) == (
        "--share of a test must be the name of a day, of Weekdays(days=5); got 'tuesday'"
    )


def test_a_kind_from_outside_is_estimated_and_asked(survey):
    chosen = survey.mechanism
    estimate = sv.estimate(chosen.tally(chosen.randomize(["Mon"] * 400 + ["Wed"] * 100)))
    (row,) = read_questions(chosen.domain, [("share", "Monday")]).of(estimate)
    assert row["label"] == "Mon" and row["value"] > 0.5
    with pytest.raises(Unfit, match=r"mean needs numbers \(an Interval\)"):
        estimate.mean()
    assert (survey.admit("Mon"), chosen.domain.outside_rules) == ("Mon", ("refuse",))
    with pytest.raises(InvalidInput, match="must be 'refuse' for Weekdays"):
        sv.Survey("days", "When?", chosen, outside="other")


def test_what_a_kind_from_outside_does_not_define_is_refused(outside):
    domain = Untold(3)
    survey = sv.Survey("days", "When?", sv.mechanism("grr", domain, 1.0))
    assert "The answer: one of 3 values." in survey_in_words(survey)
    with pytest.raises(Unfit, match=r"a value of Untold\(days=3\) cannot be read from one text"):
        read_value("Mon", domain, "--share", "a test")
    with pytest.raises(Unfit, match="cannot be written as TOML; its canonical JSON can"):
        survey_to_toml(survey)
    with pytest.raises(Unfit, match=r"Untold\(days=3\) cannot be written as TOML"):
        domain.to_toml()
    written = survey_to_toml(sv.Survey("n", "q", sv.mechanism("grr", sv.Counts(3), 1.0)))
    assert "untold" not in written
    with pytest.raises(InvalidInput, match=r"kind of .* one of categories, .*; got 'untold'"):
        survey_from_toml(written.replace('"counts"', '"untold"'))


def test_a_word_stands_for_one_kind_only(outside):
    with pytest.raises(InvalidInput, match="kind of Weekdays must be another word than .*weekdays"):
        register_domain(Weekdays)
