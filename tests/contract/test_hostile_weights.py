"""Certificates hold for weights that the library did not make.

Every document that the reader takes is judged by the exact law of one report, enumerated in integers
(:mod:`laws`), and by the formulas of the reference page, written a second time
(:mod:`certificates_by_hand`).
"""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sottovoce.base.errors import SottovoceError
from sottovoce.base.exact import decimal_text
from sottovoce.core.certificate import Certificate
from sottovoce.core.registry import mechanism_from_document, registered
from sottovoce.mechanisms._grid_wave import GridWave
from sottovoce.mechanisms._key_value_unary import UnaryKeys
from sottovoce.mechanisms._noise_on_grid import NoiseTable
from support.certificates_by_hand import Refused, check
from support.documents import with_weights
from support.hostile_mechanisms import CASES, Case
from support.hostile_weights import weights_of
from support.laws import (
    hockey_stick,
    law,
    protected_ratio,
    steps_between_neighbours,
    taylor_exp,
    worst_ratio,
)

OURS = [cls for cls in registered() if cls.__module__.startswith("sottovoce.")]
NAMES = sorted({case.name for case in CASES})
QUICK, SLOW = (
    Counter({"key-value": 60, "gaussian": 30}),
    Counter({"key-value": 1500, "gaussian": 500}),
)


def read(document: dict[str, Any]) -> Any:
    """The mechanism of a document, or None where the reader refuses it."""
    try:
        return mechanism_from_document(document)
    except SottovoceError:
        return None


def attacked(name: str, wanted: int, seed: int, *, by_page: bool = True) -> tuple[int, int]:
    """Judge documents of a mechanism until that many are accepted; how many were, and all tried."""
    rng, accepted, tried = random.Random(seed), 0, 0  # noqa: S311
    cases = [case for case in CASES if case.name == name]
    assert cases, f"no document of {name} to attack"
    while accepted < wanted:
        for case in rng.sample(cases, len(cases)):
            weights, epsilon = weights_of(case, rng)
            document, tried = with_weights(case.document(), weights, epsilon=epsilon), tried + 1
            mechanism = read(document)
            if by_page:
                compare_with_page(document, mechanism)
            if mechanism is not None:
                accepted += 1
                judge(case, document, mechanism)
        assert tried < 100 * (wanted + len(cases)), f"{name}: hardly any document is accepted"
    return accepted, tried


def compare_with_page(document: dict[str, Any], mechanism: Any) -> None:
    """The page's formulas take the same documents, and find the same fraction."""
    try:
        ratio, delta = check(document)
    except Refused as refusal:
        assert mechanism is None, f"only the page refuses ({refusal}): {document}"
        return
    assert mechanism is not None, f"only the reader refuses: {document}"
    certificate = mechanism.certificate()
    if certificate.delta:  # the ratio is e^epsilon, of which each has its own lower bound
        assert abs(certificate.delta - delta) <= delta / 10**12, document
    else:
        assert (certificate.ratio, certificate.delta) == (ratio, delta), document


def judge(case: Case, document: dict[str, Any], mechanism: Any) -> None:
    """The law keeps the certificate and the claim; where the certificate is exact it is the law's."""
    rows, certificate = law(document, mechanism), mechanism.certificate()
    low, high = taylor_exp(Fraction(document["epsilon"]))
    if "gaussian" in str(document):
        true = hockey_stick(rows, low)
        assert true <= certificate.delta <= Fraction(1, 10), document
        if case.name == "gaussian" and mechanism.coordinates == 1 and mechanism.noise_size:
            size = mechanism.noise_size
            margin = 4 * size + 4 * size * (1 + high)
            assert certificate.delta <= true + margin / mechanism.noise.total, document
        return
    scope = certificate.scope
    if scope is None:
        ratio = worst_ratio(rows)
    elif scope.any_two is None:
        ratio = protected_ratio(rows, document["domain"]["sensitive"])
    else:
        ratio = steps_between_neighbours(rows)
    assert ratio is not None, document
    assert ratio <= certificate.ratio, document
    assert ratio <= high, document
    assert not case.exact or ratio == certificate.ratio, document
    if scope is not None:
        assert worst_ratio(rows) == scope.any_two, document
    for claim, fits in ((below(ratio), False), (decimal_text(certificate.epsilon_above), True)):
        if float(claim) < 1e-6 or (fits and document["options"].get("split") == "budget"):
            continue
        again = read({**document, "epsilon": claim})
        assert (again is not None) is fits, (claim, document)


def below(ratio: Fraction) -> str:
    """A decimal a little below the logarithm of a ratio."""
    exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
    return decimal_text(float(exact) * (1 - 1e-9))


def test_every_mechanism_is_attacked():
    assert [cls.name for cls in OURS] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_certificates_hold_for_weights_of_others(name):
    attacked(name, QUICK[name] or 15, seed=1)


