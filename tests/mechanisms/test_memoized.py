"""Memory: what both rounds compose to, what one report and all reports tell, and what histories tell."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.base.errors import InvalidInput, Mismatch
from sottovoce.base.exact import exp_bounds

COARSE = {"bits": 8}


def memoized(
    values: int, epsilon: float = 1.0, lifetime: float = 2.0, inner: str = "grr", **options
):
    """A memoized mechanism with inner options."""
    asked = {"mechanism": inner, "options": options} if options else inner
    return sv.mechanism("memoized", sv.Categories(values), epsilon, lifetime=lifetime, inner=asked)


def rounds_as_tables(m: sv.Memoized) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
    """Round 1, entry to memo, and round 2, memo to output, from the weights of the document alone."""
    weights = m.document()["weights"]
    first = {name: int(text) for name, text in weights["permanent"].items()}
    second = {name: int(text) for name, text in weights["fresh"].items()}
    if "stay" in second:
        return _bit_tables(m, first, second)
    total = 2**m.inner.bits
    outputs = m.inner.g if m.inner.name == "local-hashing" else m.rounds.levels[3]
    if "width" in first:
        sums = first["low"] * outputs + first["unit"] * first["width"]
        one = [
            [
                Fraction(first["low"] + first["unit"] * (0 <= y - x < first["width"]), sums)
                for y in range(outputs)
            ]
            for x in range(m.positions)
        ]
    else:
        one = [
            [Fraction(first["other"] + first["keep"] * (x == y), total) for y in range(outputs)]
            for x in range(outputs)
        ]
    two = [
        [Fraction(second["other"] + second["keep"] * (x == y), total) for y in range(outputs)]
        for x in range(outputs)
    ]
    return one, two


def _bit_tables(m, first, second):
    """Sets of bits as outputs: every combination."""
    total, size = 2**m.inner.bits, m.domain.size
    sets = list(itertools.product((0, 1), repeat=size))

    def chance(bit: int, weight: int) -> Fraction:
        return Fraction(weight if bit else total - weight, total)

    one = [
        [
            math.prod(chance(y[v], first["own"] if v == x else first["other"]) for v in range(size))
            for y in sets
        ]
        for x in range(size)
    ]
    two = [
        [
            math.prod(
                chance(y[v], second["stay"] if memo[v] else second["rise"]) for v in range(size)
            )
            for y in sets
        ]
        for memo in sets
    ]
    return one, two


def times(a, b):
    columns = list(zip(*b, strict=True))
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in a
    ]


def worst(table) -> Fraction:
    return max(max(column) / min(column) for column in zip(*table, strict=True))


SMALL = [
    memoized(2, **COARSE),
    memoized(5, 0.5, 1.5, **COARSE),
    memoized(9, 1.0, 3.0, "olh", hash_range=3, bits=10),
    sv.mechanism("memoized", sv.Interval(0, 1, bins=5), 1.0, lifetime=2.0, inner={"mechanism": "sw", "options": {"steps": 1, "bits": 12}}),
    memoized(3, 1.0, 2.0, "oue", **COARSE),
    memoized(3, 1.0, 2.0, "sue", **COARSE),
    sv.mechanism("memoized", sv.Categories(3), 1.0, lifetime=2.0, inner={"mechanism": "sue", "options": {"bits": 10}}, half=True),
]  # fmt: skip


@pytest.mark.parametrize("m", SMALL, ids=str)
def test_both_certificates_are_those_of_the_tables_themselves(m):
    """Multiplied out in fractions, from the document alone."""
    one, two = rounds_as_tables(m)
    assert all(sum(row) == 1 for row in (*one, *two))
    assert worst(times(one, two)) == m.certificate().ratio
    assert worst(one) == m.certificate(reports="all").ratio
    assert worst(two) == m.rounds.from_memo(m.weights[1])
    assert m.certificate().ratio <= exp_bounds(m.epsilon)[0]
    assert m.certificate(reports="all").ratio <= exp_bounds(m.total_epsilon)[0]


@pytest.mark.parametrize("m", SMALL, ids=str)
def test_less_noise_in_the_fresh_round_breaks_the_claim(m):
    """The derived weights are the least that keep epsilon: one unit less exceeds it."""
    keep, other = m.weights[1]
    smaller = (
        (keep + 1, other - 1)
        if "stay" in m.rounds.names
        else (keep + m.rounds.levels[3], other - 1)
    )
    if m.half:
        smaller = (keep, other - 1)
    assert not m.rounds.one_report(smaller).holds(m.epsilon)


@pytest.mark.parametrize(
    "epsilon,lifetime", [(1.0, 2.0), (0.5, 1.0), (2.0, 4.0), (0.1, 8.0), (1.9, 2.0)]
)
@pytest.mark.parametrize("inner", ["grr", "olh", "oue", "sue"])
def test_rounds_compose_to_the_inner_mechanism(inner, epsilon, lifetime):
    """With 62 bits both ratios are e^epsilon and e^lifetime to 1e-9, and the channel is the inner one's."""
    m = memoized(20, epsilon, lifetime, inner)
    plain = sv.mechanism(inner, sv.Categories(20), epsilon)
    assert epsilon - m.certificate().epsilon_above < 1e-9
    assert lifetime - m.certificate(reports="all").epsilon_above < 1e-9
    shares = np.linspace(0, 0.1, 20)
    assert np.allclose(m.variance(shares, 1), plain.variance(shares, 1), rtol=1e-9)


