"""The joint likelihood of a user's reports: pieces against rows written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.fusion.factors import SetFactor, TableFactor, factor_of, varying
from sottovoce.fusion.joint import JointChannel, JointRows
from sottovoce.fusion.pieces import cut_table, joined
from sottovoce.kernels import joint
from sottovoce.kernels.joint import JointUsers, joint_step_plain, product

LINE = sv.Interval(-1, 1, bins=24)
NAMES = ("sr", "pm", "sw", "laplace", "grr", "gaussian")


def table(name: str, epsilon: float = 1.0) -> np.ndarray:
    options = {"delta": 1e-5} if name == "gaussian" else {}
    return sv.mechanism(name, LINE, epsilon, **options).channel().dense()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("sr", "few"), ("pm", "steps"), ("sw", "steps"), ("laplace", "slopes"), ("grr", "steps")],
)
def test_structure_is_found(name, kind):
    cut = cut_table(table(name))
    assert cut is not None and cut.kind == kind
    rebuilt = np.empty_like(table(name))
    for row in range(len(rebuilt)):
        start = 0
        for piece in range(cut.first[row], cut.first[row + 1]):
            end = cut.ends[piece]
            shape = cut.shapes[cut.shape_of[piece], start:end]
            rebuilt[row, start:end] = cut.constants[piece] * shape
            start = end
        assert start == 24
    assert np.abs(rebuilt / table(name) - 1).max() < 1e-12


def test_no_structure_is_not_made_up():
    random = np.random.default_rng(1)
    assert cut_table(random.random((40, 64)) + 0.1) is None
    assert cut_table(table("gaussian")) is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(NAMES[:5]), min_size=1, max_size=5), st.integers(0, 10**6))
def test_pieces_are_the_product_of_rows(names, seed):
    random = np.random.default_rng(seed)
    tables = [table(name, float(random.choice([0.1, 1.0, 4.0]))) for name in names]
    codes = np.stack([random.integers(-1, len(t), 50) for t in tables], axis=1).astype(np.int32)
    pieces = joined([cut_table(t) for t in tables], [True] * len(tables))
    counts, shares = random.random(50) + 0.1, random.dirichlet(np.ones(24))
    users = JointUsers(codes, counts, pieces)
    found, likelihood = users.step(shares)
    rows = product(codes, tables)
    plain, same = joint_step_plain(lambda some: rows[some], counts, shares)
    assert np.abs(found / plain - 1).max() < 1e-10
    assert np.isclose(likelihood, same, rtol=1e-12, atol=1e-9)
    vectors = [shares, random.random(24)]
    assert np.allclose(users.sums(vectors), rows @ np.array(vectors).T, rtol=1e-10)
    again = users.step(shares)  # from the pieces that were kept
    assert np.array_equal(again[0], found) and again[1] == likelihood
    dense = np.ones((50, 24))  # by the definition, a user and a service at a time
    for i in range(50):
        for j, t in enumerate(tables):
            if codes[i, j] >= 0:
                dense[i] *= t[codes[i, j]]
    assert np.allclose(rows, dense, rtol=1e-12)


def test_users_cut_anew_every_time_are_the_same(monkeypatch):
    random, tables = np.random.default_rng(5), [table("pm"), table("sw"), table("sr")]
    codes = np.stack([random.integers(0, len(t), 700) for t in tables], axis=1).astype(np.int32)
    pieces = joined([cut_table(t) for t in tables], [False] * 3)
    counts, shares = np.ones(700), random.dirichlet(np.ones(24))
    kept = JointUsers(codes, counts, pieces)
    monkeypatch.setattr(joint, "_KEPT_BYTES", 0)
    cut = JointUsers(codes, counts, pieces)
    for _ in range(2):
        assert np.array_equal(kept.step(shares)[0], cut.step(shares)[0])
    assert kept._kept and not cut._kept


def factors(names, n=400, seed=3):
    random = np.random.default_rng(seed)
    values = random.beta(2, 5, n) * 2 - 1
    made = []
    for j, name in enumerate(names):
        options = {"delta": 1e-5} if name == "gaussian" else {}
        mechanism = sv.mechanism(name, LINE, 1.0, **options)
        reports = mechanism.randomize(values, source=sv.Seeded(seed + j))
        rows = np.where(random.random(n) < 0.8, np.arange(n), -1)
        made.append(factor_of(f"service {j}", mechanism, reports, rows))
    return made


@pytest.mark.parametrize(
    "names", [("sr", "sw"), ("sr", "pm", "sw"), ("sw", "gaussian"), ("oue", "sw"), ("olh",)]
)
def test_rows_are_the_likelihood(names):
    made = factors(names)
    joint = JointRows(made)
    assert joint.structured == all(isinstance(f, TableFactor) and cut_table(f.table) for f in made)
    assert joint.total == 400 and joint.counts.sum() == 400
    dense = np.prod([factor.rows(slice(None)) for factor in made], axis=0)
    shares = np.random.default_rng(1).dirichlet(np.ones(24))
    expected = dense @ shares
    ratio, likelihood = joint.em_step(shares)
    assert np.allclose(ratio, dense.T @ (1 / expected) / 400, rtol=1e-10)
    assert np.isclose(likelihood, np.log(expected).sum(), rtol=1e-12, atol=1e-8)
    bend = (dense / expected[:, None]).T @ (dense / expected[:, None])
    assert np.allclose(joint.curvature(shares), bend, rtol=2e-5)
    channel, values = JointChannel(joint, ring=False), np.arange(len(joint.counts)) + 1.0
    assert np.isclose(channel.forward(shares) @ values, channel.adjoint(values) @ shares)


def test_equal_combinations_are_counted_once():
    one, few = factors(("sr",))[0], factors(("sr", "sr", "sr"))
    assert len(JointRows([one]).counts) <= 3
    assert len(JointRows(few).counts) <= 27
    assert len(JointRows(few, distinct=False).counts) == 400


def test_sets_and_their_numbers():
    random = np.random.default_rng(2)
    for name in ("oue", "olh", "ss"):
        mechanism = sv.mechanism(name, LINE, 1.0)
        value = LINE.midpoints[5]
        reports = mechanism.randomize(np.full(60_000, value), source=sv.Seeded(1))
        factor = factor_of("s", mechanism, reports, None)
        assert isinstance(factor, SetFactor)
        for v in random.integers(0, 24, 3):
            inside = factor.rows(slice(None))[:, v] > 1
            assert np.array_equal(inside, mechanism.supports(reports, int(v)))
        numbers = varying("s", mechanism, factor)
        spread = np.sqrt(numbers.variance[5] / 60_000)
        mean, variance = numbers.average()
        assert abs(mean - value) < 5 * spread
        assert variance * numbers.people == pytest.approx(numbers.variance[5], rel=0.05)


@pytest.mark.parametrize("name", ["sr", "pm", "sw", "laplace", "grr"])
def test_numbers_of_a_table(name):
    mechanism = sv.mechanism(name, LINE, 1.0)
    reports = mechanism.randomize(np.full(60_000, LINE.midpoints[20]), source=sv.Seeded(1))
    rows = np.append(np.arange(60_000), -1)
    numbers = varying("s", mechanism, factor_of("s", mechanism, reports, rows))
    assert numbers.present.tolist() == [True] * (len(numbers.present) - 1) + [False]
    told = numbers.numbers[:-1]
    assert abs(told.mean() - LINE.midpoints[20]) < 5 * np.sqrt(numbers.variance[20] / 60_000) + 0.02
    assert told.var() == pytest.approx(numbers.variance[20], rel=0.05)
