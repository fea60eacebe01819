"""Laws of a mechanism's channel, and of its samplers against the channel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.base.extras import optional
from sottovoce.base.randomness import Seeded
from sottovoce.channels.base import Floats
from sottovoce.core.mechanism import Mechanism
from sottovoce.testing.laws import law, require, require_close, require_same
from sottovoce.testing.mechanisms import coordinates_of

__all__ = ["CHANNEL_LAWS", "SAMPLER_LAWS"]

_FALSE_ALARM = 1e-7
"""The rate at which a right sampler would fail with another seed."""
_TRIALS = 1_200_000
_MORE = 0.15
"""How much more telling the channel is that must be rejected."""


def _random() -> Any:
    return Seeded(1).generator()


@law
def adjoint(mechanism: Mechanism) -> None:
    """forward and adjoint are transposes of each other."""
    channel, rng = mechanism.channel(), _random()
    w, r = rng.normal(size=channel.inputs), rng.normal(size=channel.cells)
    observed, expected = channel.forward(w) @ r, w @ channel.adjoint(r)
    require_close(observed, expected, "(A w) r", rtol=1e-12, atol=1e-12)


@law
def columns_sum_to_the_number_of_blocks(mechanism: Mechanism) -> None:
    """Every block of a column is a distribution, positive wherever a report is possible."""
    channel = mechanism.channel()
    dense = channel.dense()
    require_same(dense.shape, (mechanism.cells, mechanism.domain.size), "the shape of the channel")
    require_same(channel.blocks, mechanism.blocks, "the channel's number of blocks")
    require_close(dense.sum(axis=0), channel.blocks, "the sum of a column", rtol=1e-12)
    blocks = dense.reshape(channel.blocks, -1, channel.inputs).sum(axis=1)
    require_close(blocks, 1.0, "the sum of a block of a column", rtol=1e-12)
    wrong = np.argwhere((dense > 0) != _possible(mechanism)).tolist()
    require_same(wrong, [], "cells and inputs that are wrongly possible or impossible")


def _possible(mechanism: Mechanism) -> NDArray[np.bool_]:
    """Any report from any input; of several coordinates, within the one that was drawn.

    Open reports come from one input each, and nobody else.
    """
    parts = coordinates_of(mechanism)
    cells, inputs = mechanism.cells // parts, mechanism.domain.size // parts
    found = np.kron(np.eye(parts), np.ones((cells, inputs))) > 0
    opened, revealed = mechanism.open_cells
    found[opened] = False
    found[opened, revealed] = True
    return found


@law
def operators_are_the_matrix(mechanism: Mechanism) -> None:
    """forward and adjoint are products with the dense matrix."""
    channel, rng = mechanism.channel(), _random()
    dense = channel.dense()
    w, r = rng.normal(size=channel.inputs), rng.normal(size=channel.cells)
    require_close(channel.forward(w), dense @ w, "forward", atol=1e-12)
    require_close(channel.adjoint(r), dense.T @ r, "adjoint", atol=1e-11)


@law
def inverse_undoes_the_channel(mechanism: Mechanism) -> None:
    """The inverse, where there is one, gives the distribution back, and its adjoint fits it."""
    channel, rng = mechanism.channel(), _random()
    inverse, dense = channel.inverse, channel.dense()
    if inverse is None:
        return  # answers that have cell weights are another law's
    w, z = rng.dirichlet(np.ones(channel.inputs)), rng.normal(size=channel.inputs)
    if channel.exact_inverse:
        require_close(inverse.forward(dense @ w), w, "B A w", atol=1e-10)
        require_close(dense.T @ inverse.adjoint(z), z, "A' B' z", atol=1e-9)
        require_close(channel.hash_variances(w), 0, "the hash variance of shares", rtol=0)
        require_close(channel.hash_variance(z, w), 0, "the hash variance of an answer", rtol=0)
    x = rng.random(channel.cells)
    x /= x.reshape(channel.blocks, -1).sum(axis=1).repeat(channel.cells // channel.blocks)
    require_close(inverse.forward(x) @ z, x @ inverse.adjoint(z), "(B x) z", atol=1e-9)


@law
def support_rule_is_the_inverse(mechanism: Mechanism) -> None:
    """Where there is a rule of support, it gives what every cell adds to every unbiased share."""
    channel = mechanism.channel()
    inverse, rule = channel.inverse, channel.support_rule
    if inverse is None or rule is None:
        return
    for value, unit in enumerate(np.eye(channel.inputs)):
        observed = rule.weights(value)
        name = f"the rule's weights of value {value}"
        require_close(observed, inverse.adjoint(unit), name, rtol=1e-9, atol=1e-9)


@law
def cell_weights_give_answers_that_are_right_on_average(mechanism: Mechanism) -> None:
    """A' g is the question, but for the bias bound: for all, a mean of numbers, one share."""
    channel = mechanism.channel()
    questions = {"all": np.ones(channel.inputs)}
    numbers = getattr(mechanism.domain, "midpoints", None)
    if numbers is not None and not channel.ring:
        questions["mean"] = numbers
    if channel.inverse is not None:
        questions["one"] = np.eye(channel.inputs)[0]
    for name, weights in questions.items():
        cell_weights = channel.cell_weights(weights)
        if cell_weights is None:
            require(channel.ring, f"cell weights for {name}", None)
            continue
        error = np.abs(channel.adjoint(cell_weights.values) - weights).max()
        most = cell_weights.bias_bound + 1e-9 * max(1.0, np.abs(cell_weights.values).max())
        require(error <= most, f"a bias of {name} of at most {most:.3g}", f"{error:.3g}")
        small = cell_weights.bias_bound <= 0.01 * max(1.0, np.ptp(weights))
        expected = f"a bias bound of {name} below 1% of its range"
        require(small or not channel.exact_inverse, expected, cell_weights.bias_bound)


