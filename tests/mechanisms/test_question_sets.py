"""Records by sets of questions: tables of weights, designs, and what a report reveals."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.parts import record_sets
from sottovoce.answers.pooled_sets import PartErrors
from sottovoce.base.errors import InvalidInput
from sottovoce.core.reports import Reports
from sottovoce.mechanisms._set_rates import SetErrors, design_rates
from sottovoce.mechanisms.question_sets import QuestionSets

DESIGNS = ("sample", "pairs", "mixed", "parities", "joint", "split")
THREE = sv.Record({"a": sv.Categories(2), "b": sv.Categories(3), "c": sv.Categories(2)})
ALL = np.arange(65536, dtype=np.uint64) << np.uint64(48)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_certificate_is_the_worst_ratio_of_any_two_records(design, epsilon):
    """Against all columns of the dense channel, and tight."""
    mechanism = sv.mechanism("record", THREE, epsilon, design=design)
    dense = mechanism.channel().dense()
    worst = (dense.max(axis=1) / dense.min(axis=1)).max()
    assert worst == pytest.approx(float(mechanism.certificate().ratio), rel=1e-9)
    assert worst == pytest.approx(math.exp(epsilon), rel=1e-9)


@pytest.mark.parametrize("design", [design for design in DESIGNS if design != "split"])
def test_all_words_of_16_bits_give_the_table(design, scripted):
    """For every set, all responses of two records that differ in every answer."""
    mechanism = sv.mechanism("record", THREE, 1.0, design=design, bits=16)
    total = sum(mechanism.rates)
    worst = Fraction(1)
    for number, oracle in enumerate(mechanism.oracles):
        drawn = sum(mechanism.rates[:number])
        word = (
            drawn << (65 - total.bit_length()) if not total & (total - 1) and total > 1 else drawn
        )
        ((keep, other),) = oracle.weights
        counts = []
        for index in (0, mechanism.domain.size - 1):
            words = np.full(65536, word, dtype=np.uint64), np.zeros(65536), ALL
            (cells,) = mechanism.respond_many(np.full(65536, index), scripted(*words))
            counts.append(np.bincount(cells, minlength=mechanism.cells))
            met = counts[-1][counts[-1] > 0]
            assert sorted({*met.tolist()}) == [other, keep + other]
            assert met.sum() == 65536
        both = (counts[0] > 0) & (counts[1] > 0)
        assert ((counts[0] > 0) == (counts[1] > 0)).all()
        ratios = [Fraction(int(x), int(y)) for x, y in zip(*(c[both] for c in counts), strict=True)]
        worst = max(worst, *ratios)
    assert worst == mechanism.certificate().ratio


def test_all_words_of_16_bits_give_the_table_of_every_answer_apart(scripted):
    """One answer at a time, the others' words fixed; worst ratios multiply."""
    mechanism = sv.mechanism("record", THREE, 3.0, design="split", bits=16)
    zeros, product = np.zeros(65536, dtype=np.uint64), Fraction(1)
    for question, (keep, other) in enumerate(mechanism.weights):
        counts = []
        for index in (0, mechanism.domain.size - 1):
            words = [zeros] * 7
            words[2 + 2 * question] = ALL
            (cells,) = mechanism.respond_many(np.full(65536, index), scripted(*words))
            reported = np.stack(np.unravel_index(cells, THREE.sizes))
            assert np.ptp(np.delete(reported, question, axis=0), axis=1).max() == 0
            counts.append(np.bincount(reported[question], minlength=THREE.sizes[question]))
            assert sorted({*counts[-1].tolist()}) == [other, keep + other]
        product *= Fraction(int(counts[0][0]), int(counts[1][0]))
    assert product == mechanism.certificate().ratio


