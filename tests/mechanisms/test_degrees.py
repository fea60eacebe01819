"""Noise on degrees: privacy of an edge by brute force, no claim beyond it, and a graph's answers."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.base.exact import exp_bounds
from sottovoce.channels.base import Channel
from sottovoce.channels.dense import DenseChannel
from sottovoce.cli.app import app
from sottovoce.core.registry import mechanism_from_json
from sottovoce.metrics import mean_squared_error, wasserstein
from sottovoce.planning import plan as planning
from sottovoce.privacy.audit import audit_black_box
from support.documents import integer_weights, read_again, with_weights


def degrees(most, epsilon, **options):
    return sv.mechanism("degree-noise", sv.Counts(most), epsilon, **options)


def rows_of(mechanism):
    """The integer weights of every report for every degree, straight from the definition."""
    noise, last = mechanism.noise, mechanism.domain.most
    weights = [noise.tail, *noise.heights[:0:-1], *noise.heights, noise.tail]
    rows = [[0] * (last + 1) for _ in range(last + 1)]
    for x, row in enumerate(rows):
        for k, weight in zip(range(-last, last + 1), weights, strict=True):
            row[min(max(x + k, 0), last)] += weight
        assert sum(row) == noise.total
    return rows


def worst_ratio(one, other):
    return max(max(Fraction(a, b), Fraction(b, a)) for a, b in zip(one, other, strict=True))


# -- privacy ------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 5, 30])
@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.5, 1.0, 3.0, 8.0, 20.0])
def test_certificate_is_the_worst_over_all_pairs(most, epsilon):
    mechanism = degrees(most, epsilon)
    rows, E, certificate = rows_of(mechanism), exp_bounds(epsilon)[0], mechanism.certificate()
    assert certificate.ratio == max(worst_ratio(*pair) for pair in pairwise(rows))
    assert E * (1 - Fraction(1, 10**9)) < certificate.ratio <= E
    far = {(x, y): worst_ratio(rows[x], rows[y]) for x, y in product(range(most + 1), repeat=2)}
    assert certificate.scope.any_two == max(far.values())
    assert all(ratio <= E ** abs(x - y) for (x, y), ratio in far.items())
    assert 2**62 * (1 - 1e-9) < mechanism.noise.total <= 2**62


@pytest.mark.parametrize(("most", "epsilon"), [*product((3, 12), (0.2, 1.0, 3.0)), (90, 2.0)])
def test_few_bits_keep_the_promise_to_the_last_height(most, epsilon):
    """Heights fall to a few units, where rounding alone would break it."""
    mechanism = degrees(most, epsilon, bits=16)
    rows = rows_of(mechanism)
    found = max(worst_ratio(*pair) for pair in pairwise(rows))
    assert found == mechanism.certificate().ratio <= exp_bounds(epsilon)[0]
    if most * epsilon > 20:
        assert min(mechanism.noise.heights) == 2


def test_many_degrees():
    mechanism = degrees(50_000, 0.5)
    assert mechanism.certificate().holds(0.5)
    assert len(mechanism.to_json()) < 400
    assert mechanism_from_json(mechanism.to_json()) == mechanism


def test_noise_is_geometric_until_the_table_ends():
    found = np.array(degrees(12, 1.5).noise.heights, dtype=float)
    np.testing.assert_allclose(found / found[0], np.exp(-1.5 * np.arange(12)), rtol=1e-9)
    heights = degrees(200, 1.5).noise.heights
    assert set(heights[40:]) == {2}  # ceil(E / (E - 1)): the least that may repeat


def test_every_draw_of_a_small_table(scripted):
    chosen = degrees(4, 0.7, bits=16)
    total, rows = chosen.noise.total, rows_of(chosen)
    assert total & (total - 1)  # no power of two: a word modulo the total is the draw
    words = np.arange(total, dtype=np.uint64)
    for degree in range(5):
        (cells,) = chosen.respond_many(np.full(total, degree), scripted(words))
        assert np.bincount(cells, minlength=5).tolist() == rows[degree]
        for word in range(0, total, 499):
            assert chosen.respond(degree, scripted([word])) == (cells[word],)


@pytest.mark.parametrize("weight", ["center", "ratio", "least", "tail"])
def test_weights_that_break_the_promise_are_refused(weight):
    document = degrees(6, 1.0, bits=40).document()
    weights = integer_weights(document)
    factor = Fraction(1, 2) if weight in ("ratio", "tail") else Fraction(3, 2)
    weights[weight] = 0 if weight == "least" else int(weights[weight] * factor)
    with pytest.raises(InvalidInput, match="weights of degree-noise must be"):
        read_again(with_weights(document, weights))


# -- nothing claims more --------------------------------------------------------------------


def test_the_certificate_says_between_what():
    certificate = degrees(9, 1.0).certificate()
    assert certificate.between == "degrees that differ by one edge"
    assert str(certificate).endswith(
        "= e^1 between degrees that differ by one edge (any two values: e^9)"
    )
    assert str(degrees(9, 1.0)) == "degree-noise(Counts(9), epsilon=1 an edge)"
    usual = sv.mechanism("laplace", sv.Counts(9), 1.0).certificate()
    assert (usual.between, usual.scope) == ("any two values", None)
    assert "between" not in str(usual)


def test_plain_words_speak_of_an_edge():
    survey = sv.Survey("friends", "How many friends?", degrees(9, 1.0))
    first, second, third = survey.privacy().split("\n")
    assert "at most 2.72 times as likely under one of two degrees that differ by one edge" in first
    assert (
        "at most 73.2% sure of it after seeing your report, and at most 88.1% after the 2 reports that count it"
        in second
    )
    assert third.startswith("This protects the edge, not the answer: a report may be 8,110 times")
    assert sv.Survey.from_json(survey.to_json()) == survey


def test_audit_compares_step_by_step():
    """Ends are told apart far better than e^1, and that is no breach."""
    found = sv.audit(degrees(6, 1.0), trials=40_000)
    assert found.passed
    assert 0.7 < found.lower_bound <= 1
    assert str(found).startswith(
        "claimed epsilon 1 between degrees that differ by one edge: holds\n"
    )
    assert "any two values: e^6" in str(found)


def test_audit_finds_too_little_noise():
    loud = degrees(6, 1.3)

    def sample(degree, count):
        return loud.randomize_indices(np.full(count, degree), sv.Seeded(degree)).columns["cell"]

    arguments = {"outcomes": 7, "ordered": True, "trials": 100_000}
    found = audit_black_box(sample, range(7), 1.0, apart=lambda v, u: abs(v - u), **arguments)
    assert not found.passed
    assert 1 < found.lower_bound < 1.3
    assert "between values a step apart: BROKEN" in str(found)
    assert audit_black_box(sample, range(7), 1.0, **arguments).lower_bound > 5  # any two values


def test_plans_do_not_rank_it(monkeypatch):
    """Neither where its error is told, nor where an epsilon is sought for all."""
    monkeypatch.setattr(planning, "_names", lambda domain: ["edge-laplace", "laplace"])
    for asked in ({"epsilon": 1.0, "users": 1000}, {"users": 10_000, "error": 0.5}):
        plan = sv.plan(sv.Counts(9), goal="mean", **asked)
        assert [prospect.mechanism.name for prospect in plan.prospects] == ["laplace"]
        assert plan.unfit == {
            "edge-laplace": "its epsilon is about degrees that differ by one edge only, and is not "
            "comparable"
        }


def test_no_mechanism_takes_it_in():
    with pytest.raises(InvalidInput, match="inner of .* must be a mechanism that is private betwe"):
        sv.mechanism("vector", sv.Vector(sv.Counts(9), 2), 1.0, inner="degree-noise")
    with pytest.raises(InvalidInput, match="domain of degree-noise must be Counts"):
        sv.mechanism("degree-noise", sv.Counts(9), 1.0, report_bins=5)


def test_command_line_says_so(tmp_path):
    def run(*arguments):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    how = ("--mechanism", "edge-laplace", "--epsilon", 1, "--most", 6)
    assert "one edge: holds" in run("audit", *how, "--trials", 2000)
    told = json.loads(run("audit", *how, "--trials", 2000, "--json"))
    assert told["certificate"]["between"] == "degrees that differ by one edge"
    assert told["mechanism"]["epsilon_between"] == "degrees that differ by one edge"
    people, reports, tally = (tmp_path / name for name in ("d.csv", "r.parquet", "t.svt"))
    people.write_text("degree\n" + "3\n4\n" * 100)
    run("randomize", people, "-o", reports, "--column", "degree", *how, "--seed", 1)
    run("tally", reports, "-o", tally)
    said = json.loads(run("estimate", tally, "--mean", "--json"))
    assert abs(said["answers"][0]["value"] - 3.5) < 1
    people.write_text("degree\n3\n7\n")
    refused = CliRunner().invoke(
        app, list(map(str, ("randomize", people, "-o", reports, "--column", "degree", *how, "--force")))
    )  # fmt: skip
    assert refused.exit_code == 2
    assert "a whole number from 0 to 6" in " ".join(refused.output.split())


# -- the channel ------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "epsilon"), [(1, 1.0), (7, 0.3), (250, 0.05), (250, 3.0)])
def test_channel_is_the_matrix(most, epsilon):
    mechanism, rng = degrees(most, epsilon), np.random.default_rng(1)
    rows = np.array([[float(w) for w in row] for row in rows_of(mechanism)])
    matrix = (rows / mechanism.noise.total).T
    channel = mechanism.channel()
    np.testing.assert_allclose(channel.dense(), matrix, rtol=1e-12)
    shares = rng.dirichlet(np.ones(most + 1))
    cells = mechanism.simulate(rng.integers(0, 90, most + 1) + 1, source=sv.Seeded(1)).cells
    found, likelihood = channel.em_step(shares, cells.astype(float))
    wanted, exact = Channel.em_step(DenseChannel(matrix), shares, cells.astype(float))
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    assert np.isclose(likelihood, exact, rtol=1e-12)


@pytest.mark.parametrize(("most", "epsilon"), [(1, 1.0), (12, 0.1), (100, 1.0), (40, 8.0)])
def test_the_mean_is_told_without_bias(most, epsilon):
    """A report stands for itself, an end for what was cut off beyond it: r / (1 - r) farther."""
    channel, places = degrees(most, epsilon).channel(), np.arange(most + 1.0)
    cell_weights = channel.cell_weights(places)
    assert np.abs(channel.dense().T @ cell_weights.values - places).max() < 1e-9 * most
    r = np.exp(-epsilon)
    wanted = places + np.eye(most + 1)[most] * r / (1 - r) - np.eye(most + 1)[0] * r / (1 - r)
    np.testing.assert_allclose(cell_weights.values, wanted, atol=1e-6 * most / epsilon)


@pytest.mark.parametrize(("most", "epsilon"), [(2, 1.0), (9, 0.2), (60, 1.0), (60, 5.0)])
def test_any_sum_of_shares_has_gains(most, epsilon):
    """Those of the inverted matrix."""
    channel, rng = degrees(most, epsilon).channel(), np.random.default_rng(4)
    for weights in (np.arange(most + 1.0) ** 2, rng.normal(size=most + 1)):
        cell_weights = channel.cell_weights(weights)
        wanted = np.linalg.solve(channel.dense().T, weights)
        np.testing.assert_allclose(cell_weights.values, wanted, atol=1e-8 * np.abs(wanted).max())
        assert cell_weights.bias_bound < 1e-9 * np.abs(wanted).max()


def test_mle_is_at_the_top_of_the_dense_likelihood():
    mechanism = degrees(15, 0.7)
    counts = np.random.default_rng(3).integers(0, 900, 16)
    tally = mechanism.simulate(counts, source=sv.Seeded(3))
    e, matrix = sv.estimate(tally, "mle"), mechanism.channel().dense()
    slope = matrix.T @ (tally.cells / (matrix @ e.shares)) / tally.n
    assert slope.max() < 1 + 1e-6
    assert np.abs(slope - 1) @ e.shares < 1e-6


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_sampler_follows_the_law_and_no_other(epsilon):
    """Chi-squared over all degrees; noise of an epsilon 3% larger is rejected."""
    most, n = 6, 200_000
    chosen, source = degrees(most, epsilon), sv.Seeded(5)
    seen = np.stack(
        [chosen.tally(chosen.randomize(np.full(n, v), source=source)).cells for v in range(7)]
    )

    def p_value(law):
        expected = n * law.channel().dense().T
        rest = most * (most + 1)
        return stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), rest)

    assert p_value(chosen) > 1e-7
    assert p_value(degrees(most, 1.03 * epsilon)) < 1e-7


# -- a graph -----------------------------------------------------------------------------------


def power_law_graph(people, rng, exponent=2.5, least=2.0, most=80.0):
    """Chung and Lu's random graph: edges in proportion to weights of a power law."""
    weights = np.minimum(least * (1 - rng.random(people)) ** (-1 / (exponent - 1)), most)
    drawn = rng.choice(people, (rng.poisson(weights.sum() / 2), 2), p=weights / weights.sum())
    edges = np.unique(np.sort(drawn[drawn[:, 0] != drawn[:, 1]], axis=1), axis=0)
    return np.bincount(edges.ravel(), minlength=people), len(edges)