@law
def variance_is_that_of_the_dense_matrix(mechanism: Mechanism) -> None:
    """Brute force: given the value v, a report adds g of its cells; blocks are independent."""
    channel, rng = mechanism.channel(), _random()
    if not channel.independent or channel.inverse is None:
        return  # blocks that depend on each other need all reports, not all cells
    inverse, dense = channel.inverse, channel.dense()
    shares = rng.dirichlet(np.ones(channel.inputs))
    blocks = dense.reshape(channel.blocks, -1, channel.inputs)

    def brute(z: Floats) -> float:
        g = inverse.adjoint(z).reshape(channel.blocks, -1)
        first = np.einsum("bcv,bc->bv", blocks, g)
        second = np.einsum("bcv,bc->bv", blocks, g**2)
        return float((second - first**2).sum(axis=0) @ shares)

    units = np.array([brute(unit) for unit in np.eye(channel.inputs)])
    what = "the variance of a share"
    require_close(channel.variance(shares), units, what, rtol=1e-9, atol=1e-12)
    among_ten = units / 10 + channel.hash_variances(shares)
    what = "the variance of a share among 10 people"
    require_close(mechanism.variance(shares, 10), among_ten, what, rtol=1e-9, atol=1e-12)
    for z in (rng.normal(size=channel.inputs), (rng.random(channel.inputs) < 0.5).astype(float)):
        observed = channel.variance_of(z, channel.forward(shares), shares)
        require_close(observed, brute(z), "the variance of an answer", rtol=1e-8, atol=1e-10)


@law
def kernel_is_circulant(mechanism: Mechanism) -> None:
    """The kernel, where there is one, rolled by every input is the matrix."""
    channel = mechanism.channel()
    if channel.kernel is None:
        return
    rolled = [np.roll(channel.kernel, v) for v in range(channel.inputs)]
    require_close(np.stack(rolled, axis=1), channel.dense(), "the rolled kernel", atol=1e-15)