def test_the_device_sends_the_parity_of_its_answers(scripted):
    """Every parity of two questions of 4 and 2 answers, by the products of signs."""
    record = sv.Record({"a": sv.Categories(4), "b": sv.Categories(2)})
    mechanism = sv.mechanism("record", record, 8.0, design="parities", rates=[1, 1, 2], bits=8)
    pair = mechanism.oracles[2]
    assert pair.hashes == 3
    for node in range(8):
        bits = [pair.bit(drawn, node) for drawn in range(3)]
        assert bits == [((s & node // 2).bit_count() + node % 2) % 2 for s in (1, 2, 3)]
        answers = mechanism.respond_many(
            np.full(3, node),
            scripted(
                np.full(3, 2**63, dtype=np.uint64), np.arange(3, dtype=np.uint64), np.zeros(3)
            ),
        )[0]
        assert (answers - mechanism._starts[2]).tolist() == [
            2 * h + bit for h, bit in enumerate(bits)
        ]


@pytest.mark.parametrize("design", DESIGNS)
def test_weights_from_outside_are_certified_one_by_one(design):
    """Any response's weights may be weaker; a stronger one is refused, whichever it is."""
    honest = sv.mechanism("record", THREE, 1.0, design=design, bits=16)
    pairs = honest._weights_document()
    for number in range(len(pairs)):
        size = (65536 - pairs[number]["keep"]) // pairs[number]["other"]
        for step, fits in ((50, True), (-50, False)):
            changed = {
                "keep": pairs[number]["keep"] - step * size,
                "other": pairs[number]["other"] + step,
            }
            weights = [*pairs[:number], changed, *pairs[number + 1 :]]
            if not fits:
                with pytest.raises(InvalidInput, match="such that no ratio exceeds"):
                    sv.mechanism("record", THREE, 1.0, design=design, bits=16, weights=weights)
                continue
            weaker = sv.mechanism("record", THREE, 1.0, design=design, bits=16, weights=weights)
            dense = weaker.channel().dense()
            worst = (dense.max(axis=1) / dense.min(axis=1)).max()
            assert worst == pytest.approx(float(weaker.certificate().ratio), rel=1e-12)
            assert weaker.weights != honest.weights


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 12.0])
@pytest.mark.parametrize("k", [2, 10, 20])
def test_certificates_of_many_questions_are_tight(design, epsilon, k):
    """At most e^epsilon, and less by at most 1e-9 of it."""
    record = sv.Record({f"q{i}": sv.Categories(2) for i in range(k)})
    mechanism = sv.mechanism("record", record, epsilon, design=design)
    certificate = mechanism.certificate()
    assert certificate.holds(epsilon)
    assert float(certificate.ratio) >= math.exp(epsilon) * (1 - 1e-9)
    assert len(mechanism.randomize({f"q{i}": 1 for i in range(k)})) == 1


@pytest.mark.parametrize("design", DESIGNS)
def test_thirty_questions_of_a_thousand_answers_fit_in_a_tally_or_are_refused(design):
    record = sv.Record({f"q{i}": sv.Categories(1000) for i in range(30)})
    if design == "sample":
        mechanism = sv.mechanism("record", record, 1.0, design=design)
        assert mechanism.tally(mechanism.randomize([{f"q{i}": i for i in range(30)}])).n == 1
        assert 8 * mechanism.cells < 20e6
        return
    with pytest.raises(
        InvalidInput, match="at most 2500000 cells|no set .* than 2500000|other than"
    ):
        sv.mechanism("record", record, 1.0, design=design)


def test_records_too_many_to_list_are_randomized_and_tallied():
    large = sv.Record({f"q{i}": sv.Categories(24) for i in range(30)})
    mechanism = sv.mechanism("record", large, 8.0, design="mixed")
    people = [{f"q{i}": i % 24 for i in range(30)}] * 20_000
    tally = mechanism.tally(mechanism.randomize(people, source=sv.Seeded(1)))
    assert tally.n == len(people)
    estimate = sv.estimate(tally)
    assert estimate.part("q7").share(7).value == pytest.approx(1, abs=0.1)
    share = estimate.table("q7", "q3").share(7, 3)
    assert abs(share.value - 1) < 5.5 * share.stderr < 1
    assert len(mechanism.randomize(people[0])) == 1
    with pytest.raises(InvalidInput, match="at most .* records for records by index"):
        mechanism.respond_many(np.zeros(3, dtype=np.int64), sv.Seeded(1))


def test_sets_are_drawn_at_their_rates_whatever_the_answers():
    mechanism = sv.mechanism("record", THREE, 1.0, design="mixed", rates=[1, 2, 3, 4, 5, 6])
    for index in (0, THREE.size - 1):
        cells = mechanism.tally(
            mechanism.randomize_indices(np.full(210_000, index), sv.Seeded(4))
        ).cells
        drawn = np.array([part.sum() for part in mechanism.channel().parts(cells)])
        expected = 210_000 * np.arange(1, 7) / 21
        assert np.sum((drawn - expected) ** 2 / expected) < 40  # chi-square(5): 1.5e-7
        assert np.sum((drawn - np.roll(expected, 1)) ** 2 / expected) > 40


# -- the choice of rates and oracles ----------------------------------------------------------


@pytest.mark.parametrize(("k", "least"), [(3, 3.1), (5, 5.2), (10, 10.5)])
def test_one_question_drawn_beats_a_part_of_epsilon_for_each(k, least):
    """n Var of a share of 100 even values at epsilon 1, against local hashing with epsilon / k."""
    hundred, even = sv.Categories(100), np.full(100, 0.01)
    split = sv.mechanism("olh", hundred, 1.0 / k).channel().variance(even)[0]
    drawn = sv.mechanism("olh", hundred, 1.0).channel().variance(even)[0]
    sampled = k * drawn + (k - 1) * 0.01 * 0.99
    assert split / sampled >= least


def mixed_errors(sizes, noise=1.0):
    sets = [asked for order in (1, 2) for asked in combinations(range(len(sizes)), order)]
    return SetErrors(sizes, sets, [noise] * len(sets))


def test_rates_of_mixed_sets():
    """Variances by hand at alpha 1/4, and what 1/4 costs and saves against pairs alone."""
    for d, saved in ((5, 0.27), (20, 0.69)):
        errors, v = mixed_errors((d, d, d)), []
        for alpha in (1e-9, 0.25):
            rates = [alpha / 3] * 3 + [(1 - alpha) / 3] * 3
            cell = 3 / (1 - alpha)
            mean = 1 / (alpha / 3 + 2 / (d * cell))
            v.append(((1 - 1 / d) * mean, cell * (1 - 1 / d) ** 2 + 2 * (1 - 1 / d) * mean / d**2))
            np.testing.assert_allclose(errors.parts(rates), v[-1][0], rtol=1e-6)
            np.testing.assert_allclose(errors.tables(rates), v[-1][1], rtol=1e-6)
        assert v[1][0] / v[0][0] == pytest.approx(1 - saved, abs=0.03)
        assert 1.2 < v[1][1] / v[0][1] < 1.32
    few, many = design_rates(mixed_errors((2, 2, 2))), design_rates(mixed_errors((50, 50, 50)))
    assert few[0] / few[-1] < many[0] / many[-1]
    assert len({*many[:3]}) == len({*many[3:]}) == 1


@pytest.mark.parametrize("design", ["sample", "mixed"])
def test_rates_of_least_error_lower_the_largest_error(design):
    """2, 5 and 100 answers: never a larger mean variance, and questions of many answers gain."""
    record = sv.Record({"a": sv.Categories(2), "b": sv.Categories(5), "c": sv.Categories(100)})
    even, least = (
        sv.mechanism("record", record, 1.0, design=design, rates=rates).expected_variances()
        for rates in (None, "least")
    )
    assert np.mean(least[0]) < np.mean(even[0]) * (0.97 if design == "sample" else 1)
    assert max(least[0]) < max(even[0]) * (0.8 if design == "sample" else 1)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("sizes", "epsilon"), [((2, 3, 2), 1.0), ((2, 7, 4), 2.0)])
