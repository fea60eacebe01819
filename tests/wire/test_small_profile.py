"""What the pages say about the size of integers: claims that a small device relies on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from independent.decimals import exp_below
from independent.golden import load, survey_bytes
from independent.surveys import Survey

SMALL = (
    "randomized-response", "unary-encoding", "seeded-hashing", "subset-selection",
    "hadamard-response", "square-wave", "piecewise", "stochastic-rounding",
)  # fmt: skip
EPSILONS = ("20", "19.999999999999996", "1", "0.000001", "0.0000010000000000000002")


def lower_bound(epsilon: str, F: int) -> tuple[int, int]:
    """The page's lower bound L of F e^epsilon, and the bits of the largest integer on the way."""
    whole, _, part = epsilon.partition(".")
    n, k, largest = int(whole + part), len(part), 0

    def seen(value: int) -> int:
        nonlocal largest
        largest = max(largest, value.bit_length())
        return value

    x = seen(n * F) // (10**k * 64)
    t, total, i = F, 0, 0
    while t > 0:
        total, i = total + t, i + 1
        t = seen(t * x) // seen(F * i)
    for _ in range(6):
        total = seen(total * total) // F
    seen((2**128 - 1) * F)
    seen((2**128 - 1) * total)
    return total, largest


@pytest.mark.parametrize(("bits", "most"), [(320, 700), (200, 460)])
def test_no_integer_of_the_comparison_is_longer_than_the_page_says(bits, most):
    for epsilon in EPSILONS:
        total, largest = lower_bound(epsilon, 2**bits)
        assert largest <= most
        gap = 1 - Fraction(total, 2**bits) / exp_below(Fraction(epsilon))
        assert abs(gap) < Fraction(1, 10 ** (57 if bits == 200 else 90)), epsilon


def test_a_shorter_bound_is_lower_and_takes_all_that_the_vectors_take():
    """A client with 57 digits never takes what the exact comparison refuses, and agrees on all vectors."""
    short = {}
    for name in ("surveys-taken", "limits-taken", "weights-taken"):
        for case in load()[name]["cases"]:
            mechanism = Survey(survey_bytes(case)).mechanism
            epsilon = mechanism.document["epsilon"]
            if epsilon not in short:
                short[epsilon] = Fraction(lower_bound(epsilon, 2**200)[0], 2**200)
                assert short[epsilon] < exp_below(Fraction(epsilon))
            assert Fraction(*mechanism.certificate()) <= max(Fraction(1), short[epsilon]), case[
                "why"
            ]


def test_ratios_of_the_small_profile_have_integers_below_2_to_the_128():
    largest = {}
    for name in ("limits-taken", "weights-taken", "surveys-taken"):
        for case in load()[name]["cases"]:
            mechanism = Survey(survey_bytes(case)).mechanism
            if mechanism.name in SMALL:
                longest = max(number.bit_length() for number in mechanism.certificate())
                largest[mechanism.name] = max(longest, largest.get(mechanism.name, 0))
    assert set(largest) == set(SMALL)
    assert max(largest.values()) <= 128
    assert largest["unary-encoding"] >= 120  # two weights of 62 bits, multiplied
