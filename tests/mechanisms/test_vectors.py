"""Vectors: the domain, one sampled coordinate, Gaussian noise on every coordinate."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.coordinates import CoordinatesChannel
from sottovoce.core.registry import mechanism_from_json
from sottovoce.domains.base import domain_from_json

HOURS = sv.Vector(sv.Interval(0, 24, bins=12), 3)


def people(count, seed=1):
    random = np.random.default_rng(seed)
    columns = [random.beta(a, b, count) * 24 for a, b in ((5, 2), (1, 1), (2, 8))]
    return np.stack(columns, axis=1)


# -- the domain -------------------------------------------------------------------------


def test_domain():
    assert (HOURS.size, HOURS.coordinates, HOURS.interval.bins) == (36, 3, 12)
    assert domain_from_json(json.loads(json.dumps(HOURS.to_json()))) == HOURS
    assert hash(HOURS) == hash(sv.Vector(sv.Interval(0, 24, bins=12), size=3))
    pairs = [(j, (low + high) / 2) for j, (low, high) in HOURS.labels()]
    assert HOURS.indices(pairs).tolist() == [*range(36)]
    assert HOURS.indices([(0, 0), (2, 24)]).tolist() == [0, 35]
    assert HOURS.bins_of([0, 12, 24]).tolist() == [[0, 6, 11]]
    assert HOURS.rows([[1, 2, 3]]).dtype == np.float64
    assert str(HOURS) == "Vector(Interval(0, 24, bins=12), 3)"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "rows of 3 numbers"),
        ([[1, 2, 3], [4, 5, 6]][0] * 2, "rows of 3 numbers"),
        ([[[1, 2, 3]]], "rows of 3 numbers"),
        (["a", "b", "c"], "rows of 3 numbers"),
        ([[1, 2, 25]], "a number from 0 to 24"),
        ([[1, 2, float("nan")]], r"a missing value \(nan\) in row 2"),
        (np.zeros((0, 3)), "at least one value"),
    ],
)
def test_bad_rows(values, message):
    for name in ("vector", "gaussian"):
        with pytest.raises(InvalidInput, match=message):
            sv.mechanism(name, HOURS, 1.0).randomize(values)


def test_bad_domains_and_inputs():
    with pytest.raises(InvalidInput, match="interval of Vector must be an Interval"):
        sv.Vector(sv.Categories(3), 2)
    with pytest.raises(InvalidInput, match="size of Vector must be a whole number of at least 1"):
        sv.Vector(sv.Interval(0, 1), 0)
    for value in (3, (3, 1), (0, 25), (0, 1, 2)):
        with pytest.raises(InvalidInput):
            HOURS.index(value)
    with pytest.raises(InvalidInput, match="a single row"):
        HOURS.check([[1, 2, 3], [1, 2, 3]])
    with pytest.raises(InvalidInput, match="domain of sampled-coordinate must be a Vector"):
        sv.mechanism("vector", sv.Interval(0, 1), 1.0)
    with pytest.raises(InvalidInput, match="reports fall in one cell each"):
        sv.mechanism("vector", HOURS, 1.0, inner="oue")
    with pytest.raises(InvalidInput, match="inner of .* must be the name of a mechanism"):
        sv.mechanism("vector", HOURS, 1.0, inner=3)
    with pytest.raises(Unfit, match="unknown mechanism 'magic'"):
        sv.mechanism("vector", HOURS, 1.0, inner="magic")


@pytest.mark.parametrize("name", ["grr", "oue", "ss", "hr", "olh", "olh-seeded", "flh", "table"])
def test_mechanisms_of_one_value_refuse_vectors(name):
    """People hold rows: nobody could answer such a survey."""
    options = {"weights": [[3, 1]] * HOURS.size} if name == "table" else {}
    message = (
        r"must be of one value per person; got 'Vector\(Interval\(0, 24, bins=12\), 3\)'\. "
        r"Vectors are for the mechanisms sampled-coordinate and gaussian\."
    )
    with pytest.raises(InvalidInput, match=message):
        sv.mechanism(name, HOURS, 1.2, **options)


# -- one sampled coordinate -----------------------------------------------------------------


@pytest.mark.parametrize("inner", ["pm", "sr", "sw", "laplace", "gaussian", "grr", "olh"])
def test_any_mechanism_for_one_number_fits_inside(inner):
    mechanism = sv.mechanism("vector", HOURS, 2.0, inner=inner)
    one = sv.mechanism(inner, HOURS.interval, 2.0)
    assert mechanism.coordinate == one
    assert mechanism.certificate() == one.certificate()
    assert mechanism_from_json(mechanism.to_json()) == mechanism
    reports = mechanism.randomize(people(500), source=sv.Seeded(1))
    tally = mechanism.tally(reports)
    parts = sv.coordinates(tally)
    assert sum(part.n for part in parts) == 500
    for j, part in enumerate(parts):
        rows = reports.columns["coordinate"] == j
        columns = {field.name: reports.columns[field.name][rows] for field in one.fields}
        assert part == one.tally(sv.Reports(one, columns))
    channel, dense = mechanism.channel(), one.channel().dense()
    np.testing.assert_allclose(channel.dense(), np.kron(np.eye(3), dense), atol=1e-12)


def test_options_of_the_mechanism_inside():
    laplace = sv.mechanism("laplace", HOURS.interval, 1.0, bits=40)
    by_name = {"mechanism": "laplace", "options": {"bits": 40}}
    mechanism = sv.mechanism("vector", HOURS, 1.0, inner=by_name)
    assert mechanism.coordinate == laplace
    assert mechanism == sv.mechanism("vector", HOURS, 1.0, inner=laplace)
    assert len({mechanism, mechanism_from_json(mechanism.to_json())}) == 1
    assert mechanism.options() == {"inner": by_name}
    binned = sv.mechanism(
        "vector", HOURS, 1.0, inner=sv.mechanism("grr", HOURS.interval, 1.0, report_bins=4)
    )
    assert mechanism_from_json(binned.to_json()) == binned
    assert hash(binned)


def test_the_coordinate_does_not_depend_on_the_vector():
    mechanism = sv.mechanism("vector", HOURS, 1.0)
    counts = []
    for seed, row in enumerate(([0, 0, 0], [24, 24, 24], [0, 24, 12])):
        drawn = mechanism.randomize([row] * 60_000, source=sv.Seeded(seed)).columns["coordinate"]
        counts.append(np.bincount(drawn, minlength=3))
        assert stats.chisquare(counts[-1]).pvalue > 1e-7
    wrong = np.array([1.05, 1, 0.95]) * 20_000  # the test would see 5% more of one
    assert stats.chisquare(counts[0], wrong).pvalue < 1e-7


def test_one_row_and_many_on_the_same_words():
    mechanism = sv.mechanism("vector", HOURS, 1.0)
    rows = people(40)
    for seed, row in enumerate(rows):
        alone = mechanism.randomize(row, source=sv.Seeded(seed))
        again = mechanism.randomize(rows[seed : seed + 1], source=sv.Seeded(seed))
        assert alone == again
        assert len(alone) == 1


@pytest.mark.parametrize("name", ["vector", "gaussian"])
def test_means_of_all_coordinates(name):
    rows = people(120_000)
    mechanism = sv.mechanism(name, HOURS, 4.0)
    tally = mechanism.tally(mechanism.randomize(rows, source=sv.Seeded(3)))
    for j, part in enumerate(sv.coordinates(tally)):
        mean = sv.estimate(part, goal="mean").for_population().mean()
        assert mean.stderr < {"vector": 0.1, "gaussian": 0.3}[name]
        assert abs(mean.value - rows[:, j].mean()) < 5.5 * mean.stderr


def test_shares_of_a_vector_are_those_of_its_coordinates():
    """With an unbiased inner estimate: over all coordinates as by one, times its part of reports."""
    mechanism = sv.mechanism("vector", HOURS, 2.0, inner="grr")
    tally = mechanism.tally(mechanism.randomize(people(30_000), source=sv.Seeded(4)))
    together = sv.estimate(tally, "unbiased")
    for j, part in enumerate(sv.coordinates(tally)):
        alone = sv.estimate(part, "unbiased")
        mine = slice(12 * j, 12 * j + 12)
        weight = part.n / tally.n
        np.testing.assert_allclose(together.shares[mine], alone.shares * weight, atol=1e-12)
        np.testing.assert_allclose(together.stderr[mine], alone.stderr * weight, rtol=0.1)
    label = together.share((1, 3)).label
    assert label == (1, (2.0, 4.0))


def test_likelihood_of_a_vector():
    for name in ("vector", "gaussian"):
        mechanism = sv.mechanism(name, HOURS, 4.0)
        tally = mechanism.tally(mechanism.randomize(people(20_000), source=sv.Seeded(5)))
        found = sv.estimate(tally, "em")
        sums = found.shares.reshape(3, -1).sum(axis=1)
        assert np.abs(sums - 1 / 3).max() < (0.02 if name == "vector" else 1e-9)


# -- Gaussian noise on every coordinate ---------------------------------------------------------


def worst_delta_of_a_pair(mechanism):
    """All vectors against all others, all reports: the definition."""
    dense = mechanism.coordinate.channel().dense()
    laws = [
        np.outer(dense[:, a], dense[:, b]).ravel()
        for a, b in product(range(dense.shape[1]), repeat=2)
    ]
    E = np.exp(mechanism.epsilon)
    return max(np.maximum(p - E * q, 0).sum() for p in laws for q in laws)


@pytest.mark.parametrize(
    ("bins", "epsilon", "delta", "reach"),
    [
        (3, 1.0, 0.05, 12),
        (4, 2.0, 0.01, 15),
        (2, 1.0, 0.1, 6),
        (4, 0.5, 0.1, None),
        (5, 6.0, 1e-3, 6),
    ],
)
def test_gaussian_delta_of_two_coordinates_by_brute_force(bins, epsilon, delta, reach):
    domain = sv.Vector(sv.Interval(0, 1, bins=bins), 2)
    mechanism = sv.mechanism("gaussian", domain, epsilon, delta=delta, reach=reach)
    exact = worst_delta_of_a_pair(mechanism)
    assert exact <= float(mechanism.certificate().delta) <= delta
    assert exact > 0.3 * delta or reach is None or epsilon > 5  # a short reach is more private


@pytest.mark.parametrize("coordinates", [2, 10, 1000])
def test_gaussian_needs_sigma_times_the_root_of_the_coordinates(coordinates):
    one = sv.mechanism("gaussian", sv.Interval(-1, 1, bins=64), 1.0, delta=1e-5)
    domain = sv.Vector(sv.Interval(-1, 1, bins=64), coordinates)
    many = sv.mechanism("gaussian", domain, 1.0, delta=1e-5)
    assert abs(many.sigma / one.sigma / np.sqrt(coordinates) - 1) < 1e-4
    assert 0.99e-5 < many.certificate().delta <= 1e-5
    assert many.coordinate.certificate().delta <= 1e-5
    assert mechanism_from_json(many.to_json()) == many
    with pytest.raises(
        InvalidInput, match="but with delta"
    ):  # the noise of one does not do for many
        sv.Gaussian(domain, 1.0, delta=1e-5, reach=one.reach, weights=one._weights_document())


def test_gaussian_reports_every_coordinate():
    mechanism = sv.mechanism("gaussian", HOURS, 2.0, delta=1e-4)
    rows = people(300)
    reports = mechanism.randomize(rows, source=sv.Seeded(1))
    assert [field.name for field in mechanism.fields] == ["cell0", "cell1", "cell2"]
    assert mechanism.words_per_report == 3
    tally = mechanism.tally(reports)
    assert tally.cells.reshape(3, -1).sum(axis=1).tolist() == [300, 300, 300]
    assert [part.n for part in sv.coordinates(tally)] == [300, 300, 300]
    bins = mechanism.domain.bins_of(rows)
    for seed in range(40):
        alone = mechanism.respond(bins[seed], sv.Seeded(seed))
        many = mechanism.respond_many(bins[seed : seed + 1], sv.Seeded(seed))
        assert alone == tuple(int(column[0]) for column in many)
    assert sv.Reports.from_arrow(reports.to_arrow()) == reports
    with pytest.raises(InvalidInput, match="every coordinate of a row is reported"):
        mechanism.randomize_indices(np.zeros(3, dtype=int))


def test_gaussian_channel_keeps_the_laws_of_blocks():
    mechanism = sv.mechanism("gaussian", HOURS, 2.0, delta=1e-4)
    channel = mechanism.channel()
    one = mechanism.coordinate.channel().dense()
    dense = channel.dense()
    np.testing.assert_allclose(dense, 3 * np.kron(np.eye(3), one), atol=1e-12)
    np.testing.assert_allclose(dense.sum(axis=0), channel.blocks)
    random = np.random.default_rng(1)
    w, r = random.dirichlet(np.ones(36)), random.normal(size=channel.cells)
    assert np.isclose(channel.forward(w) @ r, w @ channel.adjoint(r))
    z = np.tile(HOURS.interval.midpoints, 3)
    cell_weights = channel.cell_weights(z)
    np.testing.assert_allclose(channel.adjoint(cell_weights.values), z, atol=1e-4)
    assert channel.cell_weights(z**2) is None
    assert channel.inverse is None
    tally = mechanism.simulate(random.integers(1, 900, 36), source=sv.Seeded(1))
    weights, last = np.full(36, 1 / 36), -np.inf
    for _ in range(30):
        ratio, likelihood = channel.em_step(weights, tally.cells.astype(float))
        weights, last, before = weights * ratio, likelihood, last
        assert likelihood >= before
        np.testing.assert_allclose(weights.reshape(3, -1).sum(axis=1), 1 / 3, rtol=1e-9)


def test_simulated_tallies_of_a_gaussian_vector():
    """Counts of any sums stand for histograms; a coordinate without people is refused."""
    mechanism = sv.mechanism("gaussian", HOURS, 4.0, delta=1e-4)
    counts = np.zeros((3, 12), dtype=int)
    counts[0, 0], counts[1, 5], counts[2] = 70_000, 30_000, 100
    tally = mechanism.simulate(counts.ravel(), source=sv.Seeded(1))
    assert tally.n == counts.sum()
    for part, middle in zip(sv.coordinates(tally), (1.0, 11.0, 12.0), strict=True):
        mean = sv.estimate(part, goal="mean").mean()
        assert abs(mean.value - middle) < 5.5 * mean.stderr
    with pytest.raises(InvalidInput, match="people at every coordinate"):
        mechanism.simulate(np.arange(36) // 12 * 5)


def test_audits():
    small = sv.Vector(sv.Interval(0, 1, bins=4), 3)
    for name in ("vector", "gaussian"):
        mechanism = sv.mechanism(name, small, 1.0)
        found = sv.audit(mechanism, trials=20_000)
        assert found.passed
        assert found.certificate == mechanism.certificate()


def test_an_audit_finds_a_vector_noised_like_a_number():
    """Noise for one coordinate on nine of them: three times too little."""
    one = sv.mechanism("gaussian", sv.Interval(0, 1, bins=4), 1.0, delta=1e-4)
    wide = sv.Vector(sv.Interval(0, 1, bins=4), 9)
    mechanism = sv.Gaussian(  # which keeps epsilon 6, not 1
        wide, 6.0, delta=1e-4, reach=one.reach, weights=one._weights_document()
    )
    object.__setattr__(mechanism, "epsilon", 1.0)
    found = sv.audit(mechanism, trials=40_000)
    assert found.lower_bound > 1.0
    assert not found.passed


# -- around ---------------------------------------------------------------------------------------


def test_survey_of_a_vector():
    survey = sv.Survey("hours", "How long?", sv.mechanism("vector", HOURS, 1.0))
    assert sv.Survey.from_json(survey.to_json()) == survey
    assert survey.admit([1, 2, 3]) == [1, 2, 3]
    with pytest.raises(InvalidInput, match="a number from 0 to 24"):
        survey.admit([1, 2, 30])


def test_coordinates_of_something_else():
    tally = sv.Tally.empty(sv.mechanism("laplace", HOURS.interval, 1.0))
    with pytest.raises(Unfit, match="coordinates needs the tally of a vector"):
        sv.coordinates(tally)
    with pytest.raises(Unfit, match="coordinates needs the tally of a vector"):
        sv.coordinates(sv.Tally.empty(sv.mechanism("gaussian", HOURS.interval, 1.0)))


def test_no_inverse_without_one_inside():
    one = sv.mechanism("laplace", HOURS.interval, 1.0).channel()
    assert CoordinatesChannel(one, 3, every=False).inverse is None