@pytest.fixture(scope="module")
def graph():
    found, edges = power_law_graph(20_000, np.random.default_rng(2026))
    assert 60 < found.max() <= 120
    return found, edges


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_distribution_of_a_power_law_graph(graph, epsilon):
    """At least twice as near as the histogram of noisy reports, in squares and in distance."""
    found, _ = graph
    truth = np.bincount(found, minlength=121) / len(found)
    mechanism = degrees(120, epsilon)
    tally = mechanism.tally(mechanism.randomize(found, source=sv.Seeded(1)))
    noisy = tally.cells / tally.n
    for method in ("em", "mle", "adaptive", "mr"):
        shares = sv.estimate(tally, method).shares
        assert mean_squared_error(shares, truth) < mean_squared_error(noisy, truth) / 2, method
        assert wasserstein(shares, truth) < wasserstein(noisy, truth) / 2, method
    assert sv.estimate(tally).method == "adaptive"


def test_little_noise_is_not_smoothed(graph):
    """At epsilon 3 smoothing would move people farther than the noise did."""
    found, _ = graph
    truth = np.bincount(found, minlength=121) / len(found)
    mechanism = degrees(120, 3.0)
    tally = mechanism.tally(mechanism.randomize(found, source=sv.Seeded(1)))
    e, likeliest = sv.estimate(tally), sv.estimate(tally, "mle")
    assert e.method == "adaptive"
    assert wasserstein(e.shares, truth) < wasserstein(tally.cells / tally.n, truth) / 1.5
    assert wasserstein(e.shares, truth) < wasserstein(likeliest.shares, truth) * 1.1


