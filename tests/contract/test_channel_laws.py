"""Laws that every mechanism's channel keeps, and the sampler against the channel."""

from __future__ import annotations

import numpy as np
from scipy import stats

import sottovoce as sv

FALSE_ALARM = 1e-7
TRIALS = 1_200_000


def draws(mechanism, seed=1):
    return np.random.default_rng(seed)


def test_adjoint(mechanism):
    channel, rng = mechanism.channel(), draws(mechanism)
    w, r = rng.normal(size=channel.inputs), rng.normal(size=channel.cells)
    assert np.isclose(channel.forward(w) @ r, w @ channel.adjoint(r), rtol=1e-12, atol=1e-12)


def test_columns_sum_to_the_number_of_blocks(mechanism):
    channel = mechanism.channel()
    dense = channel.dense()
    assert dense.shape == (mechanism.cells, mechanism.domain.size)
    assert channel.blocks == mechanism.blocks
    np.testing.assert_allclose(dense.sum(axis=0), channel.blocks, rtol=1e-12)
    blocks = dense.reshape(channel.blocks, -1, channel.inputs).sum(axis=1)
    np.testing.assert_allclose(blocks, 1.0, rtol=1e-12)
    assert np.array_equal(dense > 0, possible(mechanism))


def possible(mechanism):
    """Any report from any input; for vectors, within the coordinate that was drawn."""
    one = np.ones((1, 1))
    if isinstance(mechanism.domain, sv.Vector):
        one = np.eye(mechanism.domain.coordinates)
    cells, inputs = mechanism.cells // len(one), mechanism.domain.size // len(one)
    return np.kron(one, np.ones((cells, inputs))) > 0


def test_operators_are_the_matrix(mechanism):
    channel, rng = mechanism.channel(), draws(mechanism)
    dense = channel.dense()
    w, r = rng.normal(size=channel.inputs), rng.normal(size=channel.cells)
    np.testing.assert_allclose(channel.forward(w), dense @ w, atol=1e-12)
    np.testing.assert_allclose(channel.adjoint(r), dense.T @ r, atol=1e-11)