def test_waves_compose_too():
    line = sv.Interval(0, 120, bins=24)
    m = sv.mechanism("memoized", line, 1.0, lifetime=2.0)
    plain = sv.mechanism("sw", line, 1.0, steps=1)
    assert m.inner.name == "square-wave" and m.inner.weights[0] == plain.weights[0]
    assert np.allclose(m.channel().dense(), plain.channel().dense(), rtol=1e-9)
    assert (
        1 - m.certificate().epsilon_above < 1e-9
        and 2 - m.certificate(reports="all").epsilon_above < 1e-9
    )


def fresh(
    name: str, values: int, epsilon: float = 1.0, lifetime: float = 2.0
) -> tuple[float, float]:
    m = sv.mechanism(
        name,
        sv.Categories(values),
        epsilon,
        lifetime=lifetime,
        **({"linkable": True} if values > 20 and "ue" in name else {}),
    )
    first, second = (weight / 2**62 for weight in m.weights[1])
    return (first + second, second) if "keep" in m.rounds.names else (first, second)


def test_parameters_of_the_papers_and_where_they_are_wrong():
    """p2 of the exact compositions; the published one for L-GRR keeps a smaller epsilon than it claims."""
    assert [round(fresh("l-osue", 3, *at)[0], 4) for at in ((1, 2), (0.5, 1), (2, 4))] == [
        0.8034,
        0.7650,
        0.8950,
    ]
    assert round(fresh("l-sue", 3)[0], 4) == 0.7650
    assert [round(fresh("l-grr", k)[0], 4) for k in (3, 10, 100)] == [0.6901, 0.4385, 0.2885]
    assert round(fresh("l-oue", 3)[1], 4) == 0.0809 and round(fresh("l-soue", 3)[1], 4) == 0.0720
    for name, variance in (("l-oue", 4.467), ("l-soue", 3.889), ("l-grr", 3.630)):
        m = sv.mechanism(name, sv.Categories(10), 1.0, lifetime=2.0)
        assert round(float(m.variance([0.0] * 10, 1)[0]), 3) == variance
    assert [round(published_epsilon(k), 4) for k in (3, 10, 100)] == [0.9480, 0.6994, 0.1656]


def published_epsilon(k: int) -> float:
    """What one report of the published L-GRR keeps at (2, 1): its p2 forgets (k - 2) q1 q2."""
    e1, ei = math.e, math.exp(2)
    p1, q1 = ei / (ei + k - 1), 1 / (ei + k - 1)
    p2 = (e1 * p1 - q1) / (p1 * (k - 1) - q1 + e1 * p1 - e1 * q1 * (k - 1))
    q2 = (1 - p2) / (k - 1)
    p = p1 * p2 + (k - 1) * q1 * q2
    q = p1 * q2 + q1 * p2 + (k - 2) * q1 * q2
    return math.log(p / q)


def test_sixteen_bits_by_hand():
    m = sv.mechanism(
        "memoized",
        sv.Categories(3),
        1.0,
        lifetime=2.0,
        inner={"mechanism": "oue", "options": {"bits": 16}},
    )
    assert m.weights == ((32768, 7813), (65536 - 12885, 12885))
    assert m.certificate().ratio == Fraction(1569922089, 577561559)
    assert m.certificate(reports="all").ratio == Fraction(57723, 7813)


# -- histories: everything that T windows tell ------------------------------------------------


def law_of_history(one, two, history):
    """The law of all reports of a person whose values were ``history``, memos drawn independently."""
    outputs, values = range(len(two[0])), sorted(set(history))
    law = dict.fromkeys(itertools.product(outputs, repeat=len(history)), Fraction(0))
    for memos in itertools.product(range(len(two)), repeat=len(values)):
        chance = math.prod(one[v][m] for v, m in zip(values, memos, strict=True))
        kept = dict(zip(values, memos, strict=True))
        for reports in law:
            told = math.prod(two[kept[v]][y] for v, y in zip(history, reports, strict=True))
            law[reports] += chance * told
    return law


def epsilon_between(first, second) -> float:
    return max(math.log(first[r] / second[r]) for r in first)


def test_one_value_in_many_windows_keeps_the_lifetime():
    """L-GRR over two values at (2, 1): 2, 3 and 5 reports tell 1.6417, 1.8992 and 1.9937, never 2."""
    one, two = rounds_as_tables(memoized(2))
    for windows, known in ((1, 1.0), (2, 1.6417), (3, 1.8992), (5, 1.9937)):
        laws = [law_of_history(one, two, (v,) * windows) for v in (0, 1)]
        assert round(max(epsilon_between(*laws), epsilon_between(*laws[::-1])), 4) == known


