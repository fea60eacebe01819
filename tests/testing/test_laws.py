"""Every law finds a fault planted in a small mechanism or method, and says which law it is."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from importlib import import_module
from typing import ClassVar

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.support_rule import SupportRule
from sottovoce.core import registry
from sottovoce.core.cell_expression import FieldValue
from sottovoce.core.fields import IntField
from sottovoce.estimators.methods import Method, register_method, registered_method
from sottovoce.estimators.observed import Fit
from sottovoce.testing import (
    ERROR_LAWS,
    MECHANISM_LAWS,
    METHOD_LAWS,
    LawBroken,
    Trial,
    check_mechanism,
    check_method,
)

BASE = sv.RandomizedResponse
LAWS = {law.name: law for law in (*MECHANISM_LAWS, *METHOD_LAWS, *ERROR_LAWS)}


@dataclass(frozen=True)
class Small(BASE):
    name: ClassVar[str] = "small"
    aka: ClassVar[dict] = {}


@pytest.fixture
def small(monkeypatch):
    """Randomized response under another name, whose class a test may spoil."""
    for names in ("_NAMES", "_CLASSES"):
        monkeypatch.setattr(registry, names, dict(getattr(registry, names)))
    registry.register(Small)
    return Small(sv.Categories(4), 1.0)


def broken(name, subject):
    about = str(subject)
    with pytest.raises(LawBroken) as found:
        LAWS[name](subject)
    error = found.value
    assert isinstance(error, AssertionError)
    assert error.law == name
    assert str(error).startswith(f"{name}, for {about}: expected ")
    assert error.expected and error.observed
    return error


def test_a_right_mechanism_passes_all_laws(small):
    check_mechanism(small)
    check_method("norm-sub", small)
    check_method(registered_method("em"), small)


# -- mechanisms ---------------------------------------------------------------------------------


class FloatField(IntField):
    """A column of fractions."""

    def empty(self, count):
        return np.empty(count)

    def check(self, column, owner):
        return column


class SortingField(IntField):
    """A column that loses its order in Arrow."""

    def from_arrow(self, array, owner):
        return np.sort(super().from_arrow(array, owner))


def other_weights(self):
    keep, other = self.weights
    return {"keep": keep - 4, "other": other + 1}


def without_last(self, indices, source):
    return (np.minimum(BASE.respond_many(self, indices, source)[0], 2),)


def rolled(self, indices, source):
    return ((BASE.respond_many(self, indices, source)[0] + 1) % 4,)


def backwards(self, indices, source):
    return (BASE.respond_many(self, indices[::-1], source)[0][::-1],)


def more_telling(self, indices, source):
    return BASE.respond_many(BASE(self.domain, 1.3), indices, source)


def simulated_elsewhere(self, counts, source):
    return BASE._simulate(BASE(self.domain, 1.3), counts, source)


def not_additive(self, reports):
    return np.roll(BASE.count(self, reports), len(reports) % 3)


def counted_twice(self, reports):
    return 2 * BASE.count(self, reports)


def simulate_anything(self, true_counts, *, source=None):
    return sv.Tally.empty(self)


def every_other_time(self, reports):
    """A tally whose cells move each time that one is made."""
    calls = self.__dict__.setdefault("calls", [])
    calls.append(1)
    cells = np.roll(self.count(reports), len(calls))
    return sv.Tally(self, len(reports), cells)


SPOILED = {
    "the cell expression counts": {"cell_expression": lambda self: FieldValue("value") * 2},
    "json round trip": {"_weights_document": other_weights},
    "frozen": {"__setattr__": object.__setattr__},
    "another epsilon is another mechanism": {"fingerprint": property(lambda self: "0" * 32)},
    "weights that break the claim are refused": {"certificate": lambda self: sv.Certificate(1, 1)},
    "no float in a report": {"fields": property(lambda self: (FloatField("value", 4),))},
    "every coordinate of a report varies": {"respond_many": without_last},
    "one and many agree on the same words": {"respond_many": rolled},
    "a batch is its people on the same words": {"respond_many": backwards},
    "arrow and parquet round trip": {"fields": property(lambda self: (SortingField("value", 4),))},
    "tallies are a monoid": {"count": not_additive},
    "every block sums to n": {"count": counted_twice},
    "tally bytes round trip": {"_weights_document": other_weights},
    "simulate takes whole counts": {"simulate": simulate_anything},
    "certificate keeps the claim": {"certificate": lambda self: sv.Certificate(3, 1)},
    "sampler follows the channel and no other": {"respond_many": more_telling},
    "only values that are not sensitive are revealed": {
        "open_cells": property(lambda self: (np.array([0]), np.array([0])))
    },
    "simulate follows the channel and no other": {"_simulate": simulated_elsewhere},
    "reports and their tally give the same estimate": {"tally": every_other_time},
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_fault_of_a_mechanism_is_found(name, small, monkeypatch):
    LAWS[name](small)
    for member, fault in SPOILED[name].items():
        monkeypatch.setattr(type(small), member, fault)
    broken(name, small)


# -- channels -------------------------------------------------------------------------------------

RIGHT = type(BASE(sv.Categories(4), 1.0).channel())


class Halved:
    """An inverse that gives half of what it should."""

    def __init__(self, right):
        self._right = right

    def forward(self, frequencies):
        return self._right.forward(frequencies) / 2

    def adjoint(self, weights):
        return self._right.adjoint(weights) / 2


class Nothing(Halved):
    """An inverse that gives no numbers."""

    def forward(self, frequencies):
        return np.full(len(frequencies), np.nan)


def inverse_of(kind):
    return property(lambda self: kind(RIGHT.inverse.__get__(self)))


def scaled(member, factor):
    right = getattr(RIGHT, member)
    return lambda self, *arguments: factor * right(self, *arguments)


def swollen(self, shares, cells):
    ratio, likelihood = RIGHT.em_step(self, shares, cells)
    return ratio * 1.01, likelihood


def shifted(self, weights):
    right = RIGHT.cell_weights(self, weights)
    return replace(right, values=right.values + 0.1)


def rule_of_another(self):
    """Each value is supported by the cell after its own."""
    p, q = self.support_probabilities.p, self.support_probabilities.q
    ones, values = np.ones((4, 1), dtype=np.int64), np.arange(4)
    return SupportRule(4, ones, values, values[:, None] + 1, (1 - q) / (p - q), -q / (p - q))


WRONG_CHANNELS = {
    "support rule is the inverse": {"support_rule": property(rule_of_another)},
    "adjoint": {"adjoint": scaled("adjoint", 1.001)},
    "columns sum to the number of blocks": {"dense": scaled("dense", 0.999)},
    "operators are the matrix": {
        "forward": scaled("forward", 1.001),
        "dense": lambda self: np.eye(4) * 0.4 + 0.15,
    },
    "inverse undoes the channel": {"inverse": inverse_of(Halved)},
    "cell weights give answers that are right on average": {"cell_weights": shifted},
    "variance is that of the dense matrix": {"variance": scaled("variance", 0.9)},
    "kernel is circulant": {
        "kernel": property(lambda self: np.roll(RIGHT.kernel.__get__(self), 1))
    },
    "em steps keep mass and never lower the likelihood": {"em_step": swollen},
    "every method that applies gives an estimate": {"inverse": inverse_of(Nothing)},
    "auto is a distribution with a reason": {"identifies_distribution": False},
}


@pytest.mark.parametrize("name", WRONG_CHANNELS)
def test_a_fault_of_a_channel_is_found(name, small, monkeypatch):
    LAWS[name](small)
    del small.__dict__["_kept_channel"]
    wrong = type("Wrong", (RIGHT,), WRONG_CHANNELS[name])
    monkeypatch.setattr(type(small), "_channel", lambda self: wrong(4, self.weights, 2**self.bits))
    broken(name, small)


# -- methods --------------------------------------------------------------------------------------


@pytest.fixture
def method(monkeypatch):
    """Register a method for one test."""
    module = import_module("sottovoce.estimators.methods")
    for names in ("_METHODS", "_NAMES"):
        monkeypatch.setattr(module, names, dict(getattr(module, names)))

    def add(**what):
        return register_method(Method("mine", "a method of this test", **what))

    return add


def noisy(raw):
    drawn = np.frombuffer(os.urandom(8 * raw.size), dtype="<u8") / 2**64
    return raw.shares + 0.01 * drawn


class Proxy:
    """An estimate of which one member is wrong."""

    def __init__(self, right, **wrong):
        self.__dict__.update(wrong, right=right)

    def __getattr__(self, name):
        return getattr(self.__dict__["right"], name)

    def __reduce__(self):
        return Proxy, (self.right,)


def test_a_method_of_nan_is_found(small, method):
    method(step=lambda raw: np.full(raw.size, np.nan))
    assert broken("estimates have all fields", Trial("mine", small)).expected == "finite shares"
    with pytest.raises(LawBroken, match="estimates have all fields, for mine of small"):
        check_method("mine", small)


def test_a_fit_that_is_not_a_distribution_is_found(small, method):
    method(fit=lambda observed: Fit(np.array([1.5, -0.5, 0.0, 0.0]), True, 1, (), 0.0))
    error = broken("fits are distributions", Trial("mine", small))
    assert (error.expected, error.observed) == ("shares that are not negative", "-0.5")


def test_errors_that_are_not_repeatable_are_found(small, method):
    method(step=noisy)
    broken("errors are finite and repeatable", Trial("mine", small))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("copies are the same", lambda right: {"n": right.n + 1}),
        ("a single total is a share", lambda right: {"total": lambda values: right.share(1)}),
        ("population errors are larger",
         lambda right: {"for_population": lambda: Proxy(right, about="population",
                                                        stderr=right.stderr / 2)}),
    ],
)  # fmt: skip
def test_a_fault_of_an_estimate_is_found(name, wrong, small):
    trial = Trial("norm-sub", small)
    LAWS[name](trial)
    trial.__dict__["estimate"] = Proxy(trial.estimate, **wrong(trial.estimate))
    broken(name, trial)


def test_every_law_has_a_planted_fault():
    """But one: what is not about a mechanism but about all."""
    tested = {*SPOILED, *WRONG_CHANNELS, "estimates have all fields", "fits are distributions",
              "errors are finite and repeatable", "copies are the same",
              "a single total is a share", "population errors are larger"}  # fmt: skip
    assert set(LAWS) - tested == {"no reports no answer"}
    assert tested <= set(LAWS)


# -- what is not checked ----------------------------------------------------------------------------


def test_what_cannot_be_checked_is_refused(small, method):
    with pytest.raises(InvalidInput, match="mechanism of check_mechanism must be a Mechanism"):
        check_mechanism("grr")
    with pytest.raises(Unfit, match="unknown method 'mine'"):
        check_method("mine", small)
    mine = method(step=lambda raw: raw.shares)
    with pytest.raises(InvalidInput, match="method of check_method must be registered"):
        check_method(replace(mine, summary="a copy"), small)
    bit = sv.mechanism("stochastic-rounding", sv.Interval(0, 1, bins=4), 1.0)
    with pytest.raises(Unfit, match="the laws are about shares, and unbiased estimates .* only"):
        check_method("unbiased", bit)