def test_inverse_undoes_the_channel(mechanism):
    channel, rng = mechanism.channel(), draws(mechanism)
    inverse, dense = channel.inverse, channel.dense()
    if inverse is None:
        return  # what such reports tell is below: the answers that have gains
    w, z = rng.dirichlet(np.ones(channel.inputs)), rng.normal(size=channel.inputs)
    if channel.exact_inverse:
        np.testing.assert_allclose(inverse.forward(dense @ w), w, atol=1e-10)
        np.testing.assert_allclose(dense.T @ inverse.adjoint(z), z, atol=1e-9)
        assert not channel.hash_variances(w).any()
        assert channel.hash_variance(z, w) == 0
    x = rng.random(channel.cells)
    x /= x.reshape(channel.blocks, -1).sum(axis=1).repeat(channel.cells // channel.blocks)
    np.testing.assert_allclose(inverse.forward(x) @ z, x @ inverse.adjoint(z), atol=1e-9)


def test_gains_give_answers_that_are_right_on_average(mechanism):
    """``A' g`` is what is asked, but for the misfit that is told; the mean of numbers at least."""
    channel, domain = mechanism.channel(), mechanism.domain
    asked = {"all": np.ones(channel.inputs)}
    if isinstance(domain, sv.Interval) and not channel.ring:
        asked["mean"] = domain.midpoints
    if channel.inverse is not None:
        asked["one"] = np.eye(channel.inputs)[0]
    for weights in asked.values():
        cell_weights = channel.cell_weights(weights)
        if cell_weights is None:
            assert channel.ring
            continue
        error = np.abs(channel.adjoint(cell_weights.values) - weights).max()
        assert error <= cell_weights.bias_bound + 1e-9 * max(1.0, np.abs(cell_weights.values).max())
        assert (
            cell_weights.bias_bound <= 0.01 * max(1.0, np.ptp(weights)) or not channel.exact_inverse
        )


def test_variance_is_that_of_the_dense_matrix(mechanism):
    """Brute force: given the value v, a report adds g of its cells; blocks are independent."""
    channel, rng = mechanism.channel(), draws(mechanism)
    if not channel.independent or channel.inverse is None:
        return  # the mechanism's own tests go through all of its reports
    dense, shares = channel.dense(), rng.dirichlet(np.ones(channel.inputs))
    blocks = dense.reshape(channel.blocks, -1, channel.inputs)

    def brute(z):
        g = channel.inverse.adjoint(z).reshape(channel.blocks, -1)
        first = np.einsum("bcv,bc->bv", blocks, g)
        second = np.einsum("bcv,bc->bv", blocks, g**2)
        return float((second - first**2).sum(axis=0) @ shares)

    units = np.array([brute(unit) for unit in np.eye(channel.inputs)])
    np.testing.assert_allclose(channel.variance(shares), units, rtol=1e-9, atol=1e-12)
    told = units / 10 + channel.hash_variances(shares)
    np.testing.assert_allclose(mechanism.variance(shares, 10), told, rtol=1e-9, atol=1e-12)
    for z in (rng.normal(size=channel.inputs), (rng.random(channel.inputs) < 0.5).astype(float)):
        found = channel.variance_of(z, channel.forward(shares), shares)
        np.testing.assert_allclose(found, brute(z), rtol=1e-8, atol=1e-10)


def test_kernel_is_circulant(mechanism):
    channel = mechanism.channel()
    if channel.kernel is None:
        return
    d = channel.inputs
    circulant = np.stack([np.roll(channel.kernel, v) for v in range(d)], axis=1)
    np.testing.assert_allclose(circulant, channel.dense(), atol=1e-15)


def test_em_step_keeps_mass_and_never_lowers_the_likelihood(mechanism):
    channel = mechanism.channel()
    counts = np.random.default_rng(2).integers(1, 400, mechanism.domain.size)
    cells = mechanism.simulate(counts, source=sv.Seeded(2)).cells.astype(float)
    w, last = np.full(channel.inputs, 1 / channel.inputs), -np.inf
    for _ in range(25):
        ratio, likelihood = channel.em_step(w, cells)
        assert likelihood >= last - 1e-9 * abs(last) if np.isfinite(last) else True
        w, last = w * ratio, likelihood
        assert np.isclose(w.sum(), 1.0, rtol=1e-12)
        assert w.min() >= 0


def chi_square(cells_by_input, dense, n):
    """Pearson's statistic over all inputs, each input's reports being multinomial in every block."""
    expected = n * dense.T
    assert not cells_by_input[expected == 0].any()
    seen, expected = cells_by_input[expected != 0], expected[expected != 0]
    return ((seen - expected) ** 2 / expected).sum()


def sampler_p_value(mechanism, cells_by_input, dense, n):
    if not mechanism.channel().independent:  # every cell by itself, whatever ties them together
        sigma = np.sqrt(n * dense.T * (1 - dense.T))
        worst = np.abs((cells_by_input - n * dense.T) / sigma).max()
        return min(1.0, dense.size * 2 * stats.norm.sf(worst))
    freedom = np.count_nonzero(dense) - mechanism.domain.size * mechanism.blocks
    return stats.chi2.sf(chi_square(cells_by_input, dense, n), freedom)


def more_telling(dense):
    """A channel whose rows differ from their mean by 15% more: a slightly larger epsilon."""
    mean = dense.sum(axis=1, keepdims=True) / np.count_nonzero(dense, axis=1, keepdims=True)
    return np.where(dense > 0, dense + 0.15 * (dense - mean), 0.0)


def test_sampler_follows_the_channel_and_no_other(mechanism):
    """The right law passes; one 15% more telling is rejected: the test has power."""
    size = mechanism.domain.size
    n, source = TRIALS // size, sv.Seeded(11)
    cells = np.stack(
        [
            mechanism.tally(mechanism.randomize_indices(np.full(n, v), source)).cells
            for v in range(size)
        ]
    )
    dense = mechanism.channel().dense()
    assert sampler_p_value(mechanism, cells, dense, n) > FALSE_ALARM
    assert sampler_p_value(mechanism, cells, more_telling(dense), n) < FALSE_ALARM


def test_simulate_follows_the_channel_and_no_other(mechanism):
    """The same for the shortcut that draws a tally without its reports."""
    size = mechanism.domain.size
    n, source = TRIALS // size, sv.Seeded(12)
    cells = np.stack(
        [
            mechanism.simulate(n * np.eye(size, dtype=int)[v], source=source).cells
            for v in range(size)
        ]
    )
    dense = mechanism.channel().dense()
    assert sampler_p_value(mechanism, cells, dense, n) > FALSE_ALARM
    assert sampler_p_value(mechanism, cells, more_telling(dense), n) < FALSE_ALARM