def test_mean_degree_and_edges(graph):
    found, edges = graph
    mechanism = degrees(120, 1.0)
    errors, of_edges = [], []
    for seed in range(40):
        tally = mechanism.tally(mechanism.randomize(found, source=sv.Seeded(seed)))
        e = sv.estimate(tally, "unbiased")
        errors.append((e.mean().value - found.mean()) / e.mean().stderr)
        told = sv.edges(e)
        of_edges.append((told.value - edges) / told.stderr)
    np.testing.assert_allclose(errors, of_edges, atol=1e-6)
    squares = np.sum(np.square(errors))
    assert stats.chi2.ppf(1e-7, 40) < squares < stats.chi2.isf(1e-7, 40)


def test_edges_of_people_who_did_not_all_report(graph):
    found, edges = graph
    mechanism = degrees(120, 1.0)
    asked = np.random.default_rng(2).permutation(found)[:5000]
    tally = mechanism.tally(mechanism.randomize(asked, source=sv.Seeded(2)))
    for method in ("unbiased", "em"):
        told = sv.edges(sv.estimate(tally, method), people=len(found), confidence=0.9)
        assert abs(told.value - edges) < 5.5 * told.stderr
        assert np.isclose(told.high - told.value, 1.644854 * told.stderr)
        assert told.stderr > 0.5 * 20_000 * asked.std() / np.sqrt(5000)
    with pytest.raises(InvalidInput, match="people of edges must be a whole number"):
        sv.edges(sv.estimate(tally, "unbiased"), people=4999)