@law
def em_steps_keep_mass_and_never_lower_the_likelihood(mechanism: Mechanism) -> None:
    """25 steps of expectation-maximization from equal shares."""
    channel = mechanism.channel()
    counts = Seeded(2).generator().integers(1, 400, mechanism.domain.size)
    cells = mechanism.simulate(counts, source=Seeded(2)).cells.astype(float)
    w, last = np.full(channel.inputs, 1 / channel.inputs), -np.inf
    for step in range(25):
        ratio, likelihood = channel.em_step(w, cells)
        rises = not np.isfinite(last) or likelihood >= last - 1e-9 * abs(last)
        require(rises, f"a likelihood of at least {last!r} after step {step}", likelihood)
        w, last = w * ratio, likelihood
        require_close(w.sum(), 1.0, f"the sum of shares after step {step}", rtol=1e-12, atol=1e-8)
        require(w.min() >= 0, f"no negative share after step {step}", w.min())


# -- samplers ------------------------------------------------------------------------------


def _p_value(mechanism: Mechanism, by_input: NDArray[Any], dense: Floats, n: int) -> float:
    """Pearson's test over all inputs, each input's reports being multinomial in every block."""
    stats = optional("scipy.stats", extra="analyse", purpose="sottovoce.testing")
    expected = n * dense.T
    if not mechanism.channel().independent:  # every cell by itself, whatever ties them together
        sigma = np.sqrt(expected * (1 - dense.T))
        certain = sigma == 0
        if np.any(by_input[certain] != expected[certain]):
            return 0.0
        worst = np.abs((by_input - expected)[~certain] / sigma[~certain]).max()
        return min(1.0, dense.size * 2 * float(stats.norm.sf(worst)))
    if by_input[expected == 0].any():
        return 0.0
    counted, expected = by_input[expected != 0], expected[expected != 0]
    statistic = ((counted - expected) ** 2 / expected).sum()
    freedom = np.count_nonzero(dense) - mechanism.domain.size * mechanism.blocks
    return float(stats.chi2.sf(statistic, freedom))


def _more_telling(dense: Floats) -> Floats:
    """A channel whose rows differ from their mean by 15% more: a slightly larger epsilon."""
    mean = dense.sum(axis=1, keepdims=True) / np.count_nonzero(dense, axis=1, keepdims=True)
    return np.where(dense > 0, np.minimum(1.0, dense + _MORE * (dense - mean)), 0.0)


def _follows(mechanism: Mechanism, by_input: NDArray[Any], n: int) -> None:
    dense = mechanism.channel().dense()
    p = _p_value(mechanism, by_input, dense, n)
    require(p > _FALSE_ALARM, f"samples of the channel: a p-value above {_FALSE_ALARM}", p)
    p = _p_value(mechanism, by_input, _more_telling(dense), n)
    expected = (
        f"a channel {_MORE:.0%} more informative to be rejected: a p-value below {_FALSE_ALARM}"
    )
    require(p < _FALSE_ALARM, expected, p)


@law
def sampler_follows_the_channel_and_no_other(mechanism: Mechanism) -> None:
    """Reports of 1.2 million people fit the channel, and not one 15% more telling."""
    size, source = mechanism.domain.size, Seeded(11)
    n = _TRIALS // size
    reports = (mechanism.randomize_indices(np.full(n, v), source) for v in range(size))
    _follows(mechanism, np.stack([mechanism.tally(each).cells for each in reports]), n)


@law
def simulate_follows_the_channel_and_no_other(mechanism: Mechanism) -> None:
    """The same for the shortcut that draws a tally without its reports."""
    size, source = mechanism.domain.size, Seeded(12)
    n, each = _TRIALS // size, np.eye(size, dtype=int)
    tallies = (mechanism.simulate(n * each[v], source=source) for v in range(size))
    _follows(mechanism, np.stack([tally.cells for tally in tallies]), n)


CHANNEL_LAWS = (
    adjoint,
    columns_sum_to_the_number_of_blocks,
    operators_are_the_matrix,
    inverse_undoes_the_channel,
    support_rule_is_the_inverse,
    cell_weights_give_answers_that_are_right_on_average,
    variance_is_that_of_the_dense_matrix,
    kernel_is_circulant,
    em_steps_keep_mass_and_never_lower_the_likelihood,
)
SAMPLER_LAWS = (
    sampler_follows_the_channel_and_no_other,
    simulate_follows_the_channel_and_no_other,
)
