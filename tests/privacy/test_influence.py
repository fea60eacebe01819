"""What liars can do: against every report there is, against closed forms, and by doing it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.answers.keys import key_weights, means
from sottovoce.base.errors import InvalidInput, Unfit
from sottovoce.channels.stacked import LevelSampling
from sottovoce.core.fields import BitField, Field, IntField, RowField
from sottovoce.core.registry import registered
from sottovoce.domains.key_values import KeyValues
from sottovoce.domains.vector import Vector

_FAKES = 0.01
_LIARS, _HONEST = 1_000, 99_000
DAY = "2026-11-16"
_MOST_REPORTS = 300
"""Reports above which an example's are sampled, and not all tried."""


def _examples() -> list[sv.Mechanism]:
    """All but vectors, asked coordinate by coordinate, and times of day, which have no linear answer."""
    every = [m for cls in registered() for m in cls.examples()]
    return [m for m in every if not (isinstance(m.domain, Vector) or m.channel().ring)]


def _one_column(field: Field, random: np.random.Generator) -> list[np.ndarray]:
    """Every column of one report there is, or a sample of them."""
    if isinstance(field, IntField):
        few = field.size <= _MOST_REPORTS
        drawn = range(field.size) if few else random.integers(0, 2**63, 256).tolist()
        return [np.array([value % field.size], dtype=field.dtype) for value in drawn]
    if isinstance(field, BitField):
        every = 2**field.size <= _MOST_REPORTS
        sets = (
            itertools.product((0, 1), repeat=field.size)
            if every
            else random.integers(0, 2, (256, field.size)).tolist()
        )
        return [np.packbits([bits], axis=1, bitorder="little") for bits in sets]
    assert isinstance(field, RowField)
    every = field.size**field.count <= _MOST_REPORTS
    rows = itertools.product(range(field.size), repeat=field.count)
    drawn = rows if every else random.integers(0, field.size, (256, field.count)).tolist()
    return [np.array([row], dtype=field.dtype) for row in drawn]


@cache
def _all_reports(mechanism: sv.Mechanism) -> tuple[bool, list[sv.Tally]]:
    """Tallies of single reports that a collector takes, each once; whether these are all."""
    random = np.random.default_rng(1)
    columns = [_one_column(field, random) for field in mechanism.fields]
    choices = list(itertools.product(*columns))
    every = all(
        len(found) == _possible(field)
        for found, field in zip(columns, mechanism.fields, strict=True)
    )
    if len(choices) > _MOST_REPORTS:
        every, picked = False, random.choice(len(choices), _MOST_REPORTS, replace=False)
        choices = [choices[i] for i in picked]
    names = [field.name for field in mechanism.fields]
    found = {}
    for chosen in choices:
        reports = sv.Reports(mechanism, dict(zip(names, chosen, strict=True)))
        tally = mechanism.tally(reports, window=DAY)
        found[tally.cells.tobytes()] = tally
    return every, list(found.values())


def _possible(field: Field) -> int:
    if isinstance(field, BitField):
        return 2**field.size
    return field.size if isinstance(field, IntField) else field.size**field.count


def _many(tally: sv.Tally, times: int) -> sv.Tally:
    return sv.Tally(tally.mechanism, tally.n * times, tally.cells * times, tally.window)