def test_edges_need_degrees():
    tally = sv.mechanism("grr", sv.Interval(0, 1, bins=4), 1.0).simulate([5, 5, 5, 5])
    with pytest.raises(Unfit, match=r"edges needs degrees \(Counts\)"):
        sv.edges(sv.estimate(tally, "unbiased"))


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [10, -1, 2.5, np.nan, "3", True])
def test_what_is_no_degree_is_refused(value):
    with pytest.raises(InvalidInput, match=r"Counts\(9\) must be a whole number from 0 to 9; got"):
        degrees(9, 1.0).randomize(value)


def test_other_bad_input():
    others = sv.Interval(0, 10, bins=10), sv.Ratings(0, 9), sv.Categories(10)
    for domain in (*others, sv.Vector(sv.Counts(9), 2)):
        with pytest.raises(
            InvalidInput, match="domain of degree-noise must be Counts: degrees are"
        ):
            sv.DegreeNoise(domain, 1.0)
    with pytest.raises(
        InvalidInput, match="bits of degree-noise must be more for this number of bins"
    ):
        degrees(40, 1e-4, bits=12)
    with pytest.raises(InvalidInput, match="epsilon of degree-noise must be"):
        degrees(9, 0.0)


def test_a_single_degree_tells_nothing():
    mechanism = degrees(0, 1.0)
    assert mechanism.certificate().ratio == 1
    e = sv.estimate(mechanism.tally(mechanism.randomize([0, 0])))
    assert e.shares.tolist() == [1.0]
    assert e.mean().value == 0