@pytest.mark.slow
def test_certificates_hold_for_thousands_of_weights_of_others(capsys):
    found = {name: attacked(name, SLOW[name] or 250, seed=2) for name in NAMES}
    with capsys.disabled():
        for name, (accepted, tried) in found.items():
            print(f"\n{name}: {accepted} accepted of {tried}", end="")
    assert sum(accepted for accepted, _ in found.values()) >= 5000


# -- power: planted faults ---------------------------------------------------------------------


def certificate_of_0_1(self: UnaryKeys) -> Certificate:
    """As it was: it never has a key of both sets unset."""
    numbers, whole, slots = self.numbers, 2**self.bits, self.pairs or 1
    scale = Fraction(self.own * numbers.outputs, self.other * numbers.total)
    most, least = scale * (numbers.low + numbers.top), scale * numbers.low
    unset = Fraction(whole - self.own, whole - self.other)
    largest, spare = min(slots, self.keys), self.keys - slots

    def ratio(s: int) -> Fraction:
        u = min(self.keys - s, slots)
        t = min(s, slots - u) if least < 1 else int(u == 0)
        below = t * least + u * min(least, unset) + slots - t - u
        return (s * most + slots - s) / below

    worst = max(ratio(s) for s in {1, largest, spare, spare + 1} if 1 <= s <= largest)
    return Certificate(worst.numerator, worst.denominator)


def without_cap(self: GridWave) -> Certificate:
    """It takes every shape for a square."""
    _, low, unit = self.weights
    return Certificate(low + unit, low)


def ends_alone(self: NoiseTable) -> Fraction:
    """It looks at the end cells only."""
    return Fraction(sum(self.heights) + self.tail, self.tail)


def last_step_alone(self: NoiseTable) -> Fraction:
    """It looks at the end cells only."""
    return Fraction(self.heights[-1] + self.tail, self.tail) if self.heights else Fraction(1)


@pytest.mark.parametrize(
    ("name", "where", "attribute", "fault"),
    [
        ("key-value", UnaryKeys, "certificate", certificate_of_0_1),
        ("wave", GridWave, "certificate", without_cap),
        ("laplace", NoiseTable, "worst_ratio", property(ends_alone)),
        ("degree-noise", NoiseTable, "worst_step", property(last_step_alone)),
    ],
)
def test_a_planted_fault_is_found_by_the_law(name, where, attribute, fault, monkeypatch):
    attacked(name, QUICK[name] or 15, seed=1, by_page=False)
    monkeypatch.setattr(where, attribute, fault)
    with pytest.raises(AssertionError):
        attacked(name, QUICK[name] or 15, seed=1, by_page=False)


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.name)
def test_a_certificate_one_percent_too_low_is_found_by_the_law(cls, monkeypatch):
    right = cls.certificate

    def lower(self: Any) -> Certificate:
        certificate = right(self)
        ratio = 1 + (certificate.ratio - 1) * Fraction(99, 100)
        delta = certificate.delta * Fraction(99, 100)
        return dataclasses.replace(
            certificate, numerator=ratio.numerator, denominator=ratio.denominator, delta=delta
        )

    monkeypatch.setattr(cls, "certificate", lower)
    with pytest.raises(AssertionError):
        attacked(cls.name, QUICK[cls.name] or 15, seed=1, by_page=False)


# -- the sampler draws from these laws -----------------------------------------------------------

ONE_DRAW = ("degree-noise", "laplace", "piecewise", "square-wave",
            "stochastic-rounding", "table", "wave")  # fmt: skip


@pytest.mark.parametrize("name", ONE_DRAW)
def test_all_draws_of_small_tables_give_the_law(name, scripted):
    rng, found = random.Random(3), 0  # noqa: S311
    cases = [case for case in CASES if case.name == name and case.domain.size < 30]
    while found < 10:
        case = rng.choice(cases)
        weights, _ = weights_of(case, rng)
        document = with_weights(case.document(), weights, epsilon="20")
        mechanism = read(document)
        rows = [] if mechanism is None else law(document, mechanism)
        if not rows or sum(rows[0]) > 2**12 or len(mechanism.fields) > 1:
            continue
        found, total = found + 1, sum(rows[0])
        words = np.arange(total, dtype=np.uint64)
        if total & (total - 1) == 0:
            words <<= np.uint64(65 - total.bit_length()) if total > 1 else np.uint64(0)
        for position, row in enumerate(rows):
            (answers,) = mechanism.respond_many(np.full(total, position), scripted(words))
            assert np.bincount(answers, minlength=len(row)).tolist() == row
            alone = [
                mechanism.respond(position, scripted([word]))[0] for word in words[::7].tolist()
            ]
            assert alone == answers[::7].tolist()