def _honest(mechanism: sv.Mechanism) -> sv.Tally:
    """The expected tally of people spread over all inputs, some more often, to the nearest report."""
    size = mechanism.domain.size
    people = np.full(size, _HONEST // size)
    people[0] += _HONEST - people.sum()
    return mechanism.simulate(people, source=sv.Seeded(3))


Asked = Callable[[sv.Estimate], float]


def _questions(mechanism: sv.Mechanism) -> Iterator[tuple[str, dict[str, object], Asked]]:
    domain = mechanism.domain
    if isinstance(domain, KeyValues):
        key = domain.keys.label(1)
        weights = key_weights(domain, 1, float(domain.pairs or 1))
        yield "frequency", {"key": key}, lambda e: e.value_of(weights)
        yield "key mean", {"key": key, "mean": True}, lambda e: float(means(e, domain)[1])
        return
    if isinstance(domain, sv.Interval):
        middle = (domain.low + domain.high) / 2
        yield "mean", {"mean": True}, lambda e: middle + e.value_of(domain.midpoints - middle)
    if mechanism.channel().inverse is not None:
        for indices in ([1], [0, 1], [0, domain.size - 1]):
            values = [_value(domain, i) for i in indices]
            weights = np.zeros(domain.size)
            weights[indices] = 1.0
            if len(set(indices)) == len(indices):
                yield f"values {indices}", {"values": values}, lambda e, w=weights: e.value_of(w)


def _value(domain: object, index: int) -> object:
    if domain.record is not None:
        triples = zip(domain.names, domain.domains, domain.digits(index), strict=True)
        return {name: _value(part, answer) for name, part, answer in triples}
    return domain.midpoints[index] if isinstance(domain, sv.Interval) else domain.label(index)


@pytest.mark.parametrize("example", _examples(), ids=str)
def test_no_report_does_more_and_one_does_as_much(example: sv.Mechanism) -> None:
    honest = _honest(example).of_window(DAY)
    every, reports = _all_reports(example)
    by_level = isinstance(example.channel(), LevelSampling)
    told = sv.estimate(honest, "unbiased")
    lied = [sv.estimate(honest + _many(report, _LIARS), "unbiased") for report in reports]
    for name, question, ask in _questions(example):
        found = sv.influence(honest, _FAKES, **question)
        shifts = np.array([ask(estimate) for estimate in lied]) - ask(told)
        scale = 1e-9 * max(1.0, np.abs(shifts).max())
        assert shifts.max() <= found.rise + scale, (name, found)
        assert -shifts.min() <= found.fall + scale, (name, found)
        if every and found.how == "exact" and not by_level:
            assert found.rise == pytest.approx(shifts.max(), rel=1e-6, abs=1e-9), name
            assert found.fall == pytest.approx(-shifts.min(), rel=1e-6, abs=1e-9), name


def test_most_examples_are_tried_with_every_report() -> None:
    """The power of the test above: samples stand in for all reports of a few examples only."""
    complete = [example.name for example in _examples() if _all_reports(example)[0]]
    assert len(complete) > 0.7 * len(_examples())
    assert {"randomized-response", "unary-encoding", "subset-selection", "key-value"} < set(
        complete
    )
    assert {"local-hashing", "square-wave", "haar", "hierarchy", "table"} < set(complete)


# -- closed forms ------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 16, 1024])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("count", [1, 2, 10])
def test_closed_forms(size: int, epsilon: float, count: int) -> None:
    domain, e, beta = sv.Categories(size), math.exp(epsilon), 0.03
    if count > size:
        pytest.skip("fewer values than that")
    shares = np.arange(1, size + 1) / np.arange(1, size + 1).sum()
    chosen = list(range(count))
    told = shares[chosen].sum()
    grr = sv.influence(sv.mechanism("grr", domain, epsilon), beta, values=chosen, shares=shares)
    most = beta * (1 - told) + beta * (size - count) / (e - 1)
    assert (grr.rise, grr.how) == (pytest.approx(most, rel=1e-9), "exact")
    oue = sv.influence(sv.mechanism("oue", domain, epsilon), beta, values=chosen, shares=shares)
    most = beta * (2 * count * e / (e - 1) - told)
    assert (oue.rise, oue.how) == (pytest.approx(most, rel=1e-9), "exact")
    assert oue.fall == pytest.approx(beta * (told + 2 * count / (e - 1)), rel=1e-9)
    # the rarest values are those named here, so that liars who may choose choose them
    assert sv.influence(
        sv.mechanism("grr", domain, epsilon), beta, count=count, shares=shares
    ).rise == pytest.approx(grr.rise)
    assert sv.influence(
        sv.mechanism("oue", domain, epsilon), beta, count=count, shares=shares
    ).rise == pytest.approx(oue.rise)


def test_mean_by_stochastic_rounding() -> None:
    """A high report of rounding stands for ``(E + 1)/(E - 1)`` times half of the width (Duchi)."""
    m = sv.mechanism("sr", sv.Interval(-1, 1, bins=2**10), 1.0)
    found = sv.influence(m, 0.1, shares=np.full(2**10, 2.0**-10))
    assert found.rise == pytest.approx(0.1 * (math.e + 1) / (math.e - 1), rel=2e-3)
    assert found.rise == pytest.approx(found.fall) and not found.in_points


# -- values that liars choose --------------------------------------------------------------


@pytest.mark.parametrize(
    "name, size, epsilon",
    [("grr", 6, 1.0), ("olh", 9, 1.0), ("olh", 7, 2.5), ("hr", 7, 1.0), ("hr", 9, 4.0),
     ("oue", 5, 1.0), ("ss", 6, 1.0)],
)  # fmt: skip
def test_values_of_their_choice_against_all_sets_and_reports(
    name: str, size: int, epsilon: float
) -> None:
    m = sv.mechanism(name, sv.Categories(size), epsilon)
    every, reports = _all_reports(m)
    assert every
    added = np.array([m.channel().inverse.forward(report.cells / 1.0) for report in reports])
    for count in range(1, size + 1):
        sets = [list(chosen) for chosen in itertools.combinations(range(size), count)]
        totals = np.stack([added[:, chosen].sum(axis=1) for chosen in sets], axis=1)
        found = sv.influence(m, 0.5, count=count)
        assert found.rise == pytest.approx(0.5 * totals.max()), count
        assert found.fall == pytest.approx(0.5 * (1 - totals.min())), count
        assert found.how == "exact"


def test_values_of_their_choice_among_known_shares() -> None:
    m = sv.mechanism("olh", sv.Categories(30), 1.0)
    shares = np.random.default_rng(2).dirichlet(np.ones(30))
    one = sv.influence(m, 0.02, count=1, shares=shares)
    best = max(sv.influence(m, 0.02, values=v, shares=shares).rise for v in range(30))
    assert one.rise == pytest.approx(best) and one.how == "exact"
    five = sv.influence(m, 0.02, count=5, shares=shares)
    named = sv.influence(m, 0.02, values=np.argsort(shares)[:5].tolist(), shares=shares)
    assert five.rise >= named.rise - 1e-12 and five.how == "bound"


# -- by doing it ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "ss", "hr", "olh-seeded", "flh"])
def test_liars_do_what_is_said(name: str) -> None:
    """Real reports of honest people and of liars: the shift is as said, to five standard errors.

    Half or twice as many liars would be seen: the shift is more than twenty standard errors.
    """
    m = sv.mechanism(name, sv.Categories(12), 1.0)
    people, beta, runs = np.full(12, 7_500), 0.1, 8
    report = max(_all_reports(m)[1], key=lambda t: m.channel().inverse.forward(t.cells * 1.0)[3])
    liars = round(beta / (1 - beta) * people.sum())
    shifts = []
    for run in range(runs):
        honest = m.simulate(people, source=sv.Seeded(run))
        shares = sv.estimate(honest + _many(report, liars), "unbiased").shares
        shifts.append(shares[3] - 1 / 12)
    found = sv.influence(m, beta, values=3, shares=people / people.sum())
    stderr = sv.estimate(honest, "unbiased").stderr[3] / math.sqrt(runs)
    slack = 5 * stderr + (0.02 if name == "flh" else 0.0)  # fixed hashes have a bias of their own
    assert abs(np.mean(shifts) - found.rise) < slack
    assert found.rise > 20 * stderr


def test_levels_are_pushed_by_liars_who_share_them_out() -> None:
    """No mixture of reports, of thousands, beats the one that is said to be best."""
    m = sv.mechanism("haar", sv.Interval(0, 1, bins=8), 1.0)
    honest = m.simulate(np.full(8, 20_000), source=sv.Seeded(1))
    found = sv.influence(honest, 0.2, values=0.1)
    assert found.how == "exact"
    x, random = honest.cells / honest.n, np.random.default_rng(5)
    told = sv.estimate(honest, "unbiased").shares[0]
    seen = []
    for _ in range(2_000):
        lies = random.dirichlet(np.full(m.cells, 0.05))
        both = 0.8 * x + 0.2 * lies
        seen.append(m.channel().conditioned_on(both).inverse.forward(both)[0] - told)
    assert 0.8 * found.rise < max(seen) <= found.rise + 1e-12


@pytest.mark.parametrize("name, bins", [("haar", 16), ("haar", 11), ("hh", 16), ("hh", 21)])
@pytest.mark.parametrize("fakes", [0.01, 0.3])
def test_levels_of_people_of_whom_nothing_is_known(name: str, bins: int, fakes: float) -> None:
    """No honest people are pushed farther than is said, and some are pushed as far."""
    m = sv.mechanism(name, sv.Interval(0, 100, bins), 1.0)
    random = np.random.default_rng(7)
    alike = np.full(bins, 1 / bins)
    crowds = [*np.eye(bins), alike, *random.dirichlet(np.full(bins, 0.2), 20)]
    questions: list[dict[str, object]] = [
        {"mean": True}, {"values": 20.0}, {"values": m.domain.midpoints[2:7].tolist()}
    ]  # fmt: skip
    for question in questions:
        found = sv.influence(m, fakes, **question)
        known = [sv.influence(m, fakes, shares=shares, **question) for shares in crowds]
        assert found.rise == pytest.approx(max(one.rise for one in known), rel=1e-9)
        assert found.fall == pytest.approx(max(one.fall for one in known), rel=1e-9)
        assert found.how == known[0].how == ("exact" if name == "haar" else "tried")
        if question == {"mean": True}:  # the power of it: people all alike are pushed less
            assert found.rise > 1.05 * known[bins].rise


def test_mean_of_a_key_against_mixtures_of_reports() -> None:
    """A rare key: liars who bring its share to nothing push its mean to either bound."""
    domain = sv.KeyValues(["film", "book"], 0, 5, bins=4)
    m = sv.mechanism("pckv-ue", domain, 2.0)
    people = np.array([0, 0, 0, 30_000, 200, 200, 100, 0])
    honest = m.simulate(people * 3, source=sv.Seeded(1))
    found = sv.influence(honest, 0.05, key="book", mean=True)
    told = float(means(sv.estimate(honest, "unbiased"), domain)[1])
    assert found.rise == pytest.approx(5 - told) and found.fall == pytest.approx(told)
    often = sv.influence(honest, 0.05, key="film", mean=True)
    _, reports = _all_reports(m)
    random, seen = np.random.default_rng(1), []
    for _ in range(300):
        mix = random.multinomial(honest.n // 19, random.dirichlet(np.full(len(reports), 0.2)))
        lies = sum((_many(r, int(k)) for r, k in zip(reports, mix, strict=True) if k), start=0)
        seen.append(float(means(sv.estimate(honest + lies, "unbiased"), domain)[0]))
    now = float(means(sv.estimate(honest, "unbiased"), domain)[0])
    assert now - min(seen) <= often.fall + 1e-4 and now - min(seen) > 0.6 * often.fall
    assert max(seen) - now <= often.rise + 1e-4


def test_frequencies_of_sets_are_at_most_one() -> None:
    """Of people who hold up to three pairs, all may hold a key: its frequency is then 1, not 3."""
    m = sv.mechanism("pckv-ue", sv.KeyValues(["film", "book"], 0, 5, bins=4, pairs=3), 2.0)
    people = np.zeros(9)
    people[0] = 1 / 3  # of each person one pair is drawn, in a third of all cases this one
    people[8] = 2 / 3
    known = sv.influence(m, 0.05, key="film", shares=people)
    assert sv.influence(m, 0.05, key="film").fall == pytest.approx(known.fall)


# -- other methods -------------------------------------------------------------------------


def test_shares_of_a_wave_are_tried() -> None:
    m = sv.mechanism("sw", sv.Interval(0, 10, bins=20), 1.0)
    tally = m.simulate(np.full(20, 5_000), source=sv.Seeded(1))
    with pytest.raises(Unfit, match='square-wave has no unbiased estimate.*method="auto"'):
        sv.influence(tally, values=5.0)
    few, many = (sv.influence(tally, b, values=5.0, method="em") for b in (0.01, 0.1))
    assert few.how == many.how == "tried"
    assert 0 < few.rise < many.rise < 1 and 0 <= few.fall <= many.fall
    assert "by the lies that were tried; others may push harder" in str(few)
    mean = sv.influence(tally, 0.1, mean=True, method="em")
    linear = sv.influence(tally, 0.1, mean=True)
    assert 0.3 * linear.rise < mean.rise < 1.5 * linear.rise and linear.how == "exact"


def test_trying_lies_on_the_unbiased_method_finds_what_the_formula_says() -> None:
    """Through the same door as any other method: the guess by gains is the best lie."""
    m = sv.mechanism("olh", sv.Categories(20), 1.0)
    tally = m.simulate(np.full(20, 9_900), source=sv.Seeded(1))
    formula = sv.influence(tally, 0.01, values=[3, 4])
    tried = sv.influence(tally, 0.01, values=[3, 4], method="base-cut")
    assert tried.rise == pytest.approx(formula.rise, rel=0.05)


# -- words, and what is refused --------------------------------------------------------------


def test_words() -> None:
    m = sv.mechanism("oue", sv.Categories(["tea", "milk", "water"]), 1.0)
    say = [
        str(sv.influence(m, fakes, values="tea", shares=[0.5, 0.25, 0.25]))
        for fakes in (0.01, 0.035, 0)
    ]
    assert say == [
        "If 1 in 100 reports is fake and the senders coordinate, the share of tea can be pushed up by at most "
        "2.67 points or down by 1.67.",
        "If 3.5% of reports are fake and the senders coordinate, the share of tea can be pushed up by at most "
        "9.33 points or down by 5.83.",
        "If no report is fake, nothing moves the share of tea.",
    ]
    assert sv.influence(m, count=2).label == "the total of any 2 values"
    assert sv.influence(m).label == "the share of any one value"
    assert sv.influence(m, values=["tea", "milk"]).label == "the total of tea, milk"
    age = sv.mechanism("pm", sv.Interval(0, 120, bins=12), 1.0)
    assert sv.influence(age).label == "the mean" and "points" not in str(sv.influence(age))


@pytest.mark.parametrize("fakes", [-0.1, 1, 1.5, math.nan, math.inf, "1%", None, True])
def test_fakes_refused(fakes: object) -> None:
    m = sv.mechanism("grr", sv.Categories(3), 1.0)
    with pytest.raises(InvalidInput, match="fakes of influence must be a number from 0 to below 1"):
        sv.influence(m, fakes)


@pytest.mark.parametrize(
    "question, message",
    [
        ({"values": "beer"}, "must be one of .'tea', 'milk'.; got 'beer'"),
        ({"values": ["tea", "tea"]}, "values of influence must be distinct"),
        ({"values": []}, "at least one value"),
        ({"count": 0}, "count of influence must be a whole number from 1 to 2"),
        ({"count": 3}, "count of influence must be a whole number from 1 to 2"),
        ({"count": 1.5}, "whole number"),
        ({"count": 1, "values": "tea"}, "one question: .* got 'values and count'"),
        ({"mean": True}, "the mean needs numbers"),
        ({"mean": "yes"}, "mean of influence must be True or False"),
        ({"key": "tea"}, "a key needs pairs"),
        ({"shares": [0.5]}, "shares of influence must be 2 finite numbers; got 'shape"),
        ({"shares": [0.5, math.nan]}, "not finite"),
        (
            {"values": "tea", "method": "em"},
            "source of influence must be a tally of reports to try em",
        ),
    ],
)
def test_questions_refused(question: dict[str, object], message: str) -> None:
    m = sv.mechanism("grr", sv.Categories(["tea", "milk"]), 1.0)
    with pytest.raises((InvalidInput, Unfit), match=message):
        sv.influence(m, **question)


def test_refused_besides() -> None:
    with pytest.raises(InvalidInput, match="source of influence must be a Tally or a mechanism"):
        sv.influence("grr")
    with pytest.raises(Unfit, match="one coordinate of a vector"):
        sv.influence(sv.mechanism("vector", sv.Vector(sv.Interval(0, 1, bins=4), 2), 1.0))
    m = sv.mechanism("pckv-grr", sv.KeyValues(["film", "book"], 0, 5, bins=4), 1.0)
    with pytest.raises(InvalidInput, match="key of influence must be given"):
        sv.influence(m)
    with pytest.raises(InvalidInput, match="key of influence must be one of"):
        sv.influence(m, key="song")
    wide = sv.mechanism("grr", sv.Interval(0, 1, bins=8), 1.0, report_bins=4)
    with pytest.raises(Unfit, match="name them by values="):
        sv.influence(wide, count=2)
    tally = sv.mechanism("grr", sv.Categories(3), 1.0).simulate([5, 5, 5], source=sv.Seeded(1))
    with pytest.raises(InvalidInput, match="values of influence must be named"):
        sv.influence(tally, count=1, method="em")


def test_nothing_to_push() -> None:
    one = sv.mechanism("grr", sv.Categories(["only"]), 1.0)
    assert sv.influence(one, 0.5).rise == 0.0
    empty = sv.Tally.empty(sv.mechanism("grr", sv.Categories(4), 1.0))
    assert sv.influence(empty, 0.1) == sv.influence(empty.mechanism, 0.1)


@pytest.mark.parametrize("name", ["grr", "oue", "olh", "ss", "hr", "olh-seeded"])
def test_a_hundred_thousand_values(name: str) -> None:
    """No matrix of values by cells is ever made: it would be 80 GB."""
    m = sv.mechanism(name, sv.Categories(100_000), 1.0)
    one, many = sv.influence(m, values=7), sv.influence(m, count=10)
    assert one.rise > 0 and many.rise > 0 and one.how == "exact"