def test_histories_that_change_tell_more_than_two_lifetimes_and_less_than_the_bound():
    m = memoized(2, 0.9, 1.0, bits=16)
    one, two = rounds_as_tables(m)
    for windows, known in ((2, 2.4968), (4, 5.5553)):
        laws = {h: law_of_history(one, two, h) for h in itertools.product((0, 1), repeat=windows)}
        most = max(epsilon_between(laws[a], laws[b]) for a in laws for b in laws)
        assert abs(most - known) < 0.002  # 16 bits
        assert (most > 2 * m.total_epsilon) and most <= m.cost(2, windows)
    assert epsilon_between(laws[0, 0, 1, 1], laws[0, 0, 0, 0]) > 2.0


@pytest.mark.parametrize(
    "m", [memoized(3, 0.5, 1.0, bits=10), memoized(3, 1.0, 3.0, bits=10), SMALL[4]], ids=str
)
def test_no_two_histories_exceed_the_cost(m):
    one, two = rounds_as_tables(m)
    windows = 3 if len(two) < 5 else 2
    laws = {h: law_of_history(one, two, h) for h in itertools.product(range(3), repeat=windows)}
    for answers in (1, 2, 3):
        allowed = [h for h in laws if len(set(h)) <= answers]
        if answers == 1:  # later answers speak by the first memo
            allowed = [(v,) * windows for v in range(3)]
        most = max(epsilon_between(laws[a], laws[b]) for a in allowed for b in allowed)
        assert most <= m.cost(answers, windows)


def test_cost_is_the_lifetime_where_the_first_answer_speaks_for_good():
    m = memoized(10)
    assert m.cost() == m.cost(1, 1000) == 2.0
    with pytest.raises(
        InvalidInput, match="windows of cost of memoized must be given for 2 answers"
    ):
        m.cost(2)
    assert m.cost(2, 1) <= m.cost(2, 2) <= m.cost(2, 30) <= m.cost(3, 30)


# -- bad input, and tallies -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lifetime": None}, "lifetime of memoized must be given"),
        ({"lifetime": 1.0}, "lifetime of memoized must be a number above epsilon = 1, at most 20"),
        ({"lifetime": 21.0}, "at most 20; got 21"),
        ({"lifetime": "x"}, "lifetime of memoized must be a number above"),
        ({"inner": "subset-selection"}, "inner of memoized must be one of randomized-response"),
        ({"inner": "oue"}, "domain of memoized must be of at most 20 values with unary-encoding"),
        ({"inner": "grr", "half": True}, "inner of memoized must be one of"),
        ({"linkable": 1}, "linkable of memoized must be True or False"),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(InvalidInput, match=message):
        sv.mechanism("memoized", sv.Categories(30), 1.0, **{"lifetime": 2.0, **change})


def test_a_certificate_is_of_one_report_or_of_all():
    with pytest.raises(
        InvalidInput, match="reports of certificate of memoized must be one of all, one"
    ):
        memoized(10).certificate(reports="some")


def test_memory_is_not_inside_another_mechanism():
    with pytest.raises(InvalidInput, match="a mechanism without memory; got 'memoized'"):
        inner = {"mechanism": "memoized", "options": {"lifetime": 2.0}}
        sv.mechanism(
            "sampled-coordinate", sv.Vector(sv.Interval(0, 1, bins=4), 2), 1.0, inner=inner
        )


def test_tallies_of_two_windows_do_not_add():
    m = memoized(4)
    reports = m.randomize_indices(np.arange(4), sv.Seeded(1))
    monday, tuesday = (m.tally(reports, window=day) for day in ("2026-11-16", "2026-11-17"))
    assert (monday + monday).n == 8 and (monday + monday).window == "2026-11-16"
    assert sv.Tally.from_bytes(monday.to_bytes()).window == "2026-11-16"
    for other in (tuesday, m.tally(reports)):
        with pytest.raises(Mismatch, match=r"sv.trend\(\[...\]\) takes one tally per window"):
            monday + other
    with pytest.raises(Mismatch, match="no window and no window"):
        m.tally(reports) + m.tally(reports)
    assert sv.Tally.empty(m) + monday == monday
    plain = sv.mechanism("grr", sv.Categories(4), 1.0)
    one = plain.tally(plain.randomize([0, 1]), window="2026-11-16")
    assert (one + one.of_window("2026-11-17")).window == "" and (one + one).window == "2026-11-16"
    with pytest.raises(InvalidInput, match="window of tally of randomized-response must be text"):
        one.of_window("x" * 101)


def test_a_linear_hash_is_shared_by_many():
    """n/K devices have a hash; the memo tells no device from those."""
    m = sv.mechanism("memoized", sv.Categories(1024), 1.0, lifetime=2.0)
    assert m.inner.family.hashes == 1093 and m.inner.g == 3
    variance = float(m.variance(np.zeros(1024), 1)[0])
    oue = float(sv.mechanism("oue", sv.Categories(1024), 1.0).variance(np.zeros(1024), 1)[0])
    assert round(variance, 3) == 3.766 and variance / oue < 1.03
    memory = m.memory()
    assert abs(float(memory.variance(np.zeros(1024))[0]) - 1.079) < 0.001
    assert round(memory.kappa, 4) == 0.1790
