"""What can be found out about a mechanism that was not told."""

from __future__ import annotations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, NotIdentified, Unfit
from sottovoce.privacy.kernel_attack import blind_epsilon, blind_kernel


@pytest.mark.parametrize("name", ["oue", "sue"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_epsilon_is_found_from_the_size_of_reports(name, epsilon):
    """Standard scores over 300 surveys: mean 0, deviation 1; an epsilon 5% larger is rejected."""
    mechanism = sv.mechanism(name, sv.Categories(50), epsilon)
    counts, source = np.arange(50) * 40, sv.Seeded(3)
    found = [blind_epsilon(mechanism.simulate(counts, source=source)) for _ in range(300)]
    scores = np.array([(answer.value - epsilon) / answer.stderr for answer in found])
    assert abs(scores.mean()) < 5.5 / np.sqrt(300)
    assert 0.78 < scores.std() < 1.25
    wrong = np.array([(answer.value - 1.05 * epsilon) / answer.stderr for answer in found])
    assert abs(wrong.mean()) > 5.5 / np.sqrt(300)


@pytest.mark.parametrize("name", ["grr", "oue", "ss", "olh"])
def test_kernel_is_found_by_asking_again(name):
    mechanism = sv.mechanism(name, sv.Categories(6), 1.0)

    def device(value, count):
        return mechanism.randomize_indices(np.full(count, value), sv.Seeded(count))

    found = blind_kernel(device, mechanism.supports, 6, value=4, trials=200_000)
    support_probabilities = mechanism.channel().support_probabilities
    true = np.where(np.arange(6) == 0, support_probabilities.p, support_probabilities.q)
    assert np.all(np.abs(found.kernel - true) < 6 * found.stderr)
    assert not np.all(np.abs(found.kernel - 1.03 * true) < 6 * found.stderr)


def test_what_cannot_be_found():
    for name in ("grr", "ss", "hr"):
        mechanism = sv.mechanism(name, sv.Categories(10), 1.0)
        tally = mechanism.simulate([10] * 10, source=sv.Seeded(1))
        with pytest.raises(Unfit, match="do not give epsilon away by their size"):
            blind_epsilon(tally)
    pair = sv.mechanism("sue", sv.Categories(2), 1.0)
    with pytest.raises(NotIdentified, match="the same mean size"):
        blind_epsilon(pair.simulate([5, 5], source=sv.Seeded(1)))
    with pytest.raises(InvalidInput, match="at least 1"):
        blind_epsilon(sv.Tally.empty(sv.mechanism("oue", sv.Categories(4), 1.0)))
    few = sv.mechanism("oue", sv.Categories(4), 1.0)
    with pytest.raises(NotIdentified, match="belongs to no epsilon"):
        blind_epsilon(sv.Tally(few, 1, np.array([1, 0] * 4)))


def test_bad_samples():
    with pytest.raises(InvalidInput, match="value of blind_kernel must be a whole number from 0"):
        blind_kernel(lambda v, n: v, lambda r, u: r, 3, value=3)
    with pytest.raises(InvalidInput, match="booleans, one per report"):
        blind_kernel(lambda v, n: np.zeros(n), lambda r, u: np.zeros(2, dtype=bool), 3)
