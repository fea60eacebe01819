"""Attacks on many windows: memory keeps the lifetime, a device without it is caught; who can be found again."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.base.randomness import OperatingSystem
from sottovoce.privacy.audit import audit_black_box, usual_plan
from sottovoce.privacy.repeated import most_frequent

KEPT = [
    sv.mechanism("l-grr", sv.Categories(3), 1.0, lifetime=2.0),
    sv.mechanism("loloha", sv.Categories(6), 1.0, lifetime=2.0),
    sv.mechanism("l-osue", sv.Categories(3), 1.0, lifetime=2.0),
    sv.mechanism("memoized", sv.Interval(0, 1, bins=4), 1.0, lifetime=2.0),
]


@pytest.mark.parametrize("m", KEPT, ids=lambda m: m.inner.name)
def test_a_hundred_windows_of_one_value_keep_the_lifetime(m):
    """More than one report tells, and not more than the memo."""
    found = sv.audit_windows(m, windows=100, trials=6000)
    assert found.passed and m.epsilon < found.lower_bound <= m.total_epsilon


@pytest.mark.parametrize("m", KEPT[:2], ids=lambda m: m.inner.name)
def test_a_device_without_memory_is_caught(m):
    plan = usual_plan(m.inner)

    def sample(value, count):
        people = np.full(count, value)
        source = OperatingSystem()
        hashes = m.rounds.hash_numbers(m.inner, count, source)
        entries = m.rounds.entries(m.inner, hashes, people)

        def forgetful(source):
            memos = m.rounds.remember_many(entries, source)
            return m.rounds.tell_many(hashes, memos, m.weights[1], source)

        return most_frequent(m, forgetful, 100, source)

    found = audit_black_box(
        sample, plan.values, 2.0, supports=plan.supports, outcomes=plan.outcomes, trials=3000
    )
    assert not found.passed and found.lower_bound > 3.0


def test_many_permanent_bits_are_a_fingerprint_and_shared_hashes_are_not():
    unary = sv.mechanism("l-osue", sv.Categories(1024), 1.0, lifetime=2.0, linkable=True)
    assert sv.linkage(unary, devices=500, source=sv.Seeded(1)).found > 0.99
    few = sv.mechanism("l-osue", sv.Categories(20), 1.0, lifetime=2.0)
    assert sv.linkage(few, devices=2000, source=sv.Seeded(1)).found < 0.02
    shared = sv.mechanism("loloha", sv.Categories(100), 1.0, lifetime=2.0)
    found = sv.linkage(shared, devices=3000, source=sv.Seeded(1))  # 121 hashes, 25 devices each
    assert found.chance == pytest.approx(121 / 3000, rel=0.1) and found.found < 2 * found.chance


def test_what_is_refused():
    plain = sv.mechanism("grr", sv.Categories(3), 1.0)
    with pytest.raises(InvalidInput, match="mechanism of linkage must be a memoized mechanism"):
        sv.linkage(plain)
    with pytest.raises(InvalidInput, match="mechanism of audit_windows must be a memoized"):
        sv.audit_windows(plain)
    with pytest.raises(InvalidInput, match="windows of audit_windows must be"):
        sv.audit_windows(KEPT[0], windows=0)
