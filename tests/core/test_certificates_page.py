"""The formulas of ``docs/reference/certificates.md``, for weights that the library makes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import sottovoce as sv
from sottovoce.base.exact import exp_bounds
from sottovoce.core.registry import registered
from support.certificates_by_hand import Refused, check
from support.certificates_by_hand_numbers import exp_below
from support.documents import with_weights
from support.laws import taylor_exp

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "certificates.md"


def test_the_page_has_every_mechanism():
    text = PAGE.read_text(encoding="utf-8")
    ours = [cls.name for cls in registered() if cls.__module__.startswith("sottovoce.")]
    assert [name for name in ours if f"`{name}`" not in text] == []


def test_formulas_agree_with_certificates(mechanism):
    ratio, delta = check(mechanism.document())
    certificate = mechanism.certificate()
    assert abs(delta - certificate.delta) <= certificate.delta / 10**12
    if certificate.delta == 0:
        assert ratio == certificate.ratio


@pytest.mark.parametrize("epsilon", ["0.000001", "0.1", "1", "2.5", "7.3333333333333", "20"])
def test_the_lower_bound_of_e_epsilon(epsilon):
    bound, (_, high) = exp_below(epsilon), taylor_exp(Fraction(epsilon))
    assert exp_bounds(float(epsilon))[0] < bound <= high
    assert (high - bound) / high < Fraction(1, 10**80)


def test_weights_one_too_many_are_refused():
    document = sv.mechanism("oue", sv.Categories(5), 1.0, bits=16).document()
    check(document)
    own, other = (int(document["weights"][name]) for name in ("own", "other"))
    document = with_weights(document, {"own": own, "other": other - 1})
    with pytest.raises(Refused, match="the ratio exceeds"):
        check(document)
