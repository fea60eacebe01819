"""The audit has teeth: exact samplers pass with a bound near epsilon, planted bugs are caught."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.privacy.audit import audit_black_box

ALPHA = 1e-7  # a false alarm of the whole suite stays below one in a million
TRIALS = 1_000_000


@pytest.mark.parametrize(
    "name", ["grr", "oue", "sue", "olh", "blh", "olh-seeded", "flh", "ss", "hr"]
)
@pytest.mark.parametrize("size", [2, pytest.param(16, marks=pytest.mark.slow)])
def test_ours_pass_and_the_bound_is_tight(name, size):
    found = sv.audit(sv.mechanism(name, sv.Categories(size), 1.0), trials=TRIALS, alpha=ALPHA)
    assert found.passed, str(found)
    assert 0.9 < found.lower_bound <= 1.0, str(found)
    assert found.certificate.holds(1.0)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_other_budgets(epsilon):
    found = sv.audit(sv.mechanism("olh", sv.Categories(8), epsilon), trials=TRIALS, alpha=ALPHA)
    assert found.passed
    assert epsilon - 0.15 < found.lower_bound <= epsilon


def test_a_table_is_audited_by_its_outcomes():
    table = sv.mechanism("table", sv.Categories(2), weights=[[5, 2, 1], [2, 4, 2]])
    found = sv.audit(table, trials=200_000, alpha=ALPHA)
    assert found.passed
    assert np.log(2.5) - 0.1 < found.lower_bound <= np.log(2.5)


def bits(reports, value):
    return reports[:, value]


def test_true_bit_not_reset_in_unary_encoding():
    """Each bit is drawn as if it were another's, then the own bit is set, never cleared: 1.55 for 1."""
    rng, q = np.random.default_rng(1), 1 / (np.e + 1)

    def sample(value, count):
        drawn = rng.random((count, 4)) < q
        drawn[:, value] |= rng.random(count) < 0.5
        return drawn

    found = audit_black_box(sample, range(4), 1.0, supports=bits, trials=TRIALS, alpha=ALPHA)
    assert not found.passed
    assert 1.5 < found.lower_bound < 1.551


def test_modulo_bias():
    """Other values drawn as a byte modulo 100: the first 56 come up three times, the others twice."""
    rng = np.random.default_rng(2)
    keep = (np.e - 1) / (np.e + 99)

    def sample(value, count):
        return np.where(rng.random(count) < keep, value, rng.integers(0, 256, count) % 100)

    found = audit_black_box(sample, [0, 99], 1.0, outcomes=100, trials=TRIALS, alpha=ALPHA)
    assert not found.passed
    assert found.lower_bound > 1.05
    assert "equal to 99" in found.worst


def test_byte_threshold_with_at_most_for_below():
    """p = 187/256 is safe at epsilon 1; `<=` makes it 188/256, epsilon 1.017."""
    rng = np.random.default_rng(3)

    def sample(value, count, at_most):
        byte = rng.integers(0, 256, count)
        return np.where(byte <= 187 if at_most else byte < 187, value, 1 - value)

    def check(at_most):
        return audit_black_box(
            lambda v, c: sample(v, c, at_most),
            [0, 1],
            1.0,
            outcomes=2,
            trials=4_000_000,
            alpha=ALPHA,
        )

    assert not check(at_most=True).passed
    assert check(at_most=False).passed


@pytest.mark.parametrize("seed", range(12))
def test_constant_seed(seed):
    """Every device starts from the same seed: the answer is either bare, or never heard at all."""
    mechanism = sv.mechanism("grr", sv.Categories(8), 1.0)

    def sample(value, count):
        (report,) = mechanism.respond(value, sv.Seeded(seed))
        return np.full(count, report)

    found = audit_black_box(sample, range(8), 1.0, outcomes=8, trials=100_000, alpha=ALPHA)
    assert not found.passed
    assert found.lower_bound > 5 or not found.varies


def test_constant_seed_in_unary_encoding():
    mechanism = sv.mechanism("oue", sv.Categories(8), 1.0)

    def sample(value, count):
        reports = mechanism.randomize([value], source=sv.Seeded(0)).columns["bits"]
        return np.repeat(np.unpackbits(reports, axis=1, bitorder="little") == 1, count, axis=0)

    found = audit_black_box(sample, range(8), 1.0, supports=bits, trials=10_000, alpha=ALPHA)
    assert not found.passed
    assert found.lower_bound > 5
    assert "BROKEN" in str(found)


def test_ours_is_caught_when_it_claims_too_little():
    """The mechanism of epsilon 1.03 sold as epsilon 1."""
    mechanism = sv.mechanism("grr", sv.Categories(2), 1.03)

    def sample(value, count):
        return mechanism.randomize_indices(np.full(count, value)).columns["value"]

    assert not audit_black_box(sample, [0, 1], 1.0, outcomes=2, trials=TRIALS, alpha=ALPHA).passed
    assert audit_black_box(sample, [0, 1], 1.03, outcomes=2, trials=TRIALS, alpha=ALPHA).passed


def test_an_approximate_mechanism_needs_its_delta():
    """With probability 0.01 the answer is sent in the clear: (1, 0.01), not (1, 0)."""
    rng, p = np.random.default_rng(4), np.e / (np.e + 1)

    def sample(value, count):
        noisy = np.where(rng.random(count) < p, value, 1 - value)
        return np.where(rng.random(count) < 0.01, 2 + value, noisy)

    def found(delta):
        return audit_black_box(
            sample, [0, 1], 1.0, outcomes=4, trials=200_000, alpha=ALPHA, delta=delta
        )

    assert not found(0.0).passed
    assert found(0.012).passed


def test_wrong_requests():
    with pytest.raises(
        InvalidInput, match="domain of audit must be of 2 to 64 values; got '65 values'"
    ):
        sv.audit(sv.mechanism("grr", sv.Categories(65), 1.0))
    with pytest.raises(
        InvalidInput, match="supports, outcomes of audit_black_box must be one of the two"
    ):
        audit_black_box(lambda v, c: np.zeros(c, int), [0, 1], 1.0)
    for wrong in (0, 1, float("nan")):
        with pytest.raises(InvalidInput, match="alpha of audit must be between 0 and 1"):
            sv.audit(sv.mechanism("grr", sv.Categories(2), 1.0), trials=10, alpha=wrong)


def test_a_sample_that_hides_something_is_refused():
    with pytest.raises(
        InvalidInput, match=r"must be 100 reports, one entry each; got 'shape \(1,\)'"
    ):
        audit_black_box(lambda v, c: np.array([v]), [0, 1], 1.0, outcomes=2, trials=100)
    with pytest.raises(
        InvalidInput, match="reports of the audited sample must be from 0 to 1; got 2"
    ):
        audit_black_box(lambda v, c: np.full(c, 2), [0, 1], 1.0, outcomes=2, trials=100)
    braces = audit_black_box(
        lambda v, c: np.full(c, int(v == "{x}")), ["{x}", "y"], 1.0, outcomes=2, trials=100
    )
    assert "'{x}'" in braces.worst


def test_the_report_reads_well():
    text = str(sv.audit(sv.mechanism("grr", sv.Categories(["yes", "no"]), 1.0), trials=1000))
    assert text.startswith("claimed epsilon 1: holds\n  sampled: epsilon is at least 0.")
    assert "exact: worst ratio 2.71828182846 = e^1" in text
