"""Laws that every registered mechanism keeps, on each of its own examples: :mod:`sottovoce.testing`."""

from __future__ import annotations

import dataclasses

import pytest

import sottovoce as sv
from sottovoce.base.errors import Mismatch
from sottovoce.testing import MECHANISM_LAWS
from sottovoce.testing.methods import ESTIMATE_LAWS


@pytest.mark.parametrize(
    "law", [law for law in MECHANISM_LAWS if law not in ESTIMATE_LAWS], ids=lambda law: law.name
)
def test_law(mechanism, law):
    law(mechanism)


def test_another_table_is_another_mechanism():
    one = sv.mechanism("table", sv.Categories(3), weights=[[2, 1, 1], [1, 2, 1], [1, 1, 2]])
    other = dataclasses.replace(one, weights=[row[::-1] for row in one.weights])
    assert other != one
    assert other.fingerprint != one.fingerprint
    with pytest.raises(Mismatch, match=other.fingerprint):
        sv.Tally.empty(one) + sv.Tally.empty(other)
