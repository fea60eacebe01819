"""One real answer among fakes: its true epsilon by enumeration, and by audits that know what to look at."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput
from sottovoce.experiments.random_fakes import RandomFakes, amplified, variance_among_fakes
from sottovoce.privacy.audit import audit_black_box

E = Fraction(3)
PRIOR = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))


@pytest.mark.parametrize(
    ("sizes", "options", "one", "record"),
    [
        ((3, 3), {}, "3", "5"),
        ((2, 5), {}, "7/2", "5"),
        ((3, 3), {"prior": PRIOR}, "11/3", "5"),
        ((3, 3), {"variant": "unary-random"}, "31/9", "5"),
        ((3, 3, 3), {}, "3", "7"),
        ((3, 3, 3), {"variant": "unary-random"}, "41/11", "7"),
        ((3, 3), {"variant": "unary-zeros"}, "3", "5"),
    ],
)
def test_true_ratios(sizes, options, one, record):
    """Claimed 3: kept for one answer at best, and for a record never."""
    fakes = RandomFakes(sizes, E, **options)
    assert fakes.worst_ratio(answers=1) == Fraction(one)
    assert fakes.worst_ratio() == Fraction(record) == amplified(E, len(sizes)) > E


@pytest.mark.parametrize("options", [{}, {"prior": PRIOR}])
def test_ratios_by_all_reports_of_all_records(options):
    """The same, written again: the whole table of chances."""
    fakes, k = RandomFakes((3, 3), E, **options), 2
    fake, real = fakes._fake(3), [fakes._real(value, 3) for value in range(3)]

    def chance(report, record):
        a, b = report
        return (real[record[0]][a] * fake[b] + fake[a] * real[record[1]][b]) / k

    people = [*product(range(3), repeat=2)]
    for differ in (1, 2):
        worst = max(
            chance(report, x) / chance(report, u)
            for report in people for x in people for u in people
            if sum(a != b for a, b in zip(x, u, strict=True)) == differ
        )  # fmt: skip
        assert worst == fakes.worst_ratio(answers=differ)
    assert sum(chance(report, (0, 1)) for report in people) == 1


def test_one_answer_of_twenty_in_five_questions():
    """Unary encoding with fakes of random values: epsilon 1.8389 for one answer, 1 claimed."""
    k, d, e = 5, 20, amplified(Fraction(math.e), 5)
    odds = ((d - 1) * e + 1) / (e + d - 1)
    assert math.log((e * odds + k - 1) / (odds + k - 1)) == pytest.approx(1.8389, abs=5e-5)
    for sizes in ((3, 3), (3, 3, 3)):
        k, d, e = len(sizes), 3, amplified(E, len(sizes))
        odds = ((d - 1) * e + 1) / (e + d - 1)
        fakes = RandomFakes(sizes, E, "unary-random")
        assert fakes.worst_ratio(answers=1) == (e * odds + k - 1) / (odds + k - 1)


def test_with_an_honest_epsilon_it_loses_to_what_is_offered():
    """Five questions of five answers, epsilon 1: for the record, and for one answer."""
    record = sv.Record({f"q{i}": sv.Categories(5) for i in range(5)})
    sampled = 5 * sv.mechanism("grr", sv.Categories(5), 1.0).channel().variance(np.zeros(5))[0]
    assert variance_among_fakes(5, 5, math.e) == pytest.approx(58.8, abs=0.05)
    assert sampled == pytest.approx(9.68, abs=0.01)
    assert sv.mechanism("record", record, 1.0, design="sample").certificate().holds(1.0)
    claimed = float(amplified(Fraction(math.e), 5))
    assert variance_among_fakes(5, 5, claimed) == pytest.approx(9.02, abs=0.01)
    assert sampled / 5 == pytest.approx(1.94, abs=0.01)
    assert variance_among_fakes(5, 5, math.e, unary=True) > 90


def test_variances_are_those_of_repeated_surveys():
    """Shares of an answer that nobody gives: 2,000 surveys of 200 people, 5.5 standard errors."""
    fakes, n, draws = RandomFakes((3, 3), Fraction(3)), 200, 2000
    e, random = float(fakes.amplified), np.random.default_rng(1)
    reports = fakes.sample((0, 0), n * draws, random)[:, 0].reshape(draws, n)
    p, q = e / (e + 2), 1 / (e + 2)
    shares = (2 * (reports == 2).mean(axis=1) - q - 1 / 3) / (p - q)
    expected = variance_among_fakes(2, 3, e) / n
    assert abs(shares.mean()) < 5.5 * math.sqrt(expected / draws)
    assert np.var(shares) / expected == pytest.approx(1, abs=5.5 * math.sqrt(2 / draws))


def test_the_audit_of_records_catches_a_claim_for_the_record():
    """By the event "every answer as in the record"; guessing one answer sees nothing."""
    fakes, random = RandomFakes((2, 2, 2), Fraction(math.e)), np.random.default_rng(1)

    def every_answer(reports, value):
        return (reports == np.array(value)).all(axis=1)

    def one_answer(reports, value):
        return reports[:, 0] == value[0]

    def found(values, supports):
        sample = lambda value, count: fakes.sample(value, count, random)  # noqa: E731
        return audit_black_box(sample, values, 1.0, supports=supports, trials=300_000, alpha=1e-7)

    record, one = [(0, 0, 0), (1, 1, 1)], [(0, 0, 0), (0, 0, 1)]
    assert found(one, every_answer).passed
    assert found(record, one_answer).passed
    caught = found(record, every_answer)
    assert not caught.passed
    assert 1.6 < caught.lower_bound < math.log(fakes.worst_ratio())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((3,), E), "sizes of RandomFakes must be at least two questions"),
        (((3, 1), E), "sizes of RandomFakes must be a whole number of at least 2"),
        (((3, 3), Fraction(1)), "ratio of RandomFakes must be above 1"),
        (((3, 3), E, "grr"), "variant of RandomFakes must be one of response"),
        (((3, 2), E, "response", PRIOR), "prior of RandomFakes must be positive shares with sum 1"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        RandomFakes(*arguments)
    fakes = RandomFakes((3, 3), E, "unary-zeros")
    with pytest.raises(InvalidInput, match="variant of sample of RandomFakes must be response"):
        fakes.sample((0, 0), 1, np.random.default_rng(1))
    with pytest.raises(InvalidInput, match="sizes of RandomFakes must be of at most"):
        RandomFakes((60,) * 5, E).worst_ratio()