def test_errors_to_expect_are_those_of_estimates(design, sizes, epsilon):
    """Standard errors of an estimate, all records equally frequent: within 2.5%, hashes placed anyhow."""
    record = sv.Record({f"q{i}": sv.Categories(d) for i, d in enumerate(sizes)})
    mechanism = sv.mechanism("record", record, epsilon, design=design)
    n = 200_000 // record.size * record.size
    people = np.full(record.size, n // record.size)
    estimate = sv.estimate(mechanism.simulate(people, source=sv.Seeded(1)), "unbiased")
    parts, tables = mechanism.expected_variances()
    _, sets = record_sets(estimate, "part")
    for question, expected in enumerate(parts):
        stderr = PartErrors(sets, question, sets.shares(question)).stderr("respondents")
        assert np.mean(stderr**2) * n == pytest.approx(expected, rel=0.025)
    for pair, expected in zip(combinations(record.names, 2), tables, strict=True):
        if design == "sample":
            assert math.isinf(expected)
            continue
        stderr = np.array(estimate.table(*pair).frame()["stderr"])
        assert np.mean(stderr**2) * n == pytest.approx(expected, rel=0.025)


def test_without_a_design_it_is_the_one_of_least_errors_of_shares_and_tables():
    for k, d, epsilon in ((3, 2, 8.0), (3, 20, 1.0), (12, 2, 0.3), (5, 2, 2.0)):
        record = sv.Record({f"q{i}": sv.Categories(d) for i in range(k)})
        errors = {}
        for design in DESIGNS:
            mechanism = sv.mechanism("record", record, epsilon, design=design)
            parts, tables = mechanism.expected_variances()
            errors[design] = np.sqrt(parts).mean() * np.sqrt(tables).mean()
        chosen = sv.mechanism("record", record, epsilon)
        assert chosen.design == min(errors, key=errors.get)
        assert chosen == sv.mechanism("record", record, epsilon, design=chosen.design)
    for option in ({"rates": [1, 1]}, {"hash_ranges": [0]}, {"weights": []}):
        with pytest.raises(InvalidInput, match="design of question-sets must be given where"):
            sv.mechanism("record", THREE, 1.0, **option)
    large = sv.Record({f"q{i}": sv.Categories(1000) for i in range(30)})
    assert sv.mechanism("record", large, 1.0).design == "sample"


# -- facts, by formula and by simulation ---------------------------------------------------------


def oracle_variance(epsilon, d):
    return sv.mechanism("oue", sv.Categories(d), epsilon).channel().variance(np.zeros(d))[0]


@pytest.mark.parametrize(("k", "factor"), [(3, 3.2285), (5, 5.4127), (10, 10.8526)])
def test_one_question_drawn_against_parts_of_epsilon_at_shares_of_0(k, factor):
    """Unary encoding, epsilon 1: n Var = 1 / sinh(epsilon / 2)^2 for the part, k times that for the whole."""
    split, drawn = oracle_variance(1.0 / k, 5), k * oracle_variance(1.0, 5)
    assert split / drawn == pytest.approx(factor, abs=5e-5)


@pytest.mark.parametrize(("k", "least"), [(3, 3.1), (5, 5.2), (10, 10.5)])
def test_one_question_drawn_beats_parts_of_epsilon_in_surveys(k, least):
    """Surveys of 100 even values per question: mean squared errors, not formulas.

    Those of 2 x 400 times 100 shares: the ratio errs by about 1%, and the factors leave 2.7%.
    """
    hundred, n = sv.Categories(100), 20_000
    people, even = np.full(100, n // 100), np.full(100, 0.01)
    rng, source = np.random.default_rng(k), sv.Seeded(k)
    split_by = sv.mechanism("olh", hundred, 1.0 / k)
    drawn_by = sv.mechanism("olh", hundred, 1.0)
    squares = np.zeros(2)
    for _ in range(400):
        asked = rng.multivariate_hypergeometric(people, n // k)
        for place, tally in enumerate(
            (split_by.simulate(people, source=source), drawn_by.simulate(asked, source=source))
        ):
            squares[place] += np.sum((sv.estimate(tally, "unbiased").shares - even) ** 2)
    assert squares[0] / squares[1] >= least * 0.97


@pytest.mark.parametrize(
    ("k", "d", "epsilon", "marginals", "pairs"),
    [
        (3, 5, 1.0, (28.09, 5.81), (26.13, 11.05, 10.34)),
        (3, 5, 2.0, (5.51, 0.764), (2.23, 2.17, 2.04)),
        (3, 20, 1.0, (35.67, 11.05), (407.2, 11.05, 11.27)),
        (5, 5, 1.0, (86.12, 9.68), (87.11, 36.83, 34.46)),
        (5, 20, 1.0, (99.67, 18.41), (1357, 36.83, 37.58)),
        (5, 20, 2.0, (24.67, 3.11), (99.3, 7.24, 7.31)),
        (10, 5, 1.0, (371.1, 19.37), (392.0, 165.7, 155.1)),
        (10, 20, 2.0, (99.67, 6.22), (446.9, 32.58, 32.88)),
    ],
)
def test_the_table_of_designs_at_shares_of_0(k, d, epsilon, marginals, pairs):
    """n times the variance: of a share by parts of epsilon and by one question; of a cell by one pair."""

    def at_zero(name, size, part=epsilon):
        channel = sv.mechanism(name, sv.Categories(size), part).channel()
        return channel.support_probabilities.variance(np.zeros(1))[0]

    split = min(at_zero("oue", d, epsilon / k), at_zero("grr", d, epsilon / k))
    drawn = k * min(at_zero("oue", d), at_zero("grr", d))
    assert (split, drawn) == pytest.approx(marginals, rel=2e-3)
    every = k * (k - 1) / 2
    found = [every * at_zero(name, d * d) for name in ("grr", "oue", "olh")]
    assert found == pytest.approx(pairs, rel=2e-3)


@pytest.mark.parametrize(
    ("d", "epsilon", "factor"), [(5, 1.0, 33.1), (20, 1.0, 66.7), (5, 4.0, 2.40), (20, 4.0, 5.09)]
)
def test_a_joint_oracle_against_the_product_of_two(d, epsilon, factor):
    """Both answers of a pair: one report about the cell, or one per answer with half of epsilon."""
    joint = min(
        sv.mechanism(name, sv.Categories(d * d), epsilon)
        .channel()
        .support_probabilities.variance(np.zeros(1))[0]
        for name in ("oue", "grr")
    )
    apart = min(
        sv.mechanism(name, sv.Categories(d), epsilon / 2)
        .channel()
        .support_probabilities.variance(np.zeros(1))[0]
        for name in ("oue", "grr")
    )
    assert apart**2 / joint == pytest.approx(factor, rel=0.02)


def test_the_oracle_of_a_set_depends_on_its_size():
    mechanism = sv.mechanism(
        "record", sv.Record({"a": sv.Categories(3), "b": sv.Categories(40)}), 1.0, design="mixed"
    )
    assert mechanism.hash_ranges[0] == 0
    assert min(mechanism.hash_ranges[1:]) > 1


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"design": "pair"}, "design of question-sets must be one of .* Did you mean 'pairs'"),
        ({"rates": [1, 2]}, "rates of question-sets must be a whole number for each of 3 sets"),
        ({"rates": [1, 2, 0]}, "rates of question-sets must be a whole number of at least 1"),
        ({"rates": [1, 2, 2**32]}, "at most 2.32 in all"),
        ({"hash_ranges": [0, 0]}, "hash_ranges of question-sets must be a whole number for each"),
        (
            {"design": "split", "hash_ranges": [0, 0]},
            "must be a whole number for each of 3 questions",
        ),
        ({"design": "split", "weights": []}, "must be those of the oracles of 3 questions"),
        ({"design": "parities", "hash_ranges": [2, 0, 2, 2, 2, 2]}, "must be all 2 with design"),
        ({"weights": []}, "weights of question-sets must be those of the oracles of 3 sets"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        sv.mechanism("record", THREE, 1.0, **{"design": "sample", **options})


def test_other_domains_and_tables_too_large_are_refused():
    with pytest.raises(InvalidInput, match="domain of question-sets must be a Record"):
        sv.mechanism("record", sv.Categories(3), 1.0)
    wide = sv.Record({"a": sv.Categories(2000), "b": sv.Categories(2000)})
    assert sv.mechanism("record", wide, 1.0).cells < 10_000
    with pytest.raises(InvalidInput, match="no set of questions has more than .* 4000000 cells"):
        sv.mechanism("record", wide, 1.0, design="pairs")
    long = sv.Record({"a": sv.Categories(513), "b": sv.Categories(2)})
    with pytest.raises(InvalidInput, match="other than split for questions of more than 512"):
        sv.mechanism("record", long, 8.0, design="split")
    with pytest.raises(InvalidInput, match="at least 3e-06 to be split over 3 questions"):
        sv.mechanism("record", THREE, 2e-6, design="split")


# -- audits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", DESIGNS)
def test_the_audit_passes_and_is_near_the_claim(design):
    audit = sv.audit(sv.mechanism("record", THREE, 1.0, design=design), trials=400_000, alpha=1e-7)
    assert audit.passed, str(audit)
    assert audit.lower_bound > 0.85, str(audit)


@pytest.mark.parametrize("design", ["sample", "mixed", "parities"])
def test_a_set_that_depends_on_the_answers_is_caught(design, monkeypatch):
    """A device that prefers the first set with one answer, and the last with another."""
    mechanism = sv.mechanism("record", THREE, 1.0, design=design)
    count, right = len(mechanism.sets), QuestionSets.randomize_positions
    first, last = (
        sv.mechanism("record", THREE, 1.0, design=design, rates=rates)
        for rates in ([8] + [1] * (count - 1), [1] * (count - 1) + [8])
    )
    assert sv.audit(mechanism, trials=50_000, alpha=1e-7).passed

    def preferring(self, rows, source):
        reports = right(first if rows[0, 0] == 0 else last, rows, source)
        return Reports(self, reports.columns, simulated=False)

    monkeypatch.setattr(QuestionSets, "randomize_positions", preferring)
    audit = sv.audit(mechanism, trials=50_000, alpha=1e-7)
    assert not audit.passed
    assert audit.lower_bound > 1.5
