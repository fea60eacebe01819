"""Fixed hashes against brute force, and the error that no number of reports removes.

What is random over the draw of hashes is tested over many keys; a relative error
of a variance over R of them has standard deviation sqrt(2/R).
"""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.mechanisms import _fixed_family as fixed_family
from sottovoce.mechanisms._fixed_family import FixedFamily
from sottovoce.mechanisms.fixed_hashing import FixedChannel
from sottovoce.mechanisms.seeded_hashing import best_range

ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)
FAMILIES = [
    FixedFamily(size, g, hashes, f"key {size} {g}")
    for size, g, hashes in ((1, 2, 3), (2, 2, 1), (7, 3, 5), (20, 4, 300), (40, 300, 11))
]


def zipf(size, exponent=1.5):
    weights = 1.0 / np.arange(1, size + 1) ** exponent
    return weights / weights.sum()


def nearly(epsilon, index, size, **options):
    """The same mechanism but for its fingerprint: an epsilon that differs in the seventh digit."""
    return sv.mechanism("flh", sv.Categories(size), epsilon + index * 1e-7, **options)


# -- the hashes ------------------------------------------------------------------------


def test_the_hashes_never_change():
    """Another language, and every later version, must draw them alike."""
    family = FixedFamily(4, 10, 2, "fixed")
    assert family.table.tolist() == [[6, 9, 0, 7], [6, 0, 8, 6]]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_hashes_are_what_the_stream_says(family):
    for i, v in product(range(family.hashes), range(family.size)):
        text = f"sottovoce hashes 2 {family.key} {i} {v // 256}".encode()
        word = hashlib.shake_256(text).digest(1024)[4 * (v % 256) : 4 * (v % 256) + 4]
        want = int.from_bytes(word, "little") * family.g // 2**32
        assert family.cell(i, v) == family.table[i, v] == want
        assert family.hash_many(np.array([i]), np.array([v]))[0] == want


def test_hashes_are_keyed_uniform_and_pairwise_independent():
    one, other = (nearly(1.0, index, 200).family.table for index in (0, 1))
    assert 0.2 < (one == other).mean() < 0.3
    assert np.abs(np.bincount(one.ravel()) / one.size - 0.25).max() < 6 * 0.44 / 316
    same = (one[:, :, None] == one[:, None, :]).mean(axis=0)[np.triu_indices(200, 1)]
    assert np.isclose(same.mean(), 0.25, atol=0.002)
    assert np.isclose(same.var(), 0.25 * 0.75 / 500, rtol=0.06)


@pytest.mark.parametrize("chunk", [1, 50, 2**20])
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_gather_scatter_and_collisions_are_the_sums_they_say(family, chunk, monkeypatch):
    monkeypatch.setattr(fixed_family, "_CHUNK", chunk)
    rng = np.random.default_rng(1)
    w, table = rng.normal(size=family.size), rng.normal(size=family.hashes * family.g)
    gathered, scattered = np.zeros((family.hashes, family.g)), np.zeros(family.size)
    for i, v in product(range(family.hashes), range(family.size)):
        gathered[i, family.table[i, v]] += w[v]
        scattered[v] += table.reshape(gathered.shape)[i, family.table[i, v]]
    np.testing.assert_allclose(family.gather(w), gathered.ravel(), atol=1e-12)
    np.testing.assert_allclose(family.scatter(table), scattered, atol=1e-12)
    for u, v in product(range(family.size), repeat=2):
        share = np.mean(family.table[:, u] == family.table[:, v])
        assert np.isclose(family.collisions[u, v], share, rtol=1e-12)


@pytest.mark.parametrize(("epsilon", "g"), [*product((0.1, 0.5, 1, 2, 4), (2, 3, 8, 50))])
def test_the_response_over_all_words(epsilon, g, scripted):
    mechanism = sv.mechanism("flh", sv.Categories(9), epsilon, hash_count=5, hash_range=g, bits=16)
    keep, other = mechanism.weights
    assert mechanism.certificate().ratio * other == keep + other
    for hash_, value in product((0, 4), (0, 8)):
        word = np.full(65536, hash_, dtype=np.uint64)  # the remainder modulo 5
        found, cells = mechanism.respond_many(np.full(65536, value), scripted(word, ALL))
        assert np.all(found == hash_)
        expected = np.full(g, other)
        expected[mechanism.family.table[hash_, value]] += keep
        np.testing.assert_array_equal(np.bincount(cells, minlength=g), expected)


# -- the channel -----------------------------------------------------------------------


def test_the_channel_is_the_formula():
    mechanism = sv.mechanism("flh", sv.Categories(6), 1.3, hash_count=4)
    (keep, other), g = mechanism.weights, mechanism.g
    p, r = (keep + other) / 2**62, other / 2**62
    dense = mechanism.channel().dense()
    for i, y, v in product(range(4), range(g), range(6)):
        chance = p if mechanism.family.table[i, v] == y else r
        assert np.isclose(dense[i * g + y, v], chance / 4, rtol=1e-12)


def test_the_inverse_is_that_of_the_average():
    """For these hashes B A is not the identity; its diagonal is 1, the rest averages to 0."""
    channel = sv.mechanism("flh", sv.Categories(60), 1.0).channel()
    product_ = np.stack([channel.inverse.forward(column) for column in channel.dense().T], axis=1)
    np.testing.assert_allclose(np.diag(product_), 1.0, rtol=1e-12)
    off = product_[np.triu_indices(60, 1)]
    assert np.abs(off).max() > 0.01
    assert abs(off.mean()) < 6 * off.std() / np.sqrt(len(off))
    assert np.isclose(off.var(), 1 / (500 * (4 - 1)), rtol=0.15)


def test_variance_where_pairs_are_too_many(monkeypatch):
    """Squared means at their average instead of counted: less than 1 in K of the variance away."""
    shares = zipf(40)
    counted = FixedChannel(FixedFamily(40, 4, 60, "k"), 0.475, 0.175).variance(shares)
    monkeypatch.setattr(fixed_family, "_LARGEST_PAIRS", 0)
    averaged = FixedChannel(FixedFamily(40, 4, 60, "k"), 0.475, 0.175).variance(shares)
    assert not np.array_equal(counted, averaged)
    np.testing.assert_allclose(averaged, counted, rtol=1 / 60)


def test_variance_of_a_value_that_nobody_holds():
    """As a pure oracle's with q = 1/g, whatever the others hold, but for 1 part in K."""
    mechanism = sv.mechanism("flh", sv.Categories(30), 1.0)
    seeded = sv.mechanism("olh-seeded", sv.Categories(30), 1.0)
    nobody = np.zeros(30)
    np.testing.assert_allclose(
        mechanism.channel().variance(nobody), seeded.channel().variance(nobody), rtol=1 / 500
    )


def test_the_true_channel_has_no_floor():
    """The tally is complete: likelihood finds the truth where the linear inverse stays off."""
    channel, true = sv.mechanism("flh", sv.Categories(12), 2.0).channel(), zipf(12)
    cells = channel.forward(true)
    linear = np.abs(channel.inverse.forward(cells) - true).max()
    shares = np.full(12, 1 / 12)
    for _ in range(3000):
        shares = shares * channel.em_step(shares, cells)[0]
    assert linear > 0.005
    assert np.abs(shares - true).max() < 1e-4


# -- the floor ---------------------------------------------------------------------------


@pytest.mark.parametrize(("g", "hashes"), [(2, 30), (4, 50), (9, 20)])
def test_misfit_is_the_mean_squared_bias_over_keys(g, hashes):
    keys, true, rng = 2000, zipf(24, 1.2), np.random.default_rng(g)
    e = g - 1.0 if g > 2 else 2.0
    p, r = e / (e + g - 1), 1 / (e + g - 1)
    asked = np.stack([np.arange(24) < 5, rng.random(24) < 0.5, rng.normal(size=24), np.ones(24)])
    shares, answers = np.zeros((keys, 24)), np.zeros((keys, len(asked)))
    for key in range(keys):
        channel = FixedChannel(FixedFamily(24, g, hashes, f"{key}"), p, r)
        shares[key] = channel.inverse.forward(channel.forward(true)) - true
        answers[key] = asked @ shares[key]
    told = channel.hash_variances(true)
    assert abs((shares**2).mean() / told.mean() - 1) < 0.05
    np.testing.assert_allclose((shares**2).mean(axis=0) / told, 1.0, atol=0.25)
    assert np.abs(shares.mean(axis=0)).max() < 6 * np.sqrt(told.max() / keys)
    told_answers = np.array([channel.hash_variance(z.astype(float), true) for z in asked])
    np.testing.assert_allclose((answers**2).mean(axis=0) / told_answers, 1.0, atol=0.25)
    naive = asked.astype(float) ** 2 @ told  # as if the biases of shares were independent
    assert np.abs((answers**2).mean(axis=0) / naive - 1).max() > 0.25


def test_misfit_of_single_values_and_of_estimates_agree():
    mechanism = sv.mechanism("flh", sv.Categories(30), 1.0, hash_count=40)
    channel, shares = mechanism.channel(), zipf(30)
    noise = np.full(30, 1e-4)
    for known in (None, noise):
        alone = [channel.hash_variance(unit, shares, known) for unit in np.eye(30)]
        np.testing.assert_allclose(alone, channel.hash_variances(shares, known), rtol=1e-12)
    floor = (shares @ shares - shares**2) / (40 * (mechanism.g - 1))
    np.testing.assert_allclose(channel.hash_variances(shares), floor, rtol=1e-12)


def test_the_floor_of_fast_local_hashing():
    """500 hashes, Zipf, 1024 values, 100,000 people: four times the error of fresh seeds, as told."""
    counts = np.floor(100_000 * zipf(1024)).astype(int)
    true, source, errors, told = counts / counts.sum(), sv.Seeded(3), [], []
    for index in range(8):
        mechanism = nearly(1.0, index, 1024)
        e = sv.estimate(mechanism.simulate(counts, source=source), "unbiased")
        errors.append(((e.shares - true) ** 2).mean())
        told.append((e.stderr**2).mean())
    seeded = sv.mechanism("olh-seeded", sv.Categories(1024), 1.0)
    fresh = seeded.variance(true, counts.sum()).mean()
    assert 3.5 < np.mean(errors) / fresh < 5.5
    assert abs(np.mean(errors) / np.mean(told) - 1) < 0.15
    planned = mechanism.variance(true, counts.sum()).mean()
    assert abs(planned / np.mean(errors) - 1) < 0.15
    noise_alone = mechanism.channel().variance(true).mean() / counts.sum()
    assert noise_alone < 0.3 * np.mean(errors)  # what the floor left out would have promised


@pytest.fixture(scope="module")
def repeated():
    """600 surveys, each with its own hashes."""
    size, counts, source = 48, np.floor(20_000 * zipf(48)).astype(int), sv.Seeded(5)
    masks = np.stack([np.arange(size) < 4, np.arange(size) % 2 == 0, np.arange(size) >= 24])
    shares, errors, totals, total_errors = [], [], [], []
    for index in range(600):
        e = sv.estimate(
            nearly(1.0, index, size, hash_count=40).simulate(counts, source=source), "unbiased"
        )
        shares.append(e.shares)
        errors.append(e.stderr)
        answers = [e.linear(mask.astype(float)) for mask in masks]
        totals.append([a.value for a in answers])
        total_errors.append([a.stderr for a in answers])
    true = counts / counts.sum()
    return [np.array(x) for x in (true, masks @ true, shares, errors, totals, total_errors)]


def test_unbiased_over_the_draw_of_hashes(repeated):
    true, _, shares, errors, _, _ = repeated
    assert np.all(np.abs(shares.mean(axis=0) - true) < 6 * errors.mean(axis=0) / np.sqrt(600))


def test_errors_told_are_those_seen(repeated):
    true, true_totals, shares, errors, totals, total_errors = repeated
    assert abs(((shares - true) ** 2).mean() / (errors**2).mean() - 1) < 0.05
    seen = ((totals - true_totals) ** 2).mean(axis=0)
    np.testing.assert_allclose(seen / (total_errors**2).mean(axis=0), 1.0, atol=0.3)


def test_coverage_over_the_draw_of_hashes(repeated):
    true, true_totals, shares, errors, totals, total_errors = repeated
    assert 0.93 < (np.abs(shares - true) <= 1.959964 * errors).mean() < 0.97
    held = np.abs(totals - true_totals) <= 1.959964 * total_errors
    assert np.all((held.mean(axis=0) > 0.92) & (held.mean(axis=0) < 0.98))


# -- edges -------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-6, 20.0])
@pytest.mark.parametrize("size", [1, 2, 30])
@pytest.mark.parametrize("hash_count", [1, 500])
def test_ends_of_the_range(epsilon, size, hash_count):
    mechanism = sv.mechanism("flh", sv.Categories(size), epsilon, hash_count=hash_count)
    values = np.arange(6000) % size
    e = sv.estimate(mechanism.randomize(values, source=sv.Seeded(1)), "unbiased")
    assert np.isfinite(e.shares).all()
    assert np.isfinite(e.stderr).all()
    true = np.bincount(values) / len(values)
    assert np.all(np.abs(e.shares - true) <= 6 * e.stderr + 1e-9)


def test_default_range_and_its_cap():
    for epsilon in (0.5, 1.0, 4.0):
        assert sv.mechanism("flh", sv.Categories(10), epsilon).g == best_range(epsilon)
    assert sv.mechanism("flh", sv.Categories(10), 20.0).g == 2_500_000 // 500
    assert sv.mechanism("flh", sv.Categories(8), 20.0, hash_count=1_250_000).g == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hash_count": 0}, "hash_count of fixed-hashing must be a whole number from 1 to 1250000"),
        ({"hash_count": 1_250_001}, "hash_count of fixed-hashing must be a whole number from 1"),
        ({"hash_count": 2.5}, "hash_count of fixed-hashing must be a whole number"),
        ({"hash_count": True}, "hash_count of fixed-hashing must be a whole number"),
        ({"hash_range": 1}, "hash_range of fixed-hashing must be a whole number from 2 to 5000"),
        ({"hash_range": 5001}, "hash_range of fixed-hashing must be a whole number from 2 to 5000"),
        ({"bits": 63}, "bits of fixed-hashing must be a whole number from 8 to 62; got 63"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(InvalidInput) as error:
        sv.mechanism("flh", sv.Categories(10), 1.0, **options)
    assert message in str(error.value)


def test_sizes_are_checked():
    with pytest.raises(InvalidInput, match="domain of fixed-hashing must be of at most 2500000"):
        sv.mechanism("flh", sv.Categories(2_500_001), 1.0)
    with pytest.raises(InvalidInput, match="hash_count .* from 1 to 16; got 500"):
        sv.mechanism("flh", sv.Categories(1_000_000), 1.0)
